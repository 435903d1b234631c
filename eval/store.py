"""What a store promises, tried: nothing acknowledged is lost, and everyone sees one order.

Kills: a process appends, composes and redacts as fast as it can and is ended by SIGKILL somewhere in the middle; the
store is opened again and must hold every turn that was acknowledged, in its place, and of what was redacted nothing
in any of its files. Crashes: the same with the PostgreSQL server ended at once instead of its client. Writers: several
processes append to one conversation at the same time. Growth: what one call costs where there is little, and where
there is much.

PostgreSQL is started here, where its programs and psycopg are installed; else its rows are left out, with a note.
"""

from __future__ import annotations

import argparse
import collections
import contextlib
import itertools
import json
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from byheart import store
from byheart.log import Said
from byheart.store import rows

from . import postgres
from .data import ROOT
from .result import Result, Table, say
from .store_hands import said, secret

_numbers = itertools.count()
_KILLS: Final = ("store", "killed", "rounds", "turns acknowledged", "of them lost", "redacted", "found again")
_KILLS_NOTE: Final = (
    "Every round ends a process with SIGKILL, or the server with SIGQUIT, at a random moment, opens the store again "
    "and compares it with what was acknowledged. Found again: words that were redacted, in any file of the SQLite "
    "store, or in a row of the PostgreSQL store."
)
_WRITERS: Final = ("store", "processes", "turns acknowledged", "of them lost", "different orders", "turns a second")
_WRITERS_NOTE: Final = "Each appends its share as fast as it can, then reads all turns: there must be one order."
_GROWTH: Final = ("store", "turns there", "first append, ms", "append, ms", "KB an append", "export, s", "redact, s")
_GROWTH_NOTE: Final = (
    "Medians. First append: of a conversation that was just opened. KB an append: what the log of SQLite grows by. "
    "Redact: in a conversation that is in memory; SQLite writes its file anew for it."
)

NAME = "store"
HELP = "kills survived, writers that lose nothing, and what a call costs in a long conversation"
SLOW = True


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--kills", type=int, default=200, help="rounds in which the process is killed; 200")
    parser.add_argument("--crashes", type=int, default=20, help="rounds in which the server is; 20")
    parser.add_argument("--writers", type=int, default=8, help="processes on one conversation; 8")
    parser.add_argument("--turns", type=int, default=10_000, help="that they append together; 10,000")
    parser.add_argument("--long", type=int, default=1_000_000, help="turns of the long conversation; 1,000,000")
    parser.add_argument("--only", choices=["kills", "writers", "growth"], action="append", help="leave out the rest")


