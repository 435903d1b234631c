"""Evidence recall with nothing kept between queries: what a ranking finds, on its own.

For each question of LoCoMo: the share of the turns that hold its answer which a memory would send
whole. Peers rank the same stretches and fill the same room; yait-byheart 0.1.1 runs as itself.
byheart's stretches are small because its ranking smooths over neighbours, which a peer does not do:
so each peer is shown on plain stretches of about 500 characters as well.
"""

from __future__ import annotations

import argparse
import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from . import data, peers, systems
from .options import add_memory, add_selection, chosen, memory
from .result import Cell, Result, Table, say
from .statistics import Estimate, difference, mean, spread, sums

NAME = "recall"
HELP = "evidence recall on LoCoMo, plain and with long replies, beside other rankings"

BUDGETS = (20_000, 10_000, 5_000)
ORIGINAL = "yait-byheart 0.1.1"
OURS = "byheart"

#: From a query to the turns that would be sent whole.
Recall = Callable[[str], Iterable[int]]
Build = Callable[[data.Conversation, int], Recall]


@dataclass(frozen=True)
class Asked:
    """What one system did with one question."""

    conversation: str
    question: str
    category: int
    share: float


def byheart(**options: Any) -> Build:
    """byheart's Memory with nothing kept between queries, and any other options."""

    def build(conversation: data.Conversation, budget: int) -> Recall:
        from byheart import Memory

        memory = Memory(budget=budget, **{"stability": 0.0, **systems.fresh(options)})
        memory.extend(conversation.rows())
        return lambda query: memory.compose(query)["included"]

    return build


def original(conversation: data.Conversation, budget: int) -> Recall:
    """yait-byheart 0.1.1 with nothing kept between queries."""
    from yait_byheart import Memory

    memory = Memory(budget=budget, stability=0.0)
    for role, text, when in conversation.rows():
        memory.append(role, text, when=when)
    return lambda query: memory.compose(query)["included"]


def peer(ranking: Callable[[Sequence[str]], peers.Rank], stretches: str) -> Build:
    """A ranking over byheart's stretches (or plain ones), the room filled from its order."""

    def build(conversation: data.Conversation, budget: int) -> Recall:
        cut = peers.Stretches.cut(list(conversation.rows()), cuts_of(conversation, budget, stretches))
        rank = ranking(cut.texts)
        return lambda query: [turn for i in cut.fill(rank(query), budget) for turn in cut.turns(i)]

    return build


@functools.lru_cache(maxsize=64)
def cuts_of(conversation: data.Conversation, budget: int, stretches: str) -> tuple[int, ...]:
    """Where the stretches begin: byheart's own for this budget, or plain ones."""
    if stretches == "plain":
        return tuple(peers.plain_cuts(list(conversation.rows())))
    from byheart import Memory

    memory = Memory(budget=budget, stability=0.0)
    memory.extend(conversation.rows())
    return tuple(memory.bounds)


def every_system(names: Sequence[str] | None = None, *, stretches: str = "both", **options: Any) -> dict[str, Build]:
    """The systems of the table, all or those named (any part of a name will do)."""
    every: dict[str, Build] = {OURS: byheart(**options), ORIGINAL: original}
    for name, ranking in peers.RANKINGS.items():
        if stretches != "plain":
            every[name] = peer(ranking, "byheart")
        if stretches != "byheart" and ranking is not peers.newest:
            every[f"{name}, plain stretches"] = peer(ranking, "plain")
    if not names:
        return every
    wanted = {n: b for n, b in every.items() if any(n == w or (w != OURS and w in n) for w in names)}
    if not wanted:
        raise ValueError(f"no system is called {', '.join(names)}; there are {', '.join(every)}")
    return wanted


def ask_all(build: Build, conversations: Sequence[data.Conversation], budget: int, every: int = 1) -> list[Asked]:
    """Each question (or one in ``every``) put to a memory that holds its whole conversation."""
    asked = []
    for conversation in conversations:
        recall = build(conversation, budget)
        for question in conversation.questions[::every]:
            found = set(recall(question.text))
            share = sum(turn in found for turn in question.gold) / len(question.gold)
            asked.append(Asked(conversation.id, question.id, question.category, share))
    return asked


def shares(
    asked: Iterable[Asked], value: Callable[[float], float] = lambda share: share
) -> dict[str, tuple[float, int]]:
    return sums((a.conversation, value(a.share)) for a in asked)


