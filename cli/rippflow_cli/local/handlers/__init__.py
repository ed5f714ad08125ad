"""Ways to make an attempt: a Python function, a process for each task, a process for many."""

from __future__ import annotations
