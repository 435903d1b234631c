"""A PostgreSQL server of one's own: in a temporary folder, on a local socket, run by an ordinary user.

It needs the programs of PostgreSQL (``apt-get install postgresql``) and psycopg. Nothing but the folder is touched,
and nothing listens on a network.
"""

from __future__ import annotations

import importlib
import itertools
import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

_NOBODY: Final = 65534
_SETTINGS: Final = {
    "listen_addresses": "",
    "shared_buffers": "32MB",
    "max_connections": "40",
    "logging_collector": "off",
}


class ServerMissingError(Exception):
    """There is no PostgreSQL here that could be started; the message says what is missing."""


class Server:
    """A running server; ``folder`` holds everything it has."""

    def __init__(self, folder: Path, settings: Mapping[str, str]) -> None:
        self.folder = folder
        self._settings = {**_SETTINGS, **settings}
        self._driver = _driver()
        self._programs = _programs()
        self._process: subprocess.Popen[bytes] | None = None
        self._names = itertools.count()
        self._user: dict[str, Any] = {}
        if os.geteuid() == 0:  # which PostgreSQL refuses to be run by
            os.chown(folder, _NOBODY, _NOBODY)
            self._user = {"user": _NOBODY, "group": _NOBODY, "extra_groups": []}
        made = self._run("initdb", "-D", self.data, "-U", "byheart", "-A", "trust", "-E", "UTF8", "--locale=C").wait()
        if made:
            raise RuntimeError(f"initdb failed:\n{self.log}")
        self.start()

    @property
    def data(self) -> Path:
        """The folder of its databases."""
        return self.folder / "data"

    @property
    def log(self) -> str:
        """What it said."""
        return (self.folder / "log").read_text("utf-8", "replace")

    @property
    def address(self) -> str:
        """Where it answers."""
        return f"postgresql://byheart@/postgres?host={self.folder}"

    def _run(self, name: str, *options: object) -> subprocess.Popen[bytes]:
        with (self.folder / "log").open("ab") as log:
            return subprocess.Popen(
                [str(self._programs / name), *map(str, options)], cwd=self.folder, stdout=log, stderr=log, **self._user
            )

    def start(self) -> None:
        """Start it, and wait until it answers."""
        settings = [word for name, value in self._settings.items() for word in ("-c", f"{name}={value}")]
        self._process = self._run("postgres", "-D", self.data, "-k", self.folder, *settings)
        deadline = time.monotonic() + 60
        while not self._answers():
            if time.monotonic() > deadline or self._process.poll() is not None:
                self.crash()
                raise RuntimeError(f"PostgreSQL did not start:\n{self.log}")
            time.sleep(0.05)

    def _answers(self) -> bool:
        try:
            self._driver.connect(self.address).close()
        except self._driver.OperationalError:
            return False
        return True

    def crash(self) -> None:
        """End it at once; it has no time to write anything more."""
        if self._process is not None:
            self._process.send_signal(signal.SIGQUIT)
            self._process.wait(60)
            self._process = None

    def place(self) -> str:
        """The address of an empty schema in it."""
        name = f"place_{next(self._names)}"
        self.run(f"CREATE SCHEMA {name}")
        return f"{self.address}&options=-csearch_path%3D{name}"

    def run(self, sql: str) -> None:
        """Run a statement as the server's owner."""
        with self._driver.connect(self.address, autocommit=True) as connection:
            connection.execute(sql)


@contextmanager
def running(**settings: str) -> Iterator[Server]:
    """A server, with these settings, until the block ends. ServerMissingError where there is nothing to start."""
    _driver()
    _programs()
    folder = Path(tempfile.mkdtemp(prefix="byheart-"))  # short: the path of a socket may have a hundred characters
    try:
        server = Server(folder, settings)
        try:
            yield server
        finally:
            server.crash()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _driver() -> Any:
    try:
        return importlib.import_module("psycopg")
    except ImportError as error:
        raise ServerMissingError(f"psycopg cannot be imported ({error}); pip install 'byheart[postgres]'") from error


def _programs() -> Path:
    found = shutil.which("initdb")
    folders = [Path(found).resolve().parent] if found else []
    folders += sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda folder: folder.parent.name, reverse=True)
    for folder in folders:
        if (folder / "initdb").is_file() and (folder / "postgres").is_file():
            return folder
    raise ServerMissingError("PostgreSQL is not installed; apt-get install postgresql")
