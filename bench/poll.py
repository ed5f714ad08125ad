"""What a round of the Batch poller costs: requests by operation for thousands of open jobs.

python -m bench.poll [JOBS] [ROLES]

The deployed poller with its adapters, on moto's DynamoDB and STS. Batch says RUNNING to every id, since what is counted
are requests, and thousands of real jobs would say the same.
"""

from __future__ import annotations

import sys
import time
from collections import Counter

import boto3

from rippflow.records import BatchJob, Claim, ExecutionKey
from rippflow.settings import Settings
from rippflow.wiring import Installation
from tests.integration.tables import create_tables, on_moto

ACCOUNT = "arn:aws:iam::123456789012:role/"
QUEUE = "arn:aws:batch:us-east-1:123456789012:job-queue/orders"
SETTINGS = Settings(
    installation_id="bench",
    grants_table="GrantsTable",
    deployments_table="DeploymentsTable",
    executions_table="ExecutionsTable",
    dispatch_queue_url="unused",
    result_bucket="unused",
    service_role_arn=ACCOUNT + "service",
)


class StillClock:
    """A round takes longer on moto than jobs wait for their next poll, so time stands still."""

    def now_ms(self):
        """The moment of the bench."""
        return 1_700_000_000_000


class CountedClients:
    """`rippflow.aws.clients.Clients` that notes each request; every job that Batch is asked about runs."""

    def __init__(self, counts):
        self._counts = counts
        session = boto3.Session()
        session.events.register("before-call", self._note)
        self.dynamodb, self.sts = session.client("dynamodb"), session.client("sts")
        # A round that finds only running jobs reads no result and sends nothing.
        self.s3 = self.sqs = None

    def of(self, _session, service, _config, _region=None):
        """STS for the service role's session, Batch for a submission role's."""
        return self.sts if service == "sts" else self

    def describe_jobs(self, jobs):
        """DescribeJobs."""
        self._counts["batch:DescribeJobs"] += 1
        return {"jobs": [{"jobId": each, "status": "RUNNING"} for each in jobs]}

    def _note(self, model, **_):
        self._counts[f"{model.service_model.service_name}:{model.name}"] += 1


def submit(installation, jobs, roles):
    """Claims of jobs that are due now."""
    now = installation.clock.now_ms()
    for number in range(jobs):
        claim = Claim(
            key=ExecutionKey("dep_" + "a" * 52, f"order-{number // 100}"),
            dispatch_id=f"{number:052}",
            phase="work",
            shard=str(number),
            shard_index=number % 100,
            loop=0,
            attempt=1,
            worker="bench",
            claimed_at=now,
            lease_until=now + 150_000,
        )
        job = BatchJob(
            job_id=f"job-{number}",
            queue_arn=QUEUE,
            submission_role_arn=f"{ACCOUNT}submit-{number % roles}",
            submitted_at=now,
            poll_at=now,
            deadline=None,
        )
        assert installation.claims.take(claim)
        assert installation.claims.submitted(claim, job)


def main(jobs=10_000, roles=3):
    """Print a round's requests, and those of a round in which nothing is due."""
    counts = Counter()
    with on_moto():
        create_tables(boto3.client("dynamodb"))
        installation = Installation(SETTINGS)
        installation.__dict__.update(clients=CountedClients(counts), clock=StillClock())
        submit(installation, jobs, roles)
        for title in (f"{jobs:,} open jobs of {roles} submission roles", "the same jobs, none of them due"):
            counts.clear()
            begun = time.perf_counter()
            looked = installation.poll()
            seconds = time.perf_counter() - begun
            print(f"\n{title}: {looked:,} looked at, {seconds:.1f} s")
            print("\n| request | times |\n| --- | --- |")
            for name, times in sorted(counts.items()):
                print(f"| {name} | {times:,} |")
        assert not any("Scan" in name for name in counts)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
