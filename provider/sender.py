"""Delivery of an answer to CloudFormation's signed URL: bounded tries, socket timeouts, status check."""

from __future__ import annotations

import http.client
import os
import ssl
import time
import urllib.error
import urllib.request
from dataclasses import dataclass


class NotDelivered(Exception):
    """CloudFormation's answer URL did not take the answer; Lambda's retry will try again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sender:
    """PUTs with `tries` attempts, each with its own socket timeout and a doubling pause before the next."""

    tries: int = 5
    socket_secs: float = 8
    pause_secs: float = 0.4

    def put(self, url: str, body: bytes) -> None:
        """Return once a 2xx came; raises NotDelivered, whose text never carries the URL."""
        # AWS_CA_BUNDLE is how every AWS SDK is told of a private authority; unset in Lambda.
        tls = ssl.create_default_context(cafile=os.environ.get("AWS_CA_BUNDLE"))
        problem = ""
        for attempt in range(self.tries):
            if attempt:
                time.sleep(self.pause_secs * 2 ** (attempt - 1))
            problem = self._try(url, body, tls)
            if not problem:
                return
        message = f"the answer URL did not take the answer in {self.tries} tries, last: {problem}"
        raise NotDelivered(message)

    def _try(self, url: str, body: bytes, tls: ssl.SSLContext) -> str:
        """What went wrong, as a name; the exceptions' texts carry the signed URL."""
        try:
            # The empty content type is what CloudFormation's URL is signed for.
            request = urllib.request.Request(url, data=body, method="PUT", headers={"content-type": ""})  # noqa: S310 (https, by the envelope check)
            with urllib.request.urlopen(request, timeout=self.socket_secs, context=tls):  # noqa: S310 (as above)
                return ""
        except urllib.error.HTTPError as error:
            error.close()
            return f"HTTP {error.code}"
        except (OSError, http.client.HTTPException, ValueError) as error:
            return type(error).__name__
