"""The other commands of `rippflow deployments` against the stand-in: listings, and those that are one request."""

from __future__ import annotations

import pytest

from tests.integration.client.online import RUN, SCOPE
from tests.integration.client.standin import DEPLOYMENT


def test_lists_are_filtered_over_all_pages_and_bounded(stand_in, rippflow):
    def deployment(number, status="ACTIVE"):
        return {"deploymentId": f"dep_{number}", "name": f"w{number % 2}", "version": "1", "status": status}

    route = "/deployments?tenantId=orders&namespace=fulfillment"
    first = {"deployments": [deployment(1), deployment(2), deployment(3, "REVOKED")], "cursor": "2"}
    stand_in.answer("GET", route, (200, first))
    stand_in.answer("GET", f"{route}&cursor=2", (200, {"deployments": [deployment(5)], "cursor": None}))
    found = rippflow("deployments", "list", *SCOPE, "--name", "w1", "--state", "active", "--json")
    assert [each["deploymentId"] for each in found.json["deployments"]] == ["dep_1", "dep_5"]
    shown = rippflow("deployments", "list", *SCOPE, "--limit", "2").out.splitlines()
    assert [line.split()[0] for line in shown] == ["deploymentId", "dep_1", "dep_2"]
    assert [path for path, _ in stand_in.sent("GET")][-1] == route


def test_executions_are_listed_by_admission(stand_in, rippflow):
    rows = [{"executionId": "a", "admission": "ADMITTED"}, {"executionId": "b", "admission": "QUEUED"}]
    stand_in.answer("GET", RUN, (200, {"executions": rows, "cursor": None}))
    assert rippflow("deployments", "executions", DEPLOYMENT, "--state", "queued", "--json").json == {
        "executions": rows[1:]
    }


@pytest.mark.parametrize(
    ("command", "method", "path"),
    [
        (("inspect",), "GET", ""),
        (("revoke",), "DELETE", ""),
        (("status", "--dispatch-id", "d" * 52), "GET", f"/dispatches/{'d' * 52}"),
        (("cancel", "--dispatch-id", "d" * 52), "POST", f"/dispatches/{'d' * 52}/cancel"),
    ],
)
def test_the_other_commands_are_one_request_each(stand_in, rippflow, command, method, path):
    stand_in.answer(method, f"/deployments/{DEPLOYMENT}{path}", (200, {"status": "told"}))
    name, *options = command
    ended = rippflow("deployments", name, DEPLOYMENT, *options, "--json")
    assert (ended.code, ended.json) == (0, {"status": "told"})
    assert stand_in.sent(method)[-1] == (f"/deployments/{DEPLOYMENT}{path}", None)
