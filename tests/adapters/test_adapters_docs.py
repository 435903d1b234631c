"""The adapters' documentation: its examples run, and it names every function with all of its options."""

from __future__ import annotations

import doctest
import importlib
import inspect
import re
from pathlib import Path

import pytest

from byheart.adapters import anthropic, gemini, openai

PAGE = Path(__file__).resolve().parents[2] / "docs" / "adapters.md"
MODULES = ["anthropic", "openai", "gemini", "blocks", "marks", "reading"]


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_in_docstrings_run(name: str) -> None:
    found = doctest.testmod(importlib.import_module(f"byheart.adapters.{name}"))
    assert found.attempted > 0
    assert found.failed == 0


def test_the_examples_on_the_page_run() -> None:
    text = re.sub(r"^```.*$", "", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    test = doctest.DocTestParser().get_doctest(text, {}, PAGE.name, str(PAGE), 0)
    found = doctest.DocTestRunner().run(test)
    assert found.attempted > 0
    assert found.failed == 0


@pytest.mark.parametrize(
    ("name", "function"),
    [
        ("request", anthropic.request),
        ("chat", openai.chat),
        ("responses", openai.responses),
        ("request", gemini.request),
        ("read", anthropic.read),
        ("read", openai.read),
        ("read", gemini.read),
    ],
)
def test_the_page_names_every_function_with_all_of_its_options(name: str, function: object) -> None:
    parameters = inspect.signature(function).parameters.values()  # type: ignore[arg-type]
    first, *options = parameters
    assert all(each.kind is inspect.Parameter.KEYWORD_ONLY for each in options)
    spelt = ", ".join([first.name, "*", *(each.name for each in options)])
    assert f"`{name}({spelt})`" in PAGE.read_text(encoding="utf-8")
