"""AWS behind the Protocols of `rippflow.ports`; the only package that imports boto3."""

from __future__ import annotations
