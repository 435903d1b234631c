"""The README: its commands and its Python run, and what it names is there."""

from __future__ import annotations

import re
import shlex
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

import byheart
from byheart import cli

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PROJECT = (ROOT / "pyproject.toml").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    """The fenced blocks of a language, in order."""
    return re.findall(rf"^```{language}\n(.*?)^```$", README, flags=re.MULTILINE | re.DOTALL)


class Client:
    """Stands in for a provider's client: keeps the request and answers it."""

    def __init__(self) -> None:
        self.requests: list[dict[str, Any]] = []
        self.messages = SimpleNamespace(create=self._create)

    def _create(self, **request: Any) -> Any:
        self.requests.append(request)
        return SimpleNamespace(content=[SimpleNamespace(type="text", text="It costs 600 euro.")])


@pytest.fixture
def namespace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What the README's Python, run from top to bottom, leaves behind."""
    sdk = ModuleType("anthropic")
    sdk.Anthropic = Client  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "anthropic", sdk)
    monkeypatch.chdir(tmp_path)
    found: dict[str, Any] = {"__name__": "readme"}
    memories = []
    for block in blocks("python"):
        exec(compile(block, "README.md", "exec"), found)
        memories.append((found["memory"], found["result"]))
    found["steps"] = memories
    return found


# The two commands, which the check of the whole project runs as they stand


def test_the_first_command_installs_and_composes_and_the_second_runs_the_tests() -> None:
    first, second = blocks("sh")
    assert first.startswith("python -m venv .venv && .venv/bin/pip install . &&")
    assert second == "python -m venv .venv && .venv/bin/pip install -e '.[test]' && .venv/bin/pytest\n"


def test_the_question_of_the_first_command_finds_its_answer(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    words = shlex.split(blocks("sh")[0])
    assert cli.main(words[words.index(".venv/bin/byheart") + 1 :]) == 0
    written = capsys.readouterr().out
    assert "£132 is no cushion" in written
    whole = re.search(r"(\d+) of (\d+) turns whole", written.splitlines()[0])
    assert whole is not None
    assert 40 <= int(whole[1]) <= 60, "the README says: the fifty or so that have to do with the question"
    assert f"of {whole[2]} turns over seven months" in README


# The Python


def test_five_lines_give_messages_and_the_place_of_the_mark(namespace: dict[str, Any]) -> None:
    memory, result = namespace["steps"][0]
    assert isinstance(memory, byheart.Memory)
    assert result["messages"][-1]["parts"][0]["text"] == "what did we decide about pricing?"
    assert result["stable_upto"] == len(result["messages"]) - 2
    assert result["included"] == [0, 1]


def test_a_request_to_a_provider_carries_a_cache_mark_and_the_answer_is_remembered(namespace: dict[str, Any]) -> None:
    (request,) = namespace["client"].requests
    marked = [
        block["text"] for message in request["messages"] for block in message["content"] if "cache_control" in block
    ]
    assert marked == ["Noted: 55 euro a month, cheaper by the year."]
    assert request["messages"][-1]["content"][-1]["text"] == namespace["question"]
    memory, _ = namespace["steps"][0]
    assert [turn["text"] for turn in memory.turns[2:]] == [namespace["question"], "It costs 600 euro."]


def test_the_store_keeps_the_turn_and_composes_from_it(namespace: dict[str, Any], tmp_path: Path) -> None:
    assert (tmp_path / "chats.db").exists()
    assert "55 euro" in namespace["result"]["messages"][0]["parts"][0]["text"]


def test_the_retriever_of_one_screen_finds(namespace: dict[str, Any]) -> None:
    memory = namespace["memory"]
    for subject in ("the harbour", "the price", "the weather"):
        memory.append("user", f"let us talk about {subject}, " + "on and on, " * 30)
    assert memory.search("what was the price?", limit=1)[0]["turns"] == [1, 2]


# What it names


def test_every_plugin_that_ships_is_in_the_table() -> None:
    entries = re.findall(
        r'^(\w+) = "', PROJECT.partition("[project.entry-points.byheart]")[2].partition("[tool")[0], re.M
    )
    assert re.findall(r"^\| \[?`(\w+)`", README, flags=re.MULTILINE) == ["builtin", *entries]


def test_every_extra_that_it_tells_to_install_is_declared() -> None:
    named = {name for group in re.findall(r"\.\[([\w,]+)\]", README) for name in group.split(",")}
    declared = re.findall(r"^(\w+) = \[", PROJECT.partition("[project.optional-dependencies]")[2], flags=re.MULTILINE)
    assert named <= set(declared)
    assert "test" in named


def test_the_hooks_of_the_retriever_on_the_page_are_all_that_is_needed() -> None:
    (source,) = (block for block in blocks("python") if "class Words" in block)
    assert re.findall(r"def (\w+)", source) == ["fit", "rank"]
