"""One installation for the whole session: real build, real deploy, real signatures, IAM evaluated."""

from __future__ import annotations

import os

import pytest

from embedded import installation as installations
from embedded.console import silent
from embedded.installation import installed
from tests.e2e.world import World

WORKER = os.environ.get("PYTEST_XDIST_WORKER")
if WORKER:
    # Two workers build at the same time, and neither may clear what the other deploys from.
    installations.BUILDS = installations.BUILDS.with_name(f"embedded-{WORKER}")


def pytest_collection_modifyitems(items):
    """The longest file first: it mostly waits, while the other worker goes through all the others."""
    items.sort(key=lambda item: item.path.stem != "test_restart")


@pytest.fixture(scope="session")
def world(tmp_path_factory):
    directory = tmp_path_factory.mktemp("installation")
    with installed(directory, silent()) as installation:
        world = World(installation)
        world.grant(world.provider, "deploy", "revoke")
        yield world


@pytest.fixture(scope="session")
def everything(world):
    """The API as somebody who may do everything in orders/tests."""
    return world.person("deploy", "execute", "read", "inspect", "revoke", "cancel")[1]
