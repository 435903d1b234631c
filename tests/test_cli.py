"""The command line: what it prints, where, and with which exit code."""

from __future__ import annotations

import io
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import byheart
from byheart import Memory, adapters
from byheart.cli import COMMANDS, main
from byheart.entry_points import available
from byheart.readers import read_chat
from byheart.terminal import Progress

ROOT = Path(__file__).parents[1]
EXAMPLE = ROOT / "examples" / "garden-club.jsonl"
QUESTION = "Why did we decide against the oak worktop?"
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs a command line in this process: exit code, standard output, standard error."""

    def run(*argv: object) -> tuple[int, str, str]:
        code = main([str(word) for word in argv])
        return code, *capsys.readouterr()

    return run


@pytest.fixture
def refused(run: Run) -> Callable[..., str]:
    """Runs a command line that must be refused: its one line on standard error."""

    def refused(*argv: object) -> str:
        code, out, err = run(*argv)
        assert (code, out) == (2, "")
        assert re.fullmatch(r"byheart: [^\n]+\n", err)
        return err

    return refused


def write_chat(path: Path, *said: str | tuple[str, str | None]) -> Path:
    """A chat file in which user and assistant take turns."""
    turns = [each if isinstance(each, tuple) else (each, None) for each in said]
    path.write_text(
        "".join(
            json.dumps({"role": ("user", "assistant")[index % 2], "content": text, "when": when}) + "\n"
            for index, (text, when) in enumerate(turns)
        )
    )
    return path


@pytest.fixture
def chat(tmp_path: Path) -> Path:
    return write_chat(
        tmp_path / "chat.jsonl",
        ("We keep the marmot in the cellar.", "8 May, 2023"),
        ("How large is it?", "8 May, 2023"),
        ("The piano was tuned yesterday.", "9 June, 2023"),
        ("Then it will sound well.", "9 June, 2023"),
    )


def command(*argv: object, env: dict[str, str] | None = None, **options: Any) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "byheart", *map(str, argv)],
        cwd=ROOT,
        # Empty: unset. Without a buffer, nothing is left in it to be written at exit, which is what may fail.
        env={**os.environ, "PYTHONUNBUFFERED": "", **(env or {})},
        **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options},
    )


def distribution(folder: Path, name: str, code: str, **entries: str) -> None:
    """An installed distribution with one module and these entry points, as pip would leave it."""
    info = folder / f"{name}-1.5.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.5\n")
    lines = [f"{entry} = {value}\n" for entry, value in entries.items()]
    (info / "entry_points.txt").write_text("[byheart]\n" + "".join(lines))
    (folder / f"{name}.py").write_text(code)


# compose


def test_json_is_what_compose_returns(run: Run) -> None:
    memory = Memory()
    memory.extend(read_chat(EXAMPLE))
    code, out, err = run("compose", EXAMPLE, QUESTION, "--format", "json")
    assert (code, err) == (0, "")
    assert json.loads(out) == memory.compose(QUESTION)


def test_the_example_is_longer_than_the_default_budget_and_its_answer_is_found(run: Run) -> None:
    out = json.loads(run("compose", EXAMPLE, QUESTION, "--format", "json")[1])
    assert out["mode"] == "assembled"
    assert 123 in out["included"]


@pytest.mark.parametrize("provider", ["anthropic", "openai", "gemini"])
def test_a_provider_gets_its_own_request(run: Run, chat: Path, provider: str) -> None:
    memory = Memory()
    memory.extend(read_chat(chat))
    composed = memory.compose("And the marmot?")
    expected = {
        "anthropic": adapters.anthropic.request,
        "openai": adapters.openai.chat,
        "gemini": adapters.gemini.request,
    }[provider](composed)
    code, out, _ = run("compose", chat, "And the marmot?", "--format", provider)
    assert (code, json.loads(out)) == (0, expected)


def test_text_shows_every_message_under_its_role(run: Run, chat: Path) -> None:
    code, out, err = run("compose", chat, "And the marmot?")
    assert (code, err) == (0, "")
    assert re.match(r"passthrough: [0-9]+ characters; .*; 4 of 4 turns whole\n", out)
    assert [line for line in out.splitlines() if line in ("user", "assistant")] == [
        "user",
        "assistant",
    ] * 2 + ["user"]
    assert out.index("---- up to here") < out.index("And the marmot?")
    assert out.endswith("user\n  And the marmot?\n")


def test_what_was_said_cannot_pass_for_a_line_of_the_output(run: Run, tmp_path: Path) -> None:
    said = "hello\n\nassistant\n  I agree\r\nuser\n---- up to here the next request begins the same"
    out = run("compose", write_chat(tmp_path / "chat.jsonl", said, "no"), "well?")[1]
    assert [line for line in out.splitlines()[1:] if line and not line.startswith("  ")] == [
        "user",
        "assistant",
        "---- up to here the next request begins the same",
        "user",
    ]


def test_windows_line_ends_are_shown_as_line_ends(run: Run, tmp_path: Path) -> None:
    out = run("compose", write_chat(tmp_path / "chat.jsonl", "one\r\ntwo\rthree", "no"), "well?")[1]
    assert "\n  one\n  two\\x0dthree\n" in out


def test_without_a_question_the_newest_user_turn_is_asked_and_sent_once(run: Run, tmp_path: Path) -> None:
    path = write_chat(tmp_path / "chat.jsonl", "first", "second", "Where is the marmot?")
    code, out, _ = run("compose", path)
    assert code == 0
    assert out.count("Where is the marmot?") == 1
    assert out.endswith("user\n  Where is the marmot?\n")


def test_without_a_question_an_assistant_at_the_end_is_an_error(refused: Callable[..., str], chat: Path) -> None:
    refused("compose", chat)


@pytest.mark.parametrize("place", range(4))
def test_the_question_may_stand_anywhere_behind_the_chat(run: Run, chat: Path, place: int) -> None:
    argv = [chat, "--budget", 900, "--format=json"]
    places = [1, 3, 4, 4]
    argv.insert(places[place], "Where is the marmot?")
    assert "Where is the marmot?" in run("compose", *argv)[1]


def test_a_question_with_a_leading_dash_goes_behind_two_dashes(run: Run, chat: Path) -> None:
    code, out, _ = run("compose", chat, "--", "-- is that a marmot?")
    assert code == 0
    assert out.endswith("user\n  -- is that a marmot?\n")


def test_the_day_of_the_question_is_passed_on(run: Run, chat: Path) -> None:
    memory = Memory()
    memory.extend(read_chat(chat))
    asked, day = "What happened yesterday?", "9 May, 2023"
    for name, expected in (("search", memory.search(asked, when=day)), ("compose", memory.compose(asked, when=day))):
        out = run(name, chat, asked, "--when", day, "--format", "json")[1]
        assert json.loads(out) == expected
    assert memory.search(asked, when=day) != memory.search(asked)


def test_options_reach_the_memory(run: Run, chat: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: dict[str, Any] = {}

    class Recorded(Memory):
        def __init__(self, **options: Any) -> None:
            seen.update(options)
            super().__init__(**options)

    monkeypatch.setattr(byheart, "Memory", Recorded)
    assert run("search", chat, "marmot")[0] == 0
    assert seen == {"plugins": []}
    options = "--budget 5000 --chunk 300 --stability 0 --retriever builtin --boundaries counter"
    assert run("search", chat, "marmot", *options.split(), "--language", "en", "--language", "de, es")[0] == 0
    assert seen == {
        "budget": 5000,
        "chunk": 300,
        "stability": 0.0,
        "retriever": "builtin",
        "boundaries": "counter",
        "languages": ("en", "de", "es"),
        "plugins": [],
    }


def test_a_chat_comes_from_standard_input(run: Run, chat: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = run("compose", chat, "marmot?")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(chat.read_bytes()), "ascii"))
    assert run("compose", "-", "marmot?") == expected


def test_how_to_read_the_chat_is_passed_on(run: Run, refused: Callable[..., str], tmp_path: Path) -> None:
    path = tmp_path / "chat.json"
    tool = {"role": "tool", "content": "x"}
    path.write_text(json.dumps([{"role": "system", "content": "x"}, tool, {"role": "user", "content": "hi"}]))
    assert "message 1" in refused("compose", path)
    assert "message 2" in refused("compose", path, "--skip-roles", "system")
    assert run("compose", path, "--skip-roles", "system, tool")[0] == 0
    assert run("compose", path, "--skip-roles", "system", "--skip-roles", "tool")[0] == 0
    assert "line 1" in refused("compose", path, "--input", "jsonl")
    assert "LoCoMo" in refused("compose", path, "--skip-roles", "system,tool", "--conversation", "2")


# search


def test_search_shows_the_turns_as_they_were_said(run: Run, chat: Path) -> None:
    memory = Memory()
    memory.extend(read_chat(chat))
    hits = memory.search("the marmot in the cellar", limit=1)
    code, out, err = run("search", chat, "the marmot in the cellar", "--limit", 1, "--format", "json")
    assert (code, json.loads(out), err) == (0, hits, "")
    code, out, err = run("search", chat, "the marmot in the cellar", "--limit", 1)
    assert (code, err) == (0, "")
    assert re.match(r"turns 0 to 1, 8 May, 2023 \(score [0-9.]+\)\n  ", out)
    assert "We keep the marmot in the cellar." in out
    assert "piano" not in out


def test_several_hits_are_kept_apart_by_a_blank_line(run: Run, chat: Path) -> None:
    out = run("search", chat, "marmot piano")[1]
    assert len(re.findall(r"(?:^|\n\n)turns [02] to [13], ", out)) == 2


def test_a_search_without_hits_says_so(run: Run, chat: Path) -> None:
    assert run("search", chat, "zeppelin") == (0, "nothing found\n", "")
    assert run("search", chat, "zeppelin", "--format", "json") == (0, "[]\n", "")


# Plugins


DEMO = """
from byheart import hookimpl

