"""Rippflow: immutable, content-addressed workflow deployments and the engine that runs them."""

from __future__ import annotations

VERSION = "1.9.0"
"""The installation's version; below 1.9.0 scoped deployments do not exist."""

CONTRACT = "scoped-deployments-v1"
"""The document contract this version publishes."""

CAPABILITIES = (CONTRACT, "scoped-workflow-executions-v1")
"""What `GET /capabilities` advertises."""
