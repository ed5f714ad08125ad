"""One embedded installation with a tenant that has a probe function, and the people around it."""

from __future__ import annotations

import itertools
import json
import time
from dataclasses import dataclass, field
from pathlib import Path

import boto3

from embedded import roles, sam
from embedded.emulator import ACCOUNT, REGION
from rippflow.aws.grants import grant_item
from tests.e2e.signed import Api

TENANT = Path(__file__).parent / "tenant" / "template.yaml"
OPERATIONS = ("deploy", "execute", "read", "inspect", "revoke", "cancel")
ENDED = {"completed", "failed", "rejected"}
_numbers = itertools.count(1)


@dataclass
class World:
    """What e2e tests talk to; `unique` names keep them apart on the one installation."""

    installation: object
    outputs: dict = field(init=False)
    stack: str = "probes"

    def __post_init__(self):
        parameters = {
            "InstallationId": self.installation.installation_id,
            "DeploymentServiceRoleArn": self.installation.outputs["DeploymentServiceRoleArn"],
            "LambdaRuntime": sam.PYTHON,
        }
        self.outputs = self.installation.deploy_stack(TENANT, self.stack, parameters)
        self.provider = self.installation.outputs["ProviderRoleArn"]

    def unique(self, name):
        return f"{name}-{next(_numbers)}"

    def binding(self, **changes):
        return {
            "type": "lambda",
            "functionArn": self.outputs["ProbeVersionArn"],
            "invocationRoleArn": self.outputs["InvocationRoleArn"],
            "executionRoleArn": self.outputs["ProbeWorkloadRoleArn"],
        } | changes

    def document(self, phases, *, tenant="orders", namespace="tests", name=None, version="1", bindings=None):
        return {
            "contract": "scoped-deployments-v1",
            "installationId": self.installation.installation_id,
            "tenantId": tenant,
            "namespace": namespace,
            "definition": {"name": name or self.unique("workflow"), "version": version, "phases": phases},
            "bindings": bindings or {phase: self.binding() for phase in phases},
        }

    def grant(self, principal, *operations, tenant="orders", namespace="tests", bindings=None):
        grant = {
            "principal": principal,
            "tenantId": tenant,
            "namespace": namespace,
            "operations": list(operations or OPERATIONS),
            "bindings": [self.binding()] if bindings is None else bindings,
        }
        self.installation.client("dynamodb").put_item(
            TableName=self.installation.outputs["GrantsTableName"], Item=grant_item(grant)
        )

    def remove_grant(self, principal, tenant="orders", namespace="tests"):
        item = grant_item({"principal": principal, "tenantId": tenant, "namespace": namespace, "operations": ["read"]})
        self.installation.client("dynamodb").delete_item(
            TableName=self.installation.outputs["GrantsTableName"], Key={"pk": item["pk"], "sk": item["sk"]}
        )

    def person(self, *operations, tenant="orders", namespace="tests", statements=None):
        """A new IAM user with this grant (none without operations), and the API as it sees it."""
        person = self.installation.person(self.unique("person"), statements)
        if operations:
            self.grant(person.arn, *operations, tenant=tenant, namespace=namespace)
        return person, self.api(person)

    def api(self, person):
        bundle = str(self.installation.emulator.certificates.bundle)
        return Api(self.installation.api_url, bundle, person.access_key, person.secret_key)

    def role(self, *operations):
        """A new IAM role with a path and this grant, its ARN, and the API as two of its sessions see it."""
        iam = self.installation.client("iam")
        name = self.unique("role")
        trust = {"Effect": "Allow", "Principal": {"AWS": f"arn:aws:iam::{ACCOUNT}:root"}, "Action": "sts:AssumeRole"}
        arn = iam.create_role(
            RoleName=name,
            Path="/teams/orders/",
            AssumeRolePolicyDocument=json.dumps({"Version": "2012-10-17", "Statement": [trust]}),
        )["Role"]["Arn"]
        allowed = {"Version": "2012-10-17", "Statement": [self.installation.may_call_the_api()]}
        iam.put_role_policy(RoleName=name, PolicyName="api", PolicyDocument=json.dumps(allowed))
        self.grant(arn, *operations)
        sts = self.installation.client("sts")
        sessions = [
            sts.assume_role(RoleArn=arn, RoleSessionName=session)["Credentials"] for session in ("monday", "tuesday")
        ]
        bundle = str(self.installation.emulator.certificates.bundle)
        apis = [
            Api(self.installation.api_url, bundle, each["AccessKeyId"], each["SecretAccessKey"], each["SessionToken"])
            for each in sessions
        ]
        return arn, apis

    def calls(self, deployment, execution):
        """How often each dispatch of an execution reached the probe, by dispatch id, with its envelope."""
        items = self.installation.client("dynamodb").scan(TableName=self.outputs["CallsTableName"])["Items"]
        found = {}
        for item in items:
            envelope = json.loads(item["envelope"]["S"])
            if (envelope["context"]["deploymentId"], envelope["context"]["requestId"]) == (deployment, execution):
                found[item["dispatchId"]["S"]] = (int(item["calls"]["N"]), envelope)
        return found

    def wait(self, api, deployment, execution, until=None, secs=90):
        """The inspection once it satisfies `until` (ended, without it)."""
        done = until or (lambda view: view["status"] in ENDED or view["needsAttention"])
        deadline = time.monotonic() + secs
        while True:
            answer = api.call("GET", f"/deployments/{deployment}/executions/{execution}")
            assert answer.status == 200, answer
            if done(answer.body):
                return answer.body
            assert time.monotonic() < deadline, f"still {json.dumps(answer.body, indent=1)}"
            time.sleep(0.2)

    def run(self, api, deployment, *, execution=None, **request):
        """Start an execution and wait for its end; its inspection."""
        execution = execution or self.unique("execution")
        answer = api.call("POST", f"/deployments/{deployment}/executions", {"executionId": execution, **request})
        assert answer.status == 202, answer
        return self.wait(api, deployment, execution)

    def publish(self, api, document):
        answer = api.call("POST", "/deployments", document)
        assert answer.status == 200, answer
        return answer.body["deploymentId"]

    def as_role(self, role_arn):
        """A boto3 client factory with a role's own credentials."""
        return self.session(self.credentials_of(role_arn))

    def credentials_of(self, role_arn):
        """A role's credentials."""
        return roles.credentials_of(self.installation, role_arn)

    def session(self, credentials):
        """A boto3 client factory with temporary credentials."""
        session = boto3.Session(
            aws_access_key_id=credentials["AccessKeyId"],
            aws_secret_access_key=credentials["SecretAccessKey"],
            aws_session_token=credentials["SessionToken"],
            region_name=REGION,
        )
        emulator = self.installation.emulator
        return lambda service: session.client(
            service, endpoint_url=emulator.url, verify=str(emulator.certificates.bundle)
        )

    def function_role(self, logical_id):
        """The role ARN of one of the installation's functions."""
        return roles.role_of_function(self.installation, logical_id)
