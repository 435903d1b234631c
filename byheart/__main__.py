"""``python -m byheart``: the command line, where the script ``byheart`` is not on the path."""

from __future__ import annotations

import sys

from byheart.cli import main

if __name__ == "__main__":
    sys.exit(main())
