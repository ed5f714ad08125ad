"""Deployments: written once, revoked once, owned by whoever declares them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from rippflow.errors import InvalidRequest
from rippflow.records import DeploymentStatus
from tests.integration.ports.records import DEPLOYMENT, DOCUMENT, published


def test_what_is_published_is_read_back(deployments):
    assert deployments.publish(published()) == published()
    assert deployments.load(DEPLOYMENT) == published()
    assert deployments.document(DEPLOYMENT) == DOCUMENT
    assert deployments.revoked(DEPLOYMENT) is False


def test_the_first_publisher_and_time_stay(deployments):
    deployments.publish(published())
    assert deployments.publish(published(published_by="bob", published_at=99)) == published()


def test_what_was_never_published_is_not_there_and_counts_as_revoked(deployments):
    assert deployments.load(DEPLOYMENT) is None
    assert deployments.document(DEPLOYMENT) is None
    assert deployments.revoked(DEPLOYMENT) is True


def test_revocation_is_irreversible_and_the_first_revoker_stays(deployments):
    deployments.publish(published())
    deployments.revoke(DEPLOYMENT, "ann", 20)
    deployments.revoke(DEPLOYMENT, "bob", 30)
    revoked = replace(published(), status=DeploymentStatus.REVOKED, revoked_by="ann", revoked_at=20)
    assert deployments.load(DEPLOYMENT) == revoked
    assert deployments.publish(published()) == revoked


def test_a_revoked_deployment_cannot_be_declared(deployments):
    deployments.publish(published())
    deployments.revoke(DEPLOYMENT, "ann", 20)
    assert deployments.declare(DEPLOYMENT, "stack|A") is False


def test_the_last_owner_that_leaves_takes_the_deployment_along(deployments):
    deployments.publish(published())
    assert deployments.declare(DEPLOYMENT, "stack|A") is True
    assert deployments.declare(DEPLOYMENT, "stack|A") is True
    assert deployments.declare(DEPLOYMENT, "stack|B") is True
    assert deployments.withdraw(DEPLOYMENT, "stack|A", "role", 20, revoke=True) is False
    assert deployments.withdraw(DEPLOYMENT, "stack|B", "role", 30, revoke=True) is True
    loaded = deployments.load(DEPLOYMENT)
    assert (loaded.revoked_by, loaded.revoked_at) == ("role", 30)


def test_an_owner_that_retains_leaves_the_deployment(deployments):
    deployments.publish(published())
    deployments.declare(DEPLOYMENT, "stack|A")
    assert deployments.withdraw(DEPLOYMENT, "stack|A", "role", 20, revoke=False) is False
    assert deployments.revoked(DEPLOYMENT) is False


def test_who_is_no_owner_changes_nothing(deployments):
    deployments.publish(published())
    deployments.declare(DEPLOYMENT, "stack|A")
    assert deployments.withdraw(DEPLOYMENT, "stack|X", "role", 20, revoke=True) is False
    assert deployments.withdraw(DEPLOYMENT, "stack|A", "role", 30, revoke=True) is True


def ids(deployments):
    return [each.deployment_id for each in deployments]


def test_a_listing_is_paged_newest_first_and_of_one_namespace(deployments):
    named = ["dep_" + letter * 52 for letter in "abcde"]
    for at, name in enumerate(named):
        deployments.publish(published(name, published_at=at))
    deployments.publish(published("dep_" + "z" * 52, document={**DOCUMENT, "namespace": "other"}))
    first = deployments.listing("orders", "tests", limit=2, cursor=None)
    second = deployments.listing("orders", "tests", limit=2, cursor=first.cursor)
    third = deployments.listing("orders", "tests", limit=2, cursor=second.cursor)
    assert [ids(page.items) for page in (first, second, third)] == [named[4:2:-1], named[2:0:-1], named[:1]]
    assert third.cursor is None


@pytest.mark.parametrize("cursor", ["", "x", "W10=", "eyJwayI6IDF9"])
def test_a_cursor_that_no_listing_gave_is_the_callers_mistake(deployments, cursor):
    with pytest.raises(InvalidRequest, match="start again without it"):
        deployments.listing("orders", "tests", limit=2, cursor=cursor)


def test_a_cursor_of_another_namespace_is_refused(deployments):
    for at, letter in enumerate("abc"):
        deployments.publish(published("dep_" + letter * 52, published_at=at))
    cursor = deployments.listing("orders", "tests", limit=1, cursor=None).cursor
    with pytest.raises(InvalidRequest):
        deployments.listing("orders", "other", limit=1, cursor=cursor)
