"""CloudFormation's orderings of custom resource requests, and Lambda's asynchronous delivery of them."""

from __future__ import annotations

from dataclasses import dataclass

from provider.handler import handler
from provider.sender import NotDelivered
from tests.unit.provider.world import Context

DELIVERIES = 3
"""Lambda's asynchronous invocation: one delivery and two retries."""


@dataclass
class Live:
    physical_id: str
    properties: dict


class CloudFormation:
    """`live` is what the stacks hold, by (stack, logical id)."""

    def __init__(self, world, receiver):
        self.world, self.receiver = world, receiver
        self.live = {}
        self.sent = []

    def create(self, at, properties, *, another_fails=False, meets=()):
        """A resource of a stack; whatever fails is deleted again."""
        answer = self.request("Create", at, properties, meets=meets)
        if answer is None or answer["Status"] == "FAILED":
            made_up = answer["PhysicalResourceId"] if answer else f"{at[1]}-1ABCDEFGHIJKL"
            self.request("Delete", at, properties, made_up)
        elif another_fails:
            self.request("Delete", at, properties, answer["PhysicalResourceId"])
        else:
            self.live[at] = Live(answer["PhysicalResourceId"], properties)
        return answer

    def cancel_create(self, at, properties):
        """Another resource failed while Create was on its way: the Delete, of an invented id, is served first."""
        late = self.event("Create", at, properties)
        self.request("Delete", at, properties, f"{at[1]}-1ABCDEFGHIJKL")
        return self.deliver(late)

    def update(self, at, properties, *, another_fails=False, meets=()):
        """New content replaces: cleanup of the old id follows, or of the new one after a rollback."""
        old = self.live[at]
        if properties == old.properties:
            return None
        answer = self.request("Update", at, properties, old.physical_id, meets=meets)
        succeeded = answer is not None and answer["Status"] == "SUCCESS"
        new_id = answer["PhysicalResourceId"] if succeeded else old.physical_id
        if succeeded and not another_fails:
            self.live[at] = Live(new_id, properties)
            if new_id != old.physical_id:
                self.request("Delete", at, old.properties, old.physical_id)
        else:
            back = self.request("Update", at, old.properties, new_id)
            assert (back["Status"], back["PhysicalResourceId"]) == ("SUCCESS", old.physical_id)
            if new_id != old.physical_id:
                self.request("Delete", at, properties, new_id)
        return answer

    def delete(self, at, meets=()):
        gone = self.live.pop(at)
        return self.request("Delete", at, gone.properties, gone.physical_id, meets=meets)

    def event(self, kind, at, properties, physical_id=None, meets=()):
        token = f"answer-{len(self.sent)}"
        event = self.world.event(
            kind, stack=at[0], logical_id=at[1], physical_id=physical_id, url=self.receiver.url(token), **properties
        )
        self.receiver.expect(token, event, *meets)
        self.sent.append((token, event))
        return token, event

    def request(self, kind, at, properties, physical_id=None, meets=()):
        return self.deliver(self.event(kind, at, properties, physical_id, meets))

    def deliver(self, sent):
        """The first answer that was taken; None if all deliveries failed and the request timed out."""
        token, event = sent
        for _ in range(DELIVERIES):
            before = len(self.receiver.taken[token])
            try:
                handler(event, Context())
            except NotDelivered:
                continue
            assert len(self.receiver.taken[token]) == before + 1
            return self.receiver.taken[token][0]
        return None

    def deliver_again(self, number):
        """Lambda's queue hands out a former event once more; CloudFormation has long gone on."""
        self.deliver(self.sent[number % len(self.sent)])
