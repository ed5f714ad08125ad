"""The base URL of an installation's API and the region that requests to it are signed for."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import quote, urlencode, urlsplit

from rippflow.client.failures import WrongEndpoint

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from urllib.parse import SplitResult

_AWS_HOST = re.compile(r"(?:^|\.)execute-api\.(?P<region>[a-z]{2}(?:-[a-z]+)+-[0-9]+)\.")
_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
_EXAMPLE = "https://ID.execute-api.REGION.amazonaws.com/v1"


@dataclass(frozen=True, slots=True)
class Endpoint:
    """`base` has no slash at its end; whatever path it has is kept, and signed as it is sent."""

    base: str
    region: str

    @classmethod
    def of(cls, url: str, region: str | None) -> Endpoint:
        """The endpoint of a URL; the region in its host name wins over `region`. Raises WrongEndpoint."""
        parts = _split(url)
        named = _AWS_HOST.search(parts.hostname or "")
        signed_for = named["region"] if named else region
        if not signed_for:
            message = f"{parts.hostname} names no region; set AWS_REGION or the profile's region, or give --region"
            raise WrongEndpoint(message)
        return cls(url.strip().rstrip("/"), signed_for)

    def url(self, segments: Sequence[str], query: Mapping[str, str]) -> str:
        """The URL of a route; segments and values are percent-encoded, so that an id may hold any character."""
        for segment in segments:
            if not segment.strip("."):
                message = f"{segment!r} cannot be an id"
                raise ValueError(message)
        path = "".join(f"/{quote(segment, safe='')}" for segment in segments)
        return self.base + path + ("?" + urlencode(query, quote_via=quote) if query else "")


def _split(url: str) -> SplitResult:
    try:
        parts = urlsplit(url.strip())
        port = parts.port
    except ValueError as error:
        message = f"{url!r} is not a URL ({error}); give one like {_EXAMPLE}"
        raise WrongEndpoint(message) from error
    if not parts.hostname or port == 0 or parts.scheme not in {"https", "http"}:
        message = f"{url!r} is not the URL of an installation; give one like {_EXAMPLE}"
        raise WrongEndpoint(message)
    if parts.scheme == "http" and parts.hostname not in _LOOPBACK:
        message = f"{url!r} is not encrypted; write https"
        raise WrongEndpoint(message)
    if parts.query or parts.fragment or parts.username is not None:
        message = f"the URL of an installation ends with its path, like {_EXAMPLE}; leave out the rest"
        raise WrongEndpoint(message)
    return parts