def run(options: argparse.Namespace) -> Result:
    found = Result(NAME)
    chosen = options.only or ["kills", "writers", "growth"]
    scale = 20 if options.quick else 1
    draw = random.Random(options.seed)
    with places(found) as (folder, server):
        kinds: dict[str, Callable[[], str]] = {"SQLite": lambda: str(folder / f"{next(_numbers)}" / "chats.db")}
        if server is not None:
            kinds["PostgreSQL"] = server.place
        if "kills" in chosen:
            found.tables.append(Table("Kills survived", _KILLS, note=_KILLS_NOTE))
            for kind, place in kinds.items():
                kills(found, kind, place(), max(5, options.kills // scale), draw)
            if server is not None:
                kills(found, "PostgreSQL", server.place(), max(2, options.crashes // scale), draw, server)
        if "writers" in chosen:
            found.tables.append(Table("Several processes, one conversation", _WRITERS, note=_WRITERS_NOTE))
            for kind, place in kinds.items():
                writers(found, kind, place(), options.writers, options.turns // scale)
        if "growth" in chosen:
            found.tables.append(Table("What a call costs", _GROWTH, note=_GROWTH_NOTE))
            for kind, place in kinds.items():
                for turns in (1_000, options.long // scale):
                    growth(found, kind, place(), turns)
    return found


@contextlib.contextmanager
def places(found: Result) -> Iterator[tuple[Path, postgres.Server | None]]:
    """A folder for SQLite stores, and a server for the others, if there can be one."""
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        try:
            server = stack.enter_context(postgres.running())
        except postgres.ServerMissingError as error:
            found.notes.append(f"PostgreSQL was left out: {error}")
            server = None
        yield folder, server


def hand(*argv: object) -> subprocess.Popen[str]:
    """A process that does one of the jobs of ``store_hands``."""
    return subprocess.Popen(
        [sys.executable, "-m", "eval.store_hands", *map(str, argv)],
        cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        stderr=subprocess.DEVNULL,  # a server that is ended makes it complain
    )  # fmt: skip


# -- kills --------------------------------------------------------------------------------------------------------


def kills(
    found: Result,
    kind: str,
    address: str,
    rounds: int,
    draw: random.Random,
    server: postgres.Server | None = None,
    *,
    longest: float = 2.0,
) -> None:
    """``rounds`` of ending a process, or ``server``, in the middle of its work, after ``longest`` seconds at most."""
    if kind == "SQLite":
        Path(address).parent.mkdir()
    kept: dict[str, dict[int, str]] = collections.defaultdict(dict)  # by conversation: texts by index
    gone: list[str] = []
    lost = again = 0
    for number in range(rounds):
        name, who = f"conversation {number // 20}", f"{number}"
        lines = killed(address, name, who, longest, draw, server)
        for job, index, what in (line.split() for line in lines if line != "compose"):
            if job == "append":
                kept[name][int(index)] = "" if what == "secret" else said(who, int(what))
            else:
                kept[name][int(index)] = "[redacted]"
                gone.append(secret(who, int(what)))
        with store.open(address) as opened:
            if name in opened:
                lost += missing(opened, name, kept[name])
            words = everything(kind, address, opened)
            again += sum(word in words for word in gone[-50:])
        say(f"{kind}: round {number + 1} of {rounds}, {len(kept[name])} turns, {lost} lost")
    with store.open(address) as opened:
        lost = sum(missing(opened, name, texts) for name, texts in kept.items())
        words = everything(kind, address, opened)
        again += sum(word in words for word in gone)
    if kind == "SQLite":
        with contextlib.closing(sqlite3.connect(address)) as connection:
            [(sound,)] = connection.execute("PRAGMA integrity_check").fetchall()
        if sound != "ok":
            found.failures.append(f"the SQLite file is not sound after {rounds} kills: {sound}")
    acknowledged = sum(map(len, kept.values()))
    victim = "server" if server else "process"
    found.tables[-1].add(kind, victim, rounds, acknowledged, lost, len(gone), again)
    found.figures[f"{kind} {victim} kills"] = rounds
    found.figures[f"{kind} turns lost in {victim} kills"] = lost
    if lost or again:
        found.failures.append(
            f"{kind}, {victim} killed: {lost} of {acknowledged} turns lost, {again} redacted words found again"
        )


def killed(
    address: str, name: str, who: str, longest: float, draw: random.Random, server: postgres.Server | None
) -> list[str]:
    """What a process was told before it, or the server, was killed."""
    process = hand("live", address, name, who)
    assert process.stdout is not None
    first = process.stdout.readline() if draw.random() < 0.9 else ""  # else perhaps while it is still opening
    time.sleep(draw.uniform(0.0, longest))
    if server is None:
        process.send_signal(signal.SIGKILL)
    else:
        server.crash()
    rest = process.communicate()[0]
    if server is not None:
        server.start()
    whole, _, _ = (first + rest).rpartition("\n")
    return whole.split("\n") if whole else []


def missing(opened: store.Store, name: str, texts: dict[int, str]) -> int:
    """How many of ``texts`` are not where they were acknowledged; "" stands for any secret, redacted or not."""
    turns = [json.loads(line)["content"] for line in opened.export(name)]
    lost = 0
    for index, text in texts.items():
        there = turns[index] if index < len(turns) else ""
        lost += there != text if text else not there.startswith(("forget ", "[redacted]"))
    return lost


def everything(kind: str, address: str, opened: store.Store) -> str:
    """All that can be read where the store is: every byte of its files, or every row."""
    if kind == "SQLite":
        return b"".join(path.read_bytes() for path in Path(address).parent.iterdir()).decode("latin-1")
    return "".join(line for listed in opened.conversations() for line in opened.export(listed["id"]))


# -- writers ------------------------------------------------------------------------------------------------------


def writers(found: Result, kind: str, address: str, processes: int, turns: int) -> None:
    """``processes`` that append ``turns`` together."""
    if kind == "SQLite":
        Path(address).parent.mkdir()
    share = turns // processes
    total = share * processes
    say(f"{kind}: {processes} processes, {total} turns")
    started = [hand("write", address, "shared", f"writer-{which}", share, total) for which in range(processes)]
    for process in started:
        assert process.stdout is not None
        process.stdout.readline()
    begun = time.perf_counter()
    for process in started:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    told = [process.communicate()[0].split("\n")[:-1] for process in started]
    seconds = time.perf_counter() - begun
    with store.open(address) as opened:
        order = [json.loads(line)["content"] for line in opened.export("shared")]
    lost = acknowledged = 0
    orders = set()
    for which, lines in enumerate(told):
        before = -1
        for line in lines:
            job, index, what = line.split()
            if job == "order":
                orders.add((index, what))
                continue
            acknowledged += 1
            sound = before < int(index) < len(order) and order[int(index)] == said(f"writer-{which}", int(what))
            lost += not sound
            before = int(index)
    found.tables[-1].add(kind, processes, acknowledged, lost, len(orders), round(total / seconds))
    found.figures[f"{kind} turns by {processes} writers"] = acknowledged
    found.figures[f"{kind} turns lost by {processes} writers"] = lost
    if lost or acknowledged != total or len(order) != total or len(orders) != 1:
        found.failures.append(
            f"{kind}, {processes} writers: {acknowledged} of {total} acknowledged, {lost} lost, {len(order)} there, "
            f"{len(orders)} orders"
        )


# -- growth -------------------------------------------------------------------------------------------------------


def growth(found: Result, kind: str, address: str, turns: int) -> None:
    """What calls cost in a conversation of so many turns."""
    if kind == "SQLite":
        Path(address).parent.mkdir()
    say(f"{kind}: filling {turns} turns")
    with store.open(address) as opened:
        fill(opened, "long", turns)
        first = [timed(lambda: opened.conversation("long").append("user", "one more")) for _ in range(20)]
        chat = opened.conversation("long")
        chat.append("user", "one more")
        log = Path(address + "-wal")
        if kind == "SQLite":
            opened._database.rows("PRAGMA wal_checkpoint(TRUNCATE)")
        single = [timed(lambda: chat.append("user", "a turn of a hundred characters. " * 3)) for _ in range(200)]
        written = log.stat().st_size / 200 / 1000 if kind == "SQLite" else None
        export = timed(lambda: collections.deque(opened.export("long"), maxlen=0))
        plain = opened.conversation("long", languages=())
        len(plain.turns)
        redact = timed(lambda: plain.redact(turns // 2))
    found.tables[-1].add(
        kind, turns, round(median(first) * 1000, 2), round(median(single) * 1000, 2),
        None if written is None else round(written, 1), round(export, 2), round(redact, 2),
    )  # fmt: skip


def fill(opened: store.Store, name: str, turns: int) -> None:
    """A conversation as it would have come to be, written at once: a stretch begins at every third turn."""
    opened.conversation(name).append("user", "the first")
    database = opened._database
    with database.writing() as transaction:
        head = rows.head(transaction, rows.check_id(name), hold=True)
        assert head is not None
        roles = ("user", "assistant")
        more = [Said(roles[at % 2], f"turn {at} of many, as long as most are", None) for at in range(1, turns)]
        rows.write_turns(transaction, head.conversation, 1, more)
        rows.write_starts(transaction, head.conversation, list(range(3, turns, 3)))
        rows.write_head(transaction, head._replace(turns=turns))
        transaction.commit()


def timed(call: Callable[[], object]) -> float:
    begun = time.perf_counter()
    call()
    return time.perf_counter() - begun


def median(values: list[float]) -> float:
    return sorted(values)[len(values) // 2]
