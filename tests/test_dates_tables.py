"""The tables of the languages, and tables of one's own."""

from __future__ import annotations

import datetime
import doctest
import importlib
import pkgutil
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import byheart.dates
from byheart.dates import Language, annotate, mark
from byheart.dates.heads import heads
from byheart.dates.language import any_of, expand, tokens
from byheart.dates.languages import CODES, table
from byheart.dates.meanings import MEANINGS
from byheart.dates.scanner import Scanner

THURSDAY = datetime.date(2023, 5, 25)


def modules() -> Iterator[ModuleType]:
    for info in pkgutil.walk_packages(byheart.dates.__path__, "byheart.dates."):
        yield importlib.import_module(info.name)


@pytest.mark.parametrize("module", list(modules()), ids=lambda module: module.__name__)
def test_the_examples_in_docstrings_are_true(module: ModuleType) -> None:
    assert doctest.testmod(module).failed == 0


@pytest.mark.parametrize("code", CODES)
def test_every_row_of_a_table_is_a_pattern_that_can_begin_a_search(code: str) -> None:
    language = table(code)
    rows = [*language.phrases, *language.asked, *((row, "absolute") for row in language.dated)]
    for row, meaning in rows:
        pattern, slots = expand(row, language.words, capture=True)
        assert re.compile(pattern).groups == len(slots), row
        assert heads(row, language.words), row
        assert meaning.partition(" ")[0] in MEANINGS


@pytest.mark.parametrize("code", CODES)
def test_a_table_is_in_lower_case(code: str) -> None:
    language = table(code)
    for words in language.words.values():
        assert all(word == word.lower() for word in words)
    for row, _ in language.phrases:
        escapes = re.sub(r"\\[A-Z]", "", row)
        assert escapes == escapes.lower()


@pytest.mark.parametrize("code", CODES)
def test_a_table_knows_seven_weekdays_and_twelve_months(code: str) -> None:
    words = table(code).words
    assert set(words["weekday"].values()) == set(range(7))
    assert set(words["month"].values()) == set(range(1, 13))


def test_a_table_is_named_by_its_code() -> None:
    assert [table(code).code for code in CODES] == list(CODES)
    assert repr(table("en")) == "Language('en')"


DUTCH = Language(
    code="nl",
    words={
        "weekday": {"maandag": 0, "vrijdag": 4},
        "n": {"een": 1, "twee": 2},
        "unit": {"week": 1, "weken": 1},
        "which": {"afgelopen": -1, "volgende": 1},
    },
    phrases=(
        ("eergisteren", "day -2"),
        ("gisteren", "day -1"),
        ("<n> <unit> geleden", "count -1"),
        ("<which> <weekday>", "which"),
        ("op <weekday>", "near-weekday"),
    ),
    cues={"past": "was|ging"},
)


def test_a_table_of_ones_own_stands_where_a_code_would() -> None:
    text = "Eergisteren was het warm, twee weken geleden koud, afgelopen vrijdag nat. Op maandag ging ik weg."
    marked = mark(text, annotate(text, THURSDAY, ("en", DUTCH)))
    assert re.findall(r"\[(.*?)\]", marked) == ["23 May 2023", "8-14 May 2023", "19 May 2023", "22 May 2023"]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (("(gisteren)", "day -1"), "expected non-capturing groups only"),
        (("gisteren", "sometime"), "expected a meaning among .*, got 'sometime'"),
        (("<dag>", "day -1"), "expected a slot with words, got <dag>"),
        ((", gisteren", "day -1"), "expected a word or digits at its beginning"),
    ],
)
def test_a_row_that_cannot_work_is_refused_with_the_row(row: tuple[str, str], message: str) -> None:
    with pytest.raises(ValueError, match=message) as refused:
        Scanner([Language(code="nl", words={}, phrases=(row,))])
    assert row[0] in str(refused.value)


def test_heads_are_the_words_a_pattern_can_begin_with() -> None:
    words = {"unit": {"week": 1, "month": 2}, "n": {"two": 2, "a couple": 2}, "tens": {"twenty": 20}}
    assert heads("(?:the |that )?<unit>", words) == {"the", "that", "week", "month"}
    assert heads("<n> <unit>", words) == {"two", "a", "twenty", "0"}
    assert heads("[0-9]{4}-x", words) == {"0"}
    assert heads("(?!may)tmrw?", words) == {"tmr", "tmrw"}
    assert heads("it'?s|its", words) == {"it", "its"}


def test_words_become_a_tree_that_matches_exactly_them() -> None:
    words = ["may", "march", "mar", "two weeks", "two", "tw.o"]
    pattern = re.compile(any_of(words))
    assert all(pattern.fullmatch(word) for word in words)
    assert not any(pattern.fullmatch(word) for word in ("ma", "marc", "twoo", "twxo", ""))


def test_a_row_is_cut_at_its_own_blanks_only() -> None:
    assert tokens("(?:in the )?<month>[ -]x y") == ["(?:in the )?<month>[ -]x", "y"]


def test_no_table_is_loaded_before_it_is_asked_for() -> None:
    code = (
        "import sys, datetime, byheart.dates as d\n"
        "tables = 'byheart.dates.languages.'\n"
        "loaded = lambda: sorted(name[len(tables) :] for name in sys.modules if name.startswith(tables))\n"
        "assert loaded() == [], loaded()\n"
        "d.annotate('gestern', datetime.date(2023, 5, 25), ('de',))\n"
        "assert loaded() == ['german'], loaded()\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_table_in_the_documentation_works() -> None:
    page = (Path(__file__).parent.parent / "docs" / "dates.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"```python\n(.*?)```", page, re.S)
    made: dict[str, Any] = {}
    exec(block, made)
    notes = annotate("twee weken geleden, en volgende vrijdag", THURSDAY, (made["dutch"],))
    assert [note.label for note in notes] == ["8-14 May 2023", "2 June 2023"]


def test_what_the_documentation_says_is_annotated_so_is() -> None:
    page = (Path(__file__).parent.parent / "docs" / "dates.md").read_text(encoding="utf-8")
    table = page.split("The annotation has the granularity")[1].split("\n- ")[0]
    rows = [line.strip("| ").split(" | ") for line in table.splitlines() if line.startswith("| ") and "`" in line]
    exact = [(phrases, labels) for phrases, labels in rows if "..." not in labels and "tense" not in labels]
    assert len(exact) >= 5
    for phrases, labels in exact:
        said = re.split(r"[,;] ", phrases)
        assert [annotate(phrase, THURSDAY)[0].label for phrase in said] == re.findall("`(.+?)`", labels)
