"""What an installation says of itself, and whether that is enough for a scoped request."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rippflow.client.failures import NotSupported

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from rippflow.contract.documents import Json

OLDEST = (1, 9, 0)
SCOPED_DEPLOYMENTS = "scoped-deployments-v1"
SCOPED_EXECUTIONS = "scoped-workflow-executions-v1"
_VERSION = re.compile(r"(\d{1,9})\.(\d{1,9})\.(\d{1,9})(?:[-+].*)?")
_REMEDY = (
    "update the installation to 1.9.0 or newer; on 1.0 to 1.8 use the deployment commands that came with it. "
    "Nothing was sent in another form"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Installation:
    """The answer of `GET /capabilities`."""

    installation_id: str
    version: str
    capabilities: tuple[str, ...]

    @classmethod
    def of(cls, answer: Mapping[str, Json]) -> Installation:
        """Whatever is missing or of another type counts as not advertised."""
        return cls(
            installation_id=_text(answer.get("installationId")),
            version=_text(answer.get("version")),
            capabilities=_texts(answer.get("capabilities")),
        )

    def require(self, capabilities: Iterable[str], assumed_version: str | None = None) -> None:
        """Raises NotSupported, saying what is missing.

        `assumed_version` stands in for the version alone, for builds whose version is not a release's; what is not
        advertised stays unavailable.
        """
        missing = [f"the capability {each}" for each in capabilities if each not in self.capabilities]
        version = assumed_version or self.version
        if not _is_scoped(version):
            missing.insert(0, f"version 1.9.0 or newer (it is {version or 'not told'})")
        if missing:
            message = f"installation {self.installation_id or '(unnamed)'} lacks {' and '.join(missing)}; {_REMEDY}"
            raise NotSupported(message)


def no_capabilities() -> NotSupported:
    """For an endpoint that does not serve `GET /capabilities`."""
    message = f"this endpoint does not serve GET /capabilities, so it is older than 1.9.0 or no installation; {_REMEDY}"
    return NotSupported(message)


def _is_scoped(version: str) -> bool:
    found = _VERSION.fullmatch(version)
    return found is not None and tuple(map(int, found.groups())) >= OLDEST


def _text(value: Json) -> str:
    return value if isinstance(value, str) else ""


def _texts(value: Json) -> tuple[str, ...]:
    return tuple(each for each in value if isinstance(each, str)) if isinstance(value, list) else ()