def estimates(asked: Sequence[Asked]) -> tuple[Estimate, Estimate, Estimate]:
    """Mean recall, share of questions with all evidence, share with any."""
    return (
        mean(shares(asked)),
        mean(shares(asked, lambda share: float(share == 1.0))),
        mean(shares(asked, lambda share: float(share > 0.0))),
    )


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--budgets", type=int, nargs="+", default=list(BUDGETS), help="characters")
    parser.add_argument("--only", nargs="+", metavar="SYSTEM", help="only these systems")
    add_selection(parser)
    parser.add_argument("--replies", choices=("both", "plain", "long"), default="both")
    parser.add_argument("--long-budgets", type=int, nargs="+", default=[20_000])
    parser.add_argument(
        "--stretches",
        choices=("both", "byheart", "plain"),
        default="both",
        help="what the peers rank",
    )
    add_memory(parser)


def run(options: argparse.Namespace) -> Result:
    result = Result(NAME, data_checksum=data.checksum(options.data))
    every = 5 if options.quick else 1
    if options.quick:
        result.notes.append("quick: every fifth question only")
    parts = []
    if options.replies != "long":
        parts.append(("LoCoMo", False, options.budgets))
    if options.replies != "plain":
        parts.append(("LoCoMo with long replies", True, options.long_budgets))
    for title, long_replies, budgets in parts:
        conversations = chosen(options, long_replies=long_replies)
        measured: dict[str, dict[int, list[Asked]]] = {}
        for name, build in every_system(options.only, stretches=options.stretches, **memory(options)).items():
            for budget in budgets:
                asked = ask_all(build, conversations, budget, every)
                measured.setdefault(name, {})[budget] = asked
                say(f"{title}, {budget:,} characters, {name}: {mean(shares(asked)).value:.4f}")
        report(result, title, measured, "long" if long_replies else "plain")
    return result


def report(result: Result, title: str, measured: Mapping[str, Mapping[int, Sequence[Asked]]], key: str) -> None:
    """Tables, figures and traces of one part."""
    first = next(iter(measured))
    budgets = list(measured[first])
    asked = measured[first][budgets[0]]
    count = len(asked)
    baseline = OURS if OURS in measured else first

    whole = Table(
        f"{title}: evidence recall",
        ["system", "budget", "recall", "all evidence", "any evidence", f"less {baseline}"],
        note=f"{count:,} questions; mean share of evidence turns sent whole; nothing kept between "
        "queries; 95 % intervals over conversations.",
    )
    for name, by_budget in measured.items():
        for budget, rows in by_budget.items():
            recall, complete, some = estimates(rows)
            less: Cell = None
            if name != baseline:
                less = difference(shares(rows), shares(measured[baseline][budget]))
            whole.add(name, budget, recall, complete, some, less)
            result.figures[f"{key}.{name}.{budget}"] = recall
            result.figures[f"{key}.{name}.{budget}.all"] = complete
            result.figures[f"{key}.{name}.{budget}.any"] = some
    result.tables.append(whole)

    def grouped(heading: str, groups: Sequence[str], of: Callable[[Asked], str]) -> None:
        present = [g for g in groups if any(of(a) == g for a in asked)]
        table = Table(
            f"{title}: {heading}",
            ["system", "budget", *present],
            note="Mean evidence recall; questions: "
            + ", ".join(f"{g} {sum(of(a) == g for a in asked)}" for g in present)
            + ". 95 % intervals over conversations.",
        )
        for name, by_budget in measured.items():
            for budget, rows in by_budget.items():
                cells = [mean(shares([a for a in rows if of(a) == g])) for g in present]
                table.add(name, budget, *cells)
        result.tables.append(table)

    grouped("by category", list(data.CATEGORIES.values()), lambda a: data.CATEGORIES[a.category])
    grouped(
        "tuned on and held out",
        ["tuning", "held out"],
        lambda a: "tuning" if a.conversation in data.TUNING else "held out",
    )
    per = Table(
        f"{title}: by conversation",
        ["system", "budget", *dict.fromkeys(a.conversation for a in asked)],
        note="Mean evidence recall; tuned on: "
        + ", ".join(data.TUNING)
        + ". 95 % intervals over the questions of each, as if they were independent.",
    )
    for name, by_budget in measured.items():
        for budget, rows in by_budget.items():
            ids = dict.fromkeys(a.conversation for a in rows)
            per.add(name, budget, *(spread([a.share for a in rows if a.conversation == one]) for one in ids))
    result.tables.append(per)

    result.traces[key] = {
        "questions": [a.question for a in asked],
        "shares": {
            name: {str(budget): [round(a.share, 4) for a in rows] for budget, rows in by.items()}
            for name, by in measured.items()
        },
    }
