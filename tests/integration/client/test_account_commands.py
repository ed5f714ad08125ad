"""`rippflow grants` and `rippflow redrive` against DynamoDB, SQS and CloudFormation as moto plays them."""

from __future__ import annotations

import json

import pytest

from rippflow.aws.grants import DynamoGrants
from tests.integration.client.conftest import run_rippflow

pytestmark = pytest.mark.usefixtures("account")
DEPLOYER = "arn:aws:iam::123456789012:role/orders-deployer"
PLACE = {"tenantId": "orders", "namespace": "fulfillment"}
APPROVED = {
    "type": "lambda",
    "functionArn": "arn:aws:lambda:us-east-1:123456789012:function:check",
    "invocationRoleArn": "arn:aws:iam::123456789012:role/invoke-check",
    "executionRoleArn": "arn:aws:iam::123456789012:role/check-workload",
}


@pytest.fixture
def find(account):
    """What the runtime sees of a grant."""
    return lambda principal=DEPLOYER: DynamoGrants(account("dynamodb"), "grants").find(principal, *PLACE.values())


@pytest.fixture
def file(tmp_path):
    """Write a document; its path."""

    def write(value):
        path = tmp_path / "grants.json"
        path.write_text(json.dumps(value, indent=1))
        return path

    return write


def grant(principal=DEPLOYER, *operations):
    return {"principal": principal, **PLACE, "operations": list(operations or ["deploy"]), "bindings": [APPROVED]}


def grants(*arguments):
    return run_rippflow("grants", *arguments, "--stack", "rippflow")


def changes(ended):
    assert ended.code == 0, ended.err
    return [each["change"] for each in ended.json["grants"]]


def test_a_put_grant_is_what_the_runtime_reads(file, find):
    assert find() is None
    assert changes(grants("put", file(grant()), "--json")) == ["added"]
    assert find().operations == {"deploy"}
    assert find().approved[0].function_arn == APPROVED["functionArn"]


def test_a_list_is_put_whole_and_says_what_changed(file):
    user = "arn:aws:iam::123456789012:user/ann"
    assert changes(grants("put", file([grant(), grant(user)]), "--json")) == ["added", "added"]
    assert changes(grants("put", file([grant(), grant(user, "read")]), "--json")) == ["unchanged", "replaced"]


def test_a_session_is_granted_as_its_role(file, find):
    session = "arn:aws:sts::123456789012:assumed-role/orders-deployer/ann"
    grants("put", file(grant(session)))
    assert find().principal == DEPLOYER


def test_a_dry_run_says_the_same_and_changes_nothing(file, find):
    path = file(grant())
    assert changes(grants("put", path, "--dry-run", "--json")) == ["added"]
    assert find() is None
    grants("put", path)
    remove = ("remove", "--principal", DEPLOYER, "--tenant", "orders", "--namespace", "fulfillment")
    assert changes(grants("put", file(grant(DEPLOYER, "read")), "--dry-run", "--json")) == ["replaced"]
    assert changes(grants(*remove, "--dry-run", "--json")) == ["removed"]
    assert find().operations == {"deploy"}


def test_a_wrong_grant_among_good_ones_changes_nothing_and_is_told_by_line(file, find):
    path = file([grant(), {**grant(), "operations": ["reed"]}])
    ended = grants("put", path)
    assert ended.code == 2
    line = path.read_text().splitlines().index('   "reed"') + 1
    assert f"{path}:{line}:4: /1/operations/0: " in ended.err
    assert find() is None


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ([grant(), grant("arn:aws:sts::123456789012:assumed-role/orders-deployer/ann")], "same principal"),
        ({}, "/principal: is missing"),
        ([], "no grant"),
        ("text", "(document): "),
        ([[]], "/0: "),
        ({**grant(), "principal": "*"}, "/principal: "),
    ],
)
def test_what_is_no_grant_is_refused(file, value, said):
    ended = grants("put", file(value))
    assert (ended.code, said in ended.err) == (2, True), ended.err


