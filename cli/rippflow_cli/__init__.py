"""The `rippflow` and `rippflow-local` commands."""

from __future__ import annotations
