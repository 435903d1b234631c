"""The SQLite store: what a kill, a full disk, a damaged file and a redaction leave in its files."""

from __future__ import annotations

import os
import random
import sqlite3
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from byheart import store
from byheart.errors import StoreError
from byheart.store import rows
from byheart.store.database import Transaction
from byheart.store.sqlite import SQLite

VERSION_1 = Path(__file__).with_name("version1.sql")


def contents(folder: Path) -> bytes:
    """Every byte of every file there."""
    return b"".join(path.read_bytes() for path in sorted(folder.iterdir()))


@pytest.fixture
def opened(file: Path) -> Iterator[store.Store]:
    with store.open(file) as chats:
        yield chats


# The file


@pytest.mark.skipif(os.name != "posix", reason="permissions are those of POSIX")
def test_a_new_file_is_its_owners_alone(opened: store.Store, file: Path) -> None:
    opened.conversation("alice").append("user", "hello")
    assert {stat.S_IMODE(path.stat().st_mode) for path in file.parent.iterdir()} == {0o600}


def test_commits_wait_for_the_disk(opened: store.Store) -> None:
    database = opened._database
    found = [
        database.rows(f"PRAGMA {name}") for name in ("synchronous", "journal_mode", "secure_delete", "trusted_schema")
    ]
    assert found == [[(2,)], [("wal",)], [(1,)], [(0,)]]


def test_a_file_that_is_replaced_while_it_is_open_is_noticed(opened: store.Store, file: Path) -> None:
    chat = opened.conversation("alice")
    chat.append("user", "hello")
    file.rename(file.with_name("moved.db"))
    with pytest.raises(StoreError, match="was removed or replaced while it was open"):
        chat.append("user", "lost?")
    with store.open(file) as other:
        other.conversation("alice").append("user", "there")
        with pytest.raises(StoreError, match="was removed or replaced"):
            chat.append("user", "lost?")


def test_a_folder_that_is_not_there_is_an_error_that_says_so(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="cannot make the file: No such file or directory") as caught:
        store.open(tmp_path / "nowhere" / "chats.db")
    assert caught.value.store == str(tmp_path / "nowhere" / "chats.db")
    with pytest.raises(StoreError, match="cannot make the file"):
        store.open("a\0b")
    with pytest.raises(StoreError, match="cannot be opened"):
        store.open(tmp_path)


def test_another_writer_that_takes_long_is_an_error_that_may_be_tried_again(file: Path) -> None:
    with store.open(file, timeout=0.1) as chats, closing(sqlite3.connect(file, isolation_level=None)) as other:
        chat = chats.conversation("alice")
        chat.append("user", "one")
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError, match=r"is in use by others, for longer than 0\.1 s") as caught:
            chat.append("user", "two")
        assert caught.value.retry
        assert len(chat.turns) == 1, "reading does not wait"
        other.execute("ROLLBACK")
        assert chat.append("user", "two") == 1


# What a call touches


