"""Every flag, every exit code, and every way to use the command wrongly."""

from __future__ import annotations

import json
import os
import resource

import pytest

from rippflow import VERSION
from tests.integration.local.runs import FAILURE, PYTHON, chain, python, rippflow_local, single, written

ECHO = """
import json, sys
for line in sys.stdin:
    print(json.dumps({"outcome": "completed", "payload": json.loads(line)["input"]}), flush=True)
"""


@pytest.fixture
def echo(tmp_path):
    return ["--handler", python(tmp_path, ECHO, "echo.py")]


def refusal(*arguments):
    ran = rippflow_local(*arguments)
    assert ran.returncode == 2, ran.stdout + ran.stderr
    assert ran.stdout == ""
    return ran.stderr.strip()


def test_help_has_an_example_for_every_option():
    told = " ".join(rippflow_local("--help").stdout.split())
    options = told.partition("Options: ")[2].partition("--version")[0]
    assert options.count("Example: ") == options.count(" --") - options.count("Example: --") + 1


def test_version_is_the_packages():
    assert rippflow_local("--version").stdout == f"rippflow-local, version {VERSION}\n"


def test_the_input_of_a_file_reaches_a_root_phase(tmp_path, echo):
    for name, text in (("input.json", '{"order": 5}'), ("input.yaml", "order: 5\n")):
        ran = rippflow_local(single(tmp_path), *echo, "--input", written(tmp_path, name, text), "--json")
        assert json.loads(ran.stdout)["output"] == {"order": 5}


@pytest.mark.parametrize("shards", ["a,b", '["a", "b"]', "@lines.txt", "@array.json"])
def test_shards_can_be_given_in_each_form(tmp_path, echo, shards):
    written(tmp_path, "lines.txt", "a\n\nb\n")
    written(tmp_path, "array.json", '["a", "b"]')
    ran = rippflow_local(chain(tmp_path), shards, *echo, "--json", cwd=tmp_path)
    assert json.loads(ran.stdout)["output"] == {"a": None, "b": None}


def test_a_group_has_its_own_handler(tmp_path, echo):
    other = python(tmp_path, 'print(\'{"outcome": "completed", "payload": "from gpu"}\')', "gpu.py")
    ran = rippflow_local(chain(tmp_path, group="gpu"), "a", *echo, "--group-handler", f"gpu={other}", "--json")
    assert json.loads(ran.stdout)["output"] == {"a": "from gpu"}


def test_workers_run_at_the_same_time(tmp_path):
    """Each of two handlers opens one end of a pipe, which succeeds when the other does."""
    os.mkfifo(tmp_path / "meeting")
    code = f"""
import json
shard = json.loads(input())["context"]["shard"]
open({str(tmp_path / "meeting")!r}, "w" if shard == "a" else "r").close()
print('{{"outcome": "completed"}}')
"""
    pair = f"pair={python(tmp_path, code)}"
    done = python(tmp_path, 'print(\'{"outcome": "completed"}\')', "done.py")
    workflow = chain(tmp_path, group="pair")
    ran = rippflow_local(workflow, "a,b", "--handler", done, "--group-handler", pair, "--workers", "2")
    assert ran.returncode == 0


def test_quiet_prints_only_what_was_dropped():
    assert rippflow_local(FAILURE, "ok", "--handler", PYTHON, "--quiet").stdout == ""
    (line,) = rippflow_local(FAILURE, "fatal", "--handler", PYTHON, "--quiet").stdout.splitlines()
    assert line.startswith("DLQ ")


def test_a_retry_delay_bounds_the_wait():
    ran = rippflow_local(FAILURE, "fatal", "--handler", PYTHON, "--retry-delay", "0")
    assert "attempt 1 failed, the next in 0 ms" in ran.stdout


def test_a_handler_that_cannot_be_started_is_one_error_before_anything_runs(tmp_path):
    marker = tmp_path / "ran"
    runs = python(tmp_path, f"open({str(marker)!r}, 'w').close()")
    told = refusal(chain(tmp_path, group="g"), "a,b", "--handler", "no-such-program", "--group-handler", f"g={runs}")
    why = "no-such-program is no program on the PATH and no file"
    assert told == f"Error: the handler 'no-such-program' cannot be started: {why}"
    assert not marker.exists()


@pytest.mark.parametrize("mode", ["spawn", "stream"])
def test_a_program_that_the_system_refuses_is_one_error_as_well(tmp_path, mode):
    program = written(tmp_path, "program", "#!/no/such/interpreter\n")
    program.chmod(0o755)
    told = refusal(chain(tmp_path), "a,b,c", "--handler", program, "--handler-mode", mode)
    assert told == f"Error: the handler {str(program)!r} cannot be started: No such file or directory"


