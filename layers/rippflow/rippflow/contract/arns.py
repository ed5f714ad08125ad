"""ARNs: parsing, and the forms in which principals, roles and targets are compared."""

from __future__ import annotations

from dataclasses import dataclass


class MalformedArn(ValueError):
    """Not an ARN of the expected kind."""


@dataclass(frozen=True, slots=True)
class Arn:
    """The six parts of an ARN, `arn:partition:service:region:account:resource`."""

    partition: str
    service: str
    region: str
    account: str
    resource: str

    def __str__(self) -> str:
        return f"arn:{self.partition}:{self.service}:{self.region}:{self.account}:{self.resource}"


def parse(text: str) -> Arn:
    """The parts; raises MalformedArn."""
    parts = text.split(":", 5)
    if len(parts) != 6 or parts[0] != "arn" or not all((parts[1], parts[2], parts[5])):  # noqa: PLR2004 (the six parts)
        message = f"{text!r} is not an ARN"
        raise MalformedArn(message)
    return Arn(*parts[1:])


def principal_of(caller: str) -> str:
    """The principal that grants name, of a caller's ARN.

    `arn:P:sts::A:assumed-role/NAME/SESSION` becomes `arn:P:iam::A:role/NAME`; role paths are dropped, because a
    session's ARN does not carry them; everything else stays as it is.
    """
    arn = parse(caller)
    kind, _, rest = arn.resource.partition("/")
    if arn.service == "sts" and kind == "assumed-role":
        return str(Arn(arn.partition, "iam", "", arn.account, f"role/{rest.split('/', 1)[0]}"))
    if arn.service == "iam" and kind == "role":
        return str(Arn(arn.partition, "iam", "", arn.account, f"role/{rest.rsplit('/', 1)[-1]}"))
    return caller


def same_role(one: str, other: str) -> bool:
    """Exactly the same role ARN, path included."""
    return one == other


def is_infrastructure_role(role_arn: str, installation_id: str) -> bool:
    """Whether a role lies under the installation's own path `/rippflow/<installationId>/`."""
    return parse(role_arn).resource.startswith(f"role/rippflow/{installation_id}/")


def unpinned(target_arn: str) -> str:
    """The function or job definition ARN without its version or revision."""
    arn = parse(target_arn)
    head, separator, last = arn.resource.rpartition(":")
    pinned = separator and last.isdigit() and head not in {"function", ""}
    return str(Arn(arn.partition, arn.service, arn.region, arn.account, head)) if pinned else target_arn


def region_and_account(text: str) -> tuple[str, str, str]:
    """Partition, region and account, which queue and definition must share."""
    arn = parse(text)
    return arn.partition, arn.region, arn.account
