"""Live replay: conversations as they would be lived, one request after another.

Turns are appended session by session. Before a user turn is appended, a request is composed for its
text. Questions are asked (composed, not appended) when two sessions have passed since the last one
that holds their evidence, or at the end. Each request goes through simulated prompt caches.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from . import caches, data, systems
from .options import add_memory, add_selection, chosen, memory
from .result import Cell, Result, Table, say
from .statistics import Estimate, difference, mean, sums

NAME = "replay"
HELP = "whole conversations lived through: recall, cost under prompt caches, what each request holds"

ORIGINAL = "yait-byheart 0.1.1"
OURS = "byheart"
PER_QUERY = "byheart, per query"

#: Seconds between two requests of one session.
PACE = 45.0

#: What is averaged within each conversation first.
COSTS = frozenset({"effective", "sent", *(rules.name for rules in caches.PROVIDERS)})


@dataclass(frozen=True)
class Step:
    """One thing that happens: a turn is appended, or a request is composed."""

    at: float
    turn: data.Turn | None = None
    query: str | None = None
    question: data.Question | None = None


def script(conversation: data.Conversation, *, every: int = 1, questions: bool = True) -> Iterator[Step]:
    """The steps of one conversation, in order, with their times in seconds.

    Sessions start when the data says so (an hour apart where it does not say), requests follow
    each other at a steady pace.
    """
    last = len(conversation.sessions) - 1
    due: dict[int, list[data.Question]] = {}
    for question in conversation.questions[::every] if questions else ():
        holding = max(conversation.turns[turn].session for turn in question.gold)
        due.setdefault(min(holding + 2, last), []).append(question)
    now = 0.0
    origin = conversation.sessions[0].start
    for number, session in enumerate(conversation.sessions):
        begins = (session.start - origin).total_seconds() if session.start and origin else now + 3600
        now = max(now, begins)
        for turn in conversation.turns[session.lo : session.hi]:
            if turn.role == "user":
                yield Step(now, query=turn.text)
                now += PACE
            yield Step(now, turn=turn)
        for question in due.get(number, ()):
            yield Step(now, query=question.text, question=question)
            now += PACE


@dataclass
class Lived:
    """What one system did over the conversations."""

    requests: list[dict[str, Any]] = field(default_factory=list)
    over: int = 0
    largest: int = 0

    def values(self, key: str) -> dict[str, tuple[float, int]]:
        return sums((r["conversation"], float(r[key])) for r in self.requests if r.get(key) is not None)

    def by_conversation(self, key: str) -> dict[str, tuple[float, int]]:
        """The mean of each conversation as one value, so that a long conversation counts as one."""
        return {name: (total / count, 1) for name, (total, count) in self.values(key).items()}

    def mean(self, key: str) -> Estimate:
        """Costs and sizes: mean of the conversations' means. Everything else: mean over requests."""
        return mean(self.by_conversation(key) if key in COSTS else self.values(key))

    def less(self, other: Lived, key: str) -> Estimate:
        if key in COSTS:
            return difference(self.by_conversation(key), other.by_conversation(key))
        return difference(self.values(key), other.values(key))

    def total(self, key: str) -> int:
        return int(sum(r[key] for r in self.requests))


def live(
    factory: systems.Factory, conversation: data.Conversation, *, every: int = 1, providers: bool = False
) -> Lived:
    """One conversation with one system."""
    system = factory()
    lived = Lived()
    effective = caches.Cache(caches.EFFECTIVE)
    others = [caches.Cache(rules) for rules in caches.PROVIDERS] if providers else []
    before: systems.Sent | None = None
    count, exchange, said = 0, 0, 0
    for step in script(conversation, every=every):
        if step.turn is not None:
            system.append(step.turn)
            if step.turn.role == "user":
                exchange = count
            count += 1
            said += len(step.turn.text)
            continue
        assert step.query is not None
        sent = system.compose(step.query)
        broken = before is not None and sent.blocks[: before.stable] != before.blocks[: before.stable]
        request = caches.Request(sent.blocks, [sent.stable - 1] if sent.stable else [])
        usage = effective.send(request, step.at)
        present = set(range(exchange, count)) <= sent.included
        record: dict[str, Any] = {
            "conversation": conversation.id,
            "question": step.question.id if step.question else None,
            "at": step.at,
            "sent": sent.size / caches.CHARACTERS_PER_TOKEN,
            "own": sent.own,
            "recalled": sum(len(text) for _, text in sent.blocks[:-1] if text.startswith(systems.MARKER)),
            "history": said,
            "turns": count,
            "effective": usage.effective(caches.EFFECTIVE),
            "read": usage.read,
            "exchange": None if step.question or not count else present,
            "present": present if count else None,
            "rebuilt": int(sent.rebuilt),
            "broken": int(broken),
            "unreported": int(broken and not sent.rebuilt),
            "mode": sent.mode,
            "recall": None,
            "all": None,
            "any": None,
        }
        if step.question:
            gold = step.question.gold
            share = sum(turn in sent.included for turn in gold) / len(gold)
            record |= {"recall": share, "all": float(share == 1), "any": float(share > 0)}
        for cache in others:
            marked = request
            if cache.rules.name == caches.OPENAI_UNMARKED.name:
                # Without a mark of one's own the provider puts one on the newest message.
                marked = caches.Request(sent.blocks, [len(sent.blocks) - 1])
            record[cache.rules.name] = cache.send(marked, step.at).effective(cache.rules)
        lived.requests.append(record)
        lived.over += system.limit is not None and sent.own > system.limit
        lived.largest = max(lived.largest, sent.own)
        before = sent
    return lived


