"""The composition root of the functions: settings in, operations out; every part is built once, when first used."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from functools import cache, cached_property

from rippflow.aws.batch import AwsBatch
from rippflow.aws.claims import DynamoClaims
from rippflow.aws.clients import Clients
from rippflow.aws.clock import SystemClock, SystemJitter
from rippflow.aws.deployments import DynamoDeployments
from rippflow.aws.executions import DynamoExecutions
from rippflow.aws.functions import LambdaFunctions
from rippflow.aws.grants import DynamoGrants
from rippflow.aws.payloads import S3Payloads
from rippflow.aws.queue import SqsDispatchQueue
from rippflow.aws.roles import StsRoles
from rippflow.aws.stack_requests import DynamoStackRequests
from rippflow.custom_resource import CustomResource
from rippflow.deliveries import Completions, Dispatches, Intents
from rippflow.gateway import Gateway
from rippflow.limits import ROLE_PATIENCE_MS
from rippflow.observability import Log
from rippflow.operations.admit import Admit
from rippflow.operations.authorise import Authority
from rippflow.operations.cancel import Cancel
from rippflow.operations.catalog import Catalog
from rippflow.operations.complete import Complete
from rippflow.operations.dispatch import Dispatcher
from rippflow.operations.feeding import Feeding
from rippflow.operations.inspect import Inspect
from rippflow.operations.poll import Poll
from rippflow.operations.publish import Publish
from rippflow.operations.recover import Recover
from rippflow.operations.resend import Resend
from rippflow.operations.revoke import Revoke
from rippflow.operations.start import Start
from rippflow.operations.submit import Submit
from rippflow.operations.targets import Targets
from rippflow.operations.workflows import Workflows
from rippflow.settings import Settings


@dataclass(frozen=True)
class Installation:
    """Every entry point of one installation."""

    settings: Settings

    @cached_property
    def clock(self) -> SystemClock:
        return SystemClock()

    @cached_property
    def jitter(self) -> SystemJitter:
        return SystemJitter()

    @cached_property
    def observer(self) -> Log:
        return Log(installation_id=self.settings.installation_id, clock=self.clock)

    @cached_property
    def clients(self) -> Clients:
        return Clients()

    @cached_property
    def grants(self) -> DynamoGrants:
        return DynamoGrants(self.clients.dynamodb, self.settings.grants_table)

    @cached_property
    def deployments(self) -> DynamoDeployments:
        return DynamoDeployments(self.clients.dynamodb, self.settings.deployments_table)

    @cached_property
    def executions(self) -> DynamoExecutions:
        return DynamoExecutions(self.clients.dynamodb, self.settings.executions_table)

    @cached_property
    def claims(self) -> DynamoClaims:
        return DynamoClaims(self.clients.dynamodb, self.settings.executions_table)

    @cached_property
    def queue(self) -> SqsDispatchQueue:
        return SqsDispatchQueue(self.clients.sqs, self.settings.dispatch_queue_url)

    @cached_property
    def roles(self) -> StsRoles:
        return StsRoles(
            self.clients,
            service_role_arn=self.settings.service_role_arn,
            installation_id=self.settings.installation_id,
            clock=self.clock,
        )

    @cached_property
    def functions(self) -> LambdaFunctions:
        return LambdaFunctions(self.clients)

    @cached_property
    def batch(self) -> AwsBatch:
        return AwsBatch(self.clients)

    @cached_property
    def payloads(self) -> S3Payloads:
        return S3Payloads(self.clients.s3, self.settings.result_bucket)

    @cached_property
    def authority(self) -> Authority:
        return Authority(grants=self.grants, deployments=self.deployments)

    @cached_property
    def workflows(self) -> Workflows:
        return Workflows(self.deployments)

    @cached_property
    def publish(self) -> Publish:
        return Publish(
            installation_id=self.settings.installation_id,
            deployments=self.deployments,
            authority=self.authority,
            targets=Targets(roles=self.roles, functions=self.functions, batch=self.batch, clock=self.clock),
            clock=self.clock,
            observer=self.observer,
        )

    @cached_property
    def revoke(self) -> Revoke:
        return Revoke(deployments=self.deployments, authority=self.authority, clock=self.clock, observer=self.observer)

    @cached_property
    def inspect(self) -> Inspect:
        return Inspect(
            workflows=self.workflows, executions=self.executions, claims=self.claims, authority=self.authority
        )

    @cached_property
    def gateway(self) -> Gateway:
        """The API function."""
        return Gateway(
            installation_id=self.settings.installation_id,
            publish=self.publish,
            start=Start(executions=self.executions, authority=self.authority, clock=self.clock, observer=self.observer),
            inspect=self.inspect,
            revoke=self.revoke,
            cancel=Cancel(
                authority=self.authority,
                inspect=self.inspect,
                claims=self.claims,
                roles=self.roles,
                batch=self.batch,
                clock=self.clock,
            ),
            catalog=Catalog(deployments=self.deployments, executions=self.executions, authority=self.authority),
            observer=self.observer,
        )

    def custom_resource(self, principal: str) -> CustomResource:
        """The provider function, which publishes as its own role."""
        # A stack's roles are seconds old when its workflow is published.
        patient = replace(self.publish, targets=replace(self.publish.targets, patience_ms=ROLE_PATIENCE_MS))
        return CustomResource(
            publish=patient,
            revoke=self.revoke,
            requests=DynamoStackRequests(self.clients.dynamodb, self.settings.deployments_table),
            clock=self.clock,
            observer=self.observer,
            principal=principal,
        )

    @cached_property
    def resend(self) -> Resend:
        return Resend(claims=self.claims, queue=self.queue, clock=self.clock)

    @cached_property
    def admit(self) -> Admit:
        return Admit(
            workflows=self.workflows,
            deployments=self.deployments,
            executions=self.executions,
            grants=self.grants,
            resend=self.resend,
            clock=self.clock,
            observer=self.observer,
        )

    @cached_property
    def complete(self) -> Complete:
        return Complete(
            workflows=self.workflows,
            executions=self.executions,
            resend=self.resend,
            clock=self.clock,
            jitter=self.jitter,
            observer=self.observer,
        )

    @cached_property
    def intents(self) -> Intents:
        """Starter."""
        return Intents(admit=self.admit, observer=self.observer)

    @cached_property
    def completions(self) -> Completions:
        """Orchestrator."""
        return Completions(complete=self.complete, observer=self.observer)

    @cached_property
    def work(self) -> Dispatches:
        """The Dispatcher."""
        dispatcher = Dispatcher(
            workflows=self.workflows,
            deployments=self.deployments,
            executions=self.executions,
            claims=self.claims,
            grants=self.grants,
            roles=self.roles,
            functions=self.functions,
            submit=Submit(
                batch=self.batch,
                claims=self.claims,
                clock=self.clock,
                jitter=self.jitter,
                result_bucket=self.settings.result_bucket,
            ),
            feeding=Feeding(executions=self.executions, claims=self.claims, payloads=self.payloads),
            clock=self.clock,
            jitter=self.jitter,
            observer=self.observer,
        )
        return Dispatches(dispatch=dispatcher, observer=self.observer)

    @cached_property
    def poll(self) -> Poll:
        """The Batch poller."""
        return Poll(
            workflows=self.workflows,
            claims=self.claims,
            roles=self.roles,
            batch=self.batch,
            payloads=self.payloads,
            clock=self.clock,
            jitter=self.jitter,
            observer=self.observer,
        )

    @cached_property
    def recover(self) -> Recover:
        """The scheduled repair."""
        return Recover(
            workflows=self.workflows,
            executions=self.executions,
            claims=self.claims,
            admit=self.admit,
            complete=self.complete,
            resend=self.resend,
            queue=self.queue,
            clock=self.clock,
            observer=self.observer,
        )


@cache
def installation() -> Installation:
    """The installation this function belongs to; one per process."""
    return Installation(Settings.from_env(os.environ))
