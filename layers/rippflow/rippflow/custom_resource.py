"""The lifecycle of `Custom::RippflowWorkflow`: what Create, Update and Delete mean.

    Create, Update   publish `Deployment`; the deployment id is the physical id, so new content is a replacement
    Update           never revokes: CloudFormation itself sends the Delete of a replaced id, if nothing rolled back
    Delete           acts on the event's physical id alone, never on the properties' content; an id that is not ours
                     is none of our business and succeeds

How the answer reaches CloudFormation is the envelope's duty (`provider.handler`).
"""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rippflow.contract.coercion import coerce_deployment
from rippflow.contract.identity import is_deployment_id
from rippflow.contract.problems import Problem, summary
from rippflow.errors import InvalidRequest
from rippflow.timestamps import iso

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rippflow.operations.publish import Publish
    from rippflow.operations.revoke import Revoke
    from rippflow.ports import Observer
    from rippflow.records import Published

PROPERTIES = ("Deployment", "RetainDeployment")
_ENVELOPE = ("ServiceToken", "ServiceTimeout")
_BOOLEANS = {True: True, False: False, "true": True, "false": False}
NOT_PUBLISHED = "rippflow-not-published"


def marker(event: Mapping[str, Any]) -> str:
    """Physical id of a Create that published nothing; its Delete is a no-op because it is no deployment id."""
    return f"{NOT_PUBLISHED}-{event['LogicalResourceId']}"


@dataclass(frozen=True, slots=True, kw_only=True)
class CustomResource:
    """Serves one installation; `principal` is the provider's own role."""

    publish: Publish
    revoke: Revoke
    observer: Observer
    principal: str

    def create_or_update(self, event: Mapping[str, Any]) -> Published:
        """The published deployment. Raises RippflowError; nothing was published then."""
        properties = event["ResourceProperties"]
        problems = list(_property_problems(properties))
        if problems:
            raise InvalidRequest(summary(problems), problems)
        document = coerce_deployment(properties["Deployment"])
        return self.publish(document, self.principal, owner=owner(event))

    def delete(self, event: Mapping[str, Any]) -> None:
        """Withdraw this resource; with `RetainDeployment: false` the last one revokes. Raises RippflowError."""
        physical_id = event["PhysicalResourceId"]
        if not is_deployment_id(physical_id):
            self.observer.note("resource.delete_ignored", logical_id=event["LogicalResourceId"])
            return
        # Anything unreadable retains: revoking is the step that cannot be undone.
        retain = event.get("ResourceProperties", {}).get("RetainDeployment")
        revoke = isinstance(retain, bool | str) and _BOOLEANS.get(retain) is False
        self.revoke.withdraw(physical_id, owner(event), self.principal, revoke=revoke)


def attributes(published: Published) -> dict[str, str]:
    """What `Fn::GetAtt` can read; flat text, the same after Create and Update."""
    definition = published.document["definition"]
    return {
        "DeploymentId": published.deployment_id,
        "Name": definition["name"],
        "Version": definition["version"],
        "TenantId": published.tenant_id,
        "Namespace": published.namespace,
        "PublishedAt": iso(published.published_at),
    }


def owner(event: Mapping[str, Any]) -> str:
    """The live resource: stack id and logical id."""
    return f"{event['StackId']}|{event['LogicalResourceId']}"


def _property_problems(properties: Mapping[str, Any]) -> Iterator[Problem]:
    for name in properties.keys() - {*PROPERTIES, *_ENVELOPE}:
        near = difflib.get_close_matches(name, PROPERTIES, 1)
        hint = f"did you mean {near[0]}?" if near else f"known are {', '.join(PROPERTIES)}"
        yield Problem(f"/{name}", "unknown_property", f"this property does not exist; {hint}")
    if "Deployment" not in properties:
        yield Problem("/Deployment", "required", "give the deployment document, as an object or as a JSON string")
    retain = properties.get("RetainDeployment", True)
    if not isinstance(retain, bool | str) or retain not in _BOOLEANS:
        yield Problem("/RetainDeployment", "type", "write true (keep the deployment) or false (revoke on delete)")
