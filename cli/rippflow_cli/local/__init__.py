"""`rippflow-local`: run a workflow on this machine with the engine of the installation.

>>> from rippflow_cli.local import run
>>> run(definition, ["a", "b"], handler=lambda event: {"outcome": "completed"}).status
'completed'
"""

from __future__ import annotations

from rippflow_cli.local.api import run

__all__ = ["run"]
