"""How every online command reaches its installation: shared options, and failures told with what to do next."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from rippflow_cli.errors import CliError, ExitCode
from rippflow_cli.output import emit
from rippflow_cli.rendering import fields, table
from rippflow_cli.sources import Sources

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from rippflow.client import Client
    from rippflow.contract.documents import Json

_OPTIONS = (
    click.option(
        "--url",
        envvar="RIPPFLOW_DEPLOYMENT_URL",
        show_envvar=True,
        metavar="URL",
        help="The installation's API, stage included.",
    ),
    click.option("--profile", metavar="NAME", help="AWS profile to sign with, instead of AWS_PROFILE."),
    click.option("--region", metavar="REGION", help="Region to sign for, if the host of the URL names none."),
    click.option("--ca-bundle", metavar="FILE", help="Certificates to trust, instead of AWS_CA_BUNDLE."),
    click.option(
        "--request-timeout",
        type=click.FloatRange(min=0.1),
        default=35.0,
        show_default=True,
        metavar="SECS",
        help="How long one answer may take.",
    ),
    click.option(
        "--installation-version",
        metavar="VERSION",
        help="Take this for the installation's version. It enables nothing that is not advertised.",
    ),
    click.option("--debug", is_flag=True, help="Show each request on standard error, without credentials and bodies."),
    click.option("--json", "as_json", is_flag=True, help="Print the answer as one JSON object."),
)


@dataclass(frozen=True, slots=True)
class Online:
    """The API as this person reaches it, the files they gave, and the form in which they want answers."""

    api: Client
    sources: Sources
    as_json: bool

    def show(self, answer: Mapping[str, Json], as_text: Callable[[Mapping[str, Json]], str] = fields) -> None:
        """Print one answer."""
        emit(answer, as_json=self.as_json, text=as_text(answer))

    def show_list(self, name: str, rows: Iterable[Mapping[str, Json]], columns: Sequence[str]) -> None:
        """Print a listing."""
        found = list(rows)
        emit({name: found}, as_json=self.as_json, text=table(found, columns))


def online(callback: Callable[..., None]) -> Callable[..., None]:
    """Give a command the connection options, an Online as its first argument, and told failures."""

    @functools.wraps(callback)
    def run(
        *,
        url: str | None,
        profile: str | None,
        region: str | None,
        ca_bundle: str | None,
        request_timeout: float,
        installation_version: str | None,
        debug: bool,
        as_json: bool,
        **arguments: Any,
    ) -> None:
        from rippflow.client import connect
        from rippflow_cli.refusals import failures_told

        if not url:
            raise CliError("no installation is named; set RIPPFLOW_DEPLOYMENT_URL, or give --url", ExitCode.USAGE)
        sources = Sources()
        with failures_told(sources, as_json=as_json):
            api = connect(
                url,
                profile=profile,
                region=region,
                ca_bundle=ca_bundle,
                timeout_secs=request_timeout,
                assumed_version=installation_version,
                trace=_trace if debug else lambda _line: None,
            )
            callback(Online(api, sources, as_json), **arguments)

    for option in reversed(_OPTIONS):
        run = option(run)
    return run


def _trace(line: str) -> None:
    click.echo(f"debug: {line}", err=True)
