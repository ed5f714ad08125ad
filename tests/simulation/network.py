"""Between the adapters and the services: latency, the SDK's own retries, and every way in which a request goes wrong.

crash_before   the worker dies before the request leaves it
throttled      answered 4xx: nothing happened, try again
unavailable    answered 503: nothing happened, but the caller cannot know
never_left     no connection: nothing happened
lost           it happened, and no answer arrived
broken         it happened, and the answer is 500
stalled        it happened, and the worker stood still for a minute or two before it read the answer
delayed        the caller gave up, and it happened later (writes to the table and the queue)
crash_after    it happened, and the worker died before it could read the answer
"""

from __future__ import annotations

from botocore.exceptions import BotoCoreError, ClientError

from rippflow.aws.clients import STORAGE
from rippflow.aws.faults import classify
from rippflow.ports import Ambiguous
from tests.simulation import errors

FAULTS = (
    "crash_before",
    "throttled",
    "unavailable",
    "never_left",
    "lost",
    "broken",
    "stalled",
    "delayed",
    "crash_after",
)
_DRAWN = (*FAULTS, "stalled", "stalled")
"""Only a stall makes an answer come late, so it is drawn more often."""
LATENCIES_MS = (1, 1, 1, 1, 1, 1, 1, 1, 2, 3, 5, 10, 30, 100, 500, 2000)
STALLS_MS = (20_000, 60_000, 100_000, 135_000)
DELAYS_MS = (10, 1_000, 30_000, 400_000)
_REFUSALS = {"throttled": errors.throttled, "unavailable": errors.unavailable, "never_left": errors.never_left}
_WRITES = {"put_item", "update_item", "delete_item", "send_message_batch"}
_NO_ANSWER = {
    "lost": errors.timed_out,
    "delayed": errors.timed_out,
    "broken": lambda: errors.answered(500, "InternalServerError"),
}
READ_TIMEOUT_MS = 8_000
PERSISTENT = 0.3
"""How often a fault also meets every retry of the SDK."""


class RandomFaults:
    """A fault in so many of a thousand requests, while the world is in chaos."""

    def __init__(self, choices, per_mille):
        self.choices, self.per_mille = choices, per_mille

    def next(self, _request):
        value = self.choices.below(1000) - (1000 - self.per_mille)
        return None if value < 0 else _DRAWN[value * len(_DRAWN) // self.per_mille]

    def persists(self):
        return self.choices.chance(PERSISTENT)


class PlannedFault:
    """One fault at the nth request of the run, for going through all of them."""

    def __init__(self, position, fault):
        self.position, self.fault, self.requests = position, fault, []

    def next(self, request):
        self.requests.append(request)
        return self.fault if len(self.requests) == self.position else None

    def persists(self):
        return False


class Network:
    """Carries requests of workers to services."""

    def __init__(self, world, faults):
        self.world, self.faults = world, faults

    def call(self, service, operation, parameters, tries):
        """The answer, after as many tries as the client's configuration allows."""
        persistent = None
        for number in range(tries):
            fault = persistent or self._fault(f"{self.world.actor.function} {service}.{operation}")
            if fault in _REFUSALS or fault in _NO_ANSWER:
                persistent = fault if tries > 1 and self.faults.persists() else None
            try:
                return self._once(service, operation, parameters, fault)
            except (ClientError, BotoCoreError) as error:
                if number + 1 == tries or not _repeated_by_sdk(error):
                    raise
            self.world.sleep(100)
        raise AssertionError

    def _fault(self, request):
        return self.faults.next(request) if self.world.chaos else None

    def _once(self, service, operation, parameters, fault):
        world = self.world
        world.tell(service, operation, parameters, fault)
        if fault == "crash_before":
            world.die()
        world.sleep(self._latency())
        if fault in _REFUSALS:
            error = _REFUSALS[fault]()
            raise error
        if fault == "delayed" and operation in _WRITES:
            self._later(world.actor, service, operation, parameters)
            world.sleep(READ_TIMEOUT_MS)
            raise errors.timed_out()
        try:
            answer = getattr(world.services[service], operation)(**parameters)
        except ClientError:
            if fault in _NO_ANSWER:
                unanswered = _NO_ANSWER[fault]()
                raise unanswered from None
            raise
        finally:
            if fault == "crash_after":
                world.die()
        if fault in _NO_ANSWER:
            world.sleep(1 if fault == "broken" else READ_TIMEOUT_MS)
            unanswered = _NO_ANSWER[fault]()
            raise unanswered
        world.sleep(world.choices.one_of(STALLS_MS) if fault == "stalled" else self._latency())
        world.watch.received(service, operation, answer)
        return answer

    def _later(self, worker, service, operation, parameters):
        """A request that stays on its way; whatever it is answered, nobody reads it."""

        def arrive():
            self.world.actor = worker
            try:
                getattr(self.world.services[service], operation)(**parameters)
            except ClientError as error:
                self.world.tell(service, operation, parameters, f"arrives late, {error}")
            self.world.actor = None

        self.world.at(self.world.choices.one_of(DELAYS_MS), arrive)

    def _latency(self):
        return self.world.choices.one_of(LATENCIES_MS) if self.world.chaos else 1


def _repeated_by_sdk(error):
    """botocore's standard mode repeats throttling, 5xx and lost connections, whatever the operation."""
    meaning = classify(error)
    return isinstance(meaning, Ambiguous) or meaning.throttled


class Client:
    """A boto3 client: any operation, by keyword parameters."""

    def __init__(self, world, service, config):
        self._network, self._service = world.network, service
        self._tries = config.retries["total_max_attempts"]

    def __getattr__(self, operation):
        return lambda **parameters: self._network.call(self._service, operation, parameters, self._tries)


class Clients:
    """`rippflow.aws.clients.Clients`."""

    def __init__(self, world):
        self.world = world
        for service in ("dynamodb", "sqs", "s3", "sts"):
            setattr(self, service, Client(world, service, STORAGE))

    def of(self, _session, service, config, _region=None):
        return Client(self.world, service, config)
