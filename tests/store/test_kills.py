"""The benchmark of kills and of writers, in small: what it promises holds, and it would notice if it did not."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from byheart import store
from eval import postgres, store_hands
from eval import store as benchmark
from eval.result import Result, Table


@pytest.fixture
def found() -> Result:
    return Result("store", tables=[Table("Kills survived", benchmark._KILLS)])


def test_a_killed_process_loses_no_acknowledged_turn_in_sqlite(found: Result, file: Path) -> None:
    file.parent.rmdir()
    benchmark.kills(found, "SQLite", str(file), 8, random.Random(3), longest=0.4)
    assert found.failures == []
    [row] = found.tables[0].rows
    assert row[:3] == ["SQLite", "process", 8]
    assert int(str(row[3])) > 20


def test_a_killed_process_loses_no_acknowledged_turn_in_postgresql(found: Result, server: postgres.Server) -> None:
    benchmark.kills(found, "PostgreSQL", server.place(), 3, random.Random(3), longest=0.4)
    assert found.failures == []
    assert int(str(found.tables[0].rows[0][3])) > 5


def test_a_turn_that_is_lost_and_a_word_that_comes_back_are_noticed(
    found: Result, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file.parent.rmdir()

    def killed(address: str, name: str, *rest: Any) -> list[str]:
        with store.open(address) as chats:
            chats.conversation(name).append("user", f"forget {store_hands.secret('0', 20)}")
        return ["append 0 secret", "append 1 2", "redact 0 20"]

    monkeypatch.setattr(benchmark, "killed", killed)
    benchmark.kills(found, "SQLite", str(file), 1, random.Random(3))
    assert found.failures == ["SQLite, process killed: 2 of 2 turns lost, 2 redacted words found again"]


def test_writers_that_lose_nothing_are_found_to(found: Result, file: Path) -> None:
    file.parent.rmdir()
    found.tables = [Table("Several processes", benchmark._WRITERS)]
    benchmark.writers(found, "SQLite", str(file), 2, 20)
    assert found.failures == []
    assert found.tables[0].rows[0][:5] == ["SQLite", 2, 20, 0, 1]
