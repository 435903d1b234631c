"""Reading when a turn was said."""

from __future__ import annotations

import datetime
import re
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from byheart.dates import Moment, WhenReader, check_when

D = datetime.date
T = datetime.time

READ = [
    ("2023-05-25T10:00:00Z", D(2023, 5, 25), T(10)),
    ("2023-05-25T23:30:00-07:00", D(2023, 5, 25), T(23, 30)),
    ("2023-05-25T00:15:00+05:30", D(2023, 5, 25), T(0, 15)),
    ("2023-05-25 10:00:00.123456+00:00", D(2023, 5, 25), T(10)),
    ("2023-05-25T10:00:00+02:00[Europe/Berlin]", D(2023, 5, 25), T(10)),
    ("2023-05-25", D(2023, 5, 25), None),
    ("20230525", D(2023, 5, 25), None),
    ("20230525T101530Z", D(2023, 5, 25), T(10, 15, 30)),
    ("2023-W21-4", D(2023, 5, 25), None),
    ("1:56 pm on 8 May, 2023", D(2023, 5, 8), T(13, 56)),
    ("12:09 am on 13 September, 2023", D(2023, 9, 13), T(0, 9)),
    ("May 8th, 2023", D(2023, 5, 8), None),
    ("the 8th of May, 2023", D(2023, 5, 8), None),
    ("8. May 2023", D(2023, 5, 8), None),
    ("8. Mai 2023, 13.56 Uhr", D(2023, 5, 8), T(13, 56)),
    ("8 de mayo de 2023 a las 13:56", D(2023, 5, 8), T(13, 56)),
    ("8 мая 2023 г., 13:56", D(2023, 5, 8), T(13, 56)),
    ("2023/05/20 (Sat) 02:21", D(2023, 5, 20), T(2, 21)),
    ("[29.12.2023, 18:22:11]", D(2023, 12, 29), T(18, 22, 11)),
    ("12/29/2023, 6:22\u202fPM", D(2023, 12, 29), T(18, 22)),
    ("March-15-2024", D(2024, 3, 15), None),
    ("15-Mar-2024", D(2024, 3, 15), None),
    ("Mon, 08 May 2023 13:56:00 +0000", D(2023, 5, 8), T(13, 56)),
    ("Mon May  8 13:56:00 2023", D(2023, 5, 8), T(13, 56)),
    ("Thu May 25 2023 23:30:00 GMT-0700 (Pacific Daylight Time)", D(2023, 5, 25), T(23, 30)),
    ("Mon, 03/04/2023", D(2023, 4, 3), None),
    ("05/05/2023", D(2023, 5, 5), None),
    ("12/25/23", D(2023, 12, 25), None),
    ("1684972800", D(2023, 5, 25), T(0)),
    ("1684972800123", D(2023, 5, 25), T(0)),
]


@pytest.mark.parametrize(("when", "date", "time"), READ, ids=[when for when, _, _ in READ])
def test_a_date_is_read_in_the_shape_it_arrives_in(when: str, date: datetime.date, time: datetime.time | None) -> None:
    assert WhenReader().read(when) == Moment(date, time)


@pytest.mark.parametrize(
    "when",
    [
        "",
        "soon",
        "31 February 2023",
        "2023-13-05",
        "00/00/2023",
        "May 2023",
        "2023",
        "8 May",
        "8 May 23",
        "8 May 2023 to 9 May 2023",
        "not 8 May 2023",
        "Friday, 8 May 2023",
        "10:00 and 11:00 on 8 May 2023",
        "03/04/2023",
        "29/12/23",
        "2023052010",
        "168497280",
        "99999999",
        "8 May 0023",
        "8 May 2023 " + "x" * 100,
        "٨ مايو ٢٠٢٣",
    ],
)
def test_what_could_mean_something_else_or_nothing_is_not_read(when: str) -> None:
    assert WhenReader().read(when) is None


def test_dates_and_datetimes_keep_the_speakers_own_day() -> None:
    west = datetime.timezone(datetime.timedelta(hours=-7))
    reader = WhenReader()
    assert reader.read(datetime.datetime(2023, 5, 25, 23, 30, tzinfo=west)) == Moment(D(2023, 5, 25), T(23, 30))
    assert reader.read(D(2023, 5, 25)) == Moment(D(2023, 5, 25))
    assert reader.read(None) is None


def test_a_date_that_is_not_ambiguous_settles_the_order_of_later_ones() -> None:
    reader = WhenReader()
    assert reader.read("03/04/2023") is None
    assert reader.read("29.12.2023") is not None
    assert reader.read("03/04/2023") == Moment(D(2023, 4, 3))
    assert reader.read("03/04/23") == Moment(D(2023, 4, 3))
    assert reader.order is True


def test_month_first_is_settled_as_well() -> None:
    reader = WhenReader()
    reader.read("12/29/2023")
    assert reader.read("03/04/2023") == Moment(D(2023, 3, 4))


def test_dates_that_contradict_each_other_settle_nothing() -> None:
    reader = WhenReader()
    reader.read("29/12/2023")
    assert reader.read("12/30/2023") == Moment(D(2023, 12, 30))
    assert reader.read("03/04/2023") is None


def test_what_settles_nothing_leaves_the_order_open() -> None:
    reader = WhenReader()
    for when in ("05/05/2023", "2023/12/29", "8 May 2023", "soon"):
        reader.read(when)
    assert reader.order is None