def test_a_file_that_is_not_executable_is_named_so(tmp_path):
    program = written(tmp_path, "program", "")
    assert refusal(single(tmp_path), "--handler", program).endswith("is not executable")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([FAILURE, "a"], "nothing handles process-item (group python-standard); give --handler CMD"),
        ([FAILURE, "a", "--handler", "  "], "the handler is empty"),
        ([FAILURE, "a", "--handler", "'"], "No closing quotation"),
        ([FAILURE, "--handler", "true"], "audit-item, process-item run per shard; give SHARDS"),
        ([FAILURE, "a,a", "--handler", "true"], "SHARDS: the shard 'a' is there twice"),
        ([FAILURE, "a,,b", "--handler", "true"], "SHARDS: shard 1 is ''"),
        ([FAILURE, "[1]", "--handler", "true"], "SHARDS: shard 0 is 1, which is no text"),
        ([FAILURE, '["a"', "--handler", "true"], "SHARDS: line 1"),
        ([FAILURE, "@none.txt", "--handler", "true"], "none.txt: cannot be read: No such file or directory"),
        ([FAILURE, "a", "--group-handler", "gpu"], "write GROUP=CMD"),
        ([FAILURE, "a", "--handler", "true", "--group-handler", "gpu=true"], "its groups are python-standard"),
        ([FAILURE, "a", *["--group-handler", "gpu=true"] * 2], "--group-handler gpu: is there twice"),
        (["none.json", "a", "--handler", "true"], "none.json: cannot be read: No such file or directory"),
        ([FAILURE, "a", "--handler", "true", "--input", "none.json"], "none.json: cannot be read"),
        ([FAILURE, "a", "--handler", "true", "--workers", "0"], "'--workers'"),
        ([FAILURE, "a", "--handler", "true", "--retry-delay", "-1"], "'--retry-delay'"),
        ([FAILURE, "a", "--handler", "true", "--handler-mode", "fork"], "'--handler-mode'"),
        ([FAILURE, "a", "--handler", "true", "--journal", "Makefile"], "Makefile: is no journal of rippflow-local"),
        ([], "Missing argument 'WORKFLOW'"),
        (["history"], "Missing argument 'FILE'"),
        (["history", "none.db"], "none.db: no such journal"),
    ],
)
def test_wrong_usage_is_told_in_one_line_with_the_remedy(arguments, message):
    assert message in refusal(*arguments)


def test_a_broken_workflow_is_told_with_every_place(tmp_path):
    phases = {"a": {"requires": ["b"], "service": "s"}, "c": {"requires": [], "service": "", "terminal": True}}
    text = json.dumps({"name": "n", "version": "1", "phases": phases}, indent=1)
    path = written(tmp_path, "broken.json", text)
    lines = refusal(path, "--handler", "true").removeprefix("Error: ").splitlines()
    assert len(lines) > 1
    assert all(line.startswith(f"{path}:") for line in lines)
    assert any(f"{path}:7:5" in line and " /phases/a/requires/0 " in line for line in lines)


def test_history_prints_the_timeline(tmp_path):
    journal = tmp_path / "run.db"
    rippflow_local(FAILURE, "ok,fatal", "--handler", PYTHON, "--journal", journal)
    lines = rippflow_local("history", journal).stdout.splitlines()
    assert sum(" dispatched process-item" in line for line in lines) == 3
    assert sum(" failed     process-item fatal loop 0 attempt" in line for line in lines) == 2
    events = [json.loads(line) for line in rippflow_local("history", journal, "--json").stdout.splitlines()]
    assert len(events) == len(lines)
    reasons = [event["reason"] for event in events if "reason" in event]
    assert set(reasons) == {"the handler exited with status 134"}


def test_workflow_and_input_can_come_from_standard_input(tmp_path, echo):
    workflow = single(tmp_path)
    ran = rippflow_local("-", *echo, "--json", input=workflow.read_text())
    assert json.loads(ran.stdout)["status"] == "completed"
    ran = rippflow_local(workflow, *echo, "--input", "-", "--json", input='{"n": 1}')
    assert json.loads(ran.stdout)["output"] == {"n": 1}


def test_a_journal_without_room_ends_the_run_and_says_how_to_go_on(tmp_path, echo):
    journal = tmp_path / "run.db"
    shards = ",".join(f"s{number}" for number in range(300))
    arguments = (chain(tmp_path), shards, *echo, "--handler-mode", "stream", "--journal", journal)
    limit = resource.getrlimit(resource.RLIMIT_FSIZE)
    ran = rippflow_local(
        *arguments, "--quiet", preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, limit[1]))
    )
    assert ran.returncode == 2
    assert f"{journal}: cannot be written any more" in ran.stderr
    again = rippflow_local(*arguments)
    assert again.returncode == 0
    assert "going on after" in again.stdout
