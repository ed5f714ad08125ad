"""Rules between bindings, and between them and the definition, that a schema cannot say."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rippflow.contract.arns import MalformedArn, is_infrastructure_role, region_and_account
from rippflow.contract.problems import Problem, pointer
from rippflow.contract.semantics import phase_suggestions

if TYPE_CHECKING:
    from collections.abc import Iterator

_ROLES = ("invocationRoleArn", "submissionRoleArn", "jobRoleArn", "executionRoleArn")


def binding_problems(bindings: object, definition: object, installation_id: object) -> list[Problem]:
    """Every broken rule; pointers start at the bindings. Without a definition only the bindings' own rules."""
    if not isinstance(bindings, dict):
        return []
    found = [*_same_region_and_account(bindings), *_no_infrastructure_role(bindings, installation_id)]
    phases = definition.get("phases") if isinstance(definition, dict) else None
    if isinstance(phases, dict):
        found += _names_match(bindings, phases)
        found += _sync_lambda_is_lambda(bindings, phases)
    return sorted(found)


def _names_match(bindings: dict[str, Any], phases: dict[str, Any]) -> Iterator[Problem]:
    suggest = phase_suggestions(phases)
    for name in sorted(bindings.keys() - phases.keys()):
        yield Problem(pointer(name), "unknown_phase", f"no phase is called {name!r}; {suggest(name)}")
    for name in phases.keys() - bindings.keys():
        yield Problem(pointer(name), "binding_missing", f"phase {name!r} has no binding; add one")


def _sync_lambda_is_lambda(bindings: dict[str, Any], phases: dict[str, Any]) -> Iterator[Problem]:
    for name, binding in bindings.items():
        phase = phases.get(name)
        if not isinstance(phase, dict) or not isinstance(binding, dict):
            continue
        if phase.get("mode") == "sync_lambda" and binding.get("type") == "batch":
            yield Problem(
                pointer(name, "type"),
                "sync_lambda_needs_lambda",
                "the phase has mode sync_lambda; bind a Lambda function, or write mode: queued",
            )


def _same_region_and_account(bindings: dict[str, Any]) -> Iterator[Problem]:
    for name, binding in bindings.items():
        if not isinstance(binding, dict) or binding.get("type") != "batch":
            continue
        try:
            queue = region_and_account(str(binding.get("jobQueueArn")))
            job = region_and_account(str(binding.get("jobDefinitionArn")))
        except MalformedArn:
            continue
        if queue != job:
            yield Problem(
                pointer(name, "jobDefinitionArn"),
                "other_region_or_account",
                f"lies in {'/'.join(job)} but the queue in {'/'.join(queue)}; use a definition of the queue's place",
            )


def _no_infrastructure_role(bindings: dict[str, Any], installation_id: object) -> Iterator[Problem]:
    if not isinstance(installation_id, str):
        return
    for name, binding in bindings.items():
        if not isinstance(binding, dict):
            continue
        for key in _ROLES:
            role = binding.get(key)
            try:
                forbidden = isinstance(role, str) and is_infrastructure_role(role, installation_id)
            except MalformedArn:
                continue
            if forbidden:
                yield Problem(
                    pointer(name, key),
                    "infrastructure_role",
                    "this role belongs to the installation itself; bind a role of the workload",
                )
