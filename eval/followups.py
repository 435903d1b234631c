"""Follow-ups: "why?", "and the second one?", questions that mean something only after the line before.

The test set is written for this project (``tests/data/follow_ups.jsonl``): conversations, and
questions asked after one of their turns, with the turns that hold the answer. Some of the questions
stand on their own; they are the control, and must not get worse.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path

from . import peers, switches
from .data import ROOT
from .result import Cell, Result, Table, say
from .statistics import difference, mean, sums

NAME = "followups"
HELP = "questions that lean on the line before: found with and without looking at the last exchange"

FILE = ROOT / "tests" / "data" / "follow_ups.jsonl"
BUDGET = 1_500

Rows = list[tuple[str, str, str]]


@dataclass(frozen=True)
class FollowUp:
    """A question asked after turn ``after`` (inclusive), and the turns that hold its answer."""

    conversation: str
    after: int
    query: str
    gold: tuple[int, ...]
    kind: str


def read(path: Path = FILE) -> tuple[dict[str, Rows], list[FollowUp]]:
    """The conversations as rows of (role, text, when), and the questions."""
    conversations: dict[str, Rows] = {}
    questions = []
    for line in path.read_text(encoding="utf-8").splitlines():
        entry = json.loads(line)
        if "turns" in entry:
            conversations[entry["conversation"]] = [(t["role"], t["text"], t.get("when") or "") for t in entry["turns"]]
        else:
            questions.append(
                FollowUp(
                    entry["conversation"], entry["after"], entry["query"], tuple(entry["gold"]), entry.get("kind", "")
                )
            )
    return conversations, questions


#: From the rows so far, the budget and the query to the turns that would be sent.
Finder = Callable[[Rows, int, str], Sequence[int]]


def byheart(rows: Rows, budget: int, query: str) -> Sequence[int]:
    from byheart import Memory

    memory = Memory(budget=budget, stability=0.0)
    memory.extend((role, text, when or None) for role, text, when in rows)
    return list(memory.compose(query)["included"])


def original(rows: Rows, budget: int, query: str) -> Sequence[int]:
    from yait_byheart import Memory

    memory = Memory(budget=budget, stability=0.0)
    for role, text, when in rows:
        memory.append(role, text, when=when)
    return list(memory.compose(query)["included"])


def plain(rows: Rows, budget: int, query: str) -> Sequence[int]:
    """Okapi over plain stretches, for the query as it is."""
    cut = peers.Stretches.cut(rows, peers.plain_cuts(rows, size=300))
    return [turn for i in cut.fill(peers.okapi(cut.texts)(query), budget) for turn in cut.turns(i)]


def glued(rows: Rows, budget: int, query: str) -> Sequence[int]:
    """Okapi for the query with the last two turns glued to it, whatever it says."""
    return plain(rows, budget, " ".join([*(text for _, text, _ in rows[-2:]), query]))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--file", type=Path, default=FILE)
    parser.add_argument("--budget", type=int, default=BUDGET, help="characters; a conversation has about 5,000")


def systems() -> Iterator[tuple[str, Finder, AbstractContextManager[object]]]:
    yield "byheart", byheart, nullcontext()
    yield "byheart, the query alone", byheart, switches.OFF["follow-ups"].off()
    yield "yait-byheart 0.1.1", original, nullcontext()
    yield "rank-bm25, the query alone", plain, nullcontext()
    yield "rank-bm25, last two turns always added", glued, nullcontext()


def run(options: argparse.Namespace) -> Result:
    conversations, questions = read(options.file)
    if options.quick:
        questions = questions[::3]
    kinds = sorted({q.kind for q in questions}, key=lambda kind: (kind == "self-contained", kind))
    leaning = [q.kind != "self-contained" for q in questions]
    result = Result(NAME)
    table = Table(
        "Follow-ups: share of the turns that hold the answer",
        ["system", "all follow-ups", "less byheart", *kinds],
        note=f"Budget {options.budget:,} characters, nothing kept between queries. Questions: "
        + ", ".join(f"{kind} {sum(q.kind == kind for q in questions)}" for kind in kinds)
        + ". 95 % intervals over conversations.",
    )
    first: dict[str, tuple[float, int]] | None = None
    for name, find, switch in systems():
        with switch:
            values = []
            for q in questions:
                found = set(find(conversations[q.conversation][: q.after + 1], options.budget, q.query))
                values.append(sum(turn in found for turn in q.gold) / len(q.gold))
        cells = sums((q.conversation, v) for q, v, leans in zip(questions, values, leaning, strict=True) if leans)
        less: Cell = None if first is None else difference(cells, first)
        first = cells if first is None else first
        by_kind = [
            mean(sums((q.conversation, v) for q, v in zip(questions, values, strict=True) if q.kind == kind))
            for kind in kinds
        ]
        table.add(name, mean(cells), less, *by_kind)
        result.figures[f"{name}.follow-ups"] = mean(cells)
        for kind, estimate in zip(kinds, by_kind, strict=True):
            result.figures[f"{name}.{kind}"] = estimate
        result.traces[name] = [[q.conversation, q.after, round(v, 3)] for q, v in zip(questions, values, strict=True)]
        say(
            f"{name}: {mean(cells).value:.3f}, "
            + ", ".join(f"{kind} {e.value:.3f}" for kind, e in zip(kinds, by_kind, strict=True))
        )
    result.tables.append(table)
    return result
