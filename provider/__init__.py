"""The custom resource provider."""

from __future__ import annotations
