"""Claims: taken once, finished once; the first result stays whatever comes later."""

from __future__ import annotations

from dataclasses import replace

import pytest

from rippflow.errors import Unavailable
from rippflow.records import ClaimStatus
from tests.integration.ports.records import COMPLETED, DISPATCH, FAILED, KEY, UNKNOWN, claim, job


def stored(claims, dispatch_id=DISPATCH):
    return claims.load(KEY, [dispatch_id]).get(dispatch_id)


def finished(result, at=5_000, **more):
    return claim(status=result.status, result=result, finished_at=at, **more)


def test_an_attempt_is_claimed_once(claims):
    assert claims.take(claim()) is True
    assert claims.take(claim(worker="another", claimed_at=3_001)) is False
    assert stored(claims) == claim()


def test_a_take_that_the_sdk_repeated_meets_its_own_effect(claims):
    assert claims.take(claim()) is True
    assert claims.take(claim()) is True


def test_a_worker_releases_its_own_claim_and_nobody_elses(claims):
    claims.take(claim())
    claims.release(claim(worker="another"))
    assert stored(claims) == claim()
    claims.release(claim())
    assert stored(claims) is None
    assert claims.take(claim(worker="another")) is True


def test_a_finished_claim_is_not_released(claims):
    claims.take(claim())
    claims.finish(claim(), COMPLETED, 5_000)
    claims.release(claim())
    assert stored(claims) == finished(COMPLETED)


@pytest.mark.parametrize("later", [FAILED, UNKNOWN, COMPLETED])
def test_the_first_result_stays(claims, later):
    claims.take(claim())
    assert claims.finish(claim(), COMPLETED, 5_000) is True
    assert claims.finish(claim(), later, 6_000) is False
    assert stored(claims) == finished(COMPLETED)


def test_a_finish_that_the_sdk_repeated_meets_its_own_effect(claims):
    claims.take(claim())
    assert claims.finish(claim(), FAILED, 5_000) is True
    assert claims.finish(claim(), FAILED, 5_000) is True


def test_a_late_answer_is_kept_beside_the_result(claims):
    claims.take(claim())
    claims.finish(claim(), UNKNOWN, 5_000)
    claims.note_late(claim(), COMPLETED)
    assert stored(claims) == finished(UNKNOWN, late=COMPLETED)


def test_a_claim_that_is_gone_cannot_be_finished(claims):
    with pytest.raises(Unavailable, match="does not exist any more"):
        claims.finish(claim(), COMPLETED, 5_000)


def test_a_submitted_job_is_polled_until_it_is_finished(claims):
    claims.take(claim())
    assert claims.submitted(claim(), job()) is True
    assert stored(claims) == claim(status=ClaimStatus.SUBMITTED, job=job())
    assert claims.due_jobs(8_999, 10) == []
    assert [each.dispatch_id for each in claims.due_jobs(9_000, 10)] == [DISPATCH]
    later = job(poll_at=20_000, polls=1, observed="RUNNING")
    claims.rescheduled(claim(), later)
    assert claims.due_jobs(9_000, 10) == []
    assert stored(claims).job == later
    claims.finish(claim(), COMPLETED, 21_000)
    assert claims.due_jobs(10**9, 10) == []


def test_only_the_worker_that_claimed_submits(claims):
    claims.take(claim())
    assert claims.submitted(claim(worker="another"), job(job_id="other")) is False
    assert stored(claims) == claim()


def test_a_finished_claim_is_neither_submitted_nor_rescheduled(claims):
    claims.take(claim())
    claims.finish(claim(), UNKNOWN, 5_000)
    assert claims.submitted(claim(), job()) is False
    claims.rescheduled(claim(), job())
    assert stored(claims) == finished(UNKNOWN)


def test_the_first_request_to_cancel_stays(claims):
    claims.take(claim())
    claims.submitted(claim(), job())
    first = claims.cancel_requested(claim(), "ann", 10)
    again = claims.cancel_requested(claim(), "bob", 20)
    assert first == again == stored(claims)
    assert (first.cancel_requested_by, first.cancel_requested_at) == ("ann", 10)


def test_hundreds_of_claims_are_read_and_missing_ones_left_out(claims):
    names = [f"{number:0>52}" for number in range(250)]
    for name in names[::2]:
        claims.take(claim(name))
    found = claims.load(KEY, [*names, *names])
    assert set(found) == set(names[::2])
    assert found[names[0]] == claim(names[0])


def test_a_claim_without_a_shard_has_an_empty_one(claims):
    claims.take(claim(shard=""))
    assert stored(claims) == claim(shard="")


def test_the_largest_result_fits_a_claim(claims):
    claims.take(claim())
    large = replace(COMPLETED, payload_json='"' + "ü" * 32_000 + '"')
    assert claims.finish(claim(), large, 5_000) is True
    assert stored(claims).result == large


def test_jobs_that_are_due_come_within_their_bound(claims):
    for number in range(12):
        name = f"{number:0>52}"
        claims.take(claim(name))
        claims.submitted(claim(name), job())
    assert len(claims.due_jobs(9_000, 5)) == 5
    assert len(claims.due_jobs(9_000, 100)) == 12
