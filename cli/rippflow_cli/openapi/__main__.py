"""Write docs/openapi.json, or with --check only say whether it is up to date.

python -m rippflow_cli.openapi [--check] [FILE]
"""

from __future__ import annotations

import sys
from pathlib import Path

from rippflow_cli.openapi.document import as_text

_FILE = Path("docs/openapi.json")


def main(arguments: list[str]) -> int:
    """0 if the file is what it should be now."""
    file = Path(next((each for each in arguments if not each.startswith("-")), _FILE))
    if "--check" in arguments:
        if file.is_file() and file.read_text("utf-8") == as_text():
            return 0
        print(f"{file} is stale; run `python -m rippflow_cli.openapi`", file=sys.stderr)
        return 1
    file.write_text(as_text(), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
