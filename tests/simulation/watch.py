"""The invariants, asked at every write and every external call.

one call            an attempt's function or job runs at most once, whatever its id says
claim before call   the caller holds the attempt's claim, and took it before it asked for authority
check before call   authority was read as it was at that moment, after the claim, and said yes
nothing guessed     a finished claim says what its call answered; UNKNOWN only where nobody can know
applied once        each finished claim changes the state once, and the state is what the reference engine has
never back          versions count up; decisions, finished claims, revocations and first authors stay
"""

from __future__ import annotations

from dataclasses import dataclass, field

from rippflow.aws.items import claim_of, intent_of, state_of
from rippflow.engine.codec import decode
from rippflow.engine.events import Completed, Failed, Refused, Unknown
from rippflow.engine.readiness import ready
from rippflow.engine.state import Cell
from rippflow.operations.work import identity, shard_id
from rippflow.records import Admission, ClaimStatus
from tests.simulation.processes import SETTINGS
from tests.unit.engine.reference import Model

KINDS = {Completed: "completed", Failed: "failed", Unknown: "unknown", Refused: "refused"}
STATUSES = {
    Completed: ClaimStatus.COMPLETED,
    Failed: ClaimStatus.FAILED,
    Unknown: ClaimStatus.UNKNOWN,
    Refused: ClaimStatus.REFUSED,
}
ENDINGS = {"error": ClaimStatus.FAILED, "malformed": ClaimStatus.FAILED}


class Violation(BaseException):
    """An invariant is broken; no code under test can swallow it."""


@dataclass
class Call:
    """What really happened to a dispatch outside."""

    count: int = 0
    ending: str | None = None
    answered: bool = False


@dataclass
class Truth:
    """What the reference engine has of one execution."""

    model: Model
    applied: set = field(default_factory=set)


