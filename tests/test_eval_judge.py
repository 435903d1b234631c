"""Answers judged by a model, from the command line to the result file, against a server with scripted answers."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eval import __main__ as command_line
from eval import judge, result
from eval.asking import Pace, Role
from eval.kept import Kept
from eval.result import NotReadyError

PROMPT = 'Is it right? {question} | {gold_answer} | {generated_answer} | {"label": "CORRECT"} or {"label": "WRONG"}'

#: From the words of a request to (status, headers, text).
Script = Callable[[str, dict[str, Any]], tuple[int, dict[str, str], str]]


class Server:
    """Speaks both protocols; ``script`` decides what it says, ``asked`` holds every request it got."""

    def __init__(self) -> None:
        self.asked: list[dict[str, Any]] = []
        self.script: Script = lambda text, request: (200, {}, right(text))
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                request["path"] = self.path
                server.asked.append(request)
                status, headers, text = server.script(words(request), request)
                usage = {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10}
                body: dict[str, Any] = {
                    "id": "1",
                    "object": "chat.completion",
                    "created": 1,
                    "model": "scripted-1",
                    "usage": usage,
                    "choices": [
                        {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}
                    ],
                }
                if self.path.endswith("/messages"):
                    body = {
                        "id": "1",
                        "type": "message",
                        "role": "assistant",
                        "model": "scripted-2",
                        "stop_reason": "end_turn",
                        "content": [{"type": "text", "text": text}],
                        "usage": {"input_tokens": 5, "output_tokens": 2, "cache_read_input_tokens": 1},
                    }
                raw = json.dumps(body if status == 200 else {"error": {"message": text}}).encode()
                self.send_response(status)
                for name, value in {"Content-Type": "application/json", "Content-Length": str(len(raw))}.items():
                    self.send_header(name, value)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(raw)

            def log_message(self, *arguments: Any) -> None: ...

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.thread = threading.Thread(target=self.http.serve_forever, args=(0.01,))
        self.thread.start()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.http.server_port}"

    def verdicts(self) -> int:
        return sum(words(request).startswith("Is it right?") for request in self.asked)

    def close(self) -> None:
        self.http.shutdown()
        self.http.server_close()
        self.thread.join()


def words(request: dict[str, Any]) -> str:
    """The last message of a request, whichever protocol it is of."""
    content = request["messages"][-1]["content"]
    return content if isinstance(content, str) else str(content[-1]["text"])


def right(text: str) -> str:
    """Answers every question with its last word; finds that right where the answer LoCoMo has is that word."""
    if not text.startswith("Is it right?"):
        return text.rstrip("?").rpartition(" ")[2]
    _, gold, answer, _ = text.split(" | ")
    return json.dumps({"label": "CORRECT" if gold == answer else "WRONG"})


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    pytest.importorskip("openai", reason="needs the providers' SDKs: pip install '.[sdk]'")
    pytest.importorskip("anthropic", reason="needs the providers' SDKs: pip install '.[sdk]'")
    made = Server()
    for role in ("ANSWERER", "JUDGE"):
        monkeypatch.setenv(f"BYHEART_{role}_BASE_URL", made.address + "/v1")
        monkeypatch.setenv(f"BYHEART_{role}_API_KEY", "secret-key")
    yield made
    made.close()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two conversations of two sessions in LoCoMo's form, ten questions each, two of them adversarial."""
    entries = []
    for name in ("conv-1", "conv-2"):
        said = [
            {"speaker": "Ann" if n % 2 else "Bo", "dia_id": f"D1:{n}", "text": f"fact {n} is {n}{n}"} for n in range(9)
        ]
        asked = [
            {
                "question": f"what is fact {n}?",
                "answer": n if n % 2 else f"not {n}",
                "category": 1 + n % 5,
                "evidence": [],
            }
            for n in range(10)
        ]
        for entry in asked:
            if entry["category"] == 5:
                del entry["answer"]
        talk = {
            "speaker_a": "Ann",
            "speaker_b": "Bo",
            "session_1": said,
            "session_1_date_time": "1:56 pm on 8 May, 2023",
        }
        entries.append({"sample_id": name, "conversation": talk, "qa": asked})
    (tmp_path / "locomo10.json").write_text(json.dumps(entries), encoding="utf-8")
    (tmp_path / "prompt.txt").write_text(PROMPT, encoding="utf-8")
    return tmp_path