class Adding:
    def __init__(self, word=""):
        if not isinstance(word, str):
            raise TypeError(f"word must be a str,\\nnot {word!r}")
        self.word = word

    @hookimpl
    def rewrite(self, query):
        return f"{query} {self.word}"

class Broken:
    def __init__(self, **options):
        self.options = options

    def fit(self, docs):
        raise RuntimeError(f"no room for {self.options}")

    def rank(self, query, limit):
        return []
"""


@pytest.fixture
def demo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A distribution that offers a plugin that works and two that do not."""
    name = "byheart_demo_for_cli"
    distribution(tmp_path, name, DEMO, adding=f"{name}:Adding", fails=f"{name}:Broken", gone="byheart_not_there:Plugin")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, name, raising=False)
    return name


def test_plugins_are_listed_with_their_state(run: Run, demo: str) -> None:
    code, out, err = run("plugins")
    assert (code, err) == (0, "")
    lines = [re.split(r"  +", line) for line in out.splitlines()]
    assert lines[0] == ["NAME", "KIND", "FROM", "STATE"]
    states = {line[0]: line[1:] for line in lines[1:]}
    assert states["builtin"][0] == "retriever"
    assert states["builtin"][-1] == "ok"
    kinds = {plugin.name: plugin.kind for plugin in available()}
    assert states["adding"] == [kinds["adding"], f"{demo} 1.5", "ok"]
    assert states["gone"][1] == f"{demo} 1.5"
    assert re.fullmatch(r"error: .*byheart_not_there.*; try: pip install .*", states["gone"][2])


