"""What administrators do straight in the installation's AWS account, with their own credentials."""

from __future__ import annotations

import functools
import os
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from rippflow_cli.errors import CliError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_OPTIONS = (
    click.option("--profile", metavar="NAME", help="AWS profile of the administrator, instead of AWS_PROFILE."),
    click.option(
        "--region", metavar="REGION", help="The installation's region, instead of AWS_REGION or the profile's."
    ),
)


@dataclass(frozen=True, slots=True)
class Account:
    """boto3 clients of this person; AWS's refusals are told by `refusals_told`."""

    profile: str | None
    region: str | None

    def client(self, service: Any) -> Any:
        """A boto3 client with the retries of a request that may be repeated."""
        import boto3

        from rippflow.aws.clients import STORAGE

        session = boto3.Session(profile_name=self.profile, region_name=self.region or os.environ.get("AWS_REGION"))
        return session.client(service, config=STORAGE)

    def stack_output(self, stack: str, name: str) -> str:
        """An output of the installation's stack."""
        described = self.client("cloudformation").describe_stacks(StackName=stack)["Stacks"][0]
        for output in described.get("Outputs", []):
            if output["OutputKey"] == name:
                return str(output["OutputValue"])
        raise CliError(f"stack {stack} has no output {name}; give the name of the installation's own stack")

    def stack_resource(self, stack: str, logical_id: str) -> str:
        """The physical id of a resource of the installation's stack."""
        answer = self.client("cloudformation").describe_stack_resource(StackName=stack, LogicalResourceId=logical_id)
        return str(answer["StackResourceDetail"]["PhysicalResourceId"])


def administrative(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command `--profile` and `--region`, an Account as its first argument, and told refusals."""

    @functools.wraps(command)
    def told(*, profile: str | None, region: str | None, **arguments: Any) -> None:
        with refusals_told():
            command(Account(profile, region), **arguments)

    for option in reversed(_OPTIONS):
        told = option(told)
    return told


@contextmanager
def refusals_told() -> Iterator[None]:
    """Turn what AWS or its client library raises into one sentence with what to do."""
    from botocore.exceptions import BotoCoreError, ClientError, NoCredentialsError, NoRegionError

    try:
        yield
    except NoRegionError as error:
        raise CliError("no region is set; give --region or set AWS_REGION") from error
    except NoCredentialsError as error:
        raise CliError("no AWS credentials were found; set AWS_PROFILE, or give --profile") from error
    except ClientError as error:
        said, request = error.response.get("Error", {}), error.response.get("ResponseMetadata", {}).get("RequestId")
        message = f"AWS refused {error.operation_name}: {said.get('Code')}: {said.get('Message')}"
        raise CliError(f"{message} (request id {request})" if request else message) from error
    except BotoCoreError as error:
        raise CliError(f"AWS cannot be asked: {error}") from error