def command(folder: Path, *more: str, yes: bool = True, provider: str = "openai") -> int:
    words = ["judge", "--data", str(folder), "--out", str(folder / "results"), "--kept", str(folder / "kept.jsonl")]
    words += ["--answerer", f"{provider}:small", "--judge", "openai:big", "--judge-prompt", str(folder / "prompt.txt")]
    words += [
        "--judge-prompt-origin",
        "https://example.org/prompt",
        "--per-minute",
        "1000000",
        *(["--yes"] if yes else []),
    ]
    return command_line.main([*words, *more])


def kept(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "kept.jsonl").read_text(encoding="utf-8").splitlines()]


def found(folder: Path) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((folder / "results" / "judge.json").read_text(encoding="utf-8"))
    return loaded


# The run


@pytest.mark.parametrize("provider", ["openai", "anthropic"])
def test_each_question_is_answered_and_judged_once_and_adversarial_ones_not(
    server: Server, folder: Path, monkeypatch: pytest.MonkeyPatch, provider: str
) -> None:
    if provider == "anthropic":  # its client adds /v1 itself
        monkeypatch.setenv("BYHEART_ANSWERER_BASE_URL", server.address)
    assert command(folder, provider=provider) == 0
    assert len(server.asked) == 32
    assert server.verdicts() == 16
    (row, *_) = found(folder)["tables"][0]["rows"]
    assert row[:2] == ["all", 16]
    assert row[2]["value"] == 0.5  # facts 1, 3, 5 and 7 of the eight asked; fact 9 is adversarial
    assert row[3] == 0
    assert {request["model"] for request in server.asked} == {"small", "big"}
    assert {request["path"] for request in server.asked} == {
        "/v1/chat/completions",
        "/v1/messages" if provider == "anthropic" else "/v1/chat/completions",
    }


def test_the_answering_model_is_shown_what_was_composed_and_told_how_to_answer(server: Server, folder: Path) -> None:
    command(folder)
    asked = [request for request in server.asked if request["model"] == "small"]
    assert all(request["messages"][0] == {"role": "system", "content": judge.INSTRUCTION} for request in asked)
    texts = [message["content"] for message in asked[0]["messages"]]
    assert any("Bo: fact 4 is 44" in text for text in texts)


@pytest.mark.parametrize("provider", ["openai", "anthropic"])
def test_a_temperature_is_sent_where_one_is_given(
    server: Server, folder: Path, monkeypatch: pytest.MonkeyPatch, provider: str
) -> None:
    if provider == "anthropic":
        monkeypatch.setenv("BYHEART_ANSWERER_BASE_URL", server.address)
    command(folder, "--quick", provider=provider)
    assert server.asked
    assert not any("temperature" in request for request in server.asked)
    (folder / "kept.jsonl").unlink()
    server.asked.clear()
    command(folder, "--quick", "--temperature", "0", provider=provider)
    assert {request["temperature"] for request in server.asked} == {0}


def test_the_result_names_prompt_and_models_and_holds_no_key_and_no_text(server: Server, folder: Path) -> None:
    command(folder)
    text = (folder / "results" / "judge.json").read_text(encoding="utf-8")
    assert judge._sha256(PROMPT) in text
    assert "https://example.org/prompt" in text
    assert "scripted-1" in text
    assert "answers 112 in, 48 out; verdicts 112 in, 48 out" in text
    for absent in ("secret-key", "what is fact", "127.0.0.1", str(folder)):
        assert absent not in text
        assert absent not in "".join(result.unpack(found(folder)["traces"])["right"])
    assert "secret-key" not in (folder / "kept.jsonl").read_text(encoding="utf-8")


def test_a_full_history_is_asked_likewise(server: Server, folder: Path) -> None:
    assert command(folder, "--system", "full history") == 0
    assert found(folder)["figures"]["full history.all"]["value"] == 0.5
    assert all(len(r["messages"]) == 11 for r in server.asked if r["model"] == "small")


