"""A store in one SQLite file, with the standard library alone."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Mapping
from typing import Any, ClassVar, Final

from byheart.errors import StoreError
from byheart.store.database import Database, Transaction

_SETTINGS: Final = (
    "PRAGMA synchronous = FULL",  # commit returns once the log is on the disk
    "PRAGMA fullfsync = ON",  # and, on macOS, not only in the disk's own memory
    "PRAGMA checkpoint_fullfsync = ON",
    "PRAGMA secure_delete = ON",  # zeros where words were
    "PRAGMA foreign_keys = ON",
    "PRAGMA trusted_schema = OFF",  # a file from elsewhere runs nothing
    "PRAGMA cell_size_check = ON",  # a damaged page is noticed before it is used
)
_BUSY: Final = ("database is locked", "database table is locked", "database schema is locked")
_FULL: Final = "database or disk is full"
_DAMAGED: Final = ("database disk image is malformed", "malformed database schema")


class SQLite(Database):
    """A store in the file ``path``, which is made where there is none, readable by its owner alone."""

    mark = "?"
    prepared = "SELECT 1 FROM sqlite_master WHERE name = 'byheart_schema'"
    for_update = ""  # a transaction that writes is the only one that does
    types: ClassVar[Mapping[str, str]] = {
        "KEY": "INTEGER PRIMARY KEY AUTOINCREMENT",
        "ROW": "row INTEGER PRIMARY KEY,",  # turns go behind each other on the disk, whosever they are
        "INT": "INTEGER",
        "FLOAT": "REAL",
        "BYTES": "BLOB",
    }

    def __init__(self, path: str, timeout: float) -> None:
        super().__init__(path, timeout)
        self._path = path
        try:
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        except FileExistsError:
            pass
        except (OSError, ValueError) as error:
            raise StoreError(
                f"{path}: cannot make the file: {getattr(error, 'strerror', None) or error}", store=path
            ) from error
        self._file = self._identity()

    def _identity(self) -> tuple[int, int] | None:
        try:
            found = os.stat(self._path)
        except OSError:
            return None
        return found.st_dev, found.st_ino

    def check_usable(self) -> None:
        super().check_usable()
        if self._identity() != self._file:
            self.refuse("was removed or replaced while it was open: what is written now would be lost; open it again")

    def connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(
            self._path, timeout=self.timeout, isolation_level=None, check_same_thread=False, cached_statements=64
        )
        try:
            for setting in _SETTINGS:
                connection.execute(setting)
        except BaseException:
            connection.close()
            raise
        return connection

    def begin(self, connection: sqlite3.Connection, *, write: bool) -> None:
        connection.execute("BEGIN IMMEDIATE" if write else "BEGIN")

    def commit(self, connection: sqlite3.Connection) -> None:
        connection.execute("COMMIT")

    def rollback(self, connection: sqlite3.Connection) -> None:
        if connection.in_transaction:
            connection.execute("ROLLBACK")

    @property
    def failures(self) -> tuple[type[Exception], ...]:
        # OverflowError: a text of gigabytes. UnicodeDecodeError: what SQLite says of a damaged file quotes its bytes.
        return (sqlite3.Error, OverflowError, UnicodeDecodeError)

    def lost(self, connection: Any) -> bool:
        return False

    def explained(self, error: Exception, *, committing: bool) -> StoreError:
        said, retry = str(error), False
        if said.startswith(_BUSY):
            retry, what = True, f"is in use by others, for longer than {self.timeout:g} s; nothing was changed, retry"
        elif said.startswith(_FULL):
            retry, what = True, "cannot grow, the disk is full; nothing was changed, make room and try again"
        elif said.startswith("file is not a database"):
            what = "is no SQLite file, or a damaged one; it was left as it is"
        elif said.startswith(_DAMAGED) or isinstance(error, UnicodeDecodeError):
            what = f"is damaged ({said}); it was left as it is: copy it, then recover what can be read with sqlite3"
        elif said.startswith("attempt to write a readonly database"):
            what = "may not be written by this process; nothing was changed"
        elif said.startswith("unable to open database file"):
            what = "cannot be opened; expected a file, in a folder, that this process may read and write"
        elif said.startswith("disk I/O error"):
            kept = "whether this call was kept shows in the turns" if committing else "nothing was changed"
            what = f"cannot be read or written, the system reports an error of the disk; {kept}"
        else:
            what = f"failed: {type(error).__name__}: {said}"
        return self._error(what, retry=retry)

    def _error(self, what: str, *, retry: bool = False) -> StoreError:
        return StoreError(f"{self.name} {what}", store=self.name, retry=retry)

    def prepare(self) -> None:
        """Make sure that this is a store, or an empty file, and that it keeps a write-ahead log."""
        tables = {name for (name,) in self.rows("SELECT name FROM sqlite_master WHERE type = 'table'")}
        if tables and "byheart_schema" not in tables:
            found = ", ".join(sorted(tables))
            self.refuse(f"is a database of something else, it has the tables {found:.80}; it was left as it is")
        deadline = time.monotonic() + self.timeout
        while True:
            try:
                [(mode,)] = self.rows("PRAGMA journal_mode = WAL")
                break
            except StoreError as error:  # while others open it too, it answers at once, however long it may take
                if not error.retry or time.monotonic() > deadline:
                    raise
                time.sleep(0.01)
        if mode != "wal":
            self.refuse(f"cannot keep a write-ahead log there (mode {mode}); expected a file on a local disk")

    def mark_redacted(self, transaction: Transaction) -> None:
        transaction.run("UPDATE byheart_schema SET unscrubbed = unscrubbed + 1")

    def after_redaction(self) -> None:
        if not self.scrub_pending():
            return
        try:
            self.scrub()
        except StoreError as error:
            raise self._error(
                f"has redacted it, but the words may still lie in free parts of its files; do it again, or scrub() "
                f"({error})",
                retry=error.retry,
            ) from error

    def scrub(self) -> None:
        """Write the file anew without what was deleted, and empty the log beside it.

        Zeros where words were are not enough: when SQLite moves rows between pages it leaves copies of them behind.
        """
        [(marked,)] = self.rows("SELECT unscrubbed FROM byheart_schema")
        self.rows("VACUUM")
        [(busy, _, _)] = self.rows("PRAGMA wal_checkpoint(TRUNCATE)")
        if busy:
            raise self._error(f"is being read by others, for longer than {self.timeout:g} s", retry=True)
        with self.writing() as transaction:
            transaction.run("UPDATE byheart_schema SET unscrubbed = 0 WHERE unscrubbed = ?", marked)
            transaction.commit()

    def scrub_pending(self) -> bool:
        """Whether a process died, or gave up, between a redaction and its scrubbing."""
        return self.rows("SELECT unscrubbed FROM byheart_schema") != [(0,)]
