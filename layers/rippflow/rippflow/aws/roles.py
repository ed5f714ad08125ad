"""Narrowed sessions of customers' roles: own role -> deployment service role -> customer role with ExternalId.

The session policy allows one action on one target, so even a stolen session can do nothing else. Chained sessions last
an hour at most (STS AssumeRole, role chaining); both hops are cached until shortly before they expire.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from threading import Lock
from typing import TYPE_CHECKING, Any

from botocore.exceptions import BotoCoreError, ClientError

from rippflow.aws.clients import STORAGE
from rippflow.aws.faults import classify
from rippflow.errors import Unavailable
from rippflow.ports import Rejected, Session

if TYPE_CHECKING:
    from rippflow.aws.clients import Clients
    from rippflow.ports import Access, Clock

_SESSION_SECS = 3600
_RENEWED_BEFORE_MS = 5 * 60 * 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class _Kept:
    session: Session
    until: int


@dataclass(frozen=True, slots=True)
class StsRoles:
    """`ports.Roles`."""

    clients: Clients
    service_role_arn: str
    installation_id: str
    clock: Clock
    _kept: dict[Access | None, _Kept] = field(default_factory=dict)
    _lock: Lock = field(default_factory=Lock)

    def assume(self, access: Access) -> Session | Rejected:
        """A session for just this access. An explicit no of STS is Rejected; no answer raises Unavailable."""
        kept = self._cached(access)
        if kept is not None:
            return kept
        service = self._service_session()
        if isinstance(service, Rejected):
            return service
        policy = {
            "Version": "2012-10-17",
            "Statement": [{"Effect": "Allow", "Action": access.action, "Resource": list(access.resources)}],
        }
        return self._assume(
            access,
            self.clients.of(service, "sts", STORAGE),
            RoleArn=access.role_arn,
            ExternalId=self.installation_id,
            Policy=json.dumps(policy, separators=(",", ":")),
        )

    def _service_session(self) -> Session | Rejected:
        kept = self._cached(None)
        return kept if kept is not None else self._assume(None, self.clients.sts, RoleArn=self.service_role_arn)

    def _cached(self, access: Access | None) -> Session | None:
        with self._lock:
            kept = self._kept.get(access)
            if kept is None:
                return None
            if kept.until > self.clock.now_ms():
                return kept.session
            del self._kept[access]
            return None

    def _assume(self, access: Access | None, sts: Any, **parameters: str) -> Session | Rejected:
        name = f"rippflow-{self.installation_id}"
        try:
            answer = sts.assume_role(RoleSessionName=name, DurationSeconds=_SESSION_SECS, **parameters)
        except (ClientError, BotoCoreError) as error:
            meaning = classify(error)
            if isinstance(meaning, Rejected) and not meaning.throttled:
                return meaning
            message = f"{parameters['RoleArn']} cannot be assumed now"
            raise Unavailable(message) from error
        credentials = answer["Credentials"]
        session = Session(
            access_key=credentials["AccessKeyId"],
            secret_key=credentials["SecretAccessKey"],
            token=credentials["SessionToken"],
        )
        until = int(credentials["Expiration"].timestamp() * 1000) - _RENEWED_BEFORE_MS
        with self._lock:
            self._kept[access] = _Kept(session=session, until=until)
        return session