def test_every_request_of_either_model_waits_its_turn(
    server: Server, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    waited = []
    monkeypatch.setattr(Pace, "wait", lambda pace: waited.append(id(pace)))
    command(folder)
    assert len(waited) == len(server.asked) == 32
    assert len(set(waited)) == 1


# Going on


def test_after_an_abort_the_same_command_asks_only_what_is_open(server: Server, folder: Path) -> None:
    enough = 11

    def breaks(text: str, request: dict[str, Any]) -> tuple[int, dict[str, str], str]:
        return (200, {}, right(text)) if len(server.asked) <= enough else (401, {}, "no such key")

    server.script = breaks
    assert command(folder, "--at-once", "2") == 2
    assert not (folder / "results").exists()
    before = kept(folder)
    assert sum(record["kind"] != "settings" for record in before) == enough
    server.asked.clear()
    server.script = lambda text, request: (200, {}, right(text))
    assert command(folder) == 0
    assert len(server.asked) == 32 - enough
    assert kept(folder)[: len(before)] == before
    assert found(folder)["figures"]["byheart.all"]["value"] == 0.5


def test_a_finished_run_asks_nothing_again(server: Server, folder: Path) -> None:
    command(folder)
    first = found(folder)["tables"]
    server.asked.clear()
    assert command(folder, yes=False) == 0
    assert server.asked == []
    assert found(folder)["tables"] == first


def test_a_torn_last_line_is_dropped_and_its_question_asked_again(server: Server, folder: Path) -> None:
    command(folder, "--at-once", "1")
    path = folder / "kept.jsonl"
    path.write_bytes(path.read_bytes()[:-20])
    server.asked.clear()
    assert command(folder) == 0
    assert len(server.asked) == server.verdicts() == 1
    assert len(kept(folder)) == 33


def test_another_model_or_another_request_does_not_go_on_in_the_same_file(
    server: Server, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command(folder)
    server.asked.clear()
    assert command(folder, "--judge-tokens", "5") == 2
    assert "another judge_tokens" in capsys.readouterr().err
    assert command(folder, "--memory", '{"budget": 60}') == 2
    assert "shown something else" in capsys.readouterr().err
    assert server.asked == []


# What goes wrong


@pytest.mark.parametrize("status", [429, 500])
def test_a_request_that_is_refused_for_a_while_is_tried_again(server: Server, folder: Path, status: int) -> None:
    refused: set[str] = set()

    def first_refused(text: str, request: dict[str, Any]) -> tuple[int, dict[str, str], str]:
        if text in refused or len(refused) >= 3:
            return 200, {}, right(text)
        refused.add(text)
        return status, {"retry-after-ms": "1"}, "not now"

    server.script = first_refused
    assert command(folder, "--at-once", "1") == 0
    assert len(server.asked) == 32 + 3
    assert found(folder)["figures"]["byheart.all"]["value"] == 0.5


def test_a_judge_that_answers_nonsense_is_asked_again_and_then_counted_as_wrong_and_shown(
    server: Server, folder: Path
) -> None:
    def nonsense(text: str, request: dict[str, Any]) -> tuple[int, dict[str, str], str]:
        if text.startswith("Is it right? what is fact 1?"):
            return 200, {}, "CORRECT, or perhaps WRONG"
        return 200, {}, right(text)

    server.script = nonsense
    assert command(folder, "--judge-tries", "2") == 0
    assert server.verdicts() == 16 + 2
    row = found(folder)["tables"][0]["rows"][0]
    assert row[2]["value"] == 6 / 16
    assert row[3] == 2


def test_after_a_few_failures_the_run_stops_instead_of_failing_a_thousand_times(server: Server, folder: Path) -> None:
    server.script = lambda text, request: (403, {}, "no")
    assert command(folder, "--at-once", "2") == 2
    assert judge.ENOUGH <= len(server.asked) <= judge.ENOUGH + 1


# Before anything is sent


def test_the_cost_is_shown_and_nothing_sent_without_a_yes(
    server: Server, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command(folder, "--prices", "1000000", "0", "0", "1000", yes=False) == 2
    shown = capsys.readouterr().err
    assert server.asked == []
    assert "16 answers by small" in shown
    assert "16 verdicts by big" in shown
    # 16 verdicts of 300 tokens at a thousand a million, and a fourth of the characters at one each
    sizes = [a.size + len(judge.INSTRUCTION) for a in composed(folder)]
    assert f"at most about {sum(sizes) / 4 + 16 * 300 / 1000:,.2f} at the prices given" in shown
    assert "--yes" in shown


def composed(folder: Path) -> list[judge.Asked]:
    from eval import data

    return list(judge.questions(data.read(folder), data.load(folder), judge.composing("byheart"), 1))


@pytest.mark.parametrize(
    ("more", "complaint"),
    [
        (["--answerer", "small"], "PROVIDER:MODEL"),
        (["--judge-prompt-origin", ""], "--judge-prompt-origin"),
        (["--per-minute", "0"], "--per-minute"),
    ],
)
def test_what_is_missing_is_said(
    server: Server, folder: Path, capsys: pytest.CaptureFixture[str], more: list[str], complaint: str
) -> None:
    assert command(folder, *more) == 2
    assert complaint in capsys.readouterr().err
    assert server.asked == []


def test_a_prompt_without_a_place_for_the_answer_is_refused(folder: Path) -> None:
    (folder / "prompt.txt").write_text("{question} {gold_answer}", encoding="utf-8")
    with pytest.raises(NotReadyError, match=r"missing \{generated_answer\}"):
        judge.judge_prompt(folder / "prompt.txt")


def test_it_is_never_run_with_the_others_not_even_with_the_slow_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[str] = []

    def run(words: list[str], **options: Any) -> Any:
        ran.append(words[3])
        return SimpleNamespace(stdout="", returncode=0)

    monkeypatch.setattr(command_line.subprocess, "run", run)
    assert command_line.main(["all", "--slow", "--quick"]) == 0
    assert {"recall", "replay", "peers"} <= set(ran)
    assert "judge" not in ran
    ran.clear()
    command_line.main(["all", "--quick"])
    assert "recall" in ran
    assert not {"peers", "judge"} & set(ran)


# Parts


@given(st.text(), st.text(), st.text())
def test_texts_stand_in_the_prompt_as_they_are_whatever_braces_they_hold(question: str, gold: str, answer: str) -> None:
    asked = judge.Asked("q", "c", 1, question, gold, {"messages": []})
    assert judge.filled("1{question}2{gold_answer}3{generated_answer}4{}", asked, answer) == (
        f"1{question}2{gold}3{answer}4{{}}"
    )


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ('{"label": "CORRECT"}', True),
        ('```json\n{"reasoning": "not WRONG at all", "label" : "correct"}\n```', True),
        ("They mean the same day. CORRECT", True),
        ("The answer is INCORRECT.", False),
        ('{"label": "WRONG"}', False),
        ("CORRECT? No: WRONG", None),
        ("correct", None),
        ("", None),
        ('{"label": "MAYBE"}', None),
    ],
)
def test_a_verdict_is_read_where_there_is_one(text: str, meant: bool | None) -> None:
    assert judge.verdict(text) is meant


def test_calls_are_spaced_whichever_thread_makes_them() -> None:
    now, slept = [0.0], []

    def sleep(seconds: float) -> None:
        slept.append(seconds)
        now[0] += seconds

    pace = Pace(30, clock=lambda: now[0], sleep=sleep)
    for _ in range(3):
        pace.wait()
    assert slept == [0, 2, 2]
    now[0] += 100
    pace.wait()  # a pause is not made up for
    pace.wait()
    assert slept[3:] == [0, 2]


@given(st.lists(st.dictionaries(st.text(), st.text(), max_size=3), max_size=5), st.integers(0, 400))
def test_what_was_kept_is_there_again_up_to_where_the_file_was_cut(
    tmp_path_factory: pytest.TempPathFactory, records: list[dict[str, str]], cut: int
) -> None:
    path = tmp_path_factory.mktemp("kept") / "kept.jsonl"
    with Kept(path) as first:
        for record in records:
            first.add(record)
    whole = path.read_bytes()
    path.write_bytes(whole[:cut])
    with Kept(path) as second:
        count = whole[:cut].count(b"\n")
        assert second.records == records[:count]
        second.add({"after": "it"})
    with Kept(path) as third:
        assert third.records == [*records[:count], {"after": "it"}]


def test_nothing_is_left_of_a_long_torn_line_behind_a_short_new_one(tmp_path: Path) -> None:
    path = tmp_path / "kept.jsonl"
    path.write_text('{"a": 1}\n{"text": "' + "torn " * 50, encoding="utf-8")
    with Kept(path) as kept:
        kept.add({"b": 2})
    assert path.read_text(encoding="utf-8") == '{"a": 1}\n{"b": 2}\n'


def test_a_file_that_is_something_else_is_not_written_to(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("my notes\n", encoding="utf-8")
    with pytest.raises(NotReadyError, match="line 1"):
        Kept(path)
    assert path.read_text(encoding="utf-8") == "my notes\n"


def test_keys_and_addresses_of_one_role_go_before_those_of_the_provider(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "general")
    monkeypatch.delenv("BYHEART_JUDGE_API_KEY", raising=False)
    assert Role.parse("judge", "openai:m").setting("API_KEY") == "general"
    monkeypatch.setenv("BYHEART_JUDGE_API_KEY", "its own")
    assert Role.parse("judge", "openai:m").setting("API_KEY") == "its own"
    assert Role.parse("answerer", "openai:m").setting("API_KEY") == "general"
