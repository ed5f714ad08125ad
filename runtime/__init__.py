"""The installation's functions, one thin handler a file."""

from __future__ import annotations
