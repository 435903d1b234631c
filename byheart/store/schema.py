"""The tables of a store, by version, and how an older one becomes a newer one.

What people say is kept as bytes (UTF-8 in which a lone surrogate is written like any other character), because
neither database takes every str as text.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from byheart.store.database import Database, Row

_FIRST: Final = (
    "CREATE TABLE byheart_schema (version {INT} NOT NULL, unscrubbed {INT} NOT NULL)",
    "INSERT INTO byheart_schema (version, unscrubbed) VALUES (0, 0)",
    # turns: how many there are. changes: how many are in byheart_changes. closed, asked: the state of the last stretch.
    # dated: the last turn that has a date. ordered: whether dates may have settled the order of day and month.
    # sent: counts what was sent; sent_upto and sent_complete belong to it, NULL where it may not be sent again.
    """CREATE TABLE byheart_conversations (
        conversation {KEY}, id {BYTES} NOT NULL UNIQUE,
        turns {INT} NOT NULL DEFAULT 0, changes {INT} NOT NULL DEFAULT 0,
        closed {INT} NOT NULL DEFAULT 0, asked {FLOAT} NOT NULL DEFAULT 0,
        dated {INT}, ordered {INT} NOT NULL DEFAULT 0,
        sent {INT} NOT NULL DEFAULT 0, sent_upto {INT} DEFAULT 0, sent_complete {INT} NOT NULL DEFAULT 1,
        created TEXT NOT NULL, changed TEXT NOT NULL)""",
    """CREATE TABLE byheart_turns (
        {ROW} conversation {INT} NOT NULL REFERENCES byheart_conversations, position {INT} NOT NULL,
        role TEXT NOT NULL CHECK (role IN ('user', 'assistant')), text {BYTES} NOT NULL, when_said {BYTES},
        redacted {INT} NOT NULL DEFAULT 0, checksum {INT} NOT NULL, UNIQUE (conversation, position))""",
    # where stretches begin
    """CREATE TABLE byheart_stretches (
        conversation {INT} NOT NULL REFERENCES byheart_conversations, start {INT} NOT NULL,
        PRIMARY KEY (conversation, start))""",
    # what was sent, part by part, as positions of turns in JSON
    """CREATE TABLE byheart_sent (
        conversation {INT} NOT NULL REFERENCES byheart_conversations, position {INT} NOT NULL, piece TEXT NOT NULL,
        PRIMARY KEY (conversation, position))""",
    # everything but appending: what others must repeat who have the conversation in memory
    """CREATE TABLE byheart_changes (
        conversation {INT} NOT NULL REFERENCES byheart_conversations, number {INT} NOT NULL,
        kind TEXT NOT NULL CHECK (kind IN ('truncate', 'redact', 'bounds')), position {INT} NOT NULL,
        made TEXT NOT NULL, PRIMARY KEY (conversation, number))""",
)

MIGRATIONS: Final[list[tuple[str, ...]]] = [_FIRST]
"""What makes version n of version n - 1. A step that was released is never edited."""


def ensure(database: Database) -> None:
    """Bring the tables to the newest version, in one transaction, whoever else tries the same."""
    if _version(database, database.rows) == len(MIGRATIONS):
        return
    with database.writing() as transaction:
        database.lock_schema(transaction)
        for step in MIGRATIONS[_version(database, transaction.rows) :]:
            for statement in step:
                transaction.run(statement.format(**database.types))
        transaction.run("UPDATE byheart_schema SET version = ?", len(MIGRATIONS))
        transaction.commit()


def _version(database: Database, ask: Callable[[str], list[Row]]) -> int:
    if not ask(database.prepared):
        return 0
    rows = ask("SELECT version FROM byheart_schema")
    version = rows[0][0] if len(rows) == 1 else None
    if type(version) is not int or version < 1:
        database.refuse(f"has no sound byheart_schema, expected one row with a version, got {rows!r:.60}")
    if version > len(MIGRATIONS):
        database.refuse(
            f"was written by a newer byheart: its version is {version}, expected at most {len(MIGRATIONS)}; "
            f"pip install --upgrade byheart"
        )
    return version
