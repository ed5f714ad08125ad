"""A discrete-event world: a heap of moments, invocations that take turns, and an end that must be reached."""

from __future__ import annotations

import heapq

from greenlet import getcurrent

from rippflow.aws.grants import grant_item, grant_pk
from rippflow.aws.items import claim_of, claim_sk, document_item, execution_pk, state_of, status_item
from rippflow.contract.documents import read_deployment
from rippflow.contract.identity import deployment_id
from rippflow.engine.codec import decode
from rippflow.engine.plan import compile_plan
from rippflow.engine.state import READY
from rippflow.limits import REVIEWS_A_RUN
from rippflow.operations.workflows import Workflow
from rippflow.records import ClaimStatus, Published
from tests.simulation.documents import PRINCIPAL, grant
from tests.simulation.dynamodb import Tables
from tests.simulation.network import Network
from tests.simulation.people import People
from tests.simulation.processes import SETTINGS, Container, Worker
from tests.simulation.services import S3, Batch, Lambda, Sqs, Sts
from tests.simulation.sources import Queue, Stream, resources, timeout_ms
from tests.simulation.watch import Violation, Watch

BEGIN_MS = 1_700_000_000_000
CHAOS_MS = 15 * 60_000
PATIENCE_MS = 24 * 3_600_000
"""How long after the last fault everything must have ended: many times what backoff and reviews may take."""
MINUTE_MS = 60_000
ENTRIES = {
    "StarterFunction": lambda container, _: container.intents,
    "OrchestratorFunction": lambda container, _: container.completions,
    "DispatcherFunction": lambda container, worker: lambda event: container.work(event, worker.name.partition("/")[0]),
    "RecoveryFunction": lambda container, _: lambda: container.recover(REVIEWS_A_RUN),
    "BatchPollerFunction": lambda container, _: container.poll,
    "ApiFunction": lambda container, _: container,
}


def indexes(table):
    """{index: (key attributes, projected attributes or None for all)} as the template declares them."""
    declared = resources()[table]["Properties"].get("GlobalSecondaryIndexes", ())
    return {
        each["IndexName"]: (
            [key["AttributeName"] for key in each["KeySchema"]],
            None if each["Projection"]["ProjectionType"] == "ALL" else each["Projection"].get("NonKeyAttributes", []),
        )
        for each in declared
    }


