"""The outside gate: material from elsewhere is let in when it is needed, and only then.

*Junk*: a question about this conversation, with the five stretches of one other conversation that
match it best on offer; right is to admit none of them. *Needed*: a question about another
conversation, with the stretches that hold its answer and the four next best of that conversation on
offer; nothing here is about it, and right is to admit a stretch that holds the answer. Which
conversations and questions meet is drawn with a fixed seed; every system gets the same offers.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from . import data, peers
from .options import add_memory, add_selection, chosen, memory
from .result import Cell, Result, Table, say
from .statistics import difference, mean, sums

NAME = "gate"
HELP = "rule 4: how much junk from outside is refused, how much that is needed is admitted"

OURS, ORIGINAL = "byheart", "yait-byheart 0.1.1"


@dataclass(frozen=True)
class Offer:
    """A question put to the memory of ``conversation``, and the stretches another one has on offer.

    ``good`` are the positions of those that hold the answer: none for junk.
    """

    conversation: str
    other: str
    question: str
    query: str
    texts: tuple[str, ...]
    good: frozenset[int]


class Gated(Protocol):
    """A memory that can be asked with material on offer; answers which positions it let in."""

    def admitted(self, query: str, texts: Sequence[str]) -> set[int]: ...


class Shelf:
    """The stretches of a conversation as texts, and a ranking of them."""

    def __init__(self, conversation: data.Conversation) -> None:
        rows = list(conversation.rows())
        cut = peers.Stretches.cut(rows, peers.plain_cuts(rows))
        self.texts = cut.texts
        self.rank = peers.okapi(self.texts)
        self._cuts = cut.cuts

    def holding(self, turns: Sequence[int]) -> list[int]:
        """Positions of the stretches these turns are in."""
        return sorted({max(i for i, lo in enumerate(self._cuts) if lo <= turn) for turn in turns})


def offers(conversations: Sequence[data.Conversation], count: int, seed: int) -> tuple[list[Offer], list[Offer]]:
    """``count`` junk and ``count`` needed offers."""
    draw = random.Random(seed)
    shelves = {c.id: Shelf(c) for c in conversations}
    junk, needed = [], []
    for _ in range(count):
        own, other = draw.sample(list(conversations), 2)
        question = draw.choice(own.questions)
        there = shelves[other.id]
        best = list(there.rank(question.text))[:5]
        junk.append(
            Offer(own.id, other.id, question.id, question.text, tuple(there.texts[i] for i in best), frozenset())
        )
    for _ in range(count):
        own, other = draw.sample(list(conversations), 2)
        question = draw.choice(other.questions)
        there = shelves[other.id]
        gold = there.holding(question.gold)
        more = [i for i in there.rank(question.text) if i not in gold][:4]
        positions = gold + more
        draw.shuffle(positions)
        good = frozenset(n for n, i in enumerate(positions) if i in gold)
        needed.append(
            Offer(own.id, other.id, question.id, question.text, tuple(there.texts[i] for i in positions), good)
        )
    return junk, needed


def shown(text: str, messages: Sequence[Mapping[str, Any]]) -> bool:
    """Whether a text stands in these messages, going by its longest line, however spaced and indented."""
    sent = " ".join(" ".join(part["text"] for m in messages for part in m["parts"]).split())
    return max((" ".join(line.split()) for line in text.splitlines()), key=len) in sent


class Composing:
    """A memory with the interface of both packages: ``external=`` is a function of the query."""

    def __init__(self, memory: Callable[..., Any], conversation: data.Conversation, **options: Any) -> None:
        self.offered: list[dict[str, str]] = []
        self.memory = memory(external=lambda query: self.offered, **options)
        for role, text, when in conversation.rows():
            self.memory.append(role, text, when=when)

    def admitted(self, query: str, texts: Sequence[str]) -> set[int]:
        self.offered = [{"text": text, "source": f"source {n}"} for n, text in enumerate(texts)]
        composed = self.memory.compose(query)
        between = composed["messages"][composed["stable_upto"] + 1 : -1]
        return {n for n, text in enumerate(texts) if shown(text, between)}


def byheart(conversation: data.Conversation, **options: Any) -> Gated:
    from byheart import Memory

    return Composing(Memory, conversation, **{"stability": 0.0, **options})


def original(conversation: data.Conversation) -> Gated:
    from yait_byheart import Memory

    return Composing(Memory, conversation, stability=0.0)


def measure(
    build: Callable[[data.Conversation], Gated], conversations: Sequence[data.Conversation], asked: Sequence[Offer]
) -> list[tuple[Offer, set[int]]]:
    """What each offer came to. One memory for each conversation."""
    found: dict[int, set[int]] = {}
    for conversation in conversations:
        mine = [n for n, offer in enumerate(asked) if offer.conversation == conversation.id]
        if mine:
            gated = build(conversation)
            for n in mine:
                found[n] = gated.admitted(asked[n].query, asked[n].texts)
    return [(offer, found[n]) for n, offer in enumerate(asked)]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--count", type=int, default=600, help="offers of each kind")
    parser.add_argument("--only", nargs="+", choices=(OURS, ORIGINAL))
    add_selection(parser)
    add_memory(parser)


def run(options: argparse.Namespace) -> Result:
    conversations = chosen(options)
    count = 60 if options.quick else options.count
    junk, needed = offers(conversations, count, options.seed)
    result = Result(NAME, data_checksum=data.checksum(options.data))
    every: dict[str, Callable[[data.Conversation], Gated]] = {
        OURS: lambda c: byheart(c, **memory(options)),
        ORIGINAL: original,
    }
    wanted = {name: build for name, build in every.items() if not options.only or name in options.only}
    table = Table(
        "Outside gate",
        [
            "system",
            "junk refused",
            "needed admitted",
            "admitted a stretch an offer",
            "refused, less the other",
            "admitted, less the other",
        ],
        note=f"{count} offers of each kind, seed {options.seed}; 95 % intervals over conversations.",
    )
    right: dict[str, list[dict[str, tuple[float, int]]]] = {}
    for name, build in wanted.items():
        refused = measure(build, conversations, junk)
        admitted = measure(build, conversations, needed)
        right[name] = [
            sums((o.conversation, float(not found)) for o, found in refused),
            sums((o.conversation, float(bool(found & o.good))) for o, found in admitted),
        ]
        result.traces[name] = {
            "junk": [[o.conversation, o.other, o.question, sorted(found)] for o, found in refused],
            "needed": [[o.conversation, o.other, o.question, sorted(o.good), sorted(found)] for o, found in admitted],
        }
        say(f"{name}: junk refused {mean(right[name][0]).value:.3f}, needed admitted {mean(right[name][1]).value:.3f}")
        less: list[Cell] = [None, None]
        if name != OURS and OURS in right:
            less = [difference(a, b) for a, b in zip(right[name], right[OURS], strict=True)]
        volume = mean(sums((o.conversation, float(len(found))) for o, found in admitted))
        table.add(name, mean(right[name][0]), mean(right[name][1]), volume, *less)
        result.figures[f"{name}.refused"] = mean(right[name][0])
        result.figures[f"{name}.admitted"] = mean(right[name][1])
    result.tables.append(table)
    return result