class Watch:
    """Sees everything that happens in a world; raises Violation."""

    def __init__(self, world):
        self.world = world
        self.step = 0
        self.calls = {}
        self.attempts = set()
        self.truths = {}

    # ------------------------------------------------------------------ reads and calls

    def read(self, table, key, item, _consistent):
        worker = self.world.actor
        if worker is None:
            return
        self.step += 1
        if key[1] == "STATE":
            worker.folded.clear()
        elif key[1] == "STATUS" or table == SETTINGS.grants_table:
            current = item == self.world.tables.items[table].get(key)
            worker.checked[key[1] if table != SETTINGS.grants_table else "GRANT"] = (self.step, item, current)

    def called(self, dispatch, phase):
        """An external call is about to run."""
        self.step += 1
        worker = self.world.actor
        item = self.world.claim_item(dispatch)
        require(item is not None, f"{phase} is called without a claim")
        claim = claim_of(item)
        require(claim.status is ClaimStatus.CLAIMED, f"{phase} is called while its claim is {claim.status}")
        require(claim.worker == worker.name, f"{phase} is called by somebody else than the claim's worker")
        taken = worker.claimed.get(dispatch)
        require(taken is not None, f"{phase} is called by a worker that did not claim it")
        for what in ("STATUS", "GRANT"):
            step, item, current = worker.checked.get(what, (0, None, True))
            require(step > taken, f"{phase} is called, but {what} was not read after the claim")
            require(current, f"{phase} is called after a stale read of {what}")
            allowed = item is not None and (what == "GRANT" or item["status"]["S"] == "ACTIVE")
            require(allowed, f"{phase} is called although {what} says no")
        attempt = (claim.key, claim.phase, claim.shard_index, claim.loop, claim.attempt)
        require(attempt not in self.attempts, f"{phase} is called twice for one attempt")
        self.attempts.add(attempt)
        call = self.calls.setdefault(dispatch, Call())
        call.count += 1
        require(call.count == 1, f"{phase} is called {call.count} times under one dispatch id")
        self._was_ready(claim)
        worker.calling = dispatch

    def ran(self, dispatch, ending):
        """The function ended."""
        self.calls[dispatch].ending = ending

    def received(self, service, operation, _answer):
        """The worker has the answer."""
        if (service, operation) in {("lambda", "invoke"), ("batch", "submit_job")}:
            self.calls[self.world.actor.calling].answered = True

    def _was_ready(self, claim):
        truth = self.truths.get(claim.key)
        require(truth is not None, f"{claim.phase} runs before its execution has a state")
        cell = truth.model.cells[claim.phase, claim.shard_index]
        begun = cell.status != "waiting" or cell.loop > claim.loop
        reached = (cell.loop, cell.attempt) >= (claim.loop, claim.attempt)
        require(begun and reached, f"{claim.phase} runs before it is ready")

    # ------------------------------------------------------------------ writes

    def write(self, table, old, new):
        self.step += 1
        if table == SETTINGS.executions_table:
            sk = (new or old)["sk"]["S"]
            if sk == "EXECUTION":
                self._intent(old, new)
            elif sk == "STATE":
                self._state(old, new)
            else:
                self._claim(None if old is None else claim_of(old), None if new is None else claim_of(new))
                require(not (claim_finished(new) and "poll" in new), "a finished claim is polled")
        elif table == SETTINGS.deployments_table:
            self._deployment(old, new)

    def _deployment(self, old, new):
        items = self.world.tables.items[SETTINGS.deployments_table]
        status, owners = items.get((new["pk"]["S"], "STATUS")), items.get((new["pk"]["S"], "OWNERS"), {})
        if new["sk"]["S"] == "DOCUMENT":
            require(old is None, "a published document changed")
        elif new["sk"]["S"] == "OWNERS":
            before, after = (set((item or {}).get("owners", {}).get("SS", ())) for item in (old, new))
            active = status["status"]["S"] == "ACTIVE"
            require(after <= before or active, "a stack declares a revoked deployment")
            require(len(before - after) <= 1, "a stack takes another's declaration along")
        elif old is not None and old["status"]["S"] == "REVOKED":
            require(new == old, "a revocation changed")
        elif new["status"]["S"] == "REVOKED" and new["revokedBy"]["S"].startswith("stack"):
            require("owners" not in owners, "the last stack revokes while another declares the deployment")

    def _intent(self, old, new):
        require(new is not None, "an intent was removed")
        if old is None:
            return
        before, after = intent_of(old), intent_of(new)
        require(before.digest == after.digest, "an intent's request changed")
        if before.admission is not Admission.QUEUED:
            require(after.admission is before.admission, "an admission was decided twice")
        if after.admission is Admission.ADMITTED:
            require(after.key in self.truths, "an execution is admitted without a state")

    def _claim(self, old, new):
        worker = self.world.actor
        if new is None:
            require(old.status is ClaimStatus.CLAIMED, f"a {old.status} claim was removed")
            require(old.worker == worker.name, f"the claim of {old.phase} was removed by another worker")
            require(old.dispatch_id not in self.calls, f"the claim of {old.phase} was removed after its call")
            return
        if old is None or (old.status is ClaimStatus.CLAIMED and old.worker != new.worker):
            require(new.status is ClaimStatus.CLAIMED, f"a claim of {new.phase} began as {new.status}")
            require(old is None, f"the claim of {new.phase} was taken from its worker")
            require(new.job is None, f"a claim of {new.phase} began with a job")
            worker.claimed[new.dispatch_id] = self.step
            return
        require(old.key == new.key and old.worker == new.worker, f"the claim of {new.phase} changed its owner")
        if old.cancel_requested_at is not None:
            same = (old.cancel_requested_by, old.cancel_requested_at) == (
                new.cancel_requested_by,
                new.cancel_requested_at,
            )
            require(same, f"the cancellation of {new.phase} changed its author")
        if old.status.finished:
            same = (old.status, old.result, old.finished_at) == (new.status, new.result, new.finished_at)
            require(same, f"the finished claim of {new.phase} changed: {old.status} to {new.status}")
        elif new.status.finished:
            self._finished(old, new, worker)
        else:
            back = old.status is ClaimStatus.SUBMITTED and new.status is ClaimStatus.CLAIMED
            require(not back, f"the claim of {new.phase} went back to CLAIMED")

    def _finished(self, old, new, worker):
        call = self.calls.get(new.dispatch_id)
        status = new.status
        if status is ClaimStatus.REFUSED:
            require(call is None, f"{new.phase} is refused, but it ran")
        elif call is None:
            require(status is not ClaimStatus.COMPLETED, f"{new.phase} is COMPLETED, but nothing ran")
        elif old.status is ClaimStatus.SUBMITTED:
            self._job_ended(new)
        elif status is not ClaimStatus.UNKNOWN:
            require(call.answered, f"{new.phase} is {status}, but no answer arrived")
            require(
                status is ENDINGS.get(call.ending, ClaimStatus.COMPLETED), f"{new.phase} is {status}: {call.ending}"
            )
            if status is ClaimStatus.COMPLETED:
                require(new.result.outcome == call.ending, f"{new.phase} answered {call.ending}")
        if status is ClaimStatus.UNKNOWN and old.status is ClaimStatus.CLAIMED:
            over = old.lease_until <= self.world.now
            require(over or worker.name == old.worker, f"{new.phase} is called UNKNOWN before its lease is over")

    def _job_ended(self, new):
        job = self.world.services["batch"].of(new.dispatch_id)
        real = job.status(self.world.now)
        if new.status is not ClaimStatus.UNKNOWN:
            require(real in {"SUCCEEDED", "FAILED"}, f"{new.phase} is {new.status}, but its job is {real}")
        else:
            raise Violation(f"{new.phase} is UNKNOWN, but its job is {real}")
        if new.status is ClaimStatus.COMPLETED:
            expected = "completed" if job.ending == "none" else job.ending
            require(new.result.outcome == expected, f"{new.phase} is {new.result.outcome}, its job said {expected}")
        if new.status is ClaimStatus.FAILED:
            bad = real == "FAILED" or job.ending == "malformed"
            require(bad, f"{new.phase} is FAILED, but its job has SUCCEEDED")

    # ------------------------------------------------------------------ the engine's state

    def _state(self, old, new):
        require(new is not None, "a state was removed")
        before, after = None if old is None else state_of(old), state_of(new)
        if before is None:
            require(after.key not in self.truths, "a state began twice")
            shards = len(self.world.shards_of(after.key))
            sharded = any(phase.get("scope") == "per_shard" for phase in self.world.phases.values())
            model = Model(self.world.workflow.deployment.definition, shards if sharded else 0)
            model.start()
            self.truths[after.key] = Truth(model)
        elif after.version == before.version:
            require(after.body == before.body, "a state changed without a new version")
            return
        else:
            require(after.version == before.version + 1, f"state version {before.version} became {after.version}")
            self._apply(after.key, self.world.actor.folded)
        self._compare(after)

    def _apply(self, key, events):
        truth, plan = self.truths[key], self.world.workflow.plan
        require(events, "a state was saved without an event")
        for event in events:
            name = plan.names[event.phase]
            shard = shard_id(self.world.workflow, self.world.shards_of(key), event.phase, event.shard)
            dispatch = identity(self.world.workflow, key, name, shard, event.loop, event.attempt)
            item = self.world.claim_item(dispatch)
            require(item is not None, f"a completion of {name} was applied without a claim")
            claim = claim_of(item)
            require(
                claim.status is STATUSES[type(event)], f"{name} is applied as {type(event)}, its claim: {claim.status}"
            )
            outcome = getattr(event, "outcome", None)
            require(outcome is None or claim.result.outcome == outcome, f"{name} is applied with {outcome}")
            require(dispatch not in truth.applied, f"a completion of {name} was applied twice")
            truth.applied.add(dispatch)
            retry = getattr(event, "retry_at", 0)
            truth.model.settle(name, event.shard, event.loop, event.attempt, KINDS[type(event)], outcome, retry)

    def _compare(self, stored):
        plan, model = self.world.workflow.plan, self.truths[stored.key].model
        state = decode(plan, stored.body)
        pending = {
            (plan.names[each.phase], each.shard, each.loop, each.attempt, each.not_before)
            for each in ready(plan, state)
        }
        require(pending == {each[:5] for each in model.pending()}, "the state is not what its completions make of it")
        statuses = [model.cells[name, shard].status for name in plan.names for shard in range(model.width(name))]
        found = [Cell(each).name.lower() for each in state.cells]
        require(found == statuses, f"cells are {found}, their completions make them {statuses}")
        require(stored.status == model.status(), f"status is {stored.status}, not {model.status()}")


def require(holds, message):
    """Raises Violation."""
    if not holds:
        raise Violation(message)


def claim_finished(item):
    return item is not None and item["status"]["S"] not in {ClaimStatus.CLAIMED, ClaimStatus.SUBMITTED}