def test_grants_are_listed_by_place_and_principal(file):
    other = {**grant(), "tenantId": "billing"}
    grants("put", file([grant(), other]))
    assert [each["tenantId"] for each in grants("list", "--json").json["grants"]] == ["billing", "orders"]
    assert grants("list", "--tenant", "billing", "--json").json["grants"] == [other]
    assert grants("list", "--tenant", "orders", "--namespace", "fulfillment", "--json").json["grants"] == [grant()]
    assert grants("list", "--principal", "arn:aws:iam::123456789012:user/x", "--json").json["grants"] == []
    assert grants("list").out.splitlines()[1].split() == ["billing", "fulfillment", DEPLOYER, "deploy", "1"]


def test_a_removed_grant_is_gone_and_removing_it_again_says_so(file, find):
    grants("put", file(grant()))
    remove = ("remove", "--principal", DEPLOYER, "--tenant", "orders", "--namespace", "fulfillment", "--json")
    assert changes(grants(*remove)) == ["removed"]
    assert find() is None
    assert changes(grants(*remove)) == ["absent"]


def test_the_table_may_be_named_by_the_environment(monkeypatch):
    assert run_rippflow("grants", "list").err == "Error: set RIPPFLOW_GRANTS_TABLE, or give --table or --stack\n"
    monkeypatch.setenv("RIPPFLOW_GRANTS_TABLE", "grants")
    assert run_rippflow("grants", "list", "--json").json["grants"] == []


def test_what_aws_refuses_is_told_in_its_words():
    ended = run_rippflow("grants", "list", "--table", "elsewhere")
    assert ended.code == 1
    assert "AWS refused Scan: ResourceNotFoundException" in ended.err
    assert "Traceback" not in ended.err
    assert run_rippflow("grants", "list", "--table", "grants", "--profile", "nobody").code == 1


def test_a_stack_that_is_no_installation_is_told(account):
    empty = {"Resources": {"Queue": {"Type": "AWS::SQS::Queue"}}}
    account("cloudformation").create_stack(StackName="other", TemplateBody=json.dumps(empty))
    ended = run_rippflow("grants", "list", "--stack", "other")
    assert ended.err == (
        "Error: stack other has no output GrantsTableName; give the name of the installation's own stack\n"
    )


@pytest.fixture
def queues(account):
    """URL of a queue by its logical id, and the bodies that are in it."""
    cloudformation, sqs = account("cloudformation"), account("sqs")

    def url(name):
        found = cloudformation.describe_stack_resource(StackName="rippflow", LogicalResourceId=name)
        return found["StackResourceDetail"]["PhysicalResourceId"]

    def bodies(name):
        found = []
        while received := sqs.receive_message(QueueUrl=url(name), MaxNumberOfMessages=10).get("Messages"):
            found += [message["Body"] for message in received]
        return sorted(found)

    def fill(name, *texts):
        for text in texts:
            sqs.send_message(QueueUrl=url(name), MessageBody=text)

    return bodies, fill


def redrive(*arguments):
    return run_rippflow("redrive", *arguments, "--stack", "rippflow", "--json")


def test_dispatch_dead_letters_go_back_as_they_are(queues):
    bodies, fill = queues
    wanted = sorted(json.dumps({"v": 1, "execution": f"order-{number}"}) for number in range(23))
    fill("DispatchDeadLetters", *wanted)
    ended = redrive("dispatch")
    assert (ended.code, ended.json) == (0, {"queue": "dispatch", "waiting": 23, "moved": 23, "dryRun": False})
    assert bodies("DispatchQueue") == wanted
    assert bodies("DispatchDeadLetters") == []


def test_a_limited_redrive_moves_no_more(queues):
    bodies, fill = queues
    fill("DispatchDeadLetters", *"abcdefghijklmn")
    assert redrive("dispatch", "--limit", "12").json["moved"] == 12
    assert len(bodies("DispatchQueue")) == 12


def test_a_dry_redrive_counts(queues):
    bodies, fill = queues
    fill("DispatchDeadLetters", "a")
    assert redrive("dispatch", "--dry-run").json == {"queue": "dispatch", "waiting": 1, "moved": 0, "dryRun": True}
    assert bodies("DispatchDeadLetters") == ["a"]


def test_stream_dead_letters_are_left_to_recovery(queues):
    bodies, fill = queues
    fill("StarterDeadLetters", "pointer")
    told = redrive("starter").json
    assert (told["waiting"], told["moved"]) == (1, 0)
    assert "recovery" in told["explanation"]
    assert bodies("StarterDeadLetters") == ["pointer"]