def test_an_order_that_was_given_is_not_unsettled_by_a_date_that_defies_it() -> None:
    reader = WhenReader(day_first=False)
    assert reader.read("29/12/2023") == Moment(D(2023, 12, 29))
    assert reader.read("03/04/2023") == Moment(D(2023, 3, 4))


def test_the_order_can_be_saved_and_restored() -> None:
    reader = WhenReader()
    reader.read("29/12/2023")
    restored = WhenReader()
    restored.order = reader.order
    assert restored.read("03/04/2023") == Moment(D(2023, 4, 3))


def test_restoring_an_earlier_order_undoes_what_reading_taught() -> None:
    reader = WhenReader()
    reader.read("29/12/2023")
    reader.order = None
    assert reader.read("03/04/2023") is None
    assert reader.read("29/12/2023") == Moment(D(2023, 12, 29))
    assert reader.order is True


@pytest.mark.parametrize("value", [25, 25.0, True, b"8 May 2023", ("8 May 2023",)])
def test_when_of_another_type_is_refused_with_what_came_and_what_to_do(value: object) -> None:
    with pytest.raises(TypeError, match=r"expected a str, a datetime\.date.*got .*datetime\.fromtimestamp"):
        check_when(value)


def test_when_is_stored_as_given_or_in_iso_format() -> None:
    assert check_when("soon") == "soon"
    assert check_when(None) is None
    assert check_when(D(2023, 5, 8)) == "2023-05-08"
    assert check_when(datetime.datetime(2023, 5, 8, 13, 56)) == "2023-05-08T13:56:00"


@pytest.mark.parametrize("day_first", [1, "yes", 0])
def test_day_first_is_true_false_or_none(day_first: object) -> None:
    with pytest.raises(TypeError, match="day_first: expected True, False or None, got"):
        WhenReader(day_first=day_first)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("moment", "label"),
    [
        (Moment(D(2023, 5, 8)), "8 May 2023"),
        (Moment(D(2023, 5, 8), T(13, 56, 59)), "8 May 2023, 13:56"),
        (Moment(D(2023, 12, 1), T(0, 5)), "1 December 2023, 00:05"),
    ],
)
def test_a_moment_is_labelled_in_words(moment: Moment, label: str) -> None:
    assert moment.label == label


FORMATS = [
    "%Y-%m-%dT%H:%M:%S",
    "%Y-%m-%d %H:%M",
    "%Y/%m/%d (%a) %H:%M",
    "%Y.%m.%d %H:%M",
    "%d %B %Y, %H:%M",
    "%B %d, %Y at %I:%M %p",
    "%I:%M %p on %d %B, %Y",
    "%A, %d %b %Y %H:%M",
    "%a %b %d %H:%M:%S %Y",
    "%b-%d-%Y %H:%M",
    "%Y%m%dT%H%M",
]


@given(
    st.datetimes(datetime.datetime(1900, 1, 1), datetime.datetime(2100, 12, 31)).map(
        lambda moment: moment.replace(second=0, microsecond=0)
    ),
    st.sampled_from(FORMATS),
)
def test_what_strftime_writes_is_read_back(moment: datetime.datetime, form: str) -> None:
    assert WhenReader().read(moment.strftime(form)) == Moment(moment.date(), moment.time())


@given(st.datetimes(datetime.datetime(1000, 1, 1), datetime.datetime(9999, 12, 31)), st.booleans())
def test_an_order_that_is_given_reads_every_numeric_date(moment: datetime.datetime, day_first: bool) -> None:
    written = f"{moment.day}/{moment.month}/{moment.year}" if day_first else f"{moment:%m/%d}/{moment.year}"
    assert WhenReader(day_first).read(written) == Moment(moment.date())


@given(st.datetimes(datetime.datetime(1000, 1, 1), timezones=st.none() | st.timezones()))
def test_a_stored_datetime_is_read_as_the_datetime_itself(moment: datetime.datetime) -> None:
    reader = WhenReader()
    assert reader.read(check_when(moment)) == reader.read(moment)


@given(st.text(max_size=120) | st.from_regex(r"[0-9 /.:,apmTZ+-]{0,40}", fullmatch=True))
@example("1" * 100)
@example("0001-01-01")
@example("9999-W53-7")
def test_no_text_is_too_strange_to_be_looked_at(when: str) -> None:
    moment = WhenReader().read(when)
    assert moment is None or isinstance(moment, Moment)


@given(st.lists(st.from_regex(r"[0-3][0-9]/[01][0-9]/20[0-9]{2}", fullmatch=True), max_size=6))
def test_reading_twice_gives_what_a_fresh_reader_with_the_same_order_gives(whens: list[str]) -> None:
    reader = WhenReader()
    for when in whens:
        fresh = WhenReader()
        fresh.order = reader.order
        assert reader.read(when) == fresh.read(when)
        assert reader.order == fresh.order


def test_what_the_documentation_says_is_read_is_read() -> None:
    page = (Path(__file__).parent.parent / "docs" / "dates.md").read_text(encoding="utf-8")
    table = page.split("## When a turn was said")[1].split("## What is annotated")[0]
    examples = [text for line in table.splitlines() if line.startswith("| ") for text in re.findall("`(.+?)`", line)]
    assert len(examples) >= 12
    assert [text for text in examples if WhenReader().read(text) is None] == []
