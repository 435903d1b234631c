"""Recall against cost: live replays over budgets, ceilings and further settings.

Each setting is one whole replay of every conversation, with the same harness as ``replay``; the
points of the plot "recall against cost" come from here.
"""

from __future__ import annotations

import argparse
import json

from . import data, systems
from .options import add_selection, chosen
from .replay import ORIGINAL, OURS, PER_QUERY, live_all
from .result import Result, Table, say

NAME = "sweep"
HELP = "recall against cost in live replay, over budgets and ceilings"

BUDGETS = (10_000, 20_000, 40_000)
WINDOWS = (100, 200, 400)
CEILINGS = (1.25, 1.5, 2.0)

#: System, setting in words, budget, ceiling, and how to build one.
Point = tuple[str, str, "int | None", "float | None", systems.Factory]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--budgets", type=int, nargs="+", default=list(BUDGETS), help="characters")
    parser.add_argument("--ceilings", type=float, nargs="+", default=list(CEILINGS), help="multiples of the budget")
    parser.add_argument(
        "--settings",
        type=json.loads,
        default=[{}],
        metavar="JSON",
        help="a list of further options of Memory, each tried at every budget and ceiling",
    )
    parser.add_argument("--no-others", action="store_true", help="byheart only")
    add_selection(parser)
    parser.add_argument("--replies", choices=("plain", "long"), default="plain")


def run(options: argparse.Namespace) -> Result:
    conversations = chosen(options, long_replies=options.replies == "long")
    every = 5 if options.quick else 1
    if options.quick:
        conversations = conversations[:2]
    points: list[Point] = [
        (OURS, _words(setting), budget, ceiling, _ours(budget, ceiling, setting))
        for setting in options.settings
        for budget in options.budgets
        for ceiling in options.ceilings
    ]
    if not options.no_others:
        points += [(PER_QUERY, "", budget, None, _per_query(budget)) for budget in options.budgets]
        points += [(ORIGINAL, "", budget, None, _original(budget)) for budget in options.budgets]
        points += [("sliding window", f"last {turns} turns", None, None, _window(turns)) for turns in WINDOWS]
        points.append(("full history", "", None, None, systems.FullHistory))
    result = Result(NAME, data_checksum=data.checksum(options.data))
    table = Table(
        "Recall against cost, live replay",
        [
            "system",
            "setting",
            "budget",
            "ceiling",
            "evidence recall",
            "effective tokens a request",
            "tokens sent a request",
            "rebuilds",
        ],
        note="Measured as in the live replay. 95 % intervals over conversations.",
    )
    result.series["points"] = []
    for system, words, size, ceiling, factory in points:
        lived = live_all(factory, conversations, every=every)
        recall, cost, sent = lived.mean("recall"), lived.mean("effective"), lived.mean("sent")
        table.add(system, words, size, ceiling, recall, cost, sent, lived.total("rebuilt"))
        result.series["points"].append(
            {
                "system": system,
                "setting": words,
                "budget": size,
                "ceiling": ceiling,
                "recall": round(recall.value, 5),
                "effective": round(cost.value, 1),
                "sent": round(sent.value, 1),
            }
        )
        say(
            f"{system} {words} budget {size} ceiling {ceiling}: recall {recall.value:.4f}, "
            f"effective {cost.value:,.0f}, sent {sent.value:,.0f}, rebuilds {lived.total('rebuilt')}"
        )
        if system.startswith("byheart"):
            for what, number in (
                ("unreported prefix breaks", lived.total("unreported")),
                ("requests past the ceiling", lived.over),
            ):
                if number:
                    result.failures.append(f"{system} {words} budget {size} ceiling {ceiling}: {number} {what}")
    result.tables.append(table)
    return result


def _words(setting: dict[str, object]) -> str:
    return ", ".join(f"{key} {value}" for key, value in setting.items())


def _ours(budget: int, ceiling: float, setting: dict[str, object]) -> systems.Factory:
    return lambda: systems.Byheart(**{"budget": budget, "ceiling": ceiling, **setting})


def _per_query(budget: int) -> systems.Factory:
    return lambda: systems.Byheart(budget=budget, stability=0.0)


def _original(budget: int) -> systems.Factory:
    return lambda: systems.Original(budget=budget)


def _window(turns: int) -> systems.Factory:
    return lambda: systems.Window(turns)
