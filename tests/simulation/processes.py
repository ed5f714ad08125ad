"""Function containers whose invocations take turns at every request, as greenlets; one that dies just never goes on."""

from __future__ import annotations

from functools import cached_property

from greenlet import GreenletExit, getcurrent, greenlet

from rippflow.errors import RippflowError
from rippflow.settings import Settings
from rippflow.wiring import Installation
from tests.simulation.network import Clients

SETTINGS = Settings(
    installation_id="production",
    grants_table="Grants",
    deployments_table="Deployments",
    executions_table="Executions",
    dispatch_queue_url="dispatch",
    result_bucket="results",
    service_role_arn="arn:aws:iam::123456789012:role/rippflow/production/service",
)


class Container(Installation):
    """The deployed composition root over the world's clock and clients; its caches live as long as the container."""

    def __init__(self, world):
        super().__init__(SETTINGS)
        object.__setattr__(self, "world", world)

    @cached_property
    def clock(self):
        return Clock(self.world)

    @cached_property
    def jitter(self):
        return Jitter(self.world)

    @cached_property
    def observer(self):
        return Silent()

    @cached_property
    def clients(self):
        return Clients(self.world)


class Clock:
    def __init__(self, world):
        self.world = world

    def now_ms(self):
        return self.world.now

    def sleep_ms(self, ms):
        self.world.sleep(ms)


class Jitter:
    def __init__(self, world):
        self.world = world

    def uniform(self):
        return self.world.choices.below(4) / 4


class Silent:
    def note(self, event, **fields):
        pass

    def count(self, metric, value=1, **fields):
        pass


class Worker(greenlet):
    """One invocation of a function."""

    def __init__(self, world, function, name, container):
        super().__init__(self._main, world.hub)
        self.world, self.function, self.name, self.container = world, function, name, container
        self.killed = False
        self.handler = self.answer = None
        self.failed = False
        # What `watch` remembers of this invocation.
        self.claimed, self.checked, self.folded, self.calling = {}, {}, [], None

    def _main(self):
        try:
            self.answer = self.handler(self.container)
        except RippflowError as error:
            self.failed = True
            self.answer = error

    def sleep(self, ms):
        if self.killed:
            raise GreenletExit
        self.world.at(ms, self.resume)
        self.world.hub.switch()
        if self.killed:
            raise GreenletExit

    def resume(self):
        if not self.killed:
            self.world.actor = self
            self.switch()
            self.world.actor = None
            self.world.ended(self)

    def die(self):
        """Never goes on, and nothing that it still holds has an effect."""
        if getcurrent() is not self:
            self.killed = True
            return
        if not self.killed:
            self.killed = True
            self.world.hub.switch()
        raise GreenletExit


class Inline:
    """`ThreadPoolExecutor` for code that must not leave its greenlet."""

    def __init__(self, _workers):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return False

    def map(self, function, items):
        return [function(item) for item in items]
