"""The days that a question asks about."""

from __future__ import annotations

import datetime

import pytest

from byheart.dates import DateSpan, spans

D = datetime.date
THURSDAY = D(2023, 5, 25)


def asked(question: str, day: datetime.date | None = None, language: str = "en") -> list[tuple[str, str]]:
    return [(str(span.first), str(span.last)) for span in spans(question, day, (language,))]


@pytest.mark.parametrize(
    ("question", "span"),
    [
        ("what happened last week?", ("2023-05-15", "2023-05-21")),
        ("What did I say yesterday about the lease?", ("2023-05-24", "2023-05-24")),
        ("What happened on Friday?", ("2023-05-19", "2023-05-19")),
        ("What are we doing this weekend?", ("2023-05-27", "2023-05-28")),
        ("what was decided in June last year?", ("2022-06-01", "2022-06-30")),
        ("What did we do on 5 May?", ("2023-05-05", "2023-05-05")),
    ],
)
def test_relative_days_are_known_where_the_day_of_asking_is(question: str, span: tuple[str, str]) -> None:
    assert asked(question, THURSDAY) == [span]


def test_relative_days_are_unknown_without_a_day() -> None:
    assert asked("what happened last week?") == []
    assert asked("what happened two days ago?") == []


@pytest.mark.parametrize(
    ("question", "span"),
    [
        ("Which city was she in on October 3, 2023?", ("2023-10-03", "2023-10-03")),
        ("on 3 October 2023", ("2023-10-03", "2023-10-03")),
        ("what was said on 2023-10-03?", ("2023-10-03", "2023-10-03")),
        ("What happened in May 2023?", ("2023-05-01", "2023-05-31")),
        ("anything in early may 2023?", ("2023-05-01", "2023-05-31")),
        ("Where did I go in 2022?", ("2022-01-01", "2022-12-31")),
        ("summer 2022", ("2022-06-01", "2022-08-31")),
        ("the winter of 2022", ("2022-12-01", "2023-02-28")),
        ("in the last week of October 2023", ("2023-10-25", "2023-10-31")),
        ("the first weekend of October 2023", ("2023-10-07", "2023-10-08")),
        ("the last weekend of October 2023", ("2023-10-28", "2023-10-29")),
        ("the week of 23 August 2023", ("2023-08-21", "2023-08-27")),
        ("between 26 March and 20 April 2023", ("2023-03-26", "2023-04-20")),
        ("from May 5 to 8, 2023", ("2023-05-05", "2023-05-08")),
        ("between November and February 2023", ("2022-11-01", "2023-02-28")),
    ],
)
def test_dates_with_a_year_need_no_day(question: str, span: tuple[str, str]) -> None:
    assert asked(question) == [span]


@pytest.mark.parametrize(
    ("question", "language", "span"),
    [
        ("Was war am 3. Oktober 2023?", "de", ("2023-10-03", "2023-10-03")),
        ("Was war im Mai 2023?", "de", ("2023-05-01", "2023-05-31")),
        ("Was war letzte Woche?", "de", ("2023-05-15", "2023-05-21")),
        ("¿Qué pasó el 3 de octubre de 2023?", "es", ("2023-10-03", "2023-10-03")),
        ("¿Qué pasó en mayo de 2023?", "es", ("2023-05-01", "2023-05-31")),
        ("¿Qué pasó la semana pasada?", "es", ("2023-05-15", "2023-05-21")),
        ("Что было 3 октября 2023 года?", "ru", ("2023-10-03", "2023-10-03")),
        ("Что было в мае 2023 года?", "ru", ("2023-05-01", "2023-05-31")),
        ("Что было на прошлой неделе?", "ru", ("2023-05-15", "2023-05-21")),
    ],
)
def test_questions_are_read_in_the_chosen_language(question: str, language: str, span: tuple[str, str]) -> None:
    assert asked(question, THURSDAY, language) == [span]


def test_a_month_without_a_year_is_that_month_of_any_year() -> None:
    (span,) = spans("What happened in May?")
    assert span.matches(D(2021, 5, 31))
    assert span.matches(D(2023, 5, 1))
    assert not span.matches(D(2023, 6, 1))
    assert span.overlaps(D(2023, 4, 28), D(2023, 5, 1))
    assert not span.overlaps(D(2023, 6, 1), D(2024, 4, 30))


def test_a_day_without_a_year_is_that_day_of_any_year() -> None:
    (span,) = spans("What is on 29 February?")
    assert span.matches(D(2024, 2, 29))
    assert not span.matches(D(2024, 2, 28))
    assert span.overlaps(D(2023, 1, 1), D(2024, 12, 31))
    assert not span.overlaps(D(2021, 1, 1), D(2023, 12, 31))


def test_a_season_without_a_year_is_its_three_months() -> None:
    (span,) = spans("what did we do in the winter?")
    assert [month for month in range(1, 13) if span.matches(D(2023, month, 9))] == [1, 2, 12]


@pytest.mark.parametrize(
    "question",
    [
        "",
        "when did she leave?",
        "may I ask you something?",
        "before 25 May 2023",
        "since 2 May 2023",
        "did you read USA Today?",
        "who wrote `yesterday`?",
        "on 31 April",
        "the march of time",
    ],
)
def test_a_question_that_names_no_day_asks_about_none(question: str) -> None:
    assert spans(question, THURSDAY) == []


def test_a_span_asked_about_twice_is_one_span() -> None:
    assert len(spans("in May 2023, yes, in May 2023?")) == 1


def test_a_span_of_days_matches_its_ends_and_no_more() -> None:
    span = DateSpan(D(2023, 5, 1), D(2023, 5, 31))
    assert span.matches(D(2023, 5, 1))
    assert span.matches(D(2023, 5, 31))
    assert not span.matches(D(2023, 6, 1))
    assert span.overlaps(D(2023, 5, 31), D(2023, 6, 9))
    assert not span.overlaps(D(2023, 6, 1), D(2023, 6, 9))
