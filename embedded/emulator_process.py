"""What runs in the emulator's process: the emulator, with a Batch that runs jobs."""

from __future__ import annotations

import os

from ministack.app import main as serve

from embedded.batch.plugin import install


def main() -> None:
    """Serve until told to end."""
    # How this module was found is nobody else's business: functions and jobs get this environment.
    os.environ.pop("PYTHONPATH", None)
    install(dict(os.environ))
    serve()


if __name__ == "__main__":
    main()
