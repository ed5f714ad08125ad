"""One installation for the whole session: real build, real deploy, real signatures, IAM evaluated."""

from __future__ import annotations

import pytest

from embedded.console import silent
from embedded.installation import installed
from tests.e2e.world import World


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
