"""From a thousand turns to a million: what each step takes as a conversation grows, and what it holds in memory.

The text is seeded and has a natural vocabulary (``zipf.py``): 150 characters a turn, 200 turns a day; beside it
LoCoMo, one conversation after the other, over and over. Each system at each size has a process of its own. *Append*: one turn, the index
included. *First question*: after all those appends. *Question*: with nothing appended since the last one. *Two turns and a
question*: what a chat does. byheart and the original answer with the messages to send; the others rank turns, and those
that cannot be added to are made anew for every change. Processor time, so that a busy machine counts
for less.
"""

from __future__ import annotations

import argparse
import json
import math
import subprocess
import sys
from collections.abc import Mapping, Sequence

from .data import ROOT, DataMissingError, find
from .result import Result, Table, say

NAME = "scale"
HELP = "a thousand to a million turns: time of each step and memory, beside others; the slope of each line"

OURS = "byheart"
ORIGINAL = "yait-byheart 0.1.1"
SIZES = (1_000, 10_000, 100_000, 1_000_000)
#: Up to where each goes in some minutes: what is made anew for every change takes seconds a question there.
MOST = {OURS: 1_000_000, ORIGINAL: 100_000, "rank-bm25": 100_000, "bm25s": 100_000, "SQLite FTS5": 1_000_000}
LOCOMO_MOST = 100_000
STEPS = {
    "append": "append",
    "first": "first question",
    "warm": "question",
    "both": "two turns and a question",
    "slowest": "the slowest of these",
    "save": "save",
    "load": "load",
    "loaded": "first question after loading",
}

#: Seconds a step took, by system and turns.
Measured = dict[str, dict[int, Mapping[str, float]]]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--sizes", type=int, nargs="+", default=list(SIZES), help="turns")
    parser.add_argument("--only", nargs="+", metavar="SYSTEM", choices=list(MOST), default=list(MOST))
    parser.add_argument("--seconds", type=float, default=15.0, help="for the rounds of one step")


def run(options: argparse.Namespace) -> Result:
    result = Result(NAME)
    sizes = [1_000, 5_000] if options.quick else sorted(options.sizes)
    texts = ["zipf"]
    try:
        find(options.data)
        texts.append("locomo")
    except DataMissingError:
        result.notes.append("LoCoMo is not here: the table on it is left out")
    for text in texts:
        most = math.inf if text == "zipf" else LOCOMO_MOST
        systems = options.only if text == "zipf" else [name for name in options.only if name in (OURS, ORIGINAL)]
        measured = {
            name: {size: _measure(name, size, text, options) for size in sizes if size <= min(most, MOST[name])}
            for name in systems
        }
        _tables(result, text, measured)
    return result


def _measure(system: str, turns: int, text: str, options: argparse.Namespace) -> Mapping[str, float]:
    command = [sys.executable, "-m", "eval.scale_worker", system, str(turns), text]
    command += ["--seed", str(options.seed), "--seconds", str(options.seconds)]
    command += ["--data", options.data] if options.data else []
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if ran.returncode:
        raise RuntimeError(f"{system}, {turns} turns of {text}: {ran.stderr.strip()[-500:]}")
    took: Mapping[str, float] = json.loads(ran.stdout)
    say(f"{text}, {system}, {turns:,} turns: two turns and a question {1000 * took['both']:.2f} ms")
    return took


def _tables(result: Result, text: str, measured: Measured) -> None:
    what = "Zipf's text" if text == "zipf" else "LoCoMo over and over"
    table = Table(
        f"Time and memory by size: {what}",
        [
            "system",
            "turns",
            "append, µs",
            *(f"{name}, ms" for key, name in STEPS.items() if key != "append"),
            "memory, MB",
        ],
        note="Processor time; medians where a step was measured more than once. Memory: what the process gained from the "
        "first append to the first answer.",
    )
    for system, sizes in measured.items():
        for size, took in sizes.items():
            steps = [_milliseconds(took, key) for key in STEPS if key != "append"]
            table.add(system, size, round(1e6 * took["append"], 1), *steps, round(took["resident"] / 1e6, 1))
            for key in (*STEPS, "resident"):
                if key in took:
                    result.figures[f"{text}.{system}.{size}.{key}"] = took[key]
    result.tables.append(table)
    result.series[text] = {
        system: {
            key: [[size, took[key]] for size, took in sizes.items() if key in took] for key in (*STEPS, "resident")
        }
        for system, sizes in measured.items()
    }
    _slopes(result, what, measured)
    _ratios(result, text, what, measured)


def _milliseconds(took: Mapping[str, float], key: str) -> float | None:
    return round(1000 * took[key], 2) if key in took else None


def slope(points: Sequence[tuple[float, float]]) -> float:
    """Of the line through the points' logarithms, by least squares: 0 for what is constant, 1 for what is linear.

    >>> slope([(10, 3), (100, 30), (1000, 300)])
    1.0
    """
    xs, ys = [math.log(x) for x, _ in points], [math.log(y) for _, y in points]
    mean_x, mean_y = sum(xs) / len(xs), sum(ys) / len(ys)
    rise = sum((x - mean_x) * (y - mean_y) for x, y in zip(xs, ys, strict=True))
    return round(rise / sum((x - mean_x) ** 2 for x in xs), 9)


def _slopes(result: Result, what: str, measured: Measured) -> None:
    keys = ("append", "first", "warm", "both", "save", "load", "resident")
    table = Table(
        f"Slopes: {what}",
        ["system", *(STEPS.get(key, "memory") for key in keys)],
        note="Of each line in a double logarithmic plot over the sizes: 0 is constant, 1 is proportional to the turns.",
    )
    for system, sizes in measured.items():
        lines = {key: [(size, took[key]) for size, took in sizes.items() if took.get(key, 0) > 0] for key in keys}
        cells = [round(slope(points), 2) if len(points) > 1 else None for points in lines.values()]
        table.add(system, *cells)
    result.tables.append(table)


def _ratios(result: Result, text: str, what: str, measured: Measured) -> None:
    ours, theirs = measured.get(OURS, {}), measured.get(ORIGINAL, {})
    shared = [size for size in ours if size in theirs]
    if not shared:
        return
    table = Table(
        f"Times faster than the original: {what}",
        ["turns", "append", "first question", "question", "two turns and a question"],
        note="Below 1: slower. An append of byheart's indexes the turn, which the original leaves to the next question.",
    )
    for size in shared:
        ratios = {key: theirs[size][key] / ours[size][key] for key in ("append", "first", "warm", "both")}
        table.add(size, *(round(ratio, 2) for ratio in ratios.values()))
        result.figures |= {f"{text}.ratio.{size}.{key}": ratio for key, ratio in ratios.items()}
    if {10_000, 1_000_000} <= ours.keys():
        result.figures[f"{text}.growth"] = ours[1_000_000]["both"] / ours[10_000]["both"]
    result.tables.append(table)
