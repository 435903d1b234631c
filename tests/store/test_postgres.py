"""The PostgreSQL store: what a server that goes, waits or refuses does to a conversation, and what it keeps."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from byheart import store
from byheart.cli import main
from byheart.errors import StoreError
from byheart.store.postgres import named
from eval import postgres


@pytest.fixture
def place(server: postgres.Server) -> str:
    """Where a new store can be made on the server."""
    return server.place()


@pytest.fixture
def own() -> Iterator[postgres.Server]:
    """A server that the test may end."""
    with ExitStack() as stack:
        try:
            yield stack.enter_context(postgres.running())
        except postgres.ServerMissingError as error:
            pytest.skip(str(error))


def sql(server: postgres.Server, statement: str) -> list[Any]:
    import psycopg

    with psycopg.connect(server.address, autocommit=True) as connection:
        cursor = connection.execute(statement.encode())
        return cursor.fetchall() if cursor.description else []


# The address


def test_without_psycopg_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(StoreError, match=r"postgresql://host/chats needs psycopg.*pip install 'byheart\[postgres\]'"):
        store.open("postgresql://host/chats")


@pytest.mark.parametrize(
    ("address", "name"),
    [
        ("postgresql://alice:secret@db.example:5433/chats?sslmode=require", "postgresql://alice@db.example:5433/chats"),
        ("postgres://db.example/chats?user=alice&password=secret", "postgres://db.example/chats"),
        ("postgresql://alice:sec@ret@db.example/chats", "postgresql://alice@db.example/chats"),
        ("postgresql:///chats?host=/run/postgresql", "postgresql:///chats"),
        ("postgresql://alice:secret@[::1/chats", "the PostgreSQL database"),
    ],
)
def test_a_store_is_named_without_its_password(address: str, name: str) -> None:
    assert named(address) == name


@pytest.mark.usefixtures("server")
@pytest.mark.parametrize(
    "address",
    [
        "postgresql://alice:secret@[::1/chats",
        "postgresql://alice:secret@localhost:x/chats",
        "postgresql://alice:secret%@localhost/chats",
        "postgresql://alice:secret@localhost:1/chats?connect_timeout=2",
        "postgresql://alice:secret@localhost/chats?nonsense=secret",
        "postgresql://alice:secret@local\ud800host/chats",
        "postgresql://alice:secret@local\0host/chats",
    ],
)
def test_no_error_shows_the_password(address: str) -> None:
    with pytest.raises(StoreError) as caught:
        store.open(address, timeout=2)
    error: BaseException | None = caught.value
    while error is not None and not error.__suppress_context__:
        assert "secret" not in f"{error} {getattr(error, 'store', '')}"
        error = error.__cause__


# A server that goes


def test_a_server_that_was_restarted_is_found_again(own: postgres.Server) -> None:
    with store.open(own.place(), timeout=5) as chats:
        chat = chats.conversation("alice", budget=2_000)
        chat.append("user", "before")
        own.crash()
        with pytest.raises(StoreError, match=r"cannot be reached .* nothing was changed") as caught:
            chat.append("user", "while it is away")
        assert caught.value.retry
        with pytest.raises(StoreError, match="cannot be reached"):
            chat.compose("what?")
        own.start()
        assert chat.append("user", "after") == 1
        assert [turn["text"] for turn in chat.turns] == ["before", "after"]


def test_a_connection_that_broke_while_it_lay_idle_goes_unnoticed(server: postgres.Server, place: str) -> None:
    with store.open(place) as chats:
        chat = chats.conversation("alice")
        chat.append("user", "one")
        end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND usename <> ''"
        sql(server, end)
        assert chat.append("user", "two") == 1
        sql(server, end)
        assert len(chat.turns) == 2


def test_what_breaks_while_committing_is_not_called_undone(
    place: str, server: postgres.Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    with store.open(place) as chats:
        chat = chats.conversation("alice")
        chat.append("user", "one")
        database: Any = chats._database
        commit = type(database).commit

        def broken(self: Any, connection: Any) -> None:
            commit(self, connection)
            connection.close()
            connection.execute("SELECT 1")  # the answer to the commit was lost

        with monkeypatch.context() as patched:
            patched.setattr(type(database), "commit", broken)
            with pytest.raises(StoreError, match="whether the last call was kept shows in the turns") as caught:
                chat.append("user", "two")
        assert not caught.value.retry
        assert [turn["text"] for turn in chat.turns] == ["one", "two"]
        assert chat.append("user", "three") == 2


# A server that waits or refuses


def test_another_writer_that_takes_long_is_an_error_that_may_be_tried_again(
    server: postgres.Server, place: str
) -> None:
    import psycopg

    with store.open(place, timeout=0.2) as chats, psycopg.connect(place) as other:
        chat = chats.conversation("alice")
        chat.append("user", "one")
        other.execute("SELECT 1 FROM byheart_conversations FOR UPDATE")
        with pytest.raises(
            StoreError, match=r"is in use, a row was locked .* nothing was changed, try again"
        ) as caught:
            chat.append("user", "two")
        assert caught.value.retry
        assert len(chat.turns) == 1, "reading does not wait"
        assert chats.conversation("bob").append("user", "nor do other conversations") == 0
        other.rollback()
        assert chat.append("user", "two") == 1


def test_two_conversations_do_not_wait_for_each_other(place: str) -> None:
    with store.open(place, timeout=0.2) as chats:
        chats.conversation("alice").append("user", "one")
        chats.conversation("bob").append("user", "one")

        def meanwhile(turns: Any) -> list[int]:
            chats.conversation("bob").append("assistant", "meanwhile")
            return []

        chats.conversation("alice", chunk=10, boundaries=meanwhile).append("user", "long enough to be a stretch")
        assert len(chats.conversation("bob")) == 2


def test_a_user_who_may_only_read_can_read(server: postgres.Server, place: str) -> None:
    schema = place.rpartition("%3D")[2]
    with store.open(place) as chats:
        chats.conversation("alice").append("user", "hello")
    sql(server, f"CREATE ROLE {schema} LOGIN")
    sql(server, f"GRANT USAGE ON SCHEMA {schema} TO {schema}")
    sql(server, f"GRANT SELECT ON ALL TABLES IN SCHEMA {schema} TO {schema}")
    with store.open(place.replace("byheart@", f"{schema}@")) as chats:
        chat = chats.conversation("alice")
        assert chat.turns[0]["text"] == "hello"
        assert chat.compose("what?", dry_run=True)["included"] == [0]
        with pytest.raises(StoreError, match=r"does not permit it \(permission denied"):
            chat.append("user", "no")
        assert len(chat) == 1


def test_a_server_that_may_lose_commits_is_asked_not_to(server: postgres.Server, place: str) -> None:
    address = place.replace("&options=", "&options=-csynchronous_commit%3Doff%20")
    with store.open(address) as chats:
        assert chats._database.rows("SHOW synchronous_commit") == [("off",)]
        with chats._database.writing() as transaction:
            assert transaction.rows("SHOW synchronous_commit") == [("on",)]


# Redaction


def test_scrubbing_removes_redacted_words_from_the_tables_files(server: postgres.Server, place: str) -> None:
    def found() -> list[Path]:
        sql(server, "CHECKPOINT")
        files = [path for path in (server.data / "base").rglob("*") if path.is_file()]
        return [path for path in files if b"Quetzalcoatl-77" in path.read_bytes()]

    with store.open(place) as chats:
        chat = chats.conversation("alice")
        chat.extend([("user", "the secret is Quetzalcoatl-77"), ("assistant", "I see")])
        assert found()
        chat.redact(0)
        assert b"Quetzal" not in b"".join(text for (text,) in chats._database.rows("SELECT text FROM byheart_turns"))
        chats.scrub()
        assert not found()
        assert chat.turns[0]["text"] == "[redacted]"


# The command line


def test_the_commands_work_on_postgresql(place: str, capsys: pytest.CaptureFixture[str]) -> None:
    def run(*argv: object) -> str:
        assert main([str(word) for word in argv]) == 0
        return capsys.readouterr().out

    assert (
        run("append", place, "We keep the marmot in the cellar.", "--conversation", "alice")
        == "alice: turn 0 appended\n"
    )
    assert run("append", place, "What is its code, 4711?", "--role", "assistant") == "alice: turn 1 appended\n"
    assert "marmot in the cellar" in run("search", place, "marmot")
    assert run("compose", place, "where is the marmot?").startswith("passthrough")
    assert run("redact", place, 1) == "alice: redacted\n"
    assert run("export", place).splitlines()[1] == '{"role": "assistant", "content": "[redacted]"}'
    assert run("list", place).splitlines()[1].split()[:2] == ["alice", "2"]
    assert run("delete", place, "--conversation", "alice") == "alice: deleted\n"
    assert len(run("list", place).splitlines()) == 1
