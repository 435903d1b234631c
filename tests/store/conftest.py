"""Stores to test: a new SQLite file, and a new schema of a PostgreSQL server that is started here."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from byheart import store
from eval import postgres

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def server() -> Iterator[postgres.Server]:
    """A server that runs as long as the tests do; with BYHEART_REQUIRE_POSTGRES set, its absence is a failure."""
    with ExitStack() as stack:
        try:
            found = stack.enter_context(postgres.running(fsync="off"))  # no machine dies here
        except postgres.ServerMissingError as error:
            if os.environ.get("BYHEART_REQUIRE_POSTGRES"):
                pytest.fail(f"BYHEART_REQUIRE_POSTGRES is set, but: {error}")
            pytest.skip(str(error))
        yield found


@pytest.fixture(params=["sqlite", "postgres"])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where a new store of either kind can be made."""
    if request.param == "sqlite":
        return str(tmp_path / "chats.db")
    return str(request.getfixturevalue("server").place())


@pytest.fixture
def chats(address: str) -> Iterator[store.Store]:
    """A new store of either kind, open."""
    with store.open(address) as opened:
        yield opened


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Where a new SQLite store can be made, in a folder of its own."""
    folder = tmp_path / "folder"
    folder.mkdir()
    return folder / "chats.db"


@pytest.fixture
def program() -> Callable[..., subprocess.Popen[bytes]]:
    """Starts a Python program that can import byheart: its code, then its arguments."""

    def program(code: str, *argv: object) -> subprocess.Popen[bytes]:
        paths = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
        return subprocess.Popen(
            [sys.executable, "-c", code, *map(str, argv)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        )

    return program