class World:
    """One deployment and a few executions; `run` raises Violation.

    `planned` is `{(phase, shard): [ending, ...]}` of the customers' functions; without it they end by chance.
    """

    def __init__(self, choices, document, faults, *, crowd=True, planned=None, chaos_ms=CHAOS_MS, trace=None):
        self.choices, self.trace = choices, trace
        self.planned, self.chaos_ms = planned or {}, chaos_ms
        self.hub = getcurrent()
        self.now, self.moments, self.order = BEGIN_MS, [], 0
        self.chaos, self.quiet, self.invocations = True, False, 0
        self.actor = None
        self.idle = {function: [] for function in ENTRIES}
        self.workers = set()
        self.watch = Watch(self)
        self.tables = Tables(
            {
                SETTINGS.grants_table: indexes("GrantsTable"),
                SETTINGS.deployments_table: indexes("DeploymentsTable"),
                SETTINGS.executions_table: indexes("ExecutionsTable"),
            },
            lag=lambda: self.chance(0.3),
            on_read=self.watch.read,
            on_write=self._wrote,
        )
        self.streams = (Stream(self, "StarterFunction", "Queued"), Stream(self, "OrchestratorFunction", "Finished"))
        self.queue = Queue(self)
        self.services = {
            "dynamodb": self.tables,
            "sqs": Sqs(self),
            "sts": Sts(self),
            "s3": S3(),
            "lambda": Lambda(self),
            "batch": Batch(self),
        }
        self.network = Network(self, faults)
        self.phases = document["definition"]["phases"]
        deployment = read_deployment(document)
        self.workflow = Workflow(
            deployment_id=deployment_id(document), deployment=deployment, plan=compile_plan(deployment.definition)
        )
        self._publish(document)
        self.people = People(self, crowd=crowd)

    def _publish(self, document):
        identifier = self.workflow.deployment_id
        self.published = Published(
            deployment_id=identifier, document=document, published_by="ann", published_at=self.now
        )
        for item in (document_item(self.published), status_item(identifier)):
            self.tables.put_item(SETTINGS.deployments_table, item)
        self.tables.put_item(SETTINGS.grants_table, grant_item(grant()))

    # ------------------------------------------------------------------ time and turns

    def run(self):
        """To the end of everything, or a Violation."""
        for schedule in (self._recovery, self._polling):
            self.at(MINUTE_MS - self.choices.below(6) * 10_000, schedule)
        self.at(self.chaos_ms, self._calm)
        while not self.quiet:
            if self.now > BEGIN_MS + self.chaos_ms + PATIENCE_MS:
                raise Violation(f"stuck: {self._open()}")
            self.next()
        self._drain()
        self.people.look()

    def next(self):
        self.now, _, action = heapq.heappop(self.moments)
        action()

    def _drain(self):
        """What is still under way may arrive, and must change nothing for the worse."""
        for _ in range(len(self.moments)):
            self.next()

    def at(self, delay_ms, action):
        self.order += 1
        heapq.heappush(self.moments, (self.now + delay_ms, self.order, action))

    def sleep(self, ms):
        """The current invocation goes on after this time; whoever is due before goes first."""
        self.actor.sleep(ms)

    def die(self):
        self.actor.die()

    def chance(self, probability):
        """True with this probability, while there is chaos."""
        return self.chaos and self.choices.chance(probability)

    def lag(self, options):
        """A delay of these, while there is chaos."""
        return self.choices.one_of(options) if self.chaos else 0

    def _calm(self):
        self.chaos = False

    # ------------------------------------------------------------------ invocations

    def invoke(self, function, handler, done, *, message=""):
        """Run `handler(entry)` in a free container; `done(worker)` when it ended or died."""
        self.invocations += 1
        container = self.idle[function].pop() if self.idle[function] else Container(self)
        worker = Worker(self, function, f"request-{self.invocations}/{message}", container)
        worker.handler = lambda container: handler(ENTRIES[function](container, worker))
        worker.done = done
        self.workers.add(worker)
        self.at(timeout_ms(function), lambda: self._expire(worker))
        worker.resume()

    def ended(self, worker):
        """After each turn: has it returned, or died?"""
        if worker not in self.workers or not (worker.killed or not worker):
            return
        self.workers.discard(worker)
        if not worker.killed:
            self.idle[worker.function].append(worker.container)
        worker.done(worker)

    def _expire(self, worker):
        if worker in self.workers:
            worker.die()
            self.ended(worker)

    def _recovery(self):
        self._scheduled("RecoveryFunction", self._recovery, "review", "reviewAt")

    def _polling(self):
        self._scheduled("BatchPollerFunction", self._polling, "poll", "pollAt")

    def _scheduled(self, function, again, index, due):
        """Each minute, now and then twice at once; when all is calm, minutes with nothing due are left out."""
        self.quiet = not self.chaos and self.settled()
        for _ in range(2 if self.chance(0.1) else 1):
            self.invoke(function, lambda entry: entry(), lambda _: None)
        wait = MINUTE_MS
        if not self.chaos:
            moments = [
                int(item[due]["N"]) for item in self.tables.items[SETTINGS.executions_table].values() if index in item
            ]
            wait = max(wait, min(moments, default=self.now + 60 * MINUTE_MS) - self.now)
        self.at(wait, again)

    # ------------------------------------------------------------------ what is stored

    def _wrote(self, table, old, new):
        self.watch.write(table, old, new)
        if table == SETTINGS.executions_table:
            for stream in self.streams:
                stream.wrote(old, new)

    def _of(self, sk):
        return [item for key, item in self.tables.items[SETTINGS.executions_table].items() if key[1].startswith(sk)]

    def claims(self):
        return [claim_of(item) for item in self._of("CLAIM#")]

    def states(self):
        return [state_of(item) for item in self._of("STATE")]

    def claim_item(self, dispatch):
        items = self.tables.items[SETTINGS.executions_table]
        return next(
            (items[pk, claim_sk(dispatch)] for pk in self.people.pks if (pk, claim_sk(dispatch)) in items), None
        )

    def shards_of(self, key):
        return self.people.shards[execution_pk(key)]

    def settled(self):
        """Every execution that was started has been decided and nothing of it can go on."""
        return self.people.gone() and not self._open()

    def _open(self):
        """What still has to happen."""
        found = [
            f"intent {item['pk']['S']} is QUEUED" for item in self._of("EXECUTION") if item["status"]["S"] == "QUEUED"
        ]
        for stored in self.states():
            state = decode(self.workflow.plan, stored.body)
            if state.totals[READY]:
                found.append(f"{stored.key.execution_id} has {state.totals[READY]} ready cells")
        open_claims = [claim for claim in self.claims() if claim.status in {ClaimStatus.CLAIMED, ClaimStatus.SUBMITTED}]
        return found + [f"the claim of {claim.phase} is {claim.status}" for claim in open_claims]

    def remove_grant(self):
        key = {"pk": {"S": grant_pk("orders", "tests")}, "sk": {"S": PRINCIPAL}}
        self.tables.delete_item(SETTINGS.grants_table, key)

    def restore_grant(self):
        self.tables.put_item(SETTINGS.grants_table, grant_item(grant()))

    def tell(self, service, operation, parameters, fault):
        """A line of the schedule, for whoever reads a failure."""
        if self.trace is not None:
            worker = self.actor
            what = parameters.get("Key") or parameters.get("Item") or {}
            place = what.get("sk", {}).get("S", "") if isinstance(what, dict) else ""
            mark = f"  <- {fault}" if fault else ""
            self.trace.append(
                f"{(self.now - BEGIN_MS) / 1000:10.3f}s {worker.name:<24} {worker.function:<20} "
                f"{service}.{operation} {place}{mark}"
            )
