"""`rippflow grants`: what administrators allow, straight to the grants table with their own credentials.

The runtime may read that table and never write it, so there is no API for it.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import click

from rippflow.contract.arns import MalformedArn, principal_of
from rippflow.contract.problems import Problem, pointer
from rippflow_cli.account import administrative
from rippflow_cli.errors import CliError, ExitCode
from rippflow_cli.output import emit
from rippflow_cli.refusals import failures_told
from rippflow_cli.rendering import table as rows_as_text
from rippflow_cli.sources import FILE, Sources, require_none

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from rippflow.contract.documents import Json
    from rippflow_cli.account import Account
    from rippflow_cli.grants_table import GrantsTable

_CHANGED = ("change", "tenantId", "namespace", "principal", "operations")
_KEPT = ("tenantId", "namespace", "principal", "operations", "approved")
_OPTIONS = (
    click.option(
        "--table",
        envvar="RIPPFLOW_GRANTS_TABLE",
        show_envvar=True,
        metavar="NAME",
        help="The installation's grants table.",
    ),
    click.option("--stack", metavar="NAME", help="The installation's stack, whose output names the table."),
    click.option("--json", "as_json", is_flag=True, help="Print one JSON object."),
)
_dry_run = click.option("--dry-run", is_flag=True, help="Show what would change, and change nothing.")


@click.group("grants")
def command() -> None:
    """Say who may do what (administrators)."""


def _on_table(callback: Callable[..., list[dict[str, Json]]]) -> Callable[..., None]:
    """Give a command the grants table as its first argument, and print the grants that it answers."""

    @administrative
    @functools.wraps(callback)
    def run(
        account: Account, *, table: str | None, stack: str | None, as_json: bool, dry_run: bool = False, **rest: Any
    ) -> None:
        from rippflow_cli.grants_table import GrantsTable

        name = account.stack_output(stack, "GrantsTableName") if stack else table
        if not name:
            raise CliError("set RIPPFLOW_GRANTS_TABLE, or give --table or --stack", ExitCode.USAGE)
        sources = Sources()
        with failures_told(sources, as_json=as_json):
            grants = callback(GrantsTable(account.client("dynamodb"), name, write=not dry_run), sources, **rest)
        columns = _CHANGED if any("change" in each for each in grants) else _KEPT
        text = rows_as_text(({"approved": len(each.get("bindings", ())), **each} for each in grants), columns)
        emit({"grants": grants, "dryRun": dry_run}, as_json=as_json, text=text)
        if dry_run:
            click.echo("(dry run: nothing was changed)", err=True)

    for option in reversed(_OPTIONS):
        run = option(run)
    return run


@command.command("put")
@click.argument("file", type=FILE)
@_dry_run
@_on_table
def put(grants: GrantsTable, sources: Sources, *, file: Path) -> list[dict[str, Json]]:
    """Put the grant in FILE, or each grant of the list in it. One that exists is replaced whole.

    Example: rippflow grants put grants.json --stack rippflow --dry-run
    """
    value = sources.read({"": file})[""]
    several = isinstance(value, list)
    wanted = {pointer(index) if several else "": grant for index, grant in enumerate(value if several else [value])}
    require_none(list(_problems(wanted)), "nothing was changed")
    return [{"change": grants.put(grant), **grant} for grant in wanted.values()]


@command.command("list")
@click.option("--tenant", help="Only grants of this tenant.")
@click.option("--namespace", help="Only grants of this namespace.")
@click.option("--principal", help="Only grants of this IAM user or role.")
@_on_table
def listing(
    grants: GrantsTable, _sources: Sources, *, tenant: str | None, namespace: str | None, principal: str | None
) -> list[dict[str, Json]]:
    """List the grants of the installation.

    Example: rippflow grants list --stack rippflow --tenant orders
    """
    found = grants.of_namespace(tenant, namespace) if tenant and namespace else grants.all()
    wanted = {"tenantId": tenant, "namespace": namespace, "principal": principal and _principal(principal)}
    return sorted(
        (each for each in found if all(value in {None, each[name]} for name, value in wanted.items())),
        key=lambda each: (each["tenantId"], each["namespace"], each["principal"]),
    )


@command.command("remove")
@click.option("--principal", required=True, metavar="ARN", help="IAM user or role; a session counts as its role.")
@click.option("--tenant", required=True, help="Tenant of the grant.")
@click.option("--namespace", required=True, help="Namespace of the grant.")
@_dry_run
@_on_table
def remove(
    grants: GrantsTable, _sources: Sources, *, principal: str, tenant: str, namespace: str
) -> list[dict[str, Json]]:
    """Remove a grant. It is gone at its next use.

    Example: rippflow grants remove --stack rippflow --principal ARN --tenant orders --namespace fulfillment
    """
    normal = _principal(principal)
    change = grants.remove(normal, tenant, namespace)
    return [{"change": change, "tenantId": tenant, "namespace": namespace, "principal": normal}]


def _problems(wanted: Mapping[str, Json]) -> Iterator[Problem]:
    """Of every grant, and of two grants for the same principal and place, of which one would win unseen."""
    from rippflow.contract.validation import check_grant

    if not wanted:
        yield Problem("", "no_grant", "holds no grant; write one, or remove grants with `rippflow grants remove`")
    seen: dict[tuple[str, str, str], str] = {}
    for at, grant in wanted.items():
        found = check_grant(grant)
        yield from (problem.below(at) for problem in found)
        if not found:
            key = (principal_of(grant["principal"]), grant["tenantId"], grant["namespace"])
            first = seen.setdefault(key, at)
            if first != at:
                message = f"{first} is for the same principal, tenant and namespace; merge the two"
                yield Problem(at, "duplicate_grant", message)


def _principal(text: str) -> str:
    try:
        return principal_of(text)
    except MalformedArn as error:
        message = f"{error}; give the ARN of an IAM user or role"
        raise CliError(message, ExitCode.USAGE) from error
