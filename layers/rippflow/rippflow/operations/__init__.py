"""What the installation does, one operation a file, against the Protocols of `rippflow.ports`."""

from __future__ import annotations
