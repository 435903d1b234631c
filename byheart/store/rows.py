"""Conversations as rows: what is written where, and what is checked when it is read."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timezone
from itertools import takewhile
from typing import Final, NamedTuple, NoReturn

from byheart.context import Piece
from byheart.errors import SnapshotError, shown
from byheart.log import ROLES, Said
from byheart.snapshot import SavedContext, read_context
from byheart.store.database import Database, Row, Transaction

LONGEST_ID: Final = 500  # bytes; what PostgreSQL can index
_BATCH: Final = 5_000  # turns read at once

NOTHING_SENT: Final = SavedContext(True, 0, ())
"""What a new conversation has sent."""


class Head(NamedTuple):
    """The row of a conversation: what tells whether anything changed, and what goes with its last turns."""

    conversation: int
    turns: int
    changes: int
    closed: bool
    asked: float
    dated: int | None
    ordered: bool
    sent: int
    upto: int | None
    complete: bool


_HEAD: Final = (
    "SELECT conversation, turns, changes, closed, asked, dated, ordered, sent, sent_upto, sent_complete "
    "FROM byheart_conversations WHERE id = ?"
)


class Kept(NamedTuple):
    """A turn as it was kept."""

    said: Said
    redacted: bool


def encoded(text: str) -> bytes:
    """Any str as bytes, lone surrogates included."""
    return text.encode("utf-8", "surrogatepass")


def decoded(data: bytes) -> str:
    """The str that :func:`encoded` was given."""
    return data.decode("utf-8", "surrogatepass")


def check_id(value: object) -> bytes:
    """The id of a conversation as it is kept."""
    if not isinstance(value, str):
        raise TypeError(f"the id of a conversation must be a str, got {shown(value)}")
    data = encoded(value)
    if not 1 <= len(data) <= LONGEST_ID:
        raise ValueError(
            f"the id of a conversation must be of 1 to {LONGEST_ID} bytes in UTF-8, got {len(data)}; give it a name"
        )
    return data


def now() -> str:
    """This moment, as it is kept."""
    return datetime.now(timezone.utc).isoformat(timespec="seconds")


# -- the conversation ---------------------------------------------------------------------------------------------


def peek(database: Database, id: bytes) -> Head | None:
    """The head as it is just now."""
    return _as_head(database, database.rows(_HEAD, id))


def head(transaction: Transaction, id: bytes, *, hold: bool = False) -> Head | None:
    """The head; held, no one else changes the conversation until the transaction ends."""
    database = transaction.database
    return _as_head(database, transaction.rows(_HEAD + (database.for_update if hold else ""), id))


def _as_head(database: Database, rows: Sequence[Row]) -> Head | None:
    if not rows:
        return None
    conversation, turns, changes, closed, asked, dated, ordered, sent, upto, complete = rows[0]
    counts = (conversation, turns, changes, closed, ordered, sent, complete, dated or 0, upto or 0)
    if not all(map(_is_count, counts)) or type(asked) is not float or (dated is not None and dated >= turns):
        _damaged(database, "the row of the conversation is not what was written")
    return Head(conversation, turns, changes, bool(closed), asked, dated, bool(ordered), sent, upto, bool(complete))


def _is_count(value: object) -> bool:
    return type(value) is int and value >= 0


def listed(database: Database) -> list[tuple[str, int, str, str]]:
    """Id, number of turns, and moments of beginning and of the last change, of every conversation."""
    found = database.rows("SELECT id, turns, created, changed FROM byheart_conversations ORDER BY conversation")
    try:
        return [(decoded(id), int(turns), str(created), str(changed)) for id, turns, created, changed in found]
    except (AttributeError, TypeError, ValueError):
        _damaged(database, "the row of a conversation is not what was written")


def create(transaction: Transaction, id: bytes) -> None:
    """The conversation, unless someone else has made it."""
    at = now()
    transaction.run(
        "INSERT INTO byheart_conversations (id, created, changed) VALUES (?, ?, ?) ON CONFLICT (id) DO NOTHING",
        id, at, at,
    )  # fmt: skip


def write_head(transaction: Transaction, head: Head) -> None:
    """The head with whatever changed in it."""
    transaction.run(
        "UPDATE byheart_conversations SET turns = ?, changes = ?, closed = ?, asked = ?, dated = ?, ordered = ?, "
        "sent = ?, sent_upto = ?, sent_complete = ?, changed = ? WHERE conversation = ?",
        head.turns, head.changes, int(head.closed), head.asked, head.dated, int(head.ordered),
        head.sent, head.upto, int(head.complete), now(), head.conversation,
    )  # fmt: skip


def delete(transaction: Transaction, conversation: int) -> None:
    """Everything of a conversation."""
    for table in ("changes", "sent", "stretches", "turns", "conversations"):
        transaction.run(f"DELETE FROM byheart_{table} WHERE conversation = ?", conversation)


# -- its turns ----------------------------------------------------------------------------------------------------


def write_turns(transaction: Transaction, conversation: int, first: int, turns: Sequence[Said]) -> None:
    """Turns, from position ``first`` on."""
    for lo in range(0, len(turns), _BATCH):
        transaction.run_many(
            "INSERT INTO byheart_turns (conversation, position, role, text, when_said, checksum) "
            "VALUES (?, ?, ?, ?, ?, ?)",
            [(conversation, first + lo + at, *_row(said)) for at, said in enumerate(turns[lo : lo + _BATCH])],
        )


def redact_turn(transaction: Transaction, conversation: int, position: int, said: Said) -> None:
    """Put ``said``, in which the words are gone, in the place of a turn."""
    role, text, when, checksum = _row(said)
    transaction.run(
        "UPDATE byheart_turns SET role = ?, text = ?, when_said = ?, checksum = ?, redacted = 1 "
        "WHERE conversation = ? AND position = ?",
        role, text, when, checksum, conversation, position,
    )  # fmt: skip


def _row(said: Said) -> tuple[str, bytes, bytes | None, int]:
    text, when = encoded(said.text), None if said.when is None else encoded(said.when)
    return said.role, text, when, _checksum(said.role, text, when)


def _checksum(role: str, text: bytes, when: bytes | None) -> int:
    return zlib.crc32(text, zlib.crc32(b"\0%b\0%b" % (role.encode(), b"-" if when is None else b"+" + when)))


def read_turns(transaction: Transaction, conversation: int, lo: int, hi: int) -> Iterator[Kept]:
    """The turns [lo, hi) one by one; StoreError where one is missing or is not what was written."""
    while lo < hi:
        rows = transaction.rows(
            "SELECT position, role, text, when_said, redacted, checksum FROM byheart_turns "
            "WHERE conversation = ? AND position >= ? AND position < ? ORDER BY position",
            conversation, lo, min(lo + _BATCH, hi),
        )  # fmt: skip
        for row in rows:
            yield _kept(transaction, lo, row)
            lo += 1
        if not rows:
            _damaged(transaction.database, f"turn {lo} is missing")


def check_end(transaction: Transaction, head: Head, held: int) -> None:
    """StoreError where there are more turns than the head says, or more are ``held``: someone else wrote there."""
    sql = "SELECT count(*) FROM byheart_turns WHERE conversation = ? AND position >= ?"
    if held > head.turns or transaction.rows(sql, head.conversation, head.turns) != [(0,)]:
        _damaged(transaction.database, f"there are other turns than the {head.turns} it should have")


def _kept(transaction: Transaction, expected: int, row: Row) -> Kept:
    position, role, text, when, redacted, checksum = row
    if position != expected:
        _damaged(transaction.database, f"turn {expected} is missing")
    try:
        if role not in ROLES or checksum != _checksum(role, text, when):
            raise ValueError
        said = Said(ROLES[role == "assistant"], decoded(text), None if when is None else decoded(when))
    except (TypeError, ValueError):
        _damaged(transaction.database, f"turn {expected} is not what was written")
    return Kept(said, bool(redacted))


def _damaged(database: Database, what: str) -> NoReturn:
    database.refuse(f"is damaged: {what}; nothing was changed, take it from a backup, or delete the conversation")


def dated(transaction: Transaction, head: Head) -> str | None:
    """What dates the newest turn that has a date."""
    if head.dated is None:
        return None
    [kept] = read_turns(transaction, head.conversation, head.dated, head.dated + 1)
    return kept.said.when


# -- its stretches ------------------------------------------------------------------------------------------------


def read_starts(transaction: Transaction, conversation: int, after: int = -1) -> list[int]:
    """Where stretches begin, behind turn ``after``."""
    sql = "SELECT start FROM byheart_stretches WHERE conversation = ? AND start > ? ORDER BY start"
    return [start for (start,) in transaction.rows(sql, conversation, after) if _is_count(start)]


def last_start(transaction: Transaction, conversation: int) -> int:
    """Where the last stretch begins."""
    [(start,)] = transaction.rows("SELECT max(start) FROM byheart_stretches WHERE conversation = ?", conversation)
    return start if _is_count(start) else 0


def write_starts(transaction: Transaction, conversation: int, starts: Iterable[int]) -> None:
    """More of these."""
    transaction.run_many(
        "INSERT INTO byheart_stretches (conversation, start) VALUES (?, ?)", [(conversation, start) for start in starts]
    )


def cut(transaction: Transaction, conversation: int, position: int, *, turns: bool) -> None:
    """Remove the boundaries, and the turns too, from ``position`` on."""
    if turns:
        transaction.run("DELETE FROM byheart_turns WHERE conversation = ? AND position >= ?", conversation, position)
    transaction.run("DELETE FROM byheart_stretches WHERE conversation = ? AND start >= ?", conversation, position)


# -- what was sent ------------------------------------------------------------------------------------------------


def read_sent(transaction: Transaction, head: Head) -> SavedContext | None:
    """What was being sent; None where it may not be sent again."""
    if head.upto is None:
        return None
    rows = transaction.rows(
        "SELECT piece FROM byheart_sent WHERE conversation = ? ORDER BY position", head.conversation
    )
    try:
        pieces = [json.loads(piece) for (piece,) in rows]
        return read_context({"complete": head.complete, "upto": head.upto, "pieces": pieces}, head.turns)
    except (SnapshotError, ValueError, TypeError, RecursionError) as error:
        _damaged(transaction.database, f"what was sent cannot be read ({error})")


def write_sent(
    transaction: Transaction, conversation: int, before: Sequence[Piece] | None, pieces: Sequence[Piece]
) -> None:
    """Write the parts that were not there ``before`` (None: not known), which is all but new ones most of the time."""
    common = 0
    if before is not None:
        common = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(before, pieces, strict=False)))
    if before is None or common < len(before):
        transaction.run("DELETE FROM byheart_sent WHERE conversation = ? AND position >= ?", conversation, common)
    transaction.run_many(
        "INSERT INTO byheart_sent (conversation, position, piece) VALUES (?, ?, ?)",
        [
            (conversation, position, json.dumps(piece.to_dict(), separators=(",", ":")))
            for position, piece in enumerate(pieces[common:], common)
        ],
    )


# -- what others must repeat --------------------------------------------------------------------------------------


class Change(NamedTuple):
    """Something done to a conversation that is no append."""

    kind: str
    position: int


def read_changes(transaction: Transaction, conversation: int, since: int) -> list[Change]:
    """The changes from number ``since`` on."""
    rows = transaction.rows(
        "SELECT kind, position FROM byheart_changes WHERE conversation = ? AND number >= ? ORDER BY number",
        conversation, since,
    )  # fmt: skip
    if not all(_is_count(position) for _, position in rows):
        _damaged(transaction.database, "its changes are not what was written")
    return [Change(*row) for row in rows]


def write_changes(transaction: Transaction, conversation: int, first: int, changes: Sequence[Change]) -> None:
    """Changes, from number ``first`` on."""
    at = now()
    transaction.run_many(
        "INSERT INTO byheart_changes (conversation, number, kind, position, made) VALUES (?, ?, ?, ?, ?)",
        [(conversation, number, change.kind, change.position, at) for number, change in enumerate(changes, first)],
    )
