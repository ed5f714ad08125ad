"""Sessions of the installation's own roles, so that its code acts outside of Lambda as it does inside."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from embedded.emulator import ACCOUNT
from embedded.installation import STACK

if TYPE_CHECKING:
    from collections.abc import Mapping

    from embedded.installation import Installation


def role_of_function(installation: Installation, logical_id: str) -> str:
    """The role ARN of one of the installation's functions."""
    resource = installation.client("cloudformation").describe_stack_resource(
        StackName=STACK, LogicalResourceId=f"{logical_id}Role"
    )
    name = resource["StackResourceDetail"]["PhysicalResourceId"]
    return str(installation.client("iam").get_role(RoleName=name)["Role"]["Arn"])


def credentials_of(installation: Installation, role_arn: str) -> Mapping[str, str]:
    """A role's credentials in STS's own shape; its trust lets the administrator in for a moment."""
    iam = installation.client("iam")
    name = role_arn.rsplit("/", 1)[-1]
    trust = iam.get_role(RoleName=name)["Role"]["AssumeRolePolicyDocument"]
    root = {"Effect": "Allow", "Principal": {"AWS": f"arn:aws:iam::{ACCOUNT}:root"}, "Action": "sts:AssumeRole"}
    opened = {**trust, "Statement": [*trust["Statement"], root]}
    iam.update_assume_role_policy(RoleName=name, PolicyDocument=json.dumps(opened))
    try:
        answer = installation.client("sts").assume_role(RoleArn=role_arn, RoleSessionName="local")
    finally:
        iam.update_assume_role_policy(RoleName=name, PolicyDocument=json.dumps(trust))
    credentials: Mapping[str, str] = answer["Credentials"]
    return credentials
