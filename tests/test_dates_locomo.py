"""Relative dates in a real collection of conversations, where it is present."""

from __future__ import annotations

import datetime
import json

import pytest

from byheart.dates import annotate, mark, unmark
from eval import data, dates
from eval.golddates import gold_days

D = datetime.date


@pytest.fixture(scope="module")
def said() -> list[dates.Said]:
    try:
        return list(dates.turns(data.read()))
    except data.DataMissingError as missing:
        pytest.skip(str(missing))


def test_at_least_95_percent_of_the_expressions_that_name_a_date_are_annotated(said: list[dates.Said]) -> None:
    judged = json.loads(dates.JUDGED.read_text(encoding="utf-8"))
    nameless = {(conversation, turn, phrase.lower()) for conversation, turn, phrase, _ in judged["name no date"]}
    named = hits = 0
    for turn, found in dates.candidates(said):
        hit = any(n.start < found.end() and found.start() < n.end for n in annotate(turn.text, turn.day))
        if (turn.conversation, turn.turn, found[0].lower()) in nameless:
            assert not hit, (turn.conversation, turn.turn, found[0])
        else:
            named, hits = named + 1, hits + hit
    assert named > 450
    assert hits / named >= 0.95


def test_real_turns_come_back_exactly_and_are_annotated_once(said: list[dates.Said]) -> None:
    for turn in said:
        notes = annotate(turn.text, turn.day)
        marked = mark(turn.text, notes)
        assert unmark(marked, notes) == turn.text
        assert annotate(marked, turn.day) == []


@pytest.mark.parametrize(
    ("answer", "days"),
    [
        ("7 May 2023", [(D(2023, 5, 7), D(2023, 5, 7))]),
        ("January 5, 2024", [(D(2024, 1, 5), D(2024, 1, 5))]),
        ("The sunday before 25 May 2023", [(D(2023, 5, 21), D(2023, 5, 21))]),
        ("The week before 9 June 2023", [(D(2023, 5, 29), D(2023, 6, 4)), (D(2023, 6, 2), D(2023, 6, 8))]),
        ("two weekends before 17 July 2023", [(D(2023, 7, 8), D(2023, 7, 9))]),
        ("The weekend after 3June, 2022.", [(D(2022, 6, 4), D(2022, 6, 5))]),
        ("The week of 23 August 2023", [(D(2023, 8, 21), D(2023, 8, 27))]),
        ("November 5-6, 2022", [(D(2022, 11, 5), D(2022, 11, 6))]),
        ("Summer 2024", [(D(2024, 6, 1), D(2024, 8, 31))]),
        ("January, 2023", [(D(2023, 1, 1), D(2023, 1, 31))]),
        ("2022", [(D(2022, 1, 1), D(2022, 12, 31))]),
        ("four months", []),
        ("her mother", []),
    ],
)
def test_an_answer_is_read_as_the_days_it_names(answer: str, days: list[tuple[datetime.date, datetime.date]]) -> None:
    assert gold_days(answer) == days
