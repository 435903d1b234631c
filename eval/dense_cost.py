"""What the plugin ``dense`` costs on a long conversation: time and memory.

A conversation of 10,000 stretches is made of LoCoMo's turns, each told apart by a number. Measured: opening the
model, the first question (every stretch is embedded), the same from a file of saved vectors, then rounds of
appending a turn and composing. With ``--encoder instant`` an encoder that takes no time shows what the plugin
itself costs; with ``--encoder model`` a real model embeds, all stretches or, by default, a sample of them from which
the whole is reckoned.
"""

from __future__ import annotations

import argparse
import itertools
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from . import data, models
from .result import Result, Table, say

NAME = "dense-cost"
HELP = "time and memory of the dense plugin at 10,000 stretches"
SLOW = True

_DIMENSION = 384
_ROUNDS = 30


class Instant:
    """An encoder that takes no time worth measuring: vectors by the text's own hash."""

    name = "instant"

    def encode(self, texts: list[str]) -> Any:
        import numpy as np

        return np.stack([np.random.default_rng(abs(hash(text))).standard_normal(_DIMENSION) for text in texts])


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--stretches", type=int, default=10_000)
    parser.add_argument("--encoder", nargs="+", choices=("instant", "model"), default=["instant", "model"])
    parser.add_argument("--model", choices=models.NAMES, default=models.NAMES[0])
    parser.add_argument("--sample", type=int, default=200, help="stretches the model embeds; 0 embeds all")


def turns(folder: str | None) -> Iterator[tuple[str, str]]:
    """LoCoMo's turns over and over, no two of them equal."""
    rows = [turn for conversation in data.load(folder) for turn in conversation.turns]
    for number, turn in enumerate(itertools.cycle(rows)):
        yield turn.role, f"{turn.text} ({number})"


def filled(memory: Any, said: Iterator[tuple[str, str]], stretches: int) -> None:
    """Append until there are so many stretches."""
    while len(memory.bounds) <= stretches:
        memory.extend(itertools.islice(said, 200))


def peak() -> float:
    """The most memory this process has had, in megabytes."""
    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return used / (2**20 if sys.platform == "darwin" else 2**10)


def timed(work: Callable[[], Any]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def run(options: argparse.Namespace) -> Result:
    result = Result(NAME, data_checksum=data.checksum(options.data))
    if options.quick:
        options.stretches, options.sample = min(options.stretches, 500), min(options.sample, 20)
    table = Table(
        f"The dense plugin at {options.stretches:,} stretches",
        ["encoder", "what", "value", "unit"],
        note="One process, wall clock on a shared machine: compare the rows with each other. Memory is the most the "
        "process has had.",
    )
    for encoder in options.encoder:
        measure = _instant if encoder == "instant" else _model
        for what, value, unit in measure(options):
            table.add(encoder if encoder == "instant" else options.model, what, value, unit)
            result.figures[f"{encoder}.{what}"] = value
            say(f"{encoder}: {what}: {value:.3f} {unit}")
    result.tables.append(table)
    return result


def _instant(options: argparse.Namespace) -> Iterator[tuple[str, float, str]]:
    from byheart import Memory, load

    said = turns(options.data)
    before = peak()
    with tempfile.TemporaryDirectory() as folder:
        retriever: Any = load("dense", model=Instant(), progress=False)
        memory = Memory(retriever=retriever)
        filled(memory, said, options.stretches)
        yield "stretches", float(len(memory.bounds)), ""
        yield "first question", timed(lambda: memory.compose("what did they paint?")), "s"
        yield "memory beyond start", peak() - before, "MB"
        yield from _rounds(memory, said, "append and compose")
        path = Path(folder) / "vectors.npz"
        yield "save vectors", timed(lambda: retriever.save_vectors(path)), "s"
        yield "saved file", path.stat().st_size / 2**20, "MB"
        again: Any = load("dense", model=Instant(), progress=False)
        yield "load vectors", timed(lambda: again.load_vectors(path)), "s"
        restored = Memory.from_dict(memory.to_dict(), retriever=again)
        yield "first question, vectors loaded", timed(lambda: restored.compose("what did they build?")), "s"
        baseline = Memory()
        filled(baseline, turns(options.data), options.stretches)
        baseline.compose("what did they paint?")
        yield from _rounds(baseline, said, "append and compose, built-in ranking")


def _rounds(memory: Any, said: Iterator[tuple[str, str]], what: str) -> Iterator[tuple[str, float, str]]:
    costs = []
    for number in range(_ROUNDS):
        role, text = next(said)

        def once(role: str = role, text: str = text, number: int = number) -> None:
            memory.append(role, text)
            memory.compose(f"what was said about the garden number {number}?")

        costs.append(1000 * timed(once))
    yield what, statistics.median(costs), "ms"


def _model(options: argparse.Namespace) -> Iterator[tuple[str, float, str]]:
    from byheart import Memory, load

    said = turns(options.data)
    count = options.sample or options.stretches
    retriever: Any = None

    def open_it() -> None:
        nonlocal retriever
        retriever = load("dense", model=models.folder_of(options.model), device="cpu", progress=False)

    models.folder_of(options.model)  # converted before the clock starts
    yield "import and open the model", timed(open_it), "s"
    yield "memory with the model open", peak(), "MB"
    memory = Memory(retriever=retriever, budget=2_000)
    filled(memory, said, count)
    worked = time.process_time()
    first = timed(lambda: memory.compose("what did they paint?"))
    worked = time.process_time() - worked  # of all threads; unlike the clock, hardly touched by what else runs
    yield "stretches embedded", float(len(memory.bounds)), ""
    yield "embedding", 1000 * first / len(memory.bounds), "ms a stretch"
    yield "embedding, processor time", 1000 * worked / len(memory.bounds), "ms a stretch"
    yield f"first question at {options.stretches:,} stretches", first / len(memory.bounds) * options.stretches, "s"
    yield from _rounds(memory, said, "append and compose")
    yield "memory at the end", peak(), "MB"
