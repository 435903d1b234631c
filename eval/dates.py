"""Relative dates: how many are annotated, how many of them rightly, what it tells, what it costs.

*Coverage*: a broad pattern finds what looks like a relative date in LoCoMo; what was judged by eye to name no
date is listed in ``dates_judged.json``. *Read by eye*: ``--show`` prints a sample drawn with the seed; the verdicts
on the sample of seed 1 are in the same file. *Temporal questions*: those of category 2 whose answer is a date;
counted are those where that date, or a part of it, stands in an annotation of the turns that hold the answer, or is
the day one of them was said on. *Speed*: a whole conversation annotated, or appended, against the original package,
one after the other in one process.
"""

from __future__ import annotations

import argparse
import datetime
import gc
import hashlib
import json
import random
import re
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from byheart.dates import Note, WhenReader, annotate, mark

from . import data
from .golddates import Days, gold_days
from .result import Result, Table, say

NAME = "dates"
HELP = "relative dates: coverage, a sample to read, temporal questions, speed"

JUDGED = Path(__file__).with_name("dates_judged.json")
ORIGINAL = "yait-byheart 0.1.1"

_UNITS = "day week weekend month year night morning evening afternoon summer winter spring fall autumn quarter decade"
_WEEKDAY = r"(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day|(?:mon|tues?|wed|thu(?:rs?)?|fri|sat|sun)\b)"
_UNIT = rf"(?:{'|'.join(_UNITS.split())})s?"
_MONTH = "(?:january|february|march|april|may|june|july|august|september|october|november|december)"
_COUNT = r"(?:\d+|an?|one|two|three|four|five|six|seven|eight|nine|ten|a few|few|several|(?:a )?couple(?: of)?)"
_BRACKET = re.compile(r" \[(\d{1,2} [A-Z][a-z]+ \d{4})\]")
CANDIDATE = re.compile(
    r"\b(?:yesterday|today|tonight|tomorrow|day (?:before yesterday|after tomorrow)|this (?:morning|afternoon|evening)|"
    rf"(?:last|next|this|past|this past|this coming|coming|previous|following) (?:{_UNIT}|{_WEEKDAY}|{_MONTH})|"
    rf"{_COUNT} {_UNIT} (?:ago|back|from now|later|earlier|before)|in {_COUNT} {_UNIT}|(?:the )?other day|"
    rf"(?:on|this|by) {_WEEKDAY})\b",
    re.I,
)
"""What may be a relative date; broader than any grammar, so that it finds what a grammar misses."""


@dataclass(frozen=True)
class Said:
    """A turn of LoCoMo as it was said, without the speaker's name."""

    conversation: str
    turn: str
    text: str
    when: str
    day: datetime.date


def turns(raw: Iterable[Any]) -> Iterator[Said]:
    """Every turn, in order."""
    for entry in raw:
        reader = WhenReader()
        conversation = entry["conversation"]
        for number in data.session_numbers(conversation):
            when = conversation.get(f"session_{number}_date_time", "")
            moment = reader.read(when)
            if moment is None:
                continue
            for turn in conversation.get(f"session_{number}", ()):
                yield Said(entry["sample_id"], turn["dia_id"], turn["text"], when, moment.date)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--show", type=int, default=0, metavar="N", help="print N annotations to read, drawn by seed")
    parser.add_argument("--rounds", type=int, default=5, help="of the speed comparison")


def run(options: argparse.Namespace) -> Result:
    result = Result(NAME, data_checksum=data.checksum(options.data))
    raw = data.read(options.data)
    said = list(turns(raw))
    judged = json.loads(JUDGED.read_text(encoding="utf-8"))
    if options.show:
        show(said, options.show, options.seed)
        return result
    _coverage(result, said, judged)
    _sample(result, said, judged)
    _questions(result, raw, said)
    _speed(result, raw, 1 if options.quick else options.rounds)
    return result


# Coverage


def candidates(said: Iterable[Said]) -> Iterator[tuple[Said, re.Match[str]]]:
    """What looks like a relative date, with its turn."""
    for turn in said:
        for found in CANDIDATE.finditer(turn.text):
            yield turn, found


