"""Mistakes that somebody could make in the deployed code; the simulation has to find each of them.

Every condition expression of claims, executions and revocation is removed in turn, and every rule of the claim, the
check, the call, the fold and the repair is broken once.
"""

from __future__ import annotations

from dataclasses import fields, replace
from unittest.mock import patch

from rippflow.aws import batch, claims, deployments, executions, functions
from rippflow.aws.clients import STORAGE
from rippflow.engine.codec import decode
from rippflow.operations import dispatch, poll, throttling
from rippflow.operations.admit import Admit
from rippflow.operations.complete import Complete
from rippflow.operations.dispatch import Dispatcher
from rippflow.operations.poll import Poll
from rippflow.operations.recover import Recover
from rippflow.operations.resend import Resend
from rippflow.ports import Ambiguous, VersionConflict
from rippflow.records import Admission
from tests.simulation.dynamodb import Tables
from tests.simulation.processes import SETTINGS

ALWAYS = "attribute_not_exists(nothing)"


def _constant(module, name, value=ALWAYS):
    """A condition that always holds, or another setting."""
    return lambda: patch.object(module, name, value)


def _method(owner, name, make):
    """A method replaced by `make(original)`."""
    return lambda: patch.object(owner, name, make(getattr(owner, name)))


def _remade(instance, kind):
    """The same operation as a subclass of its own."""
    return kind(**{each.name: getattr(instance, each.name) for each in fields(instance)})


def _check_before_claim(original):
    """Authority is asked first, and the answer used after the claim."""

    reasons = {}

    class Early(Dispatcher):
        def _refusal(self, *_):
            return reasons.pop(id(self))

    def call(self, work, worker):
        workflow = self.workflows.of(work.key.deployment_id)
        early = _remade(self, Early)
        intent = self.executions.request(work.key)
        binding = workflow.deployment.bindings[work.phase]
        reasons[id(early)] = Dispatcher._refusal(self, workflow, intent, binding)
        original(early, work, worker)

    return call


def _only_revocation(_original):
    def refusal(self, _workflow, intent, _binding):
        return "the deployment is revoked" if self.deployments.revoked(intent.key.deployment_id) else None

    return refusal


def _only_grant(_original):
    def refusal(self, workflow, intent, _binding):
        found = self.grants.find(intent.principal, workflow.deployment.tenant_id, workflow.deployment.namespace)
        return "no grant" if found is None else None

    return refusal


def _ambiguous_calls_are_tried_again(original):
    def persist(call, *rest):
        answer = original(call, *rest)
        return call() if isinstance(answer, Ambiguous) else answer

    return persist


def _ambiguity_is_failure(original):
    def judge(phase, answer):
        return dispatch.failed(answer.reason) if isinstance(answer, Ambiguous) else original(phase, answer)

    return judge


def _late_answers_win(_original):
    def finish(self, _workflow, claim, result):
        if not self.claims.finish(claim, result, self.clock.now_ms()):
            with patch.object(claims, "UNFINISHED", ALWAYS):
                self.claims.finish(claim, result, self.clock.now_ms())

    return finish


def _stale(table, sk):
    """A read that is not strongly consistent."""

    def make(original):
        def get_item(self, TableName, Key, ConsistentRead=None):  # noqa: N803 - DynamoDB's own names
            consistent = ConsistentRead and not (TableName == table and Key["sk"]["S"].startswith(sk))
            return original(self, TableName, Key, consistent)

        return get_item

    return make


def _send_before_save(_original):
    def call(self, key, finished):
        workflow = self.workflows.of(key.deployment_id)
        stored = self.executions.state(key)
        state = decode(workflow.plan, stored.body)
        dispatches, applied = self._fold(workflow.plan, state, finished)
        self._send(workflow, key, state, dispatches, replayed=applied < len(finished))
        if applied:
            try:
                self.executions.save(self._next(stored, state))
            except VersionConflict:
                call(self, key, finished)

    return call


