"""What the environment tells a function; nothing else reads it."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


class MissingSettings(Exception):
    """Environment variables that the template sets are not there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Environment variable `X_Y` is field `x_y`; `template.yaml` sets them all (a test compares)."""

    installation_id: str
    grants_table: str
    deployments_table: str
    executions_table: str
    dispatch_queue_url: str
    result_bucket: str
    service_role_arn: str

    @classmethod
    def from_env(cls, environ: Mapping[str, str]) -> Settings:
        """Settings of this process; raises MissingSettings naming every variable that is absent or empty."""
        names = [field.name for field in fields(cls)]
        missing = [name.upper() for name in names if not environ.get(name.upper())]
        if missing:
            message = f"environment variables not set: {', '.join(missing)}"
            raise MissingSettings(message)
        return cls(**{name: environ[name.upper()] for name in names})