def _coverage(result: Result, said: Sequence[Said], judged: dict[str, Any]) -> None:
    nameless = {(conversation, turn, phrase.lower()) for conversation, turn, phrase, _ in judged["name no date"]}
    original = _original()
    total = named = ours = wrong_silence = theirs = quiet = 0
    for turn, found in candidates(said):
        total += 1
        notes = annotate(turn.text, turn.day)
        hit = any(note.start < found.end() and found.start() < note.end for note in notes)
        if (turn.conversation, turn.turn, found[0].lower()) in nameless:
            quiet += not hit
            continue
        named += 1
        ours += hit
        if not hit:
            wrong_silence += 1
            say(f"not annotated: {turn.conversation} {turn.turn} {found[0]!r}")
        if original is not None:
            theirs += original(turn.text, turn.when, found)
    table = Table(
        "Relative dates of LoCoMo",
        ["", "expressions", "annotated", "share"],
        note="Found by a broad pattern; those judged by eye to name no date are set apart.",
    )
    table.add("name a date", named, ours, ours / named)
    if original is not None:
        table.add(f"the same, {ORIGINAL}", named, theirs, theirs / named)
    table.add("name none", total - named, total - named - quiet, (total - named - quiet) / max(1, total - named))
    result.tables.append(table)
    result.figures["candidates"] = total
    result.figures["named"] = named
    result.figures["coverage"] = ours / named
    if ours / named < 0.95:
        result.failures.append(f"coverage of relative dates: {ours / named:.3f}, promised 0.95")


def _original() -> Callable[[str, str, re.Match[str]], bool] | None:
    """Whether the original package annotates a candidate; None where it is not installed."""
    try:
        from yait_byheart import resolve_time
    except ImportError:
        return None

    def annotated(text: str, when: str, found: re.Match[str]) -> bool:
        removed = 0
        for label in _BRACKET.finditer(str(resolve_time(text, when))):
            if found.start() < label.start() - removed <= found.end():
                return True
            removed += len(label[0])
        return False

    return annotated


# A sample to read


def sample(said: Sequence[Said], count: int, seed: int) -> list[tuple[Said, Note]]:
    """``count`` annotations, drawn with the seed."""
    notes = [(turn, note) for turn in said for note in annotate(turn.text, turn.day)]
    return random.Random(seed).sample(notes, count)


def digest(drawn: Iterable[tuple[Said, Note]]) -> str:
    """A checksum by which a sample that was read is known again, without its words."""
    lines = [f"{turn.conversation} {turn.turn} {note.start} {note.label}" for turn, note in drawn]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]


def show(said: Sequence[Said], count: int, seed: int) -> None:
    """Prints ``count`` annotations with the words around them. They are LoCoMo's: read them, do not keep them."""
    for number, (turn, note) in enumerate(sample(said, count, seed), 1):
        left, right = turn.text[max(0, note.start - 70) : note.start], turn.text[note.end : note.end + 60]
        context = f"{left}>>{turn.text[note.start : note.end]} [{note.label}]<<{right}".replace("\n", " ")
        print(f"{number:3} {turn.conversation} {turn.turn} {turn.day:%a %d %b %Y}: {context}")


def _sample(result: Result, said: Sequence[Said], judged: dict[str, Any]) -> None:
    read = judged["sample of seed 1"]
    table = Table("A sample read by eye", ["annotations read", "right"], note="Drawn with seed 1; see --show.")
    table.add(read["read"], read["read"] - len(read["wrong"]))
    result.tables.append(table)
    result.figures["sample right"] = (read["read"] - len(read["wrong"])) / read["read"]
    if digest(sample(said, read["read"], 1)) != read["digest"]:
        result.notes.append("the annotations have changed since the sample of seed 1 was read: read it again")


# Temporal questions