def test_plugins_as_json_say_the_same(run: Run, demo: str) -> None:
    found = json.loads(run("plugins", "--format", "json")[1])
    assert [each["name"] for each in found] == [plugin.name for plugin in available()]
    gone = next(each for each in found if each["name"] == "gone")
    assert (gone["distribution"], gone["ok"]) == (demo, False)
    assert gone["error"]
    assert gone["cure"]


def test_an_option_reaches_the_plugin_it_names(run: Run, demo: str, chat: Path) -> None:
    assert "nothing found" in run("search", chat, "zeppelin", "--plugin", "adding")[1]
    out = run("search", chat, "zeppelin", "--plugin", "adding", "--option", "adding.word=marmot")[1]
    assert "marmot" in out


def test_options_are_json_or_else_text(run: Run, chat: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[str, dict[str, Any]]] = []
    build = byheart.load

    def load(name: str, **options: Any) -> object:
        seen.append((name, options))
        return build(name)

    monkeypatch.setattr(byheart, "load", load)
    values = [
        "a=1.5",
        "b=true",
        'c="1"',
        "retriever.d=./folder=x",
        "e=",
        "f=NaN",
        'g=["x"]',
        "segmenter.h=null",
    ]
    named = ["--retriever", "builtin", "--boundaries", "counter"]
    assert run("search", chat, "marmot", *named, *(f"--option={value}" for value in values))[0] == 0
    expected = {"a": 1.5, "b": True, "c": "1", "d": "./folder=x", "e": "", "f": "NaN", "g": ["x"]}
    assert seen == [("builtin", expected), ("counter", {"h": None})]
    seen.clear()
    assert run("search", chat, "marmot", "--boundaries", "counter", "--option", "chunk=300")[0] == 0
    assert seen == [("counter", {"chunk": 300})]


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (["--option", "k1=1.5"], "--retriever NAME"),
        (["--option", "segmenter.k1=1.5"], "--boundaries NAME"),
        (["--option", "other.k1=1.5"], "--plugin other"),
        (["--option", "retriever.=1.5", "--retriever", "builtin"], "--retriever NAME"),
        (["--option", "k1"], "expected KEY=VALUE, got 'k1'"),
        (["--option", "=1"], "expected KEY=VALUE"),
        (["--retriever", "builtin", "--option", "nonsense=1"], "nonsense"),
        (["--retriever", "no-such-plugin"], "no-such-plugin"),
        (
            ["--plugin", "adding", "--option", "adding.word=5"],
            "'adding': TypeError: word must be a str, not 5",
        ),
        (["--retriever", "fails"], "no room for {}"),
        (["--retriever", "gone"], "byheart_not_there"),
        (["--plugin", "builtin", "--retriever", "builtin"], "builtin"),
    ],
)
def test_a_plugin_that_cannot_be_used_is_one_line(
    refused: Callable[..., str], demo: str, chat: Path, argv: list[str], said: str
) -> None:
    assert said in refused("search", chat, "marmot", *argv)


