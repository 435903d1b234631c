"""The page about stores: its examples run, and what it says of the code is so."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

from byheart.store import schema

PAGE = Path(__file__).resolve().parents[2] / "docs" / "stores.md"


def test_the_examples_on_the_page_run(tmp_path: Path) -> None:
    text = re.sub(r"^```.*$", "", PAGE.read_text("utf-8"), flags=re.MULTILINE)
    test = doctest.DocTestParser().get_doctest(text, {"folder": tmp_path}, "stores", str(PAGE), 0)
    runner = doctest.DocTestRunner()
    runner.run(test, clear_globs=False)
    test.globs["chats"].close()
    assert (runner.failures, runner.tries > 5) == (0, True)


def test_the_page_names_every_table() -> None:
    tables = set(
        re.findall(r"CREATE TABLE (\w+)", " ".join(statement for step in schema.MIGRATIONS for statement in step))
    )
    assert len(tables) == 6
    assert tables == set(re.findall(r"`(byheart_\w+)`", PAGE.read_text("utf-8")))


@pytest.mark.parametrize(
    "name", ["redact_all", "redact_matching", "scrub()", "timeout", "retry", "export", "delete", "to_thread"]
)
def test_the_page_speaks_of(name: str) -> None:
    assert name in PAGE.read_text("utf-8")
