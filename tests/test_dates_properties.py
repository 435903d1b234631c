"""What holds for every text and every day."""

from __future__ import annotations

import datetime
import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from byheart.dates import annotate, mark, spans, unmark
from byheart.dates.scanner import scanner

LANGUAGES = ("en", "de", "es", "ru")
TEXTS = [
    json.loads(line)["text"]
    for line in (Path(__file__).parent / "data" / "dates_own.jsonl").read_text("utf-8").splitlines()
]
WORDS = sorted({word for text in TEXTS for word in text.split(" ")})
DAYS = st.dates(datetime.date(1990, 1, 1), datetime.date(2060, 12, 31))

# The patterns of a language are compiled when its words are first met, which takes a while once.
unhurried = settings(deadline=None)

pieces = st.one_of(
    st.sampled_from(TEXTS),
    st.sampled_from(WORDS),
    st.sampled_from(
        [" [7 May 2023]", "[2022]", " [", "]", "\n", "\n\n    ", "`", "```\n", '"', "'", "’", "“", "> ", "."]
    ),
    st.text(max_size=8),
)
texts = st.lists(pieces, max_size=12).map(lambda parts: " ".join(parts)) | st.lists(pieces, max_size=12).map("".join)
languages = st.sampled_from([("en",), ("de",), ("es",), ("ru",), LANGUAGES])


@unhurried
@given(texts, DAYS, languages)
def test_removing_the_annotations_gives_back_the_exact_text(
    text: str, day: datetime.date, chosen: tuple[str, ...]
) -> None:
    notes = annotate(text, day, chosen)
    assert unmark(mark(text, notes), notes) == text


@unhurried
@given(texts, DAYS, languages)
def test_annotating_twice_equals_annotating_once(text: str, day: datetime.date, chosen: tuple[str, ...]) -> None:
    marked = mark(text, annotate(text, day, chosen))
    assert annotate(marked, day, chosen) == []


@unhurried
@given(texts, DAYS, languages)
def test_notes_are_in_order_apart_and_inside_the_text(text: str, day: datetime.date, chosen: tuple[str, ...]) -> None:
    notes = annotate(text, day, chosen)
    at = 0
    for note in notes:
        assert at <= note.start < note.end <= len(text)
        assert note.first <= note.last
        assert not text[note.start].isspace()
        at = note.end


@unhurried
@given(texts, DAYS, languages)
def test_the_quick_look_never_hides_a_phrase(text: str, day: datetime.date, chosen: tuple[str, ...]) -> None:
    known = scanner(chosen)
    if not known.may_match(text.lower()):
        kinds = {phrase.kind for phrase in known.find(text.lower())}
        assert kinds <= {"absolute", "dated", "silent"}


@unhurried
@given(texts, st.none() | DAYS, languages)
def test_any_question_can_be_asked(text: str, day: datetime.date | None, chosen: tuple[str, ...]) -> None:
    for span in spans(text, day, chosen):
        if span.first is not None and span.last is not None:
            assert span.matches(span.first)
            assert span.overlaps(span.last, span.last)


# Oracles: days counted one at a time, without arithmetic on weeks or months.

NAMES = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
ONE = datetime.timedelta(days=1)


def only(text: str, day: datetime.date) -> tuple[datetime.date, datetime.date]:
    (note,) = annotate(text, day)
    return note.first, note.last


def walk(day: datetime.date, step: datetime.timedelta, weekday: int) -> datetime.date:
    day += step
    while day.weekday() != weekday:
        day += step
    return day


@unhurried
@given(DAYS, st.integers(0, 6))
def test_last_weekday_is_the_first_one_met_walking_back(day: datetime.date, weekday: int) -> None:
    expected = walk(day, -ONE, weekday)
    for text in (f"last {NAMES[weekday]}", f"I saw it on {NAMES[weekday]}", f"this past {NAMES[weekday]}"):
        assert only(text, day) == (expected, expected)


@unhurried
@given(DAYS, st.integers(0, 6))
def test_next_weekday_is_met_after_the_coming_sunday_has_passed(day: datetime.date, weekday: int) -> None:
    sunday = day if day.weekday() == 6 else walk(day, ONE, 6)
    expected = walk(sunday, ONE, weekday)
    assert only(f"next {NAMES[weekday]}", day) == (expected, expected)
    coming = walk(day, ONE, weekday)
    assert only(f"I will go on {NAMES[weekday]}", day) == (coming, coming)


@unhurried
@given(DAYS, st.integers(1, 400))
def test_weeks_ago_is_the_week_of_the_day_that_many_weeks_back(day: datetime.date, count: int) -> None:
    for _ in range(7 * count):
        day -= ONE
    start, now = day, day + 7 * count * ONE
    while start.weekday():
        start -= ONE
    assert only(f"{count} weeks ago", now) == (start, start + 6 * ONE)


@unhurried
@given(DAYS, st.integers(1, 60))
def test_months_ago_is_the_month_met_after_so_many_firsts(day: datetime.date, count: int) -> None:
    at, firsts = day, 0
    while firsts < count:
        firsts += at.day == 1
        at -= ONE
    first, last = only(f"{count} months ago", day)
    assert first <= at <= last
    assert first.day == 1
    assert (last + ONE).day == 1
    assert (first.year, first.month) == (last.year, last.month)


@unhurried
@given(DAYS, st.integers(0, 11))
def test_last_month_by_name_is_the_latest_one_that_is_over(day: datetime.date, month: int) -> None:
    first, last = only(f"last {MONTHS[month]}", day)
    at = day.replace(day=1) - ONE
    while at.month != month + 1:
        at -= ONE
    assert last == at
    assert first == at.replace(day=1)


@unhurried
@given(DAYS)
def test_days_apart_are_days_apart(day: datetime.date) -> None:
    assert only("yesterday", day) == (day - ONE, day - ONE)
    assert only("the day after tomorrow", day) == (day + ONE + ONE,) * 2
    assert only("five days ago", day) == (day - 5 * ONE,) * 2
    assert only("it starts in five days", day) == (day + 5 * ONE,) * 2


SHAPES = {
    "words": "on friday we fly ",
    "blanks": "last" + " " * 60,
    "quotes": "\" ' “ ‘ « yesterday ",
    "unclosed": '"a',
    "ticks": "` `` ``` ",
    "fences": "```a\n~~~\n",
    "brackets": "[[7 May 2023] ",
    "tags": "<code>x</pre>",
    "links": "://a http:",
    "numbers": "1 2-3 12/3/4 ",
    "dates": "May 5 - May 5 - ",
    "tens": "twenty-twenty ",
    "marks": "*_~>",
    "cues": "would have been going to ",
    "letters": "x",
}


@pytest.mark.parametrize("shape", SHAPES, ids=list(SHAPES))
def test_a_long_turn_of_any_shape_comes_to_an_end(shape: str) -> None:
    # Work that grew with the square of the length would take hours here.
    text = SHAPES[shape] * (200_000 // len(SHAPES[shape])) + " yesterday"
    notes = annotate(text, datetime.date(2023, 5, 25), LANGUAGES)
    assert unmark(mark(text, notes), notes) == text
