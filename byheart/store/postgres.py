"""A store in a PostgreSQL database, by psycopg (``pip install 'byheart[postgres]'``)."""

from __future__ import annotations

import importlib
import math
from collections.abc import Mapping
from typing import Any, ClassVar, Final
from urllib.parse import urlsplit

from byheart.errors import StoreError
from byheart.store.database import Database, Transaction

_LOCK: Final = 7_093_874_418_001  # of whoever makes the tables; any number that no one else uses
_BUSY: Final = {
    "55P03": "a row was locked",  # lock_not_available
    "40P01": "there was a deadlock",
    "40001": "another transaction came first",
    "57014": "the server cancelled it",
}


def named(address: str) -> str:
    """What to call the address in messages: without password and options."""
    try:
        parts = urlsplit(address)
    except ValueError:
        return "the PostgreSQL database"
    host = parts.netloc.rpartition("@")[2]
    user = parts.username
    return f"{parts.scheme}://{user + '@' if user else ''}{host}{parts.path}"


class Postgres(Database):
    """A store in the database at ``address``, a ``postgresql://`` URL as libpq reads it."""

    mark = "%s"
    for_update = " FOR UPDATE"
    prepared = (  # not to_regclass, which may remember what was not there a moment ago
        "SELECT 1 FROM pg_catalog.pg_class WHERE relname = 'byheart_schema' AND pg_catalog.pg_table_is_visible(oid)"
    )
    types: ClassVar[Mapping[str, str]] = {
        "KEY": "BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY",
        "ROW": "",
        "INT": "BIGINT",
        "FLOAT": "DOUBLE PRECISION",
        "BYTES": "BYTEA",
    }

    def __init__(self, address: str, timeout: float) -> None:
        super().__init__(named(address), timeout)
        self._address = address
        try:
            self._psycopg: Any = importlib.import_module("psycopg")
        except ImportError as error:
            raise StoreError(
                f"{self.name} needs psycopg, which cannot be imported ({error}); pip install 'byheart[postgres]'",
                store=self.name,
            ) from error
        self._begin_writing = ""

    def connect(self) -> Any:
        options: dict[str, Any] = {"autocommit": True, "prepare_threshold": None}  # None: poolers between mix them up
        if "connect_timeout" not in self._address:
            options["connect_timeout"] = max(2, math.ceil(self.timeout))
        try:
            connection = self._psycopg.connect(self._address, **options)
        except (self._psycopg.ProgrammingError, UnicodeError):
            raise StoreError(  # whose own words may hold the password
                f"{self.name}: the address cannot be read, expected postgresql://user:password@host:port/database",
                store=self.name,
            ) from None
        try:
            if not self._begin_writing:
                wait = max(1, math.ceil(self.timeout * 1000))
                begin = f"BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE; SET LOCAL lock_timeout = {wait}"
                [(synchronous,)] = connection.execute("SHOW synchronous_commit").fetchall()
                if synchronous == "off":  # which acknowledges what a crash can still lose
                    begin += "; SET LOCAL synchronous_commit = on"
                self._begin_writing = begin
        except BaseException:
            connection.close()
            raise
        return connection

    def begin(self, connection: Any, *, write: bool) -> None:
        connection.execute(self._begin_writing if write else "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")

    def commit(self, connection: Any) -> None:
        answer = connection.execute("COMMIT").statusmessage
        if answer != "COMMIT":
            self.refuse(f"did not commit, it answered {answer}; nothing was changed")

    def rollback(self, connection: Any) -> None:
        if not connection.closed:
            connection.execute("ROLLBACK")

    @property
    def failures(self) -> tuple[type[Exception], ...]:
        return (self._psycopg.Error,)

    def lost(self, connection: Any) -> bool:
        return bool(connection.closed)

    def explained(self, error: Exception, *, committing: bool) -> StoreError:
        code = getattr(error, "sqlstate", None)
        said = " ".join(str(error).split()) or type(error).__name__
        retry = False
        if code in _BUSY:
            retry, what = True, f"is in use, {_BUSY[code]} for longer than {self.timeout:g} s or in the way"
            what += "; nothing was changed, try again"
        elif code == "53100":
            retry, what = True, f"cannot grow, its disk is full ({said}); nothing was changed"
        elif isinstance(error, self._psycopg.OperationalError) and (code is None or code[:2] in ("08", "57")):
            if committing:
                what = (
                    f"was lost in the middle of committing ({said}): whether the last call was kept shows in the "
                    f"turns, look there before making it again"
                )
            else:
                retry, what = True, f"cannot be reached ({said}); nothing was changed"
        elif code == "42501":
            what = f"does not permit it ({said})"
        else:
            what = f"failed ({type(error).__name__}): {said}"
        return StoreError(f"{self.name} {what}", store=self.name, retry=retry)

    def lock_schema(self, transaction: Transaction) -> None:
        transaction.rows("SELECT pg_advisory_xact_lock(?)", _LOCK)

    def mark_redacted(self, transaction: Transaction) -> None:
        """Nothing: what PostgreSQL keeps behind the rows is for its owner to remove, see :meth:`scrub`."""

    def scrub(self) -> None:
        """Write the tables anew without what was deleted. Locks them meanwhile; the server's log, write-ahead log,
        replicas and backups are its owner's."""
        self.rows("VACUUM (FULL) byheart_turns")
