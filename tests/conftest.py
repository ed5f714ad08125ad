"""Tests interrupt processes with Ctrl-C's signal, whoever started pytest."""

from __future__ import annotations

import signal

# A shell that runs CI in the background has it ignore the signal, and what it starts would inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)
