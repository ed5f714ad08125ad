"""The API as OpenAPI 3.1, made from the gateway's routes and the contract's schemas."""

from __future__ import annotations
