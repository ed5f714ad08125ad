"""The lifecycle of `Custom::RippflowWorkflow`: what Create, Update and Delete mean.

    Create, Update   publish `Deployment`; the deployment id is the physical id, so new content is a replacement
    Update           never revokes: CloudFormation itself sends the Delete of a replaced id, if nothing rolled back
    Delete           acts on the event's physical id alone, never on the properties' content; an id that is not ours
                     is none of our business and succeeds
    late requests    one that a later request of the same resource has overtaken changes nothing

How the answer reaches CloudFormation is the envelope's duty (`provider.handler`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from rippflow.contract.coercion import coerce_deployment, reference_problems
from rippflow.contract.identity import deployment_id as identity_of
from rippflow.contract.identity import is_deployment_id
from rippflow.contract.problems import Problem, pointer, summary
from rippflow.contract.suggestions import Suggestions
from rippflow.contract.validation import check_deployment
from rippflow.errors import Conflict, InvalidDocument, RippflowError
from rippflow.timestamps import iso

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rippflow.contract.documents import Json
    from rippflow.operations.publish import Publish
    from rippflow.operations.revoke import Revoke
    from rippflow.ports import Clock, Observer, StackRequests
    from rippflow.records import Published

PROPERTIES = ("Deployment", "RetainDeployment")
_ENVELOPE = ("ServiceToken", "ServiceTimeout")
_BOOLEANS = {True: True, False: False, "true": True, "false": False}
_SIGNED = re.compile(r"[?&]X-Amz-Date=(\d{8}T\d{6}Z)")
_LOGGED = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class CustomResource:
    """Serves one installation; `principal` is the provider's own role."""

    publish: Publish
    revoke: Revoke
    requests: StackRequests
    clock: Clock
    observer: Observer
    principal: str

    def document(self, event: Mapping[str, Any]) -> dict[str, Json]:
        """The valid deployment document of a Create or Update. Raises InvalidDocument with every problem."""
        properties = event["ResourceProperties"]
        problems = list(property_problems(properties))
        document: Json = None
        if "Deployment" in properties:
            try:
                document = coerce_deployment(properties["Deployment"])
            except InvalidDocument as error:
                found = list(error.details)
            else:
                found = reference_problems(document) + check_deployment(document)
            problems += map(_from_properties, found)
        if problems:
            refused = InvalidDocument(summary(problems), sorted(problems))
            self._tell(event, refused)
            raise refused
        return dict(document)

    def declare(self, event: Mapping[str, Any], document: Mapping[str, Json]) -> Published:
        """Publish what the resource declares and record it as an owner. Raises RippflowError."""
        try:
            return self._declare(event, document)
        except RippflowError as error:
            seen = _led_by_pointer(error)
            self._tell(event, seen)
            raise seen from error

    def undo(self, event: Mapping[str, Any], deployment_id: str) -> None:
        """CloudFormation was told that this request failed: the resource does not declare the deployment."""
        if deployment_id != event.get("PhysicalResourceId"):
            self.revoke.withdraw(deployment_id, owner(event), self.principal, revoke=False)
            self.observer.note("resource.undone", deployment=deployment_id, logical_id=event["LogicalResourceId"])

    def delete(self, event: Mapping[str, Any]) -> None:
        """Withdraw this resource; with `RetainDeployment: false` the last one revokes. Raises RippflowError."""
        try:
            self._delete(event)
        except RippflowError as error:
            self._tell(event, error)
            self.observer.count("resource.delete_failed", logical_id=event["LogicalResourceId"], code=error.code)
            raise

    def _delete(self, event: Mapping[str, Any]) -> None:
        physical_id, logical_id = event["PhysicalResourceId"], event["LogicalResourceId"]
        asked_at = self._asked_at(event)
        self.requests.leaves(owner(event), asked_at)
        if not is_deployment_id(physical_id):
            self.observer.note("resource.delete_ignored", logical_id=logical_id)
        elif self.requests.declared_since(owner(event), asked_at, physical_id):
            self.observer.note("resource.delete_overtaken", logical_id=logical_id, deployment=physical_id)
        else:
            self.revoke.withdraw(physical_id, owner(event), self.principal, revoke=self._revokes(event))

    def _declare(self, event: Mapping[str, Any], document: Mapping[str, Json]) -> Published:
        deployment_id, asked_at = identity_of(document), self._asked_at(event)
        if not self.requests.declares(owner(event), asked_at, deployment_id):
            raise _overtaken()
        published = self.publish(document, self.principal, owner=owner(event))
        if not self.requests.declares(owner(event), asked_at, deployment_id):
            if not self.requests.declared_since(owner(event), asked_at, deployment_id):
                self.undo(event, deployment_id)
            raise _overtaken()
        return published

    def _revokes(self, event: Mapping[str, Any]) -> bool:
        """Whether the properties say so; anything unreadable retains, since revoking cannot be undone."""
        properties = event.get("ResourceProperties")
        retain = properties.get("RetainDeployment", True) if isinstance(properties, dict) else None
        if not isinstance(retain, bool | str) or retain not in _BOOLEANS:
            self.observer.note("resource.retained_unreadable", logical_id=event["LogicalResourceId"])
            return False
        return not _BOOLEANS[retain]

    def _asked_at(self, event: Mapping[str, Any]) -> int:
        """When CloudFormation made the request, by the signature of its answer URL; now if that does not say."""
        signed = _SIGNED.search(event["ResponseURL"])
        try:
            at = datetime.strptime(signed[1] if signed else "", "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
        except ValueError:
            return self.clock.now_ms()
        return int(at.timestamp()) * 1000

    def _tell(self, event: Mapping[str, Any], error: RippflowError) -> None:
        """Every problem to the log, of which the answer has room for the first; and the metric that alarms watch."""
        logical_id, kind = event["LogicalResourceId"], event["RequestType"]
        for problem in error.details[:_LOGGED]:
            told = f"{problem.pointer}: {problem.message}"
            self.observer.note("resource.problem", logical_id=logical_id, code=problem.code, error=told)
        self.observer.count("resource.failed", logical_id=logical_id, request_type=kind, code=error.code)


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


def property_problems(properties: Mapping[str, Any]) -> Iterator[Problem]:
    """What is wrong with the properties around the document."""
    suggest = Suggestions(PROPERTIES, "known are")
    for name in sorted(properties.keys() - {*PROPERTIES, *_ENVELOPE}):
        yield Problem(pointer(name), "unknown_property", f"this property does not exist; {suggest(name)}")
    if "Deployment" not in properties:
        yield Problem("/Deployment", "required", "give the deployment document, as an object or as a JSON string")
    retain = properties.get("RetainDeployment", True)
    if not isinstance(retain, bool | str) or retain not in _BOOLEANS:
        yield Problem("/RetainDeployment", "type", "write true (keep the deployment) or false (revoke on delete)")


def _from_properties(problem: Problem) -> Problem:
    """Pointers start at the document, as everywhere; what is wrong with all of it is wrong with the property."""
    return problem if problem.pointer else problem.below("/Deployment")


def _led_by_pointer(error: RippflowError) -> RippflowError:
    """The error with the first pointer at the head of its message."""
    if not error.details:
        return type(error)(error.message)
    problems = [_from_properties(problem) for problem in error.details]
    about = "" if isinstance(error, InvalidDocument) else f"; {error.message}"
    return type(error)(summary(problems) + about, problems)


def _overtaken() -> Conflict:
    return Conflict("a later request of this resource was served already, so this one changes nothing")