def _admit_before_state(_original):
    def call(self, key):
        intent = self.executions.intent(key)
        if intent is not None and intent.admission is Admission.QUEUED:
            self._decide(intent, Admission.ADMITTED, None)
            self._begin(intent, self.workflows.of(key.deployment_id))

    return call


def _nothing_is_resent(original):
    def outstanding(self, *arguments):
        return replace(original(self, *arguments), unclaimed=[])

    return outstanding


def _recovery_folds_nothing(original):
    def review(self, key, found):
        original(replace(self, complete=lambda _key, _finished: None), key, found)

    return review


def _leases_are_ignored(original):
    return lambda self, claim: original(self, replace(claim, lease_until=0))


def _late_jobs_have_failed(original):
    def result(self, claim, job, view):
        running = view is not None and view.status not in {"SUCCEEDED", "FAILED"}
        if running and job.deadline is not None and job.deadline <= self.clock.now_ms():
            self._terminate(job)
            return poll.failed("too late")
        return original(self, claim, job, view)

    return result


def _retries_share_one_id(original):
    def identity(workflow, key, phase, shard, loop, _attempt):
        return original(workflow, key, phase, shard, loop, 1)

    return identity


PLANTED = {
    "a claim without its condition": _constant(claims, "UNCLAIMED"),
    "release and submission without their condition": _constant(claims, "MINE"),
    "a finish without its condition": _constant(claims, "UNFINISHED"),
    "a rescheduled poll without its condition": _constant(claims, "IS_SUBMITTED"),
    "a cancellation without its condition": _constant(claims, "NO_REQUEST_YET"),
    "an intent or first state without its condition": _constant(executions, "ABSENT"),
    "a decision without its condition": _constant(executions, "IS_QUEUED"),
    "a state saved without its version": _constant(executions, "IS_VERSION"),
    "revocation and declaration without their condition": _constant(deployments, "IS_ACTIVE"),
    "a publication without its condition": _constant(deployments, "ABSENT"),
    "the last stack leaves without its condition": _constant(deployments, "SOLE_OWNER"),
    "check before claim": _method(Dispatcher, "__call__", _check_before_claim),
    "revocation is not asked": _method(Dispatcher, "_refusal", _only_grant),
    "the grant is not asked": _method(Dispatcher, "_refusal", _only_revocation),
    "revocation is read stale": _method(Tables, "get_item", _stale(SETTINGS.deployments_table, "STATUS")),
    "the grant is read stale": _method(Tables, "get_item", _stale(SETTINGS.grants_table, "")),
    "SDK retries of Invoke": _constant(functions, "DISPATCH", STORAGE),
    "SDK retries of SubmitJob": _constant(batch, "DISPATCH", STORAGE),
    "ambiguous calls are tried again": _method(dispatch, "persist", _ambiguous_calls_are_tried_again),
    "ambiguity is failure": _method(dispatch, "judge", _ambiguity_is_failure),
    "calls start whenever they are ready": _constant(throttling, "START_WITHIN_MS", 10**9),
    "late answers win": _method(Dispatcher, "_finish", _late_answers_win),
    "completions send before they save": _method(Complete, "__call__", _send_before_save),
    "admission is decided before the state exists": _method(Admit, "__call__", _admit_before_state),
    "nothing is sent again": _method(Resend, "outstanding", _nothing_is_resent),
    "recovery leaves queued intents": _method(Recover, "_admit_again", lambda _: lambda *_: None),
    "recovery folds nothing": _method(Recover, "review", _recovery_folds_nothing),
    "recovery ignores leases": _method(Recover, "_settle", _leases_are_ignored),
    "recovery leaves dead workers' claims": _method(Recover, "_settle", lambda _: lambda _self, claim: claim),
    "a job past its sla has failed at once": _method(Poll, "_result", _late_jobs_have_failed),
    "a job that is not seen at once is gone": _constant(poll, "_LOST_AFTER_POLLS", 0),
    "retries share one dispatch id": _method(dispatch, "identity", _retries_share_one_id),
}