# Wrong input


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        ([], "expected a command (compose, search, plugins, append, export, redact, list, delete)"),
        (["komponieren"], "got 'komponieren'"),
        (["--format"], "got '--format'"),
        (["compose"], "compose: the following arguments are required: CHAT"),
        (["search", "CHAT"], "search: the following arguments are required: QUESTION"),
        (["search", "CHAT", "marmot", "piano"], "unrecognized arguments: piano"),
        (["compose", "CHAT", "--form", "json"], "unrecognized arguments: --form"),
        (["compose", "CHAT", "q", "--budget", "many"], "--budget: invalid int value: 'many'"),
        (["compose", "CHAT", "q", "--budget", "0"], "budget"),
        (["compose", "CHAT", "q", "--chunk", "-5"], "chunk"),
        (["compose", "CHAT", "q", "--stability", "nan"], "stability"),
        (["compose", "CHAT", "q", "--language", "xx"], "xx"),
        (["search", "CHAT", "q", "--limit", "-1"], "limit"),
        (["compose", "CHAT", "q", "--format", "yaml"], "invalid choice: 'yaml'"),
        (["search", "CHAT", "q", "--input", "csv"], "invalid choice: 'csv'"),
        (["compose", "absent.jsonl", "q"], "cannot read absent.jsonl: No such file"),
        (["compose", "nul\0byte", "q"], "cannot read 'nul\\x00byte'"),
    ],
)
def test_wrong_input_is_one_line(refused: Callable[..., str], chat: Path, argv: list[str], said: str) -> None:
    assert said in refused(*[str(chat) if word == "CHAT" else word for word in argv])


