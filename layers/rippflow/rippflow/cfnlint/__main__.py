"""Print the folder that `cfn-lint --append-rules` wants."""

from __future__ import annotations

from pathlib import Path

if __name__ == "__main__":
    print(Path(__file__).parent / "rules")  # noqa: T201 (what the command is for)
