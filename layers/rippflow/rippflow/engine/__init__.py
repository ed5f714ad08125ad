"""The DAG engine: plan, state, reducer and input composition. Pure, and free of payloads."""

from __future__ import annotations
