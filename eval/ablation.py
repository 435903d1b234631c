"""What each part of the ranking is worth: recall with the parts switched off one at a time.

A part stays in the library only with a figure from here. Differences are to the full ranking, paired
over conversations; negative: the part earns its place.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping

from . import data
from .options import add_memory, add_selection, chosen, memory
from .recall import Asked, ask_all, byheart, shares
from .result import Result, Table, say
from .statistics import difference, mean
from .switches import OFF

NAME = "ablation"
HELP = "the ranking with its parts switched off one at a time"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--budgets", type=int, nargs="+", default=[20_000, 5_000], help="characters")
    parser.add_argument("--parts", nargs="+", choices=sorted(OFF), help="only these")
    add_selection(parser)
    parser.add_argument("--replies", choices=("both", "plain", "long"), default="both")
    add_memory(parser)


def run(options: argparse.Namespace) -> Result:
    result = Result(NAME, data_checksum=data.checksum(options.data))
    every = 5 if options.quick else 1
    cases = [("LoCoMo", False, budget) for budget in options.budgets if options.replies != "long"]
    if options.replies != "plain":
        cases.append(("long replies", True, 20_000))
    loaded = {long: chosen(options, long_replies=long) for long in {long for _, long, _ in cases}}
    heads = [f"{title}, {budget:,}" for title, _, budget in cases]

    def measure(extra: Mapping[str, object]) -> dict[str, list[Asked]]:
        return {
            head: ask_all(byheart(**{**memory(options), **extra}), loaded[long], budget, every)
            for head, (_, long, budget) in zip(heads, cases, strict=True)
        }

    full = measure({})
    table = Table(
        "Ablation: recall with one part off, less the full ranking",
        ["part", *heads, "what it is"],
        note="Full ranking: "
        + ", ".join(f"{h} {mean(shares(full[h])).value:.4f}" for h in heads)
        + ". 95 % intervals over conversations, paired.",
    )
    for head in heads:
        result.figures[f"full.{head}"] = mean(shares(full[head]))
    say("full: " + ", ".join(f"{h} {mean(shares(full[h])).value:.4f}" for h in heads))
    for name in options.parts or OFF:
        with OFF[name].off():
            without = measure(OFF[name].options())
        changes = [difference(shares(without[h]), shares(full[h])) for h in heads]
        table.add(name, *changes, OFF[name].what)
        for head, change in zip(heads, changes, strict=True):
            result.figures[f"{name}.{head}"] = change
        result.traces[name] = {h: [round(a.share, 4) for a in without[h]] for h in heads}
        say(f"{name} off: " + ", ".join(f"{c.value:+.4f}" for c in changes))
    result.tables.append(table)
    return result