def test_a_truncated_chat_is_named_by_file_and_line(refused: Callable[..., str], chat: Path) -> None:
    chat.write_bytes(chat.read_bytes()[:-20])
    assert f"{chat}, line 4, column " in refused("search", chat, "marmot")


def test_wrong_input_ends_a_process_with_2_and_one_line(tmp_path: Path) -> None:
    path = tmp_path / "chat.jsonl"
    path.write_bytes(b'{"role": "user", "content": "\xff"}')
    process = command("compose", path, "marmot?")
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (2, b"")
    assert re.fullmatch(rb"byheart: [^\n]*line 1: not UTF-8 at byte 29[^\n]*\r?\n", err)


# Characters


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
def test_output_is_utf8_whatever_the_locale_says(tmp_path: Path, encoding: str) -> None:
    path = write_chat(tmp_path / "chat.jsonl", "das Murmeltier schläft 💤 \ud83d", "いいね")
    for form in ("text", "json"):
        process = command("compose", path, "Murmeltier?", "--format", form, env={"PYTHONIOENCODING": encoding})
        out, err = process.communicate(timeout=60)
        assert (process.returncode, err) == (0, b"")
        assert "schläft 💤 \ufffd" in out.decode("utf-8")
        assert "いいね" in out.decode("utf-8")


def test_json_of_a_search_gives_back_a_lone_surrogate(run: Run, tmp_path: Path) -> None:
    path = write_chat(tmp_path / "chat.jsonl", "the marmot \ud83d sleeps", "yes")
    [hit] = json.loads(run("search", path, "marmot", "--format", "json")[1])
    assert "marmot \ud83d sleeps" in hit["text"]
    assert "marmot \ufffd sleeps" in run("search", path, "marmot")[1]


def test_a_question_that_is_no_utf8_is_no_error(run: Run, chat: Path) -> None:
    assert run("compose", chat, "marmot \udcff?")[0] == 0
    assert run("search", chat, "marmot \udcff?")[0] == 0


def test_no_control_character_reaches_a_terminal(run: Run, tmp_path: Path) -> None:
    said = "".join(map(chr, range(32))) + "\x1b[2J marmot \x7f\x9b31m"
    path = write_chat(tmp_path / "chat.jsonl", said, "yes")
    for argv in (["search", path, "marmot"], ["compose", path, "marmot?"]):
        for form in ("text", "json"):
            out = run(*argv, "--format", form)[1]
            assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f]", out)
    assert "\\x1b[2J marmot \\x7f\\x9b31m" in run("search", path, "marmot")[1]
    [hit] = json.loads(run("search", path, "marmot", "--format", "json")[1])
    assert said in hit["text"]


def test_an_error_message_shows_control_characters_harmlessly(refused: Callable[..., str], chat: Path) -> None:
    assert "\\x1b[2J" in refused("compose", chat, "q", "\x1b[2J")