def test_appending_writes_a_turn_and_reads_no_others(
    opened: store.Store, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened.conversation("long", languages=()).extend(
        ("user", f"turn {at} of many, as long as they are", "8 May 2023") for at in range(5_000)
    )
    read: list[tuple[int, int]] = []
    whole = rows.read_turns

    def counted(transaction: Transaction, conversation: int, lo: int, hi: int) -> Iterator[rows.Kept]:
        read.append((lo, hi))
        return whole(transaction, conversation, lo, hi)

    monkeypatch.setattr(rows, "read_turns", counted)
    chat = opened.conversation("long", languages=())
    log = file.with_name("chats.db-wal")
    opened._database.rows("PRAGMA wal_checkpoint(TRUNCATE)")
    assert chat.append("user", "one more", "8 May 2023") == 5_000
    assert sum(hi - lo for lo, hi in read) < 50
    assert 0 < log.stat().st_size < 50_000
    size = log.stat().st_size
    assert chat.append("user", "and another", "8 May 2023") == 5_001
    assert log.stat().st_size - size < 50_000
    assert len(chat.turns) == 5_002


def test_composing_writes_only_what_was_not_sent_before(opened: store.Store, monkeypatch: pytest.MonkeyPatch) -> None:
    chat = opened.conversation("alice", budget=100_000)
    chat.extend(("user", f"turn {at}") for at in range(300))
    chat.compose("what?")
    written: list[list[Any]] = []
    whole = Transaction.run_many

    def counted(self: Transaction, sql: str, values: Any) -> None:
        written.append(listed := list(values))
        whole(self, sql, listed)

    monkeypatch.setattr(Transaction, "run_many", counted)
    chat.append("user", "one more")
    chat.append("assistant", "and another")
    written.clear()
    chat.compose("what?")
    assert [len(each) for each in written] == [2]
    written.clear()
    chat.compose("what?")
    assert written == []


def test_a_process_that_only_appends_ends_where_one_that_has_everything_would(file: Path) -> None:
    draw = random.Random(5)
    whens = [None, None, "8 May 2023", "9 May 2023", "soon", ""]
    with store.open(file) as chats:
        whole = chats.conversation("whole", chunk=60)
        for number in range(150):
            turn = ("user", "words " * draw.choice([0, 1, 5, 30]), draw.choice(whens))
            if number == 100:
                turn = ("user", "the order of day and month is known from here on", "29/12/2023")
            whole.append(*turn)
            chats.conversation("tail", chunk=60).append(*turn)
        assert chats.conversation("tail", chunk=60).to_dict() == whole.to_dict()


# Full disks


def fill_up(chat: store.Conversation) -> None:
    for number in range(1_000):
        chat.append("user", f"{number} " + "long enough to fill the disk soon " * 20)


def test_a_full_disk_is_an_error_that_keeps_what_was_there(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    connect = SQLite.connect

    def small(self: SQLite) -> sqlite3.Connection:
        connection = connect(self)
        connection.execute("PRAGMA max_page_count = 60")
        return connection

    monkeypatch.setattr(SQLite, "connect", small)
    with store.open(file) as chats:
        chat = chats.conversation("alice", budget=2_000)
        for number in range(30):
            chat.append("user", f"{number} " + "long enough to fill the disk soon " * 20)
        with pytest.raises(StoreError, match="cannot grow, the disk is full; nothing was changed") as caught:
            fill_up(chat)
        assert caught.value.retry
        kept = chat.turns
        assert 30 < len(kept) < 1_000
        with pytest.raises(StoreError, match="disk is full"):
            chat.extend([("user", "x" * 5_000)] * 3)
        assert chat.turns == kept
        assert chat.compose("what?", dry_run=True)["messages"]
    monkeypatch.setattr(SQLite, "connect", connect)
    with store.open(file) as chats:
        chat = chats.conversation("alice", budget=2_000)
        assert chat.turns == kept
        assert chat.append("user", "room again") == len(kept)


LIMITED = """
import resource, signal, sys
from byheart import store
with store.open(sys.argv[1]) as chats:
    chat = chats.conversation("alice", languages=())
    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1_500_000, hard))
    kept = 0
    try:
        while True:
            kept = chat.append("user", "long enough to reach the limit soon " * 20) + 1
    except store.StoreError as error:
        print(error)
    assert len(chat.turns) == kept, (len(chat.turns), kept)
    resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
    assert chat.append("user", "room again") == kept
    print(kept + 1)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no limits on the size of files there")
def test_a_write_that_the_system_refuses_loses_nothing(file: Path, program: Callable[..., Any]) -> None:
    out, err = program(LIMITED, file).communicate(timeout=120)
    assert err == b""
    message, kept = out.decode().splitlines()
    assert "disk" in message
    with store.open(file) as chats:
        assert len(chats.conversation("alice").turns) == int(kept) > 50


# Damaged files


def built(file: Path) -> list[Any]:
    with store.open(file) as chats:
        chat = chats.conversation("alice", budget=2_000)
        chat.extend(("user", f"{at} words that nobody else would say " * 3, "8 May 2023") for at in range(60))
        chat.compose("who says 7 words?")
        return chat.turns


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (
            b"this is a letter, not a database, and it is long enough to be one" * 20,
            "is no SQLite file, or a damaged one",
        ),
        (b"SQLite format 3\0" + bytes(5_000), "is no SQLite file, or a damaged one"),
    ],
)
def test_a_file_of_something_else_is_left_as_it_is(file: Path, content: bytes, said: str) -> None:
    file.write_bytes(content)
    with pytest.raises(StoreError, match=said):
        store.open(file)
    assert contents(file.parent) == content


def test_a_database_of_something_else_is_left_as_it_is(file: Path) -> None:
    with closing(sqlite3.connect(file)) as other:
        other.execute("CREATE TABLE recipes (name TEXT)")
    before = contents(file.parent)
    with pytest.raises(StoreError, match="is a database of something else, it has the tables recipes; it was left"):
        store.open(file)
    assert contents(file.parent) == before


@pytest.mark.parametrize(
    ("sql", "said"),
    [
        ("UPDATE byheart_turns SET text = x'41' WHERE position = 3", "turn 3 is not what was written"),
        ("UPDATE byheart_turns SET text = 'a str' WHERE position = 3", "turn 3 is not what was written"),
        ("UPDATE byheart_turns SET when_said = NULL WHERE position = 59", "turn 59 is not what was written"),
        ("UPDATE byheart_turns SET role = 'assistant' WHERE position = 0", "turn 0 is not what was written"),
        ("DELETE FROM byheart_turns WHERE position = 5", "turn 5 is missing"),
        ("DELETE FROM byheart_turns WHERE position = 59", "turn 59 is missing"),
        (
            "UPDATE byheart_conversations SET turns = 59, dated = NULL",
            "there are other turns than the 59 it should have",
        ),
        ("UPDATE byheart_conversations SET turns = 'many'", "the row of the conversation is not what was written"),
        ("UPDATE byheart_conversations SET asked = NULL", "NOT NULL"),
        ("UPDATE byheart_sent SET piece = '{' WHERE position = 0", "what was sent cannot be read"),
        ("UPDATE byheart_sent SET piece = '{\"turns\": [[0, 99]]}' WHERE position = 0", "what was sent cannot be read"),
        ("UPDATE byheart_conversations SET sent_upto = 99", "what was sent cannot be read"),
        ("UPDATE byheart_schema SET version = 'x'", "has no sound byheart_schema"),
        ("DELETE FROM byheart_schema", "has no sound byheart_schema"),
        ("DROP TABLE byheart_stretches", "no such table"),
    ],
)
def test_rows_that_are_not_what_was_written_are_an_error_that_says_which(file: Path, sql: str, said: str) -> None:
    built(file)
    with closing(sqlite3.connect(file)) as other:
        if said == "NOT NULL":
            with pytest.raises(sqlite3.IntegrityError, match=said):
                other.execute(sql)
            return
        other.execute(sql)
        other.commit()
    with pytest.raises(StoreError, match=said), store.open(file) as chats:
        chats.conversation("alice", budget=2_000).compose("who?")


def test_boundaries_that_point_nowhere_are_dropped(file: Path) -> None:
    turns = built(file)
    with closing(sqlite3.connect(file)) as other:
        other.execute("UPDATE byheart_stretches SET start = start + 1000 WHERE start > 30")
        other.execute("DELETE FROM byheart_stretches WHERE start = 0")
        other.commit()
    with store.open(file) as chats:
        chat = chats.conversation("alice", budget=2_000)
        assert chat.turns == turns
        assert chat.bounds[0] == 0
        assert max(chat.bounds) <= 30
        assert chat.compose("who says 44 words?")["messages"]


def read(file: Path) -> list[Any]:
    with store.open(file) as chats:
        return list(chats.conversation("alice", budget=2_000).turns)


@pytest.mark.parametrize("share", [0.02, 0.3, 0.7, 0.95])
def test_a_file_that_was_cut_off_is_an_error(file: Path, share: float) -> None:
    built(file)
    whole = file.read_bytes()
    file.write_bytes(whole[: int(len(whole) * share)])
    with pytest.raises(StoreError, match="damaged"):
        read(file)


@given(st.lists(st.tuples(st.floats(0, 1, exclude_max=True), st.integers(1, 255)), min_size=1, max_size=30))
@example([(0.03125, 128)])  # a byte of the schema, which SQLite then quotes
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
def test_a_damaged_file_is_an_error_or_gives_no_other_words(tmp_path: Path, damage: list[tuple[float, int]]) -> None:
    file = tmp_path / "sound" / "chats.db"
    if not file.exists():
        file.parent.mkdir()
        built(file)
    data = bytearray(file.read_bytes())
    for place, flip in damage:
        data[int(place * len(data))] ^= flip
    hurt = tmp_path / "hurt.db"
    for name in ("hurt.db", "hurt.db-wal", "hurt.db-shm"):
        (tmp_path / name).unlink(missing_ok=True)
    hurt.write_bytes(data)
    try:
        with store.open(hurt, timeout=0.1) as chats:
            for listed in chats.conversations():
                found = chats.conversation(listed["id"], budget=2_000)
                for at, turn in enumerate(found.turns):
                    assert turn["text"] == f"{at} words that nobody else would say " * 3
                found.compose("who says 7 words?")
                found.append("user", "one more")
                found.redact(0)
    except StoreError:
        pass


# Redaction


def test_redacted_words_are_in_no_file(opened: store.Store, file: Path) -> None:
    chat = opened.conversation("alice", budget=2_000)
    fill = [("user", f"{at} words that everybody may read " * at) for at in range(60)]
    chat.extend(fill)
    index = chat.append("user", "the password is Quetzalcoatl-7", when="Popocatepetl's day")
    long = chat.append("user", "Xochiquetzal " * 3_000)
    chat.compose("what is the password?")
    chat.extend(fill)
    words = (b"Quetzalcoatl-7", b"Popocatepetl", b"Xochiquetzal")
    assert all(word in contents(file.parent) for word in words)
    chat.redact_all([index, long])
    assert not any(word in contents(file.parent) for word in words)
    with store.open(file) as again:
        other = again.conversation("alice", budget=2_000)
        assert other.turns[index] == {"role": "user", "text": "[redacted]", "when": None}
        assert "Quetzalcoatl" not in repr(other.compose("what is the password?"))
    assert not any(word in contents(file.parent) for word in words)


STEPS = st.lists(
    st.tuples(st.sampled_from(["append", "append", "append", "redact", "truncate", "delete"]), st.integers(0, 10_000)),
    min_size=5, max_size=60,
)  # fmt: skip


@given(STEPS)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=25)
def test_no_history_leaves_redacted_words_in_any_file(tmp_path: Path, steps: list[tuple[str, int]]) -> None:
    """Rows move between pages when others are deleted, and leave copies behind."""
    file = tmp_path / "chats.db"
    for path in tmp_path.iterdir():
        path.unlink()
    gone: list[bytes] = []
    with store.open(file) as chats:
        chats._database.rows("PRAGMA synchronous = OFF")
        for number, (kind, value) in enumerate(steps):
            name = "ab"[value % 2]
            chat = chats.conversation(name, languages=())
            many = [1, 1, 30, 100, 2_000][value % 5]
            if kind == "append":
                chat.extend(("user", f"word{number}x{at} " * many) for at in range(value % 9))
            elif kind == "delete" and name in chats:
                gone += [turn["text"].split(" ")[0].encode() for turn in chat.turns]
                chats.delete(name)
            elif kind == "truncate" and len(chat):
                chat.truncate(max(0, len(chat) - value % 4))
            elif kind == "redact" and len(chat):
                index = value % len(chat)
                gone.append(chat.turns[index]["text"].split(" ")[0].encode())
                chat.redact(index)
        found = contents(tmp_path)
        assert [word for word in gone if word != b"[redacted]" and word + b" " in found] == []
    found = contents(tmp_path)
    assert [word for word in gone if word != b"[redacted]" and word + b" " in found] == []


def test_a_redaction_that_was_interrupted_is_finished_at_the_next_opening(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with store.open(file) as chats:
        chat = chats.conversation("alice")
        chat.extend([("user", "the secret is Quetzalcoatl"), ("assistant", "I see")])
        with monkeypatch.context() as patched:
            patched.setattr(SQLite, "after_redaction", lambda self: None)  # as if it had died here
            chat.redact(0)
        assert b"Quetzalcoatl" in contents(file.parent)
        with store.open(file) as other:
            assert other.conversation("alice").turns[0]["text"] == "[redacted]"
            assert b"Quetzalcoatl" not in contents(file.parent)


def test_a_redaction_that_others_hold_up_says_so_and_can_be_repeated(file: Path) -> None:
    with store.open(file, timeout=0.1) as chats, closing(sqlite3.connect(file, isolation_level=None)) as reader:
        chat = chats.conversation("alice")
        chat.extend([("user", "the secret is Quetzalcoatl"), ("assistant", "I see")])
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM byheart_turns").fetchall()
        with pytest.raises(StoreError, match=r"has redacted it, but the words may still lie .* or scrub\(\)") as caught:
            chat.redact(0)
        assert caught.value.retry
        assert chat.turns[0]["text"] == "[redacted]"
        assert b"Quetzalcoatl" in contents(file.parent)
        reader.execute("ROLLBACK")
        chat.redact(0)
        assert b"Quetzalcoatl" not in contents(file.parent)


def test_deleted_words_are_in_no_file(opened: store.Store, file: Path) -> None:
    for name in ("alice", "bob"):
        chat = opened.conversation(name)
        chat.extend(("user", f"{name} has Quetzalcoatl{at} " * 20) for at in range(30))
    opened.delete("alice")
    assert b"alice" not in contents(file.parent)
    assert contents(file.parent).count(b"bob has Quetzalcoatl7 ") == 20


# Versions


def test_a_store_of_version_1_is_read(file: Path) -> None:
    with closing(sqlite3.connect(file)) as old:
        old.executescript(VERSION_1.read_text("ascii"))
    with store.open(file) as chats:
        assert [(each["id"], each["turns"]) for each in chats.conversations()] == [("alice", 12), ("b\ud800\0b", 1)]
        chat = chats.conversation("alice", budget=600)
        assert chat.turns[3] == {"role": "assistant", "text": "[redacted]", "when": "8 May 2023"}
        assert chat.turns[4] == {"role": "user", "text": "half \ud83d and \0", "when": "9 May 2023"}
        assert chat.bounds == [0, 4, 8]
        composed = chat.compose("which trombone?")
        assert not composed["reselected"]
        assert composed["messages"][0]["parts"][0]["text"].startswith(
            "[from earlier in the conversation]\n[8 May 2023]\n"
        )
        assert chat.append("user", "still here") == 12
    with store.open(file) as chats:
        assert chats.conversation("b\ud800\0b").turns == [{"role": "user", "text": "hello", "when": None}]
