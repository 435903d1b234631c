"""Which phrases are annotated with which dates, and where."""

from __future__ import annotations

import datetime
import json
from pathlib import Path
from typing import Any

import pytest

from byheart.dates import Note, WhenReader, annotate, mark
from eval import data

D = datetime.date
THURSDAY = D(2023, 5, 25)
OWN = [
    json.loads(line) for line in (Path(__file__).parent / "data" / "dates_own.jsonl").read_text("utf-8").splitlines()
]


def notes(case: dict[str, Any]) -> list[Note]:
    moment = WhenReader().read(case["when"])
    return annotate(case["text"], moment.date if moment else None, (case.get("language", "en"),))


@pytest.mark.parametrize("case", OWN, ids=[f"{case['construct']}-{case['text'][:40]}" for case in OWN])
def test_a_phrase_is_annotated_with_its_date_or_left_alone(case: dict[str, Any]) -> None:
    found = notes(case)
    if case["right"] == "none":
        assert found == []
        return
    (note,) = found
    assert note.label == case["right"]
    assert case["text"][: note.end].lower().endswith(case["phrase"].lower())


def test_every_construct_has_cases_that_are_annotated_and_cases_that_are_not() -> None:
    english = [case for case in OWN if case.get("language", "en") == "en"]
    assert sum(case["right"] == "none" for case in english) >= 80
    assert sum(case["right"] != "none" for case in english) >= 120
    for language in ("de", "es", "ru"):
        cases = [case for case in OWN if case.get("language") == language]
        assert sum(case["right"] == "none" for case in cases) >= 6
        assert sum(case["right"] != "none" for case in cases) >= 15


def required() -> list[dict[str, Any]]:
    try:
        path = data.find().parent / "cases" / "dates.jsonl"
    except data.DataMissingError:
        return []
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()] if path.is_file() else []


REQUIRED = required()


@pytest.mark.skipif(not REQUIRED, reason="the folder `cases` beside the data is not here (see BYHEART_DATA)")
@pytest.mark.parametrize("case", REQUIRED, ids=[case["text"] for case in REQUIRED])
def test_the_cases_that_were_asked_for_come_out_right(case: dict[str, Any]) -> None:
    found = [(case["text"][note.start : note.end].removesuffix("'s"), note.label) for note in notes(case)]
    assert found == ([] if case["right"] == "none" else [(case["phrase"], case["right"])])


@pytest.mark.parametrize(
    ("text", "marked"),
    [
        ("last night's concert", "last night's [24 May 2023] concert"),
        ("last night’s concert", "last night’s [24 May 2023] concert"),
        (
            "Tomorrow's fine, and so is next week",
            "Tomorrow's [26 May 2023] fine, and so is next week [29 May-4 June 2023]",
        ),
        ("the day after tomorrow evening", "the day after tomorrow evening [27 May 2023]"),
        ("last\nweek", "last\nweek [15-21 May 2023]"),
        ("yesterday\ud800", "yesterday [24 May 2023]\ud800"),
        ("İstanbul yesterday", "İstanbul yesterday [24 May 2023]"),
        ("yesterday yesterday", "yesterday [24 May 2023] yesterday [24 May 2023]"),
        ("nothing here", "nothing here"),
        ("", ""),
    ],
)
def test_the_label_stands_behind_the_phrase_and_what_it_carries(text: str, marked: str) -> None:
    assert mark(text, annotate(text, THURSDAY)) == marked


def test_a_note_says_which_days_it_names() -> None:
    text = "we met last week, and again on 3 June we will"
    week, day = annotate(text, THURSDAY)
    assert (week.first, week.last) == (D(2023, 5, 15), D(2023, 5, 21))
    assert (day.first, day.last, day.label) == (D(2023, 6, 3), D(2023, 6, 3), "3 June 2023")
    assert text[week.phrase_start : week.end] == "last week"
    assert week.start == week.phrase_start


def test_nested_and_overlapping_phrases_are_annotated_once() -> None:
    assert [n.label for n in annotate("the day before yesterday", THURSDAY)] == ["23 May 2023"]
    assert [n.label for n in annotate("two weeks from tomorrow", THURSDAY)] == ["9 June 2023"]
    assert [n.label for n in annotate("August last year", THURSDAY)] == ["August 2022"]


def test_nothing_is_annotated_without_a_day_or_a_language() -> None:
    assert annotate("yesterday", None) == []
    assert annotate("yesterday", THURSDAY, ()) == []


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("yesterday", D.min),
        ("last week", D.min),
        ("last year", D.min),
        ("tomorrow", D.max),
        ("next week", D.max),
        ("next month", D.max),
        ("next year", D.max),
        ("next winter", D.max),
        ("9999 weeks ago", D(150, 1, 1)),
        ("9000 years ago", THURSDAY),
        ("2000 years ago", THURSDAY),
        ("a year ago today", D(2024, 2, 29)),
        ("the 31st of next month", THURSDAY),
        ("we met on 31 April", THURSDAY),
    ],
)
def test_a_date_that_the_calendar_does_not_have_is_silence(text: str, day: datetime.date) -> None:
    assert annotate(text, day) == []


def test_the_tense_of_the_clause_decides_not_that_of_another() -> None:
    cases = {
        "I got the job, so I start on Monday": "29 May 2023",
        "I'm so happy that we won on Saturday": "20 May 2023",
        "He called and on Saturday we will meet": "27 May 2023",
        "I was ill. On Saturday I'm going out": "27 May 2023",
        "On Saturday, my aunt came by": "20 May 2023",
    }
    assert {text: annotate(text, THURSDAY)[0].label for text in cases} == cases


def test_tenses_that_disagree_in_one_clause_decide_nothing() -> None:
    assert annotate("we were going to leave on Monday", THURSDAY) == []
    assert annotate("she said will you come on Monday", THURSDAY) == []


def test_a_phrase_in_a_text_that_is_annotated_already_gets_nothing_but_the_rest_does() -> None:
    text = "yesterday [24 May 2023] I ran, tomorrow I rest"
    (note,) = annotate(text, THURSDAY)
    assert text[note.start : note.end] == "tomorrow"


@pytest.mark.parametrize(
    "label",
    [
        "7 May 2023",
        "1-7 May 2023",
        "29 May-4 June 2023",
        "29 December 2023-4 January 2024",
        "May 2023",
        "2022",
        "summer 2022",
        "fall 2022",
        "winter 2022-2023",
        "January-March 2023",
        "8 May 2023, 13:56",
    ],
)
def test_every_kind_of_label_is_known_again(label: str) -> None:
    assert annotate(f"yesterday [{label}]", THURSDAY) == []
    assert annotate(f"yesterday [not {label}]", THURSDAY) != []


def test_languages_are_codes_or_tables() -> None:
    with pytest.raises(ValueError, match=r"languages must be among 'en', 'de', 'es', 'ru'.*got 'xx'"):
        annotate("yesterday", THURSDAY, ("xx",))
    with pytest.raises(TypeError, match="languages must be codes or Language tables, got 3"):
        annotate("yesterday", THURSDAY, (3,))  # type: ignore[arg-type]


def test_several_languages_are_read_in_one_text() -> None:
    text = "gestern we talked, ayer no, вчера да, yesterday too"
    found = annotate(text, THURSDAY, ("en", "de", "es", "ru"))
    assert [text[note.start : note.end] for note in found] == ["gestern", "ayer", "вчера", "yesterday"]
    assert annotate(text, THURSDAY, ("de",)) == found[:1]
