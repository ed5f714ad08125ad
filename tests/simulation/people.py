"""Who uses the installation: executors who repeat themselves, administrators who change their minds."""

from __future__ import annotations

from dataclasses import replace

from rippflow.aws.items import execution_pk
from rippflow.engine.codec import decode
from rippflow.errors import Conflict, Forbidden, InvalidRequest, NotFound, Unavailable
from rippflow.records import ClaimStatus, ExecutionKey
from tests.simulation.documents import PRINCIPAL
from tests.simulation.watch import require

MOMENTS_MS = (0, 5, 15, 30, 100, 500, 3_000, 10_000, 60_000, 200_000)
AGAIN_MS = 3_000
REFUSALS = (Conflict, Forbidden, NotFound, InvalidRequest)


class People:
    """Starts one or two executions; a crowd also repeats, revokes, removes grants and cancels."""

    def __init__(self, world, *, crowd):
        self.world, self.busy = world, 0
        self.pks, self.shards = [], {}
        choices = world.choices
        self.begin = self._moment() if crowd else 0
        shards = [f"s{number}" for number in range(1 + choices.below(3))]
        sharded = any(phase.get("scope") == "per_shard" for phase in world.phases.values())
        for number in range(2 if crowd and choices.chance(0.2) else 1):
            self._start(f"x{number}", shards if sharded else None, crowd=crowd)
        if crowd:
            self._change_minds()

    def _start(self, execution, shards, *, crowd):
        request = {"executionId": execution, "input": {"n": "1"}} | ({} if shards is None else {"shards": shards})
        key = ExecutionKey(self.world.workflow.deployment_id, execution)
        self.pks.append(execution_pk(key))
        self.shards[execution_pk(key)] = shards or []
        moment = self.begin
        self._ask(moment, lambda api: api.gateway.start(key.deployment_id, request, PRINCIPAL))
        if crowd and self.world.choices.chance(0.2):
            self._ask(moment, lambda api: api.gateway.start(key.deployment_id, request, PRINCIPAL))

    def _change_minds(self):
        world, choices = self.world, self.world.choices
        if choices.chance(0.3):
            for _ in range(2 if choices.chance(0.3) else 1):
                revoked = self.begin + self._moment()
                self._ask(revoked, lambda api: api.revoke(world.workflow.deployment_id, PRINCIPAL))
        if choices.chance(0.2):
            removed = self.begin + self._moment()
            world.at(removed, world.remove_grant)
            if choices.chance(0.5):
                world.at(removed + self._moment(), world.restore_grant)
        if choices.chance(0.3):
            world.at(self._moment() + 30_000, self._cancel)
        if choices.chance(0.15):
            self._stacks()

    def _stacks(self):
        """Two stacks that publish the same content and go, each asking for revocation if it is the last."""
        published = self.world.published
        for owner in ("stack-a", "stack-b"):
            again = replace(published, published_by=owner)
            begin = self.begin + self._soon()
            self._ask(begin, lambda api, again=again: api.deployments.publish(again))
            self._ask(begin, lambda api, owner=owner: api.deployments.declare(published.deployment_id, owner))
            self._ask(begin + self._soon(), lambda api, owner=owner: self._withdraw(api.deployments, owner))

    def _withdraw(self, deployments, owner):
        deployments.withdraw(self.world.published.deployment_id, owner, owner, self.world.now, revoke=True)

    def _soon(self):
        return self.world.choices.one_of(MOMENTS_MS[:5])

    def _cancel(self):
        """Whatever runs in Batch just now, twice."""
        for claim in self.world.claims():
            if claim.status is ClaimStatus.SUBMITTED:
                for _ in range(2):
                    self._ask(
                        self._moment(),
                        lambda api, claim=claim: api.gateway.cancel(
                            claim.key.deployment_id, claim.dispatch_id, PRINCIPAL
                        ),
                    )

    def _moment(self):
        return self.world.choices.one_of(MOMENTS_MS)

    def _ask(self, delay_ms, request):
        """Call the API, and again until it answers yes or no."""
        self.busy += 1
        self.world.at(delay_ms, lambda: self._try(request))

    def _try(self, request):
        self.world.invoke("ApiFunction", request, lambda worker: self._answered(worker, request))

    def _answered(self, worker, request):
        if worker.killed or isinstance(worker.answer, Unavailable):
            self.world.at(AGAIN_MS, lambda: self._try(request))
            return
        require(not worker.failed or isinstance(worker.answer, REFUSALS), f"the API failed: {worker.answer!r}")
        self.busy -= 1

    def gone(self):
        return self.busy == 0

    def look(self):
        """An operator sees the very dispatches that nobody can know about."""
        self.world.restore_grant()
        for stored in self.world.states():
            self.world.invoke(
                "ApiFunction",
                lambda api, key=stored.key: api.inspect.execution(key.deployment_id, key.execution_id, PRINCIPAL),
                lambda worker, stored=stored: self._saw(worker.answer, stored),
            )
            while self.world.workers:
                self.world.next()

    def _saw(self, view, stored):
        plan = self.world.workflow.plan
        state = decode(plan, stored.body)
        shown = {each["dispatchId"] for each in view["uncertainDispatches"]["dispatches"]}
        unknown = {claim.dispatch_id for claim in self.world.claims() if claim.status is ClaimStatus.UNKNOWN}
        require(view["needsAttention"] == state.needs_attention, "needsAttention is not what the state says")
        require(bool(shown) == state.needs_attention, "needsAttention without a dispatch, or the other way round")
        require(shown <= unknown, "a dispatch is shown as uncertain that is not UNKNOWN")
