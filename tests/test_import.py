"""Importing byheart is cheap, and needs pluggy and the standard library alone."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import byheart

SCRIPT = """
import json, sys
before = set(sys.modules)
import byheart
memory = byheart.Memory(budget=200, external=lambda query: [])
memory.extend([("user", f"turn {at} about trains, yesterday", "8 May 2023") for at in range(20)])
memory.compose("trains?", when="9 May 2023")
memory = byheart.Memory.from_dict(memory.to_dict(), budget=200)
memory.search("trains")
memory.redact(3)
print(json.dumps(sorted(set(sys.modules) - before)))
"""


def loaded(script: str = SCRIPT) -> list[str]:
    run = subprocess.run([sys.executable, "-W", "error", "-c", script], capture_output=True, text=True, check=True)
    assert run.stderr == ""
    found: list[str] = json.loads(run.stdout)
    return found


def test_using_a_memory_loads_nothing_but_pluggy_and_the_standard_library() -> None:
    own = {"byheart", "pluggy", *sys.stdlib_module_names}
    assert [module for module in loaded() if module.partition(".")[0] not in own] == []


def test_the_default_memory_never_reads_entry_points_nor_loads_what_it_does_not_need() -> None:
    modules = set(loaded())
    assert not modules & {"importlib.metadata", "asyncio", "sqlite3", "email", "http", "urllib.request", "argparse"}
    assert not any(
        module.startswith(("byheart.cli", "byheart.readers", "byheart.adapters", "byheart.testing", "byheart.store"))
        for module in modules
    )


def test_what_is_exported_is_there_and_named() -> None:
    assert len(set(byheart.__all__)) == len(byheart.__all__)
    assert all(hasattr(byheart, name) for name in byheart.__all__)
    assert (Path(byheart.__file__).parent / "py.typed").is_file()