def live_all(
    factory: systems.Factory, conversations: Iterable[data.Conversation], *, every: int = 1, providers: bool = False
) -> Lived:
    """Each conversation with a system of its own, put together."""
    total = Lived()
    for conversation in conversations:
        lived = live(factory, conversation, every=every, providers=providers)
        total.requests += lived.requests
        total.over += lived.over
        total.largest = max(total.largest, lived.largest)
    return total


def alternate(factory: systems.Factory, conversation: data.Conversation, rounds: int = 10) -> tuple[int, int]:
    """Two subjects in turn, ten times each, nothing appended between: how many of the requests after
    each was recalled once were rebuilt, and of how many. The subjects are the conversation's first
    question and the first one whose evidence lies in another half of it."""
    system = factory()
    for turn in conversation.turns:
        system.append(turn)
    half = len(conversation.turns) // 2
    first = conversation.questions[0]
    other = next(
        (q for q in conversation.questions if (q.gold[0] < half) != (first.gold[0] < half)), conversation.questions[-1]
    )
    rebuilt = 0
    for number in range(rounds):
        for query in (first.text, other.text):
            sent = system.compose(query)
            rebuilt += sent.rebuilt and number > 0
    return rebuilt, 2 * (rounds - 1)


def every_system(options: argparse.Namespace) -> dict[str, systems.Factory]:
    """The systems to compare, or those whose name holds one of the words asked for."""
    ours = memory(options)
    every: dict[str, systems.Factory] = {
        OURS: lambda: systems.Byheart(**{"budget": options.budget, **ours}),
        PER_QUERY: lambda: systems.Byheart(**{"budget": options.budget, **ours, "stability": 0.0}),
        ORIGINAL: lambda: systems.Original(budget=options.budget),
        "full history": systems.FullHistory,
        f"last {options.window} turns": lambda: systems.Window(options.window),
    }
    if not options.only:
        return every
    wanted = {n: f for n, f in every.items() if any(w == n or (w != OURS and w in n) for w in options.only)}
    if not wanted:
        raise ValueError(f"no system is called {', '.join(options.only)}; there are {', '.join(every)}")
    return wanted


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--budget", type=int, default=20_000, help="characters")
    parser.add_argument("--window", type=int, default=100, help="turns of the sliding window")
    parser.add_argument("--only", nargs="+", metavar="SYSTEM", help="only these systems")
    add_selection(parser)
    parser.add_argument("--replies", choices=("plain", "long"), default="plain")
    parser.add_argument("--no-providers", action="store_true", help="effective tokens only, no other caches")
    add_memory(parser)


def run(options: argparse.Namespace) -> Result:
    conversations = chosen(options, long_replies=options.replies == "long")
    every = 5 if options.quick else 1
    if options.quick:
        conversations = conversations[:2]
    result = Result(NAME, data_checksum=data.checksum(options.data))
    if options.quick:
        result.notes.append("quick: two conversations, every fifth question")
    lived: dict[str, Lived] = {}
    turns: dict[str, tuple[int, int]] = {}
    for name, factory in every_system(options).items():
        lived[name] = live_all(factory, conversations, every=every, providers=not options.no_providers)
        counted = [alternate(factory, c) for c in conversations]
        turns[name] = (sum(a for a, _ in counted), sum(b for _, b in counted))
        one = lived[name]
        say(
            f"{name}: recall {one.mean('recall').value:.4f}, effective {one.mean('effective').value:,.0f}, "
            f"sent {one.mean('sent').value:,.0f}, last exchange {one.mean('exchange').value:.3f}, "
            f"rebuilds {one.total('rebuilt')}, breaks {one.total('broken')} ({one.total('unreported')} unreported), "
            f"over the ceiling {one.over}"
        )
    report(result, lived, turns, providers=not options.no_providers, budget=options.budget)
    return result


