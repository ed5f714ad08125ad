"""A provider over memory, the events that CloudFormation sends it, and the answers it gives."""

from __future__ import annotations

import itertools
import json
import threading
from datetime import UTC, datetime, timedelta

from provider.handler import handler
from provider.sender import NotDelivered
from rippflow.custom_resource import CustomResource
from rippflow.limits import ROLE_PATIENCE_MS
from rippflow.operations.authorise import Authority
from rippflow.operations.publish import Publish
from rippflow.operations.revoke import Revoke
from rippflow.operations.targets import Targets
from tests.unit.contract.examples import LAMBDA, document
from tests.unit.provider.memory import Clock, Deployments, Functions, Grants, Observer, Roles, StackRequests

PRINCIPAL = "arn:aws:iam::123456789012:role/provider"
STACK = "arn:aws:cloudformation:us-east-1:123456789012:stack/orders/5a2f6a10-8d0a-11f0-9d3b-0affd4a1b2c3"
ANSWER_URL = "https://localhost/answer"
SIGNATURE = "c0ffee0123456789signature"
BEGAN = datetime(2026, 12, 1, 12, tzinfo=UTC)


class Context:
    aws_request_id = "3f1c9d2e-lambda-request"

    def __init__(self, remaining_ms=60_000):
        self.remaining_ms = remaining_ms

    def get_remaining_time_in_millis(self):
        return self.remaining_ms


class Sender:
    """Takes every answer, or what `undelivered` says of the next ones."""

    def __init__(self):
        self.bodies = []
        self.undelivered = 0
        self.refused, self.taken = threading.Event(), threading.Event()

    def put(self, _url, body):
        if self.undelivered:
            self.undelivered -= 1
            self.refused.set()
            raise NotDelivered("HTTP 503")
        self.bodies.append(body)
        self.taken.set()

    @property
    def answers(self):
        return [json.loads(body) for body in self.bodies]


def granted(*operations):
    grants = Grants()
    grants.put(
        {
            "principal": PRINCIPAL,
            "tenantId": "orders",
            "namespace": "fulfillment",
            "operations": list(operations),
            "bindings": [{**LAMBDA, "functionArn": LAMBDA["functionArn"].removesuffix(":42")}],
        }
    )
    return grants


class World:
    def __init__(self, *, deployments=None, requests=None, grants=None):
        self.clock, self.observer, self.roles, self.functions = Clock(), Observer(), Roles(), Functions()
        self.deployments = deployments or Deployments()
        self.requests = requests or StackRequests()
        self.grants = grants or granted("deploy", "revoke")
        self.sender = Sender()
        authority = Authority(grants=self.grants, deployments=self.deployments)
        common = {
            "deployments": self.deployments,
            "authority": authority,
            "clock": self.clock,
            "observer": self.observer,
        }
        self.resource = CustomResource(
            publish=Publish(
                installation_id="production",
                targets=Targets(
                    roles=self.roles,
                    functions=self.functions,
                    batch=None,
                    clock=self.clock,
                    patience_ms=ROLE_PATIENCE_MS,
                ),
                **common,
            ),
            revoke=Revoke(**common),
            requests=self.requests,
            clock=self.clock,
            observer=self.observer,
            principal=PRINCIPAL,
        )
        self._numbers = itertools.count(1)

    def allow(self, *operations):
        self.grants.held.update(granted(*operations).held)

    def event(self, kind, *, physical_id=None, logical_id="OrderWorkflow", stack=STACK, url=ANSWER_URL, **properties):
        """A request as CloudFormation makes one; later ones are signed later."""
        number = next(self._numbers)
        signed = (BEGAN + timedelta(seconds=number)).strftime("%Y%m%dT%H%M%SZ")
        made = {
            "RequestType": kind,
            "ServiceToken": "arn:aws:lambda:us-east-1:123456789012:function:provider:live",
            "ResponseURL": f"{url}?X-Amz-Date={signed}&X-Amz-Expires=7200&X-Amz-Signature={SIGNATURE}",
            "StackId": stack,
            "RequestId": f"request-{number}",
            "LogicalResourceId": logical_id,
            "ResourceType": "Custom::RippflowWorkflow",
            "ResourceProperties": {"ServiceToken": "arn", **properties},
        }
        return made if physical_id is None else {**made, "PhysicalResourceId": physical_id}

    def deliver(self, event, context=None):
        """Lambda hands the event over; the answer CloudFormation gets."""
        handler(event, context or Context())
        return self.sender.answers[-1]

    def create(self, **more):
        return self.deliver(self.event("Create", **{"Deployment": document(), **more}))

    def update(self, physical_id, **more):
        return self.deliver(self.event("Update", physical_id=physical_id, **{"Deployment": document(), **more}))

    def delete(self, physical_id, **more):
        return self.deliver(self.event("Delete", physical_id=physical_id, **{"Deployment": document(), **more}))

    def status(self, deployment_id):
        return self.deployments.stored[deployment_id].status.value


def version(text):
    """The example document with another content."""
    return {**document(), "definition": {**document()["definition"], "version": text}}
