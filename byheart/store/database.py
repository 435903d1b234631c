"""What SQLite and PostgreSQL have in common: transactions over a few connections, shared by threads.

Statements are written once, with ``?`` for values; a database puts its own mark there. Nothing is ever put into
a statement but values through these marks.
"""

from __future__ import annotations

import os
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any, ClassVar, NoReturn, TypeVar

from byheart.errors import StoreError

Value = int | float | str | bytes | None
Row = tuple[Any, ...]
T = TypeVar("T")

_SPARE = 8  # connections kept for the next caller


class Transaction:
    """Statements that take effect together, at :meth:`commit`, or not at all. Each raises StoreError where it fails."""

    def __init__(self, database: Database, connection: Any) -> None:
        self.database = database
        self._connection = connection
        self.failed = False
        self.done = False

    def run(self, sql: str, *values: Value) -> None:
        """Run a statement that answers nothing."""
        self._try(lambda: self._connection.execute(self.database.marked(sql), values))

    def run_many(self, sql: str, rows: Sequence[Sequence[Value]]) -> None:
        """Run a statement for each row of values."""
        if rows:
            self._try(lambda: self._connection.cursor().executemany(self.database.marked(sql), rows))

    def rows(self, sql: str, *values: Value) -> list[Row]:
        """The rows that a query finds."""
        return self._try(lambda: self.database.asked(self._connection, sql, values))

    def commit(self) -> None:
        """Make it last: once this returns, neither the process nor the machine can lose it by dying."""
        self._try(lambda: self.database.commit(self._connection), committing=True)
        self.done = True

    def _try(self, call: Callable[[], T], *, committing: bool = False) -> T:
        try:
            return call()
        except self.database.failures as error:
            self.failed = True
            raise self.database.explained(error, committing=committing) from error


class Database(ABC):
    """A place to keep conversations. ``name`` is what to call it in messages, never with a password."""

    mark: ClassVar[str]
    """What stands for a value in a statement."""
    for_update: ClassVar[str]
    """What makes a query hold the row it finds until the transaction ends."""
    types: ClassVar[Mapping[str, str]]
    """The words of the schema that differ."""
    prepared: ClassVar[str]
    """A query that finds a row where the tables of a store are there, in whatever version."""

    def __init__(self, name: str, timeout: float) -> None:
        self.name = name
        self.timeout = timeout
        self._process = os.getpid()
        self._lock = threading.Lock()
        self._spare: list[Any] = []
        self._closed = False

    # -- what a database does in its own way ----------------------------------------------------------------------

    @abstractmethod
    def connect(self) -> Any:
        """A new connection."""

    @abstractmethod
    def begin(self, connection: Any, *, write: bool) -> None:
        """Begin a transaction: one that reads sees one state all through; one that writes waits for its turn."""

    @abstractmethod
    def commit(self, connection: Any) -> None:
        """Commit, and return once it is safe on the disk."""

    @abstractmethod
    def rollback(self, connection: Any) -> None:
        """Undo what was begun, if anything was."""

    @property
    @abstractmethod
    def failures(self) -> tuple[type[Exception], ...]:
        """What the driver raises."""

    @abstractmethod
    def explained(self, error: Exception, *, committing: bool) -> StoreError:
        """The error to raise for what the driver raised."""

    @abstractmethod
    def lost(self, connection: Any) -> bool:
        """Whether the connection broke: another may do."""

    def prepare(self) -> None:  # noqa: B027  (only a file needs it)
        """Make sure that this is a store, or can become one, before anything else is done."""

    def lock_schema(self, transaction: Transaction) -> None:  # noqa: B027  (SQLite lets one write at a time anyway)
        """Let no one else make the tables until the transaction ends."""

    @abstractmethod
    def mark_redacted(self, transaction: Transaction) -> None:
        """Remember that words must still be scrubbed from behind the rows, should the process die before."""

    @abstractmethod
    def scrub(self) -> None:
        """Remove what was redacted from where the database keeps deleted things."""

    def after_redaction(self) -> None:  # noqa: B027  (only some need it)
        """What must follow when a redaction was committed."""

    # -- what they do alike ---------------------------------------------------------------------------------------

    def marked(self, sql: str) -> str:
        """The statement with this database's marks for values."""
        return sql if self.mark == "?" else sql.replace("?", self.mark)

    @contextmanager
    def reading(self) -> Iterator[Transaction]:
        """A transaction that sees one state of the store and changes nothing."""
        with self._transaction(write=False) as transaction:
            yield transaction

    @contextmanager
    def writing(self) -> Iterator[Transaction]:
        """A transaction that may write. What was not committed when it ends is undone."""
        with self._transaction(write=True) as transaction:
            yield transaction

    def rows(self, sql: str, *values: Value) -> list[Row]:
        """The rows that one query finds, outside of any transaction."""
        connection, found = self._started(lambda connection: self.asked(connection, sql, values))
        self._give_back(connection, sound=True)
        return found

    def asked(self, connection: Any, sql: str, values: Sequence[Value]) -> list[Row]:
        """The rows that a query finds on a connection; the driver's own error where it fails."""
        cursor = connection.execute(self.marked(sql), values)
        return cursor.fetchall() if cursor.description else []

    @contextmanager
    def _transaction(self, *, write: bool) -> Iterator[Transaction]:
        connection, _ = self._started(lambda connection: self.begin(connection, write=write))
        transaction = Transaction(self, connection)
        sound = False
        try:
            yield transaction
            sound = True
        except Exception:
            sound = not transaction.failed
            raise
        finally:
            if not transaction.done:
                try:
                    self.rollback(connection)
                except self.failures:
                    sound = False
            self._give_back(connection, sound=sound)

    def _started(self, start: Callable[[Any], T]) -> tuple[Any, T]:
        """A connection that ``start`` worked on, and its answer.

        A connection that broke while it lay idle is replaced: nothing can have been done on it.
        """
        while True:
            connection, used = self._take()
            try:
                return connection, start(connection)
            except self.failures as error:
                again = used and self.lost(connection)
                self._give_back(connection, sound=False)
                if not again:
                    raise self.explained(error, committing=False) from error
            except BaseException:
                self._give_back(connection, sound=False)
                raise

    def check_usable(self) -> None:
        """StoreError where this object cannot be used any more, or not from here."""
        if self._process != os.getpid():
            raise StoreError(
                f"{self.name} was opened by the process that this one was forked from; open it here anew",
                store=self.name,
            )
        if self._closed:
            raise StoreError(f"{self.name} is closed; open it again", store=self.name)

    def _take(self) -> tuple[Any, bool]:
        self.check_usable()
        with self._lock:
            if self._spare:
                return self._spare.pop(), True
        try:
            return self.connect(), False
        except self.failures as error:
            raise self.explained(error, committing=False) from error

    def _give_back(self, connection: Any, *, sound: bool) -> None:
        with self._lock:
            if sound and not self._closed and len(self._spare) < _SPARE:
                self._spare.append(connection)
                return
        with suppress(*self.failures):
            connection.close()

    def close(self) -> None:
        """Let go of every connection; those in use follow when they are given back."""
        if self._process != os.getpid():
            return  # they are the parent's
        with self._lock:
            spare, self._spare, self._closed = self._spare, [], True
        for connection in spare:
            with suppress(*self.failures):
                connection.close()

    def refuse(self, what: str) -> NoReturn:
        """Raise a StoreError that begins with the store's name."""
        raise StoreError(f"{self.name} {what}", store=self.name)