def test_output_replaced_by_a_text_stream_is_written_too(chat: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stdout", stream)
    assert main(["search", str(chat), "marmot"]) == 0
    assert "marmot" in stream.getvalue()


# The surroundings


def test_a_reader_that_leaves_early_is_no_error() -> None:
    process = command("search", EXAMPLE, "kitchen", "--limit", "50")
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    assert (process.stderr.read(), process.wait(60)) == (b"", 141)
    process.stderr.close()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full on this system")
def test_a_full_disk_is_one_line_and_1(chat: Path) -> None:
    with open("/dev/full", "wb") as full:
        process = command("search", chat, "marmot", stdout=full)
        _, err = process.communicate(timeout=60)
    assert process.returncode == 1
    assert re.fullmatch(rb"byheart: cannot write the answer: [^\n]+\n", err)


def test_a_closed_standard_output_is_one_line_and_1(
    chat: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdout", None)
    assert main(["search", str(chat), "marmot"]) == 1
    assert capsys.readouterr().err == "byheart: standard output is closed\n"


def test_an_interrupt_ends_it_quietly_with_130(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    class Interrupted(io.BytesIO):
        def read(self, size: int | None = -1, /) -> bytes:
            raise KeyboardInterrupt

    class Stdin:
        buffer = Interrupted()

    monkeypatch.setattr(sys, "stdin", Stdin())
    assert run("search", "-", "marmot") == (130, "", "")


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_progress_is_shown_on_a_terminal_once_it_takes_long_and_then_wiped(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = 100.0
    monkeypatch.setattr("time.monotonic", lambda: now)
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    with Progress("chat\x1b.jsonl") as progress:
        progress("reading", 1, 10)
        assert stream.getvalue() == ""
        now += 2
        progress("reading", 5, 10)
        progress("reading", 6, 10)
        assert stream.getvalue() == "\r\x1b[Kreading chat\\x1b.jsonl 50 %"
        now += 2
        progress("reading", 12_345)
        assert stream.getvalue().endswith("reading chat\\x1b.jsonl 12,345")
    assert stream.getvalue().endswith("\r\x1b[K")


def test_progress_is_silent_where_nobody_watches(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.StringIO()
    now = 100.0
    monkeypatch.setattr("time.monotonic", lambda: now)
    monkeypatch.setattr(sys, "stderr", stream)
    with Progress("chat.jsonl") as progress:
        now += 10
        progress("reading", 5, 10)
    assert stream.getvalue() == ""


def test_a_long_reading_is_followed_from_the_command_line(
    chat: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    seconds = iter(range(100))
    monkeypatch.setattr("time.monotonic", lambda: float(next(seconds)))
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    assert main(["search", str(chat), "marmot"]) == 0
    assert f"reading {chat} 100 %" in stream.getvalue()
    assert "marmot" in capsys.readouterr().out


# Help


def test_help_lists_every_command(run: Run) -> None:
    for word in ("-h", "--help"):
        code, out, err = run(word)
        assert (code, err) == (0, "")
        for name, each in COMMANDS.items():
            assert f"  {name} " in out
            assert each.summary in out


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_explains_itself(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main([name, "--help"])
    assert caught.value.code == 0
    out = capsys.readouterr().out
    assert out.startswith(f"usage: byheart {name} ")
    assert COMMANDS[name].summary in " ".join(out.split())


def test_the_version_is_told(run: Run) -> None:
    assert run("--version") == (0, f"byheart {byheart.__version__}\n", "")


def test_every_option_is_documented() -> None:
    import argparse

    page = (ROOT / "docs" / "command-line.md").read_text("utf-8")
    for name, each in COMMANDS.items():
        parser = argparse.ArgumentParser(add_help=False)
        each.declare(parser)
        assert f"## byheart {name}" in page
        for action in parser._actions:
            for option in action.option_strings:
                assert f"`{option}" in page, f"{name} {option}"


def test_the_commands_on_the_page_run(run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    page = (ROOT / "docs" / "command-line.md").read_text("utf-8")
    commands = re.findall(r"^\$ byheart (.*)$", page, re.MULTILINE)
    assert len(commands) >= 5
    for line in commands:
        code, out, err = run(*shlex.split(line))
        assert (code, err) == (0, ""), line
        assert out, line
