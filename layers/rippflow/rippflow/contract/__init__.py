"""The deployment contract: schemas, parsing, validation and canonical identity. Pure."""

from __future__ import annotations
