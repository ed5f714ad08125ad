"""API requests signed with SigV4 by hand, so that the tests do not lean on the client they test beside."""

from __future__ import annotations

import json
import ssl
import urllib.error
import urllib.request
from dataclasses import dataclass
from typing import Any

from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

from embedded.emulator import REGION


@dataclass(frozen=True)
class Answer:
    status: int
    body: Any


@dataclass(frozen=True)
class Api:
    """One person's view of the API; `call("POST", "/deployments", {...})`."""

    url: str
    bundle: str
    access_key: str
    secret_key: str
    token: str | None = None

    def call(self, method, path, body=None, *, service="execute-api", sign_path=None, headers=None):
        data = body if isinstance(body, bytes | None) else json.dumps(body).encode()
        request = AWSRequest(
            method, self.url + (sign_path or path), data=data, headers={"content-type": "application/json"}
        )
        SigV4Auth(Credentials(self.access_key, self.secret_key, self.token), service, REGION).add_auth(request)
        return self.send(method, path, data, dict(request.headers) | (headers or {}))

    def send(self, method, path, data=None, headers=None):
        """As it is, signed or not."""
        request = urllib.request.Request(self.url + path, data=data, method=method, headers=headers or {})
        tls = ssl.create_default_context(cafile=self.bundle)
        try:
            with urllib.request.urlopen(request, context=tls, timeout=60) as answer:
                return Answer(answer.status, json.loads(answer.read() or b"null"))
        except urllib.error.HTTPError as error:
            text = error.read()
            return Answer(error.code, json.loads(text) if text else None)
