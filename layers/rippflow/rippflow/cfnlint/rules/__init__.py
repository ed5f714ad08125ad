"""The folder that cfn-lint loads."""

from __future__ import annotations
