"""cfn-lint rules for `Custom::RippflowWorkflow`; `python -m rippflow.cfnlint` prints the folder for --append-rules."""

from __future__ import annotations