def report(
    result: Result, lived: dict[str, Lived], turns: dict[str, tuple[int, int]], *, providers: bool, budget: int
) -> None:
    """Tables, figures and traces; broken promises of byheart are failures."""
    baseline = OURS if OURS in lived else next(iter(lived))
    first = lived[baseline]
    asked = sum(r["recall"] is not None for r in first.requests)
    note = (
        f"{len(first.requests):,} requests, {asked:,} of them questions; budget {budget:,} characters; tokens are "
        "characters / 4. Recall: mean over questions. Tokens: mean of the conversations' means. Last exchange: share "
        "of the requests that precede a user turn. 95 % intervals over conversations."
    )
    main = Table(
        "Live replay",
        [
            "system",
            "evidence recall",
            "effective tokens a request",
            "tokens sent a request",
            "last exchange present",
            f"recall less {baseline}",
            f"effective less {baseline}",
        ],
        note=note,
    )
    detail = Table(
        "Live replay: what else was counted",
        [
            "system",
            "all evidence",
            "any evidence",
            "rebuilds",
            "prefix breaks",
            "of them unreported",
            "requests past the ceiling",
            "most contributed, characters",
            "two subjects alternated: rebuilt",
        ],
        note="A prefix break: a block said to repeat did not. Alternated: requests rebuilt after each "
        "subject was recalled once, of all such requests.",
    )
    for name, one in lived.items():
        estimates: dict[str, Estimate] = {
            key: one.mean(key) for key in ("recall", "effective", "sent", "exchange", "all", "any")
        }
        less: list[Cell] = [None, None]
        if name != baseline:
            less = [one.less(first, key) for key in ("recall", "effective")]
        main.add(name, estimates["recall"], estimates["effective"], estimates["sent"], estimates["exchange"], *less)
        detail.add(
            name,
            estimates["all"],
            estimates["any"],
            one.total("rebuilt"),
            one.total("broken"),
            one.total("unreported"),
            one.over,
            one.largest,
            f"{turns[name][0]} of {turns[name][1]}",
        )
        for key, value in estimates.items():
            result.figures[f"{name}.{key}"] = value
        result.figures[f"{name}.rebuilds"] = one.total("rebuilt")
        result.figures[f"{name}.unreported"] = one.total("unreported")
        result.figures[f"{name}.over_ceiling"] = one.over
        result.figures[f"{name}.alternated_rebuilds"] = turns[name][0]
    result.tables += [main, detail]
    if providers:
        table = Table(
            "Live replay: input cost by provider, sessions days apart as dated",
            ["system", *(rules.name for rules in caches.PROVIDERS)],
            note=f"What the input of a request costs, in uncached tokens; {PACE:.0f} seconds between the "
            "requests of a session, so that every session finds cold caches.",
        )
        for name, one in lived.items():
            table.add(name, *(one.mean(rules.name) for rules in caches.PROVIDERS))
        result.tables += [table, rules_table()]
    for name in (OURS, PER_QUERY):
        if name in lived:
            one = lived[name]
            if one.total("unreported"):
                result.failures.append(f"{name}: {one.total('unreported')} prefix breaks were not reported as rebuilds")
            if one.over:
                result.failures.append(f"{name}: {one.over} requests past the ceiling")
            if name == OURS and turns[name][0]:
                result.failures.append(f"{name}: two subjects alternated: {turns[name][0]} of {turns[name][1]} rebuilt")
            missing = sum(r["present"] is False for r in one.requests)
            if missing:
                result.failures.append(f"{name}: {missing} requests without the last exchange")
    result.traces = {name: trace(one.requests) for name, one in lived.items()}


def rules_table() -> Table:
    """The rules the simulator follows, as published."""
    table = Table(
        "Prompt caches as simulated",
        [
            "cache",
            "what is found",
            "minimum, tokens",
            "read",
            "write",
            "lifetime, seconds",
            "source",
            "read on",
            "open or assumed",
        ],
    )
    for r in (caches.EFFECTIVE, *caches.PROVIDERS):
        found = (
            f"prefix in steps of {r.step}"
            if r.kind == "prefix"
            else ("marks, any look-back" if r.look_back is None else f"marks, look-back {r.look_back}")
        )
        life = (
            "no end"
            if r.lifetime is None
            else f"{r.lifetime:.0f}" + (f", at most {r.longest:.0f}" if r.longest else "")
        )
        table.add(
            r.name, found, r.minimum, f"{r.read_price:g}", f"{r.write_price:g}", life, r.source, r.read_on, r.note
        )
    return table


def trace(requests: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The requests in columns, by ids."""
    return {
        "conversation": [r["conversation"] for r in requests],
        "question": [r["question"] for r in requests],
        "recall": [None if r["recall"] is None else round(r["recall"], 4) for r in requests],
        "effective": [round(r["effective"]) for r in requests],
        "sent": [round(r["sent"]) for r in requests],
        **{key: [r[key] for r in requests] for key in ("own", "recalled", "history")},
        "rebuilt": [r["rebuilt"] for r in requests],
        "broken": [r["broken"] for r in requests],
    }
