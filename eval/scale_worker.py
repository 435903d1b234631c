"""One memory or index at one size, in a process of its own: ``python -m eval.scale_worker SYSTEM TURNS TEXT``.

Prints a line of JSON with what each step took, in seconds of processor time, and what the process came to hold.
"""

from __future__ import annotations

import argparse
import contextlib
import datetime
import functools
import gc
import json
import os
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol

from . import data, peers, zipf

TURNS_A_DAY = 200
_FIRST = datetime.date(2020, 1, 1)
_ROUNDS = 40  # of a step that is measured several times, at most
_LEAST = 3  # and at least, however long one takes
_TOP = 50  # texts that an index is asked for


class Source(Protocol):
    """Where turns and questions come from."""

    def turn(self) -> str: ...

    def question(self) -> str: ...


class System(Protocol):
    """What is measured: turns in, an answer to a question out."""

    def append(self, number: int, text: str) -> None: ...

    def ask(self, question: str) -> None: ...

    def save(self, folder: Path) -> None: ...

    def load(self, folder: Path) -> None: ...

    def close(self) -> None: ...


class Whole:
    """A memory, byheart's or the original: the same calls."""

    def __init__(self, memory: Any) -> None:
        self._class = memory
        self._memory = memory()

    def append(self, number: int, text: str) -> None:
        day = _FIRST + datetime.timedelta(days=number // TURNS_A_DAY)
        self._memory.append("assistant" if number % 2 else "user", text, when=day.isoformat())

    def ask(self, question: str) -> None:
        self._memory.compose(question)

    def save(self, folder: Path) -> None:
        with (folder / "memory.json").open("w", encoding="utf-8") as file:
            json.dump(self._memory.to_dict(), file)

    def load(self, folder: Path) -> None:
        del self._memory
        with (folder / "memory.json").open(encoding="utf-8") as file:
            self._memory = self._class.from_dict(json.load(file))

    def close(self) -> None:
        del self._memory


class Unsaved:
    """What keeps nothing of its own beyond the process."""

    def save(self, folder: Path) -> None:
        raise NotImplementedError

    def load(self, folder: Path) -> None:
        raise NotImplementedError


class Refitted(Unsaved):
    """An index that has to be made anew for every change: rank-bm25, bm25s."""

    def __init__(self, ranking: Callable[[list[str]], peers.Rank]) -> None:
        self._ranking = ranking
        self._texts: list[str] = []
        self._rank: peers.Rank | None = None

    def append(self, number: int, text: str) -> None:
        self._texts.append(text)
        self._rank = None

    def ask(self, question: str) -> None:
        if self._rank is None:
            self._rank = self._ranking(self._texts)
        self._rank(question)[:_TOP]

    def close(self) -> None:
        self._texts.clear()


class FullText(Unsaved):
    """A table of SQLite FTS5 in a file, a row a turn, committed each."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory()
        self._database = sqlite3.connect(Path(self._folder.name) / "turns.db", isolation_level=None)
        self._database.execute("PRAGMA journal_mode = WAL")
        self._database.execute("PRAGMA synchronous = NORMAL")
        self._database.execute("CREATE VIRTUAL TABLE turn USING fts5(text, tokenize = 'porter unicode61')")

    def append(self, number: int, text: str) -> None:
        self._database.execute("INSERT INTO turn(rowid, text) VALUES (?, ?)", (number + 1, text))

    def ask(self, question: str) -> None:
        self._database.execute(
            "SELECT text FROM turn WHERE turn MATCH ? ORDER BY rank LIMIT ?", (peers.any_word(question), _TOP)
        ).fetchall()

    def close(self) -> None:
        self._database.close()
        self._folder.cleanup()


def _byheart() -> System:
    from byheart import Memory

    return Whole(Memory)


def _original() -> System:
    from yait_byheart import Memory

    return Whole(Memory)


SYSTEMS: dict[str, Callable[[], System]] = {
    "byheart": _byheart,
    "yait-byheart 0.1.1": _original,
    "rank-bm25": lambda: Refitted(peers.okapi),
    "bm25s": lambda: Refitted(peers.bm25s),
    "SQLite FTS5": FullText,
}


def source(name: str, seed: int, locomo: str | None) -> Source:
    """Zipf's text, or LoCoMo over and over."""
    if name == "zipf":
        return zipf.Text(seed)
    conversations = data.load(locomo)
    turns = [text for conversation in conversations for _, text, _ in conversation.rows()]
    return zipf.Tiled(turns, [q.text for conversation in conversations for q in conversation.questions], seed)


def resident() -> int:
    """Bytes this process holds in memory."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def measure(system: System, said: Source, turns: int, seconds: float) -> dict[str, float]:
    """What each step takes, and how much memory the process gains until the first question is answered."""
    questions = [said.question() for _ in range(_ROUNDS)]
    gc.collect()
    before = resident()
    took: dict[str, float] = {"characters": 0}
    spent = 0.0
    for number in range(turns):
        text = said.turn()
        took["characters"] += len(text)
        started = time.process_time()
        system.append(number, text)
        spent += time.process_time() - started
    took["append"] = spent / turns
    took["first"] = _seconds(lambda: system.ask(questions[0]))
    gc.collect()
    took["resident"] = resident() - before
    warm = [_seconds(functools.partial(system.ask, question)) for question in _while(questions, seconds)]
    took["warm"] = statistics.median(warm)

    def exchange(number: int, question: str, texts: Sequence[str]) -> None:
        for at, text in enumerate(texts):
            system.append(number + at, text)
        system.ask(question)

    both = [
        _seconds(functools.partial(exchange, turns + 2 * at, question, (said.turn(), said.turn())))
        for at, question in enumerate(_while(questions, seconds))
    ]
    took["both"] = statistics.median(both)
    took["slowest"] = max(both)
    with tempfile.TemporaryDirectory() as folder:
        try:
            took["save"] = _seconds(lambda: system.save(Path(folder)))
            took["load"] = _seconds(lambda: system.load(Path(folder)))
            took["loaded"] = _seconds(lambda: system.ask(questions[0]))
        except NotImplementedError:
            pass
    return took


def _while(questions: list[str], seconds: float) -> Iterator[str]:
    started = time.perf_counter()
    for at, question in enumerate(questions):
        if at >= _LEAST and time.perf_counter() - started > seconds:
            return
        yield question


def _seconds(work: Callable[[], Any]) -> float:
    started = time.process_time()
    work()
    return time.process_time() - started


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m eval.scale_worker")
    parser.add_argument("system", choices=SYSTEMS)
    parser.add_argument("turns", type=int)
    parser.add_argument("text", choices=("zipf", "locomo"))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=15.0, help="for the rounds of one step")
    parser.add_argument("--data")
    options = parser.parse_args()
    said = source(options.text, options.seed, options.data)
    said.turn()  # what it needs is there before memory is measured
    with contextlib.closing(SYSTEMS[options.system]()) as system:
        json.dump(measure(system, said, options.turns, options.seconds), sys.stdout)


if __name__ == "__main__":
    main()
