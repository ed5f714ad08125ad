"""Intents that are decided once, and states that are saved under their version."""

from __future__ import annotations

from dataclasses import replace

import pytest

from rippflow.ports import VersionConflict
from rippflow.records import Admission
from tests.integration.ports.records import DEPLOYMENT, KEY, intent, state


def test_an_intent_is_stored_once_and_the_first_stays(executions):
    assert executions.submit(intent()) == intent()
    assert executions.submit(intent(digest="d2", queued_at=5)) == intent()
    assert executions.intent(KEY) == intent()


def test_an_intent_that_nobody_submitted_is_not_there(executions):
    assert executions.intent(KEY) is None
    assert executions.request(KEY) is None


def test_an_execution_is_found_by_the_tag_of_its_dispatches(executions):
    executions.submit(intent())
    assert executions.find(DEPLOYMENT, "t" * 26) == KEY
    assert executions.find(DEPLOYMENT, "u" * 26) is None
    assert executions.find("dep_" + "x" * 52, "t" * 26) is None


def test_an_intent_is_decided_once(executions):
    executions.submit(intent())
    executions.note_error(KEY, "no answer", 70_000)
    assert executions.intent(KEY).error == "no answer"
    executions.decide(intent(admission=Admission.ADMITTED, decided_at=3_000))
    executions.decide(intent(admission=Admission.REJECTED, decided_at=4_000, reason="revoked"))
    executions.note_error(KEY, "too late", 80_000)
    assert executions.intent(KEY) == intent(admission=Admission.ADMITTED, decided_at=3_000)


def test_a_rejected_intent_keeps_its_reason(executions):
    executions.submit(intent())
    executions.decide(intent(admission=Admission.REJECTED, decided_at=4_000, reason="revoked"))
    assert executions.intent(KEY).reason == "revoked"


def test_the_first_state_is_stored_once(executions):
    assert executions.begin(state()) == state()
    assert executions.begin(state(started_at=9)) == state()
    assert executions.state(KEY) == state()


def test_a_state_is_saved_only_over_the_version_before(executions):
    executions.begin(state())
    executions.save(state(2, status="completed", review_at=None, finished_at=7))
    with pytest.raises(VersionConflict):
        executions.save(state(2, status="failed"))
    with pytest.raises(VersionConflict):
        executions.save(state(4))
    assert executions.state(KEY) == state(2, status="completed", review_at=None, finished_at=7)


def test_a_save_that_the_sdk_repeated_meets_its_own_effect(executions):
    executions.begin(state())
    executions.save(state(2))
    executions.save(state(2))
    assert executions.state(KEY).version == 2


def test_a_state_cannot_be_saved_before_it_began(executions):
    with pytest.raises(VersionConflict):
        executions.save(state(1))


def test_a_review_is_noted_only_on_the_version_that_was_looked_at(executions):
    executions.begin(state())
    executions.reviewed(replace(state(), review_at=99_000, reviewed_version=1))
    assert executions.state(KEY) == state(review_at=99_000, reviewed_version=1)
    executions.save(state(2))
    executions.reviewed(replace(state(1), review_at=1, reviewed_version=1))
    assert executions.state(KEY) == state(2)


def test_what_is_due_comes_oldest_first_within_its_bound(executions):
    for number in range(6):
        executions.submit(intent(f"order-{number}", queued_at=1_000 * (9 - number)))
    due = executions.due(66_000, 3)
    assert [key.execution_id for key in due] == ["order-5", "order-4", "order-3"]
    assert executions.due(10, 3) == []


def test_an_execution_that_is_due_twice_is_reviewed_once(executions):
    executions.submit(intent())
    executions.begin(state())
    assert executions.due(100_000, 10) == [KEY]


def test_an_ended_execution_is_never_due(executions):
    executions.submit(intent())
    executions.decide(intent(admission=Admission.ADMITTED, decided_at=3_000))
    executions.begin(state(status="completed", review_at=None, finished_at=3_000))
    assert executions.due(10**15, 10) == []


def test_executions_are_listed_newest_first_in_pages(executions):
    for number in range(3):
        executions.submit(intent(f"order-{number}", queued_at=number))
    first = executions.listing(DEPLOYMENT, limit=2, cursor=None)
    second = executions.listing(DEPLOYMENT, limit=2, cursor=first.cursor)
    names = [[each.key.execution_id for each in page.items] for page in (first, second)]
    assert names == [["order-2", "order-1"], ["order-0"]]
