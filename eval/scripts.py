"""Languages written without spaces: is the right stretch of a conversation found first?

The conversations and questions are written for this project (``tests/data/cjk_conversations.jsonl``),
Japanese, Chinese, Thai and Korean, at least twenty stretches each.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import dataclass
from pathlib import Path

from .data import ROOT
from .followups import Rows
from .result import Result, Table, say
from .statistics import proportion

NAME = "scripts"
HELP = "Japanese, Chinese, Thai, Korean conversations: the right stretch first"

FILE = ROOT / "tests" / "data" / "cjk_conversations.jsonl"
WANTED = 0.9
LEAST = 20


@dataclass(frozen=True)
class Talk:
    """A conversation, and questions about it with the turns that hold the answer."""

    language: str
    rows: Rows
    questions: tuple[tuple[str, tuple[int, ...]], ...]


def read(path: Path = FILE) -> list[Talk]:
    """One conversation a line."""
    entries = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return [
        Talk(
            entry["language"],
            [(t["role"], t["text"], t.get("when") or "") for t in entry["turns"]],
            tuple((q["query"], tuple(q["gold"])) for q in entry["questions"]),
        )
        for entry in entries
    ]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--file", type=Path, default=FILE)


def run(options: argparse.Namespace) -> Result:
    from byheart import Memory

    result = Result(NAME)
    table = Table(
        "Unspaced scripts: the right stretch first",
        ["language", "stretches", "questions", "right stretch first", "in the first three"],
        note="Share of the questions where the first stretch that search finds, or one of the first three, holds a turn "
        "with the answer. One conversation a language: 95 % intervals over its questions (Wilson).",
    )
    for talk in read(options.file):
        memory = Memory()
        memory.extend((role, text, when or None) for role, text, when in talk.rows)
        places = []
        for query, gold in talk.questions:
            found = [range(*hit["turns"]) for hit in memory.search(query, limit=3)]
            places.append(next((n for n, turns in enumerate(found) if any(t in turns for t in gold)), None))
        first = sum(place == 0 for place in places)
        three = sum(place is not None for place in places)
        stretches, asked = len(memory.bounds), len(places)
        result.traces[talk.language] = places
        table.add(talk.language, stretches, asked, proportion(first, asked), proportion(three, asked))
        result.figures[f"{talk.language}.first"] = first
        result.figures[f"{talk.language}.asked"] = asked
        say(f"{talk.language}: {first} of {asked} first, {three} in the first three, {stretches} stretches")
        if first < WANTED * asked:
            result.failures.append(f"{talk.language}: the right stretch first in {first} of {asked}")
        if stretches < LEAST:
            result.failures.append(f"{talk.language}: {stretches} stretches, fewer than {LEAST} prove little")
    result.tables.append(table)
    return result