def _questions(result: Result, raw: Iterable[Any], said: Sequence[Said]) -> None:
    by_id = {(turn.conversation, turn.turn): turn for turn in said}
    spans: dict[tuple[str, str], list[Days]] = {}
    counts = {"day of the turns alone": 0, ORIGINAL: 0, "byheart": 0}
    asked = dated = 0
    for entry in raw:
        for question in entry["qa"]:
            if question["category"] != 2:
                continue
            asked += 1
            gold = gold_days(question["answer"])
            evidence = [
                by_id[key]
                for ids in question["evidence"]
                for found in re.finditer(r"D:?(\d+):(\d+)", ids)
                if (key := (entry["sample_id"], f"D{int(found[1])}:{int(found[2])}")) in by_id
            ]
            if not gold or not evidence:
                continue
            dated += 1
            days = [(turn.day, turn.day) for turn in evidence]
            for turn in evidence:
                spans.setdefault(
                    (turn.conversation, turn.turn), [(n.first, n.last) for n in annotate(turn.text, turn.day)]
                )
            ours = [span for turn in evidence for span in spans[turn.conversation, turn.turn]]
            theirs = [span for turn in evidence for span in _original_days(turn)]
            counts["day of the turns alone"] += _tells(gold, days)
            counts[ORIGINAL] += _tells(gold, [*days, *theirs])
            counts["byheart"] += _tells(gold, [*days, *ours])
    table = Table(
        "Temporal questions whose answer the turns with the answer tell",
        ["annotations", "questions", "told", "share"],
        note=(
            f"{asked} questions of category 2, {dated} of them with a date or a span for an answer and a turn that "
            "holds it. Told: the day of such a turn, or one of its annotations, lies within the answer."
        ),
    )
    for name, told in counts.items():
        if name == ORIGINAL and _original() is None:
            continue
        table.add(name, dated, told, told / dated)
        result.figures[f"told.{name}"] = told / dated
    result.tables.append(table)


def _tells(gold: Iterable[Days], spans: Sequence[Days]) -> bool:
    return any(first <= start and end <= last for first, last in gold for start, end in spans)


def _original_days(turn: Said) -> list[Days]:
    """What the original package annotates: always a day, "last week" included."""
    try:
        from yait_byheart import resolve_time
    except ImportError:
        return []
    marked = str(resolve_time(turn.text, turn.when))
    found = [datetime.datetime.strptime(day, "%d %B %Y").date() for day in _BRACKET.findall(marked)]
    return [(day, day) for day in found]


# Speed


def _speed(result: Result, raw: Iterable[Any], rounds: int) -> None:
    try:
        from yait_byheart import Memory as OriginalMemory
        from yait_byheart import resolve_time
    except ImportError:
        result.notes.append(f"{ORIGINAL} is not installed: no comparison of speed")
        return
    from byheart import Memory

    conversations = [list(conversation.rows()) for conversation in map(data.parse, raw)]

    def annotating() -> None:
        for rows in conversations:
            reader = WhenReader()
            for _, text, when in rows:
                moment = reader.read(when)
                if moment is not None:
                    mark(text, annotate(text, moment.date))

    def resolving() -> None:
        for rows in conversations:
            for _, text, when in rows:
                resolve_time(text, when)

    def appending(memory: Callable[[], Any]) -> Callable[[], None]:
        def work() -> None:
            for rows in conversations:
                filled = memory()
                for role, text, when in rows:
                    filled.append(role, text, when=when)

        return work

    table = Table(
        "Speed, times faster than the original",
        ["", "ratio", "lowest", "highest"],
        note="Median of rounds in one process, each right after the other; processor time, not wall time.",
    )
    for name, ours, theirs in (
        ("dates alone", annotating, resolving),
        ("append, everything included", appending(Memory), appending(OriginalMemory)),
    ):
        ours()
        ratios = sorted(_seconds(theirs) / _seconds(ours) for _ in range(rounds))
        table.add(name, ratios[len(ratios) // 2], ratios[0], ratios[-1])
        result.figures[f"speed.{name}"] = ratios[len(ratios) // 2]
    result.tables.append(table)


def _seconds(work: Callable[[], None]) -> float:
    gc.collect()
    started = time.process_time()
    work()
    return time.process_time() - started
