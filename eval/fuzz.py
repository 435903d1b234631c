"""Inputs of every kind, by the hundred thousand: nothing comes out but what is documented, and no word is lost.

Each target (:mod:`eval.fuzz_targets`) draws inputs one after the other, each from a generator seeded with its number, so
that ``--only TARGET --number N`` makes any of them again. Beside that, how the time grows with the size of one text, of
a date and of a file. ``--coverage-guided`` has atheris look for more in the readers, where it is installed.
"""

from __future__ import annotations

import argparse
import io
import itertools
import json
import random
import re
import subprocess
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Callable
from typing import Final

from byheart import Memory
from byheart.readers import read_chat

from . import fuzz_inputs
from .data import ROOT
from .fuzz_targets import TARGETS, date_text
from .result import Result, Table, say

NAME = "fuzz"
HELP = "inputs of every kind: only documented errors, no word lost, no quadratic time"
SLOW = True

_TRIED: Final = ("input", "tried", "taken", "refused", "not as documented", "what may come out")
_TRIED_NOTE: Final = (
    "Taken: it worked, and every promise that can be checked held. Refused: by one of the errors in the last column. "
    "Lives are whole conversations of up to 24 steps."
)
_GROWTH_NOTE: Final = (
    "How many times as long (time of the processor, least of up to three runs) ten times the text takes: 10 is linear. "
    "Ingest: append and the first question. Ask: the text as question to 200 turns. Date: as `when` and among dates. "
    "File: as a chat file. A cell is empty where the smaller took less than a millisecond. Where a short text is "
    "looked at in a quicker way than a long one, the first step is steeper."
)
_SIZES: Final = (10_000, 100_000, 1_000_000)
_MOST: Final = 60.0  # seconds of one call, after which a larger size is not tried
_LEAST: Final = 0.001


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--seconds", type=float, default=60, help="for each target; 60")
    parser.add_argument("--only", choices=[*TARGETS, "growth"], action="append", help="leave out the rest")
    parser.add_argument("--number", type=int, help="try this input alone, and show what comes of it")
    parser.add_argument("--coverage-guided", action="store_true", help="have atheris look too (pip install atheris)")


def run(options: argparse.Namespace) -> Result:
    found = Result(NAME)
    chosen = options.only or [*TARGETS, "growth"]
    if options.number is not None:
        TARGETS[chosen[0]][0](drawn(options.seed, chosen[0], options.number))
        return found
    seconds = 1.0 if options.quick else options.seconds
    table = Table("Inputs tried", _TRIED, note=_TRIED_NOTE)
    found.tables.append(table)
    for name in TARGETS:
        if name in chosen:
            tried(found, table, name, options.seed, seconds)
    found.figures["inputs tried"] = sum(int(str(row[1])) for row in table.rows)
    found.figures["inputs with another outcome than documented"] = sum(int(str(row[4])) for row in table.rows)
    if options.coverage_guided:
        guided(found, options.seed, seconds)
    if "growth" in chosen:
        growth(found, _SIZES[:2] if options.quick else _SIZES)
    return found


def drawn(seed: int, name: str, number: int) -> random.Random:
    """What draws input ``number`` of a target."""
    return random.Random(f"{seed}/{name}/{number}")


def tried(found: Result, table: Table, name: str, seed: int, seconds: float) -> None:
    """One target, for so many seconds."""
    say(f"{name}: {seconds:g} s")
    target, allowed = TARGETS[name]
    taken = refused = wrong = number = 0
    until = time.monotonic() + seconds
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        while time.monotonic() < until:
            try:
                if target(drawn(seed, name, number)):
                    taken += 1
                else:
                    refused += 1
            except Exception as error:
                wrong += 1
                if wrong <= 5:
                    where = traceback.extract_tb(error.__traceback__)[-1]
                    found.failures.append(
                        f"{name}, input {number}: {type(error).__name__} in {where.name}, line {where.lineno}: "
                        f"{str(error)[:200]!r}"
                    )
            number += 1
    table.add(name, number, taken, refused, wrong, allowed)


# -- guided by coverage -------------------------------------------------------------------------------------------


def guided(found: Result, seed: int, seconds: float) -> None:
    """The readers under atheris, each in a process of its own, which it ends."""
    table = Table(
        "Inputs tried by atheris",
        ("reader", "tried", "branches reached", "not as documented"),
        note="Guided by coverage: an input that reaches new code is kept and changed further.",
    )
    found.tables.append(table)
    total = 0
    for name in ("snapshots", "chat files", "dates", "message lists"):
        say(f"{name}, guided by coverage: {seconds:g} s")
        with tempfile.TemporaryDirectory() as folder:
            ran = subprocess.run(
                [sys.executable, "-m", "eval.fuzz_guided", name, str(int(max(1, seconds))), str(seed), folder],
                cwd=ROOT, capture_output=True, text=True, errors="replace", check=False,
            )  # fmt: skip
        counts = re.findall(r"^#(\d+)\s+\w+\s+cov: (\d+)", ran.stderr, flags=re.MULTILINE)
        many, reached = map(int, counts[-1] if counts else (0, 0))
        if ran.returncode or not counts:
            found.failures.append(f"{name}, guided: {' '.join((ran.stdout + ran.stderr).split())[-600:]}")
        table.add(name, many, reached, int(ran.returncode != 0))
        total += many
    found.figures["inputs tried by atheris"] = total


# -- growth -------------------------------------------------------------------------------------------------------


def growth(found: Result, sizes: tuple[int, ...]) -> None:
    """How the time of a call grows with one text."""
    steps: dict[str, Callable[[str], object]] = {"ingest": ingest, "ask": ask, "date": as_date, "file": as_file}
    heads = [f"{step}, {few // 1000}k to {many // 1000}k" for step in steps for few, many in itertools.pairwise(sizes)]
    table = Table("How time grows with a text", ("text", *heads), note=_GROWTH_NOTE)
    found.tables.append(table)
    worst = 0.0
    for kind, make in fuzz_inputs.SIZED.items():
        say(f"growth: {kind}")
        texts = [make(size) for size in sizes]
        ratios: list[float | None] = []
        for step in steps.values():
            times = [least(step, texts[0])]
            for text in texts[1:]:
                times.append(least(step, text) if times[-1] < _MOST else float("nan"))
            grown = [None if few < _LEAST else round(many / few, 1) for few, many in itertools.pairwise(times)]
            worst = max(worst, grown[-1] or 0.0)
            ratios += grown
        table.add(kind, *ratios)
    found.figures["most times as long for ten times the text"] = worst


def least(step: Callable[[str], object], text: str) -> float:
    """Seconds that the quickest of three runs takes; of one run where that is long."""
    best = float("inf")
    for _ in range(3):
        begun = time.process_time()
        step(text)
        best = min(best, time.process_time() - begun)
        if best > 0.5:
            break
    return best


def ingest(text: str) -> None:
    memory = Memory(budget=5_000)
    memory.append("user", text, when="8 May 2023")
    memory.append("assistant", "I see, and it is noted")
    memory.compose("what was that about the cat?")


def ask(text: str) -> None:
    memory = Memory(budget=5_000)
    memory.extend([("user" if at % 2 == 0 else "assistant", f"turn {at} about the cat and tuna") for at in range(200)])
    memory.compose(text, when="8 May 2023")


def as_date(text: str) -> None:
    date_text(text, text, ("en", "de", "es", "ru"), 738_648)


def as_file(text: str) -> None:
    line = json.dumps({"role": "user", "content": text, "when": text})
    read_chat(io.BytesIO(line.encode()))
