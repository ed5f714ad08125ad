"""A workflow as an SVG that needs no other program and is legible on light and dark pages."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from rippflow.contract.documents import Scope
from rippflow_cli.graph_layout import layout
from rippflow_cli.graph_text import reworks

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rippflow.contract.documents import Definition, Phase
    from rippflow_cli.graph_layout import Place

_HEIGHT, _GAP_X, _GAP_Y, _MARGIN = 48, 72, 56, 24
_CHARACTER = 7.4
"""Width of a character of the 13 px font, about."""
_SCOPES = {Scope.ROOT: "once", Scope.PER_SHARD: "per shard", Scope.FAN_IN_ALL: "after all shards"}
_STYLE = """
    .phase { fill: #eef3fb; stroke: #3b6fb6; stroke-width: 1.4 }
    .per_shard { fill: #eaf6ee; stroke: #2f8a56 }
    .fan_in_all { fill: #fbf2e4; stroke: #b97a1d }
    .terminal { stroke-width: 3.2 }
    .edge { fill: none; stroke: #6b7480; stroke-width: 1.4 }
    .rework { stroke: #c2452d; stroke-dasharray: 5 4 }
    text { font: 13px system-ui, sans-serif; fill: #1c232b; text-anchor: middle }
    .scope { font-size: 10.5px; fill: #5a6470 }
    .outcome { font-size: 11px; fill: #c2452d }
    @media (prefers-color-scheme: dark) {
      .phase { fill: #1d2b40; stroke: #7fa8e0 } .per_shard { fill: #16301f; stroke: #6fc791 }
      .fan_in_all { fill: #3a2c14; stroke: #e0b060 } .edge { stroke: #9aa4b0 } .rework { stroke: #f08a70 }
      text { fill: #e6ebf0 } .scope { fill: #a9b3be } .outcome { fill: #f08a70 }
    }
"""
_MARKERS = "".join(
    f'<marker id="{name}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
    f'<path d="M0 0 L8 4 L0 8 z" fill="{colour}"/></marker>'
    for name, colour in (("arrow", "#6b7480"), ("back", "#c2452d"))
)


def svg(definition: Definition) -> str:
    """The drawing: a box a phase, left to right; dashed arcs below are rework, thick borders are terminal."""
    places = layout(definition)
    width = max(_CHARACTER * max(len(name) for name in definition.phases) + 28, 110)
    boxes = {
        name: (_MARGIN + place.layer * (width + _GAP_X), _MARGIN + place.row * (_HEIGHT + _GAP_Y))
        for name, place in places.items()
    }
    edges = [
        _edge(boxes[required], boxes[name], width)
        for name, phase in definition.phases.items()
        for required in phase.requires
    ]
    arcs = [_arc(boxes[deciding], boxes[target], width, label) for deciding, target, label in reworks(definition)]
    nodes = [_box(phase, *boxes[name], width) for name, phase in definition.phases.items()]
    across, down = _size(places, width, reworks_below=bool(arcs))
    size = f'viewBox="0 0 {across:.0f} {down:.0f}" width="{across:.0f}" height="{down:.0f}"'
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img">',
        f"  <title>{escape(f'{definition.name} {definition.version}')}</title>",
        f"  <style>{_STYLE}  </style>",
        f"  <defs>{_MARKERS}</defs>",
        *edges,
        *arcs,
        *nodes,
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def _size(places: Mapping[str, Place], width: float, *, reworks_below: bool) -> tuple[float, float]:
    layers = max(place.layer for place in places.values()) + 1
    rows = max(place.row for place in places.values()) + 1
    across = 2 * _MARGIN + layers * width + (layers - 1) * _GAP_X
    down = 2 * _MARGIN + rows * _HEIGHT + (rows - 1) * _GAP_Y
    return across, down + (_GAP_Y if reworks_below else 0)


def _box(phase: Phase, x: float, y: float, width: float) -> str:
    kind = f"phase {phase.scope}{' terminal' if phase.terminal else ''}"
    behind = ""
    if phase.scope is Scope.PER_SHARD:
        behind = f'<rect class="{kind}" x="{x + 5:.1f}" y="{y - 5:.1f}" width="{width:.1f}" height="{_HEIGHT}" rx="7"/>'
    middle = x + width / 2
    scope = f"{_SCOPES[phase.scope]}, end" if phase.terminal else _SCOPES[phase.scope]
    return (
        f'  <g>{behind}<rect class="{kind}" x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{_HEIGHT}" rx="7"/>'
        f'<text x="{middle:.1f}" y="{y + 21:.1f}">{escape(phase.name)}</text>'
        f'<text class="scope" x="{middle:.1f}" y="{y + 37:.1f}">{scope}</text></g>'
    )


def _edge(start: tuple[float, float], end: tuple[float, float], width: float) -> str:
    x1, y1 = start[0] + width, start[1] + _HEIGHT / 2
    x2, y2 = end[0] - 2, end[1] + _HEIGHT / 2
    bend = max((x2 - x1) / 2, _GAP_X / 2)
    path = f"M{x1:.1f} {y1:.1f} C{x1 + bend:.1f} {y1:.1f} {x2 - bend:.1f} {y2:.1f} {x2:.1f} {y2:.1f}"
    return f'  <path class="edge" d="{path}" marker-end="url(#arrow)"/>'


def _arc(start: tuple[float, float], end: tuple[float, float], width: float, label: str) -> str:
    """From below the deciding phase to below the one that runs again."""
    x1, y1 = start[0] + width * (0.35 if start == end else 0.5), start[1] + _HEIGHT
    x2, y2 = end[0] + width * (0.65 if start == end else 0.5), end[1] + _HEIGHT + 2
    low = max(y1, y2) + _GAP_Y * 0.8
    path = f"M{x1:.1f} {y1:.1f} C{x1:.1f} {low:.1f} {x2:.1f} {low:.1f} {x2:.1f} {y2:.1f}"
    text = f'<text class="outcome" x="{(x1 + x2) / 2:.1f}" y="{low + 2:.1f}">{escape(label)}</text>'
    return f'  <g><path class="edge rework" d="{path}" marker-end="url(#back)"/>{text}</g>'
