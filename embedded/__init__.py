"""An installation on this machine; nothing that ships imports it."""

from __future__ import annotations
