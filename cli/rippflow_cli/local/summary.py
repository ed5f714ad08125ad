"""The end of a run in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rippflow_cli.local.tally import RunReport

_SLOWEST = 3
_VERDICTS = {"completed": "completed in", "failed": "stalled after", "interrupted": "interrupted after"}


def summary_of(report: RunReport) -> str:
    """How it ended, how far each phase came, what it cost, and which phases were slow."""
    secs = report.elapsed_ms / 1000
    counts = f"{report.dispatches} dispatches, {report.retries} retries, {report.reworks} reworks"
    lines = [f"{_VERDICTS[report.status]} {secs:.2f} s ({counts}, {len(report.dropped)} dropped)"]
    width = max(len(name) for name in report.phases)
    lines += [f"  {name:{width}}  {_cells(report, name)}" for name in report.phases]
    ran = [name for name, counts in report.phases.items() if counts["maxMs"]]
    slowest = sorted(ran, key=lambda name: report.phases[name]["meanMs"], reverse=True)[:_SLOWEST]
    if slowest:
        times = (f"{name} {_ms(report, name, 'meanMs')} (at most {_ms(report, name, 'maxMs')})" for name in slowest)
        lines.append(f"  slowest, mean attempt: {', '.join(times)}")
    return "\n".join(lines)


def standing_of(report: RunReport) -> str:
    """Where a run stands, in one line."""
    return "; ".join(f"{name} {_cells(report, name)}" for name in report.phases)


def _cells(report: RunReport, name: str) -> str:
    counts = report.phases[name]
    cells = sum(counts[status] for status in ("waiting", "ready", "done", "failed", "unknown"))
    more = [f"{counts[word]} {word}" for word in ("failed", "waiting", "reworks") if counts[word]]
    return ", ".join([f"{counts['done']}/{cells} done", *more])


def _ms(report: RunReport, name: str, which: str) -> str:
    return f"{report.phases[name][which]:,.1f} ms"
