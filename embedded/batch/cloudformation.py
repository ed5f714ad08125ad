"""AWS::Batch resources of a stack, made through the API, whose members their properties are, with a capital letter."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from embedded.batch.model import service_model

if TYPE_CHECKING:
    from collections.abc import Callable

    from botocore.model import Shape

    from embedded.batch.model import Detail

_RETENTION = "ResourceRetentionPolicy"
"""CloudFormation's own: whether an update deregisters the revision before."""


class _Kind(NamedTuple):
    """How a resource type is made and removed, and what names and identifies it."""

    create: str
    name: str
    arn: str
    delete: str
    reference: str


KINDS = {
    "AWS::Batch::ComputeEnvironment": _Kind(
        "CreateComputeEnvironment",
        "computeEnvironmentName",
        "computeEnvironmentArn",
        "DeleteComputeEnvironment",
        "computeEnvironment",
    ),
    "AWS::Batch::JobQueue": _Kind("CreateJobQueue", "jobQueueName", "jobQueueArn", "DeleteJobQueue", "jobQueue"),
    "AWS::Batch::JobDefinition": _Kind(
        "RegisterJobDefinition",
        "jobDefinitionName",
        "jobDefinitionArn",
        "DeregisterJobDefinition",
        "jobDefinition",
    ),
}


def handlers(call: Callable[[str, Detail], Detail]) -> dict[str, dict[str, Any]]:
    """Create and delete of each type, as the emulator's CloudFormation calls them."""
    return {kind: _handlers(each, call) for kind, each in KINDS.items()}


def _handlers(kind: _Kind, call: Callable[[str, Detail], Detail]) -> dict[str, Any]:
    shape = service_model().operation_model(kind.create).input_shape

    def create(logical_id: str, properties: Detail, stack: str) -> tuple[str, Detail]:
        request = as_request({k: v for k, v in properties.items() if k != _RETENTION}, shape)
        request.setdefault(kind.name, f"{stack}-{logical_id}")
        arn = call(kind.create, request)[kind.arn]
        return arn, {_capital(kind.arn): arn}

    def delete(physical_id: str, _properties: Detail) -> None:
        call(kind.delete, {kind.reference: physical_id})

    def update(physical_id: str, _old: Detail, new: Detail, stack: str, logical_id: str) -> tuple[str, Detail]:
        made = create(logical_id, new, stack)
        if not _kept(new):
            delete(physical_id, new)
        return made

    if kind.create == "RegisterJobDefinition":
        return {"create": create, "delete": delete, "update": update, "update_with_logical_id": True}
    return {"create": create, "delete": delete}


def _kept(properties: Detail) -> bool:
    return str(properties.get(_RETENTION, {}).get("SkipDeregisterOnUpdate", "")).lower() == "true"


def as_request(value: Any, shape: Shape | None) -> Any:
    """Properties as the API's members, with the types that the API has; raises ValueError for an unknown property."""
    kind = None if shape is None else shape.type_name
    if kind == "structure":
        members = {_capital(name): (name, member) for name, member in shape.members.items()}  # type: ignore[union-attr]
        unknown = sorted(set(value) - set(members))
        if unknown:
            raise ValueError(f"Encountered unsupported property {unknown[0]}")
        return {members[key][0]: as_request(each, members[key][1]) for key, each in value.items()}
    if kind == "list":
        return [as_request(each, shape.member) for each in value]  # type: ignore[union-attr]
    if kind == "map":
        return {key: str(each) for key, each in value.items()}
    if kind in {"integer", "long"}:
        return int(value)
    if kind == "boolean":
        return str(value).lower() == "true"
    return str(value)


def _capital(name: str) -> str:
    return name[:1].upper() + name[1:]
