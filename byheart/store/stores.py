"""Opening a store, and the conversations in it."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from contextlib import suppress
from types import TracebackType
from typing import Any, NoReturn, TypedDict

from byheart.errors import StoreError, shown
from byheart.store import rows, schema
from byheart.store.conversation import Conversation
from byheart.store.database import Database
from byheart.store.postgres import Postgres
from byheart.store.sqlite import SQLite

_UNSEEN = re.compile("[\x7f-\x9f\ud800-\udfff]")  # what JSON may hold, but UTF-8 or a terminal may not
_SERVERS = ("postgresql://", "postgres://")


class Listed(TypedDict):
    """A conversation as a store lists it; ``created`` and ``changed`` are moments in UTC, in ISO format."""

    id: str
    turns: int
    created: str
    changed: str


def open(address: str | os.PathLike[str], *, timeout: float = 30.0) -> Store:
    """The store at ``address``: the path of an SQLite file, made where there is none, or a ``postgresql://`` URL.

    ``timeout`` is how long, in seconds, a call waits for other processes that write. Raises TypeError and ValueError
    for something else, and :class:`~byheart.errors.StoreError` where the store cannot be opened.

    >>> with open(folder / "chats.db") as chats:
    ...     chats.conversation("alice").append("user", "hello")
    ...     [(listed["id"], listed["turns"]) for listed in chats.conversations()]
    0
    [('alice', 1)]
    """
    if isinstance(timeout, bool) or not isinstance(timeout, (int, float)):
        raise TypeError(f"timeout must be a number of seconds, got {shown(timeout)}")
    if not 0 <= timeout <= 1_000_000:
        raise ValueError(f"timeout must be a number of seconds from 0 to 1,000,000, got {timeout!r}")
    if not isinstance(address, (str, os.PathLike)):
        raise TypeError(f"address must be a path or a URL, got {shown(address)}")
    path = os.fspath(address)
    if not isinstance(path, str):
        path = os.fsdecode(path)
    if path.startswith(_SERVERS):
        return Store(Postgres(path, timeout))
    if re.match(r"[A-Za-z][A-Za-z0-9+.-]+://", path) or path in ("", ":memory:"):
        raise ValueError(f"address must be a path or a postgresql:// URL, got {path.partition('://')[0]!r}")
    return Store(SQLite(path, timeout))


class Store:
    """Conversations that outlive the process. Made by :func:`byheart.store.open`; a context manager that closes it.

    One store serves any number of threads, processes and machines (several machines: PostgreSQL alone); a process
    that was forked opens its own.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        try:
            database.prepare()
            schema.ensure(database)
            with suppress(StoreError):  # not now: then the next one to open it
                database.after_redaction()
        except BaseException:
            database.close()
            raise

    @property
    def name(self) -> str:
        """Its address, without a password."""
        return self._database.name

    def conversation(self, id: str, **options: Any) -> Conversation:
        """The conversation ``id`` (any str of 1 to 500 bytes), a new one where there is none.

        ``options`` are those of :class:`byheart.Memory`, and not kept: give the same ones every time. A conversation
        is there for others to see once it has a turn.
        """
        return Conversation(self._database, id, options)

    def conversations(self) -> list[Listed]:
        """All that are there, in the order in which they began."""
        return [
            {"id": id, "turns": turns, "created": created, "changed": changed}
            for id, turns, created, changed in rows.listed(self._database)
        ]

    def __contains__(self, id: object) -> bool:
        return isinstance(id, str) and rows.peek(self._database, rows.encoded(id)) is not None

    def export(self, id: str) -> Iterator[str]:
        r"""The turns of a conversation as lines of JSON, each with its line end: the chat file that ``byheart`` reads.

        Half a surrogate pair and control characters stand as escapes, so that it can be written and shown anywhere.
        LookupError where there is no such conversation.

        >>> with open(folder / "chats.db") as chats:
        ...     chats.conversation("alice").append("user", "hello", when="8 May 2023")
        ...     list(chats.export("alice"))
        0
        ['{"role": "user", "content": "hello", "when": "8 May 2023"}\n']
        """
        return self._lines(self._found(id), rows.check_id(id))

    def _lines(self, head: rows.Head, key: bytes) -> Iterator[str]:
        for lo in range(0, head.turns, 1_000):
            with self._database.reading() as transaction:
                now = rows.head(transaction, key)
                if now is None or now.conversation != head.conversation or now.turns < head.turns:
                    raise StoreError(
                        f"{self.name}: turns were deleted while they were being exported; export again",
                        store=self.name,
                        retry=True,
                    )
                hi = min(lo + 1_000, head.turns)
                turns = list(rows.read_turns(transaction, head.conversation, lo, hi))
            for (role, text, when), _ in turns:
                turn = {"role": role, "content": text} | ({} if when is None else {"when": when})
                yield _UNSEEN.sub(lambda found: f"\\u{ord(found[0]):04x}", json.dumps(turn, ensure_ascii=False)) + "\n"

    def delete(self, id: str) -> None:
        """Remove a conversation and all its words, as ``Conversation.redact`` does. LookupError where there is none."""
        with self._database.writing() as transaction:
            head = rows.head(transaction, rows.check_id(id), hold=True)
            if head is None:
                self._missing(id)
            rows.delete(transaction, head.conversation)
            self._database.mark_redacted(transaction)
            transaction.commit()
        self._database.after_redaction()

    def _found(self, id: str) -> rows.Head:
        head = rows.peek(self._database, rows.check_id(id))
        return self._missing(id) if head is None else head

    def _missing(self, id: str) -> NoReturn:
        raise LookupError(f"there is no conversation {id!r} in {self.name}")

    def scrub(self) -> None:
        """Remove what was deleted from behind the rows, by writing the file, or the table, anew.

        SQLite: that is done after every redaction and deletion; call it where one of them could not finish.
        PostgreSQL: it takes the table's owner, and locks it meanwhile; see docs/stores.md for what remains.
        """
        self._database.scrub()

    def close(self) -> None:
        """Let go of the file or of the server. What was written stays; conversations of this store end."""
        self._database.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Store {self.name}>"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a Store cannot be copied or pickled: open it again by its address")
