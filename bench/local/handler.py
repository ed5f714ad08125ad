"""The measured handler process: answers every line at once."""

from __future__ import annotations

import json
import sys

for line in sys.stdin:
    json.loads(line)
    print('{"outcome":"completed","payload":{"ok":true}}', flush=True)
