"""Stores to test: a new SQLite file, and a new schema of a PostgreSQL server that is started here."""

from __future__ import annotations

import importlib.util
import itertools
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from byheart import store

ROOT = Path(__file__).resolve().parents[2]
_numbers = itertools.count()


def absent(reason: str) -> Any:
    """Skip, or fail where the surroundings promised that PostgreSQL is there."""
    if os.environ.get("BYHEART_REQUIRE_POSTGRES"):
        pytest.fail(f"BYHEART_REQUIRE_POSTGRES is set, but {reason}")
    pytest.skip(reason)


def programs() -> Path:
    """The folder with ``initdb`` and ``postgres``."""
    found = shutil.which("initdb")
    folders = [Path(found).parent] if found else []
    folders += sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda folder: int(folder.parent.name))
    for folder in reversed(folders):
        if (folder / "initdb").is_file() and (folder / "postgres").is_file():
            return folder
    absent("no PostgreSQL is installed here (apt-get install postgresql)")
    raise AssertionError


class Server:
    """A PostgreSQL server on a socket in a folder of its own, run by an ordinary user."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.data = folder / "data"
        self._programs = programs()
        self._as: dict[str, Any] = {"cwd": folder}
        if os.geteuid() == 0:  # PostgreSQL refuses to be run by root
            os.chown(folder, 65534, 65534)
            self._as |= {"user": 65534, "group": 65534, "extra_groups": []}
        self._process: subprocess.Popen[bytes] | None = None
        self._log = folder / "log"
        subprocess.run(
            [self._programs / "initdb", "-D", self.data, "-U", "byheart", "-A", "trust", "-E", "UTF8", "--locale=C"],
            check=True, stdout=subprocess.DEVNULL, **self._as,
        )  # fmt: skip
        self.start()

    def start(self) -> None:
        """Start it, and wait until it answers."""
        import psycopg

        options = ["-k", self.folder, "-c", "listen_addresses=", "-c", "shared_buffers=16MB", "-c", "log_statement=none"]
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                [self._programs / "postgres", "-D", self.data, *options], stdout=log, stderr=log, **self._as
            )
        deadline = time.monotonic() + 60
        while True:
            try:
                psycopg.connect(self.address).close()
                return
            except psycopg.OperationalError:
                if time.monotonic() > deadline or self._process.poll() is not None:
                    raise RuntimeError(f"PostgreSQL did not start: {self._log.read_text()}") from None
                time.sleep(0.05)

    def stop(self, *, gently: bool = True) -> None:
        """Stop it; not gently, it has no time to write anything more."""
        if self._process is not None:
            self._process.send_signal(2 if gently else 3)
            self._process.wait(60)
            self._process = None

    @property
    def address(self) -> str:
        return f"postgresql://byheart@/postgres?host={self.folder}"

    def schema(self) -> str:
        """The address of an empty place in it."""
        import psycopg

        name = f"place_{next(_numbers)}"
        with psycopg.connect(self.address, autocommit=True) as connection:
            connection.execute(f"CREATE SCHEMA {name}")
        return f"{self.address}&options=-csearch_path%3D{name}"


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    """A server that runs as long as the tests do."""
    if importlib.util.find_spec("psycopg") is None:
        absent("psycopg is not installed (pip install 'byheart[postgres]')")
    folder = Path(tempfile.mkdtemp(prefix="byheart-"))  # not tmp_path: the path of a socket has to be short
    try:
        server = Server(folder)
        try:
            yield server
        finally:
            server.stop()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(params=["sqlite", "postgres"])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A new store of either kind."""
    if request.param == "sqlite":
        return str(tmp_path / "chats.db")
    return str(request.getfixturevalue("server").schema())


@pytest.fixture
def chats(address: str) -> Iterator[store.Store]:
    """A new store, open."""
    with store.open(address) as opened:
        yield opened


@pytest.fixture
def program() -> Callable[..., subprocess.Popen[bytes]]:
    """Starts a Python program that can import byheart."""

    def program(code: str, *argv: object) -> subprocess.Popen[bytes]:
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])}
        return subprocess.Popen(
            [sys.executable, "-c", code, *map(str, argv)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment,
        )  # fmt: skip

    return program
