"""Published ids never change: documents of every release, with the deployment id each must always have.

Never correct an id here. A document gets another id only under another contract name.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from rippflow.contract.identity import deployment_id, dispatch_id
from rippflow.contract.parsing import parse_json
from rippflow.contract.validation import check_deployment

DOCUMENTS = Path(__file__).parent / "documents"
IDS = {
    "order": "dep_u6buvcwberbtcjt2fkgva557o2tij5gmiadxangztuhqxqjabx2q",
    "rework": "dep_tzv6u5txwf7576uqlsultzqg64jr4l7ypsil2m6xd3ijbxh43gxq",
    "values": "dep_qu2nyudixtkubd3x4cthunu5nanjjcjy6ugun7wisasljfvxmina",
}


@pytest.mark.parametrize("name", IDS)
def test_a_document_keeps_the_id_it_was_published_under(name):
    document = parse_json((DOCUMENTS / f"{name}.json").read_bytes())
    assert check_deployment(document) == []
    assert deployment_id(document) == IDS[name]


def test_every_stored_document_has_its_id_here():
    assert {path.stem for path in DOCUMENTS.iterdir()} == IDS.keys()


def test_a_dispatch_keeps_its_id():
    assert (
        dispatch_id(
            installation="production",
            tenant="orders",
            namespace="fulfillment",
            deployment=IDS["order"],
            execution="order-123",
            phase="check",
            shard="",
            loop=0,
            attempt=1,
        )
        == "7ffkfisffoa4u3rswut75kykniskdfpmlvs4msdxl2hpunzseebi"
    )
