"""One very long life: all conversations joined into one, replayed.

A single LoCoMo conversation still fits into a model's window, and as long as it stays in a warm
cache, sending all of it is cheap. Joined, the ten show what happens to each system when a
conversation goes on: what a request costs in each tenth of it.
"""

from __future__ import annotations

import argparse

from . import data, systems
from .options import add_memory, add_selection, chosen
from .replay import every_system, live
from .result import Result, Table, say
from .statistics import mean, sums

NAME = "longlife"
HELP = "all conversations joined into one: cost and recall as it grows"


def join(conversations: list[data.Conversation]) -> data.Conversation:
    """The conversations one after another as one, each starting a week after the end of the one before."""
    import dataclasses
    import datetime

    turns: list[data.Turn] = []
    sessions: list[data.Session] = []
    questions: list[data.Question] = []
    for conversation in conversations:
        first, before = len(turns), len(sessions)
        origin = conversation.sessions[0].start
        last = sessions[-1].start if sessions else None
        shift = datetime.timedelta(0)
        if origin is not None and last is not None:
            shift = last + datetime.timedelta(days=7) - origin
        turns += [
            dataclasses.replace(t, id=f"{conversation.id}/{t.id}", session=t.session + before)
            for t in conversation.turns
        ]
        sessions += [
            data.Session(s.when, s.start + shift if s.start else None, s.lo + first, s.hi + first)
            for s in conversation.sessions
        ]
        questions += [dataclasses.replace(q, gold=tuple(g + first for g in q.gold)) for q in conversation.questions]
    return data.Conversation("joined", tuple(turns), tuple(sessions), tuple(questions))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--budget", type=int, default=20_000, help="characters")
    parser.add_argument("--window", type=int, default=100, help="turns of the sliding window")
    parser.add_argument("--only", nargs="+", metavar="SYSTEM", help="only these systems")
    add_selection(parser)
    add_memory(parser)


def run(options: argparse.Namespace) -> Result:
    conversations = chosen(options)
    if options.quick:
        conversations = conversations[:2]
    whole = join(conversations)
    every = 5 if options.quick else 1
    names = [c.id for c in conversations]
    result = Result(NAME, data_checksum=data.checksum(options.data))
    columns = ["system", "evidence recall", *(f"after {n}" for n in range(1, len(names) + 1))]
    costs = Table(
        "One long life: effective tokens a request while each conversation lasts",
        columns,
        note=f"{len(whole.turns):,} turns, {sum(len(t.text) for t in whole.turns):,} characters; one "
        "column for each conversation joined on; all requests within the cache's lifetime. Recall: 95 % interval over "
        "the conversations that were joined. Costs: one life, so no interval.",
    )
    ends = [sum(len(c.turns) for c in conversations[: n + 1]) for n in range(len(conversations))]
    for name, factory in every_system(options).items():
        lived = live(factory, whole, every=every)
        asked = sums((r["question"].rpartition("/")[0], r["recall"]) for r in lived.requests if r["question"])
        parts: dict[str, tuple[float, int]] = sums(
            (str(next(n for n, end in enumerate(ends) if r["turns"] <= end)), r["effective"]) for r in lived.requests
        )
        means = [round(parts[str(n)][0] / parts[str(n)][1]) for n in range(len(names))]
        recall = mean(asked)
        costs.add(name, recall, *means)
        result.figures[f"{name}.recall"] = recall
        result.figures[f"{name}.last"] = means[-1]
        result.series[name] = means
        say(f"{name}: recall {recall.value:.4f}, effective {means}")
        if isinstance(factory(), systems.Byheart) and lived.total("unreported"):
            result.failures.append(f"{name}: {lived.total('unreported')} prefix breaks were not reported")
    result.tables.append(costs)
    return result
