"""The chat in examples/chat_loop.py, run as it is against the local server."""

from __future__ import annotations

import importlib.util
import io
import json
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from byheart import Memory

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "chat_loop.py"
SUBJECTS = ["the garden", "a bicycle", "Lisbon", "sourdough", "the piano"]
QUESTIONS = [f"Question {number}: what about {SUBJECTS[number * 7 % 5]}?" for number in range(40)]


@pytest.fixture
def chat(server: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[dict[str, Any]]]:
    """Run the example on these questions; what compose returned for each of them."""
    spec = importlib.util.spec_from_file_location("chat_loop", EXAMPLE)
    assert spec is not None
    assert spec.loader is not None
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    composed: list[dict[str, Any]] = []
    compose = Memory.compose

    def watched(memory: Memory, *given: Any, **options: Any) -> Any:
        composed.append(compose(memory, *given, **options))  # type: ignore[arg-type]
        return composed[-1]

    monkeypatch.setattr(Memory, "compose", watched)
    for provider, path in (("ANTHROPIC", ""), ("OPENAI", "/v1")):
        monkeypatch.setenv(f"{provider}_API_KEY", "none")
        monkeypatch.setenv(f"{provider}_BASE_URL", server.url + path)
    file = str(tmp_path / "chat.json")

    def run(provider: str, questions: list[str]) -> list[dict[str, Any]]:
        pytest.importorskip(provider, reason=f"the {provider} SDK is not installed")
        monkeypatch.setattr("sys.stdin", io.StringIO("\n".join(questions) + "\n\n"))
        for question in questions:
            server.answers.append(f"On {question[12:]} " + "there is much to say about it. " * 40)
        example.main(provider, "some-model", file)
        return composed

    return run


@pytest.mark.parametrize("provider", ["anthropic", "openai"])
def test_every_request_starts_with_the_stable_prefix_of_the_one_before(
    provider: str, chat: Any, server: Any, flat: Any
) -> None:
    composed = chat(provider, QUESTIONS)
    sent = [[(role, text) for role, text, _ in flat(body)] for _, body in server.bodies]
    assert len(sent) == len(composed) == len(QUESTIONS)
    assert {result["mode"] for result in composed} == {"passthrough", "assembled"}
    kept = 0
    for (result, request), (following, after) in pairwise(zip(composed, sent, strict=True)):
        stable = result["messages"][: result["stable_upto"] + 1]
        prefix = request[: 1 + sum(len(message["parts"]) for message in stable)]  # 1: the system prompt
        assert prefix[0][0] == "system"
        if not following["reselected"]:
            assert after[: len(prefix)] == prefix
            kept += 1
    assert kept > len(QUESTIONS) * 0.8
    assert [request[-1][1].rpartition("\n")[2] for request in sent] == QUESTIONS


def test_the_marks_it_sends_are_hit_by_every_request_that_is_no_rebuild(
    chat: Any, server: Any, looking_back: Any
) -> None:
    composed = chat("anthropic", QUESTIONS)
    cache = looking_back()
    before = 0
    for result, (_, body) in zip(composed, server.bodies, strict=True):
        read = cache.send(body)
        assert read >= (1 if result["reselected"] else before)
        stable = result["messages"][: result["stable_upto"] + 1]
        before = 1 + sum(len(message["parts"]) for message in stable) if stable else 0


def test_a_second_run_goes_on_where_the_first_stopped(
    chat: Any, server: Any, flat: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    chat("openai", QUESTIONS[:20])
    composed = chat("openai", QUESTIONS[20:24])
    assert len(json.loads((tmp_path / "chat.json").read_text("utf-8"))["turns"]) == 48
    stable = composed[19]["messages"][: composed[19]["stable_upto"] + 1]
    before, after = ([block[:2] for block in flat(server.bodies[at][1])] for at in (19, 20))
    length = 1 + sum(len(message["parts"]) for message in stable)
    assert after[:length] == before[:length]
    assert capsys.readouterr().out.count("there is much to say") == 24 * 40


def test_it_is_short_enough_to_read_at_a_glance() -> None:
    assert len([line for line in EXAMPLE.read_text("utf-8").splitlines() if line.strip()]) <= 45
