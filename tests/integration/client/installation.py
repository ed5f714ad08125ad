"""The API function's own wiring over moto's DynamoDB and SQS, behind what API Gateway would hand it."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from functools import cached_property
from urllib.parse import parse_qsl, quote

from rippflow.aws.grants import grant_item
from rippflow.aws.queue import work_of
from rippflow.contract.grants import OPERATIONS
from rippflow.operations.work import identity
from rippflow.records import BatchJob, Claim
from rippflow.settings import Settings
from rippflow.wiring import Installation
from tests.integration.tables import create_tables

QUEUE = "https://sqs.us-east-1.amazonaws.com/123456789012/dispatch"
CALLER = "arn:aws:iam::123456789012:user/ann"
LAMBDA = {
    "type": "lambda",
    "functionArn": "arn:aws:lambda:us-east-1:123456789012:function:check:42",
    "invocationRoleArn": "arn:aws:iam::123456789012:role/invoke-check",
    "executionRoleArn": "arn:aws:iam::123456789012:role/check-workload",
}

BATCH = {
    "type": "batch",
    "jobQueueArn": "arn:aws:batch:us-east-1:123456789012:job-queue/orders",
    "jobDefinitionArn": "arn:aws:batch:us-east-1:123456789012:job-definition/reconcile:7",
    "submissionRoleArn": "arn:aws:iam::123456789012:role/submit-reconcile",
    "jobRoleArn": "arn:aws:iam::123456789012:role/reconcile-workload",
    "executionRoleArn": "arn:aws:iam::123456789012:role/reconcile-agent",
    "timeoutSeconds": 300,
    "attempts": 1,
}
APPROVED_BATCH = {key: value for key, value in BATCH.items() if key not in {"timeoutSeconds", "attempts"}}


@dataclass(frozen=True)
class NoProblems:
    """`operations.targets.Targets` of functions that are all as they should be."""

    def problems(self, _deployment):
        return []


class World:
    """One installation and its one caller."""

    def __init__(self):
        self.installation = Installation(
            Settings(
                installation_id="production",
                grants_table="GrantsTable",
                deployments_table="DeploymentsTable",
                executions_table="ExecutionsTable",
                dispatch_queue_url=QUEUE,
                result_bucket="results",
                service_role_arn="arn:aws:iam::123456789012:role/rippflow/production/service",
            )
        )
        self.dynamodb = self.installation.clients.dynamodb
        self.sqs = self.installation.clients.sqs
        self.sqs.create_queue(QueueName=QUEUE.rpartition("/")[2])
        create_tables(self.dynamodb)
        self.grant()

    def grant(self, operations=OPERATIONS):
        place = {"tenantId": "orders", "namespace": "fulfillment"}
        grant = {"principal": CALLER, **place, "operations": list(operations), "bindings": [LAMBDA, APPROVED_BATCH]}
        self.dynamodb.put_item(TableName="GrantsTable", Item=grant_item(grant))

    @cached_property
    def gateway(self):
        """The API function."""
        return replace(self.installation.gateway, publish=self.publish)

    @cached_property
    def publish(self):
        return replace(self.installation.publish, targets=NoProblems())

    @cached_property
    def custom_resource(self):
        """The provider function, as the same principal."""
        return replace(self.installation.custom_resource(CALLER), publish=self.publish)

    def call(self, method, path, body=None, query=None):
        """Status and JSON of a request."""
        answer = self.gateway(
            {
                "httpMethod": method,
                "path": path,
                "body": body if body is None or isinstance(body, str) else json.dumps(body),
                "queryStringParameters": query,
                "requestContext": {"requestId": "r", "identity": {"userArn": CALLER}},
            }
        )
        return answer["statusCode"], json.loads(answer["body"]), answer["headers"]

    def claimed(self, execution_key, result=None, *, job=False):
        """Take the one dispatch that is queued, as the Dispatcher would, and finish it if there is a result."""
        (message,) = self.sqs.receive_message(QueueUrl=QUEUE)["Messages"]
        self.sqs.delete_message(QueueUrl=QUEUE, ReceiptHandle=message["ReceiptHandle"])
        work = work_of(message["Body"])
        workflow = self.installation.workflows.of(execution_key.deployment_id)
        claim = Claim(
            key=execution_key,
            dispatch_id=identity(workflow, execution_key, work.phase, work.shard, work.loop, work.attempt),
            phase=work.phase,
            shard=work.shard,
            shard_index=work.shard_index,
            loop=work.loop,
            attempt=work.attempt,
            worker="w",
            claimed_at=1_000,
            lease_until=2_000,
        )
        claims = self.installation.claims
        assert claims.take(claim)
        if job:
            claims.submitted(
                claim,
                BatchJob(
                    job_id="j",
                    queue_arn=BATCH["jobQueueArn"],
                    submission_role_arn="r",
                    submitted_at=1_500,
                    poll_at=9_000,
                ),
            )
        if result is not None:
            assert claims.finish(claim, result, 1_800)
            self.installation.complete(
                execution_key, [claims.load(execution_key, [claim.dispatch_id])[claim.dispatch_id]]
            )
        return claim.dispatch_id

    def wsgi(self, environ, start_response):
        """The API as a WSGI application, for tools that speak HTTP."""
        size = int(environ.get("CONTENT_LENGTH") or 0)
        status, body, headers = self.call(
            environ["REQUEST_METHOD"],
            quote(environ["PATH_INFO"].encode("latin-1"), safe="/:").removeprefix("/v1"),
            environ["wsgi.input"].read(size).decode("utf-8", "surrogateescape") or None,
            dict(parse_qsl(environ.get("QUERY_STRING", ""), keep_blank_values=True)),
        )
        start_response(f"{status} -", list(headers.items()))
        return [json.dumps(body).encode()]
