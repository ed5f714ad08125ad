"""What the provider's operations need from the world, in memory."""

from __future__ import annotations

from dataclasses import replace

from rippflow.contract.grants import read_grant
from rippflow.errors import Unavailable
from rippflow.ports import FunctionFacts, Session
from rippflow.records import DeploymentStatus


class Clock:
    def __init__(self):
        self.now = 1_800_000_000_000
        self.slept = []

    def now_ms(self):
        self.now += 1
        return self.now

    def sleep_ms(self, ms):
        self.slept.append(ms)
        self.now += ms


class Observer:
    def __init__(self):
        self.lines = []

    def note(self, event, **fields):
        self.lines.append((event, fields))

    count = note

    def events(self):
        return [event for event, _ in self.lines]


class Grants:
    def __init__(self):
        self.held = {}

    def put(self, grant):
        self.held[grant["tenantId"], grant["namespace"]] = read_grant(grant)

    def find(self, principal, tenant_id, namespace):
        grant = self.held.get((tenant_id, namespace))
        return grant if grant is not None and grant.principal == principal else None


class Deployments:
    """`before_write` is called ahead of each write with its name; it may raise, or let something else happen first."""

    def __init__(self):
        self.stored = {}
        self.owners = {}
        self.writes = []
        self.before_write = lambda _name: None

    def _write(self, name):
        self.before_write(name)
        self.writes.append(name)

    def publish(self, deployment):
        self._write("publish")
        return self.stored.setdefault(deployment.deployment_id, deployment)

    def load(self, deployment_id):
        return self.stored.get(deployment_id)

    def revoked(self, deployment_id):
        return self.stored[deployment_id].revoked

    def revoke(self, deployment_id, by, at):
        known = self.stored[deployment_id]
        if not known.revoked:
            self.stored[deployment_id] = replace(known, status=DeploymentStatus.REVOKED, revoked_by=by, revoked_at=at)

    def declare(self, deployment_id, owner):
        self._write("declare")
        if self.revoked(deployment_id):
            return False
        self.owners.setdefault(deployment_id, set()).add(owner)
        return True

    def withdraw(self, deployment_id, owner, by, at, *, revoke):
        self._write("withdraw")
        owners = self.owners.get(deployment_id, set())
        if owner in owners:
            owners.remove(owner)
            if revoke and not owners:
                self.revoke(deployment_id, by, at)
        return self.revoked(deployment_id)

    def live(self):
        """Every recorded (owner, deployment id)."""
        return {(owner, deployment) for deployment, owners in self.owners.items() for owner in owners}


class StackRequests:
    def __init__(self):
        self.newest = {}
        self.declarations = {}

    def declares(self, owner, asked_at, deployment_id):
        if self.newest.get(owner, 0) > asked_at:
            return False
        self.newest[owner] = asked_at
        self.declarations[owner] = (deployment_id, asked_at)
        return True

    def leaves(self, owner, asked_at):
        self.newest[owner] = max(asked_at, self.newest.get(owner, 0))

    def declared_since(self, owner, asked_at, deployment_id):
        declared, at = self.declarations.get(owner, (None, 0))
        return declared == deployment_id and at > asked_at


class Roles:
    """`answers` are given first, one a call: a Rejected, or an exception to raise."""

    def __init__(self):
        self.answers = []

    def assume(self, _access):
        if self.answers:
            answer = self.answers.pop(0)
            if isinstance(answer, Exception):
                raise answer
            return answer
        return Session(access_key="a", secret_key="s", token="t")


class Functions:
    def __init__(self):
        self.gone = set()

    def describe(self, _session, function_arn):
        if function_arn in self.gone:
            raise Unavailable("it was looked at again")
        name = function_arn.split(":")[6]
        role = f"arn:aws:iam::123456789012:role/{name}-workload"
        return FunctionFacts(version="42", state="Active", timeout_secs=60, execution_role_arn=role)
