"""The command line on a store: what it keeps, prints and refuses."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from byheart import Memory, store
from byheart.cli import main
from byheart.readers import read_chat

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


@pytest.fixture
def chats(tmp_path: Path) -> Path:
    """A store with a short and a long conversation."""
    path = tmp_path / "chats.db"
    with store.open(path) as opened:
        opened.conversation("garden").extend(read_chat(EXAMPLE))
        opened.conversation("alice").extend(
            [("user", "We keep the marmot in the cellar."), ("assistant", "How large is it?")]
        )
    return path


def turns(path: Path, name: str) -> list[Any]:
    with store.open(path) as opened:
        return list(opened.conversation(name).turns)


# append


def test_a_turn_is_appended_to_a_store_that_is_made_for_it(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "new.db"
    argv = ("append", path, "hello", "--conversation", "alice", "--when", "8 May 2023")
    assert run(*argv) == (0, "alice: turn 0 appended\n", "")
    assert run("append", path, "and hello", "--role", "assistant") == (0, "alice: turn 1 appended\n", "")
    assert turns(path, "alice") == [
        {"role": "user", "text": "hello", "when": "8 May 2023"},
        {"role": "assistant", "text": "and hello", "when": None},
    ]


def test_a_chat_file_is_appended_whole(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "new.db"
    many = len(read_chat(EXAMPLE))
    code, out, err = run("append", path, "--file", EXAMPLE, "--conversation", "garden")
    assert (code, out, err) == (0, f"garden: turns 0 to {many - 1} appended\n", "")
    assert turns(path, "garden") == [{"when": None, **turn} for turn in read_chat(EXAMPLE)]


def test_a_chat_file_that_is_wrong_appends_nothing(refused: Callable[..., str], tmp_path: Path) -> None:
    broken = tmp_path / "broken.jsonl"
    broken.write_text('{"role": "user", "content": "fine"}\n{"role": "system", "content": "no"}\n')
    assert "line 2" in refused("append", tmp_path / "new.db", "--file", broken, "--conversation", "alice")
    assert not (tmp_path / "new.db").exists()


def test_one_of_several_locomo_conversations_is_picked(run: Run, refused: Callable[..., str], tmp_path: Path) -> None:
    chat = {"speaker_a": "Ada", "speaker_b": "Bo", "session_1_date_time": "8 May 2023"}
    samples = [
        {"sample_id": f"c{at}", "conversation": {**chat, "session_1": [{"speaker": "Ada", "text": f"chat {at}"}]}}
        for at in range(2)
    ]
    file = tmp_path / "locomo.json"
    file.write_text(json.dumps(samples))
    argv = ("append", tmp_path / "new.db", "--file", file, "--conversation", "ada")
    assert "pick one with --pick" in refused(*argv)
    assert run(*argv, "--pick", "c1")[0] == 0
    assert [turn["text"] for turn in turns(tmp_path / "new.db", "ada")] == ["Ada: chat 1"]


def test_options_of_the_memory_decide_where_stretches_begin(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "new.db"
    run("append", path, "--file", EXAMPLE, "--conversation", "small", "--chunk", 50)
    run("append", path, "--file", EXAMPLE, "--conversation", "large", "--chunk", 5_000)
    with store.open(path) as opened:
        small, large = (len(opened.conversation(name).bounds) for name in ("small", "large"))
    assert small > 2 * large


# compose and search


def test_compose_goes_on_from_what_was_sent(run: Run, chats: Path) -> None:
    memory = Memory()
    memory.extend(read_chat(EXAMPLE))
    for query in (QUESTION, "How much is a night in Bohinj?"):
        code, out, err = run("compose", chats, query, "--conversation", "garden", "--format", "json")
        assert (code, err) == (0, "")
        assert json.loads(out) == memory.compose(query)


def test_a_dry_run_keeps_nothing(run: Run, chats: Path) -> None:
    argv = ("compose", chats, QUESTION, "--conversation", "garden", "--format", "json", "--dry-run")
    first = run(*argv)
    assert json.loads(first[1])["reselected"]
    assert run(*argv) == first
    assert json.loads(run(*argv[:-1])[1])["stable_upto"] != -1
    assert not json.loads(run(*argv)[1])["reselected"]


def test_search_finds_in_a_store(run: Run, chats: Path) -> None:
    memory = Memory()
    memory.extend(read_chat(EXAMPLE))
    out = run("search", chats, "oak worktop", "--conversation", "garden", "--format", "json")[1]
    assert json.loads(out) == memory.search("oak worktop")


def test_the_newest_turn_is_asked_where_there_is_no_question(run: Run, chats: Path) -> None:
    run("append", chats, "Where is the marmot?", "--conversation", "alice")
    out = json.loads(run("compose", chats, "--conversation", "alice", "--format", "json")[1])
    assert [message["parts"][0]["text"] for message in out["messages"]][-1] == "Where is the marmot?"


# export, redact, list, delete


def test_an_export_is_a_chat_file(run: Run, chats: Path, tmp_path: Path) -> None:
    run("append", chats, "\ud83d \x00 \x1b[2J \x9b \u2028", "--conversation", "alice")
    code, out, err = run("export", chats, "--conversation", "alice")
    assert (code, err) == (0, "")
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\ud800-\udfff]", out)
    (tmp_path / "chat.jsonl").write_text(out, "utf-8")
    assert [{"when": None, **turn} for turn in read_chat(tmp_path / "chat.jsonl")] == turns(chats, "alice")


def test_several_turns_are_redacted_at_once(run: Run, refused: Callable[..., str], chats: Path) -> None:
    run("append", chats, "The code is Quetzalcoatl.", "--conversation", "alice")
    assert run("redact", chats, 0, 2, "--conversation", "alice") == (0, "alice: redacted\n", "")
    assert [turn["text"] for turn in turns(chats, "alice")] == ["[redacted]", "How large is it?", "[redacted]"]
    assert b"Quetzalcoatl" not in b"".join(path.read_bytes() for path in chats.parent.iterdir())
    assert "index 3 is out of range: there are 3 turns" in refused("redact", chats, 1, 3, "--conversation", "alice")
    assert turns(chats, "alice")[1]["text"] == "How large is it?"


def test_turns_are_redacted_by_what_they_hold(run: Run, refused: Callable[..., str], chats: Path) -> None:
    for text in ("The code is a.b, I think.", "Is it A.B?", "No, aXb."):
        run("append", chats, text, "--conversation", "alice")
    redact = ("redact", chats, "--conversation", "alice", "--matching")
    assert run(*redact, "a.b") == (0, "alice: redacted turn 2\n", "")
    assert run(*redact, "a.b") == (0, "alice: redacted nothing\n", "")
    assert "x* matches an empty place" in refused(*redact, "x*", "--regex").replace("'", "")
    assert "--matching '(' is no regular expression" in refused(*redact, "(", "--regex")
    assert "pattern must not be empty" in refused(*redact, "")
    assert run(*redact, "(?i)a.b", "--regex") == (0, "alice: redacted 2 turns: 3, 4\n", "")
    assert "The code" not in str(turns(chats, "alice"))
    assert "How large is it?" in str(turns(chats, "alice"))
    assert not re.search(b"The code is|Is it A|No, aXb", b"".join(path.read_bytes() for path in chats.parent.iterdir()))


@pytest.mark.parametrize(
    ("argv", "says"),
    [((), "expected one TURN or more"), ((0, "--matching", "x"), "or --matching"), ((0, "--regex"), "there is none")],
)
def test_turns_are_redacted_by_number_or_by_what_they_hold(
    refused: Callable[..., str], chats: Path, argv: tuple[Any, ...], says: str
) -> None:
    assert says in refused("redact", chats, *argv, "--conversation", "alice")
    assert "[redacted]" not in str(turns(chats, "alice"))


def test_redacting_with_other_options_leaves_what_was_sent(run: Run, chats: Path) -> None:
    argv = ("compose", chats, QUESTION, "--conversation", "garden", "--budget", 6_000, "--format", "json")
    sent = json.loads(run(*argv)[1])
    outside = next(at for at in range(100) if at not in sent["included"])
    run("redact", chats, outside, "--conversation", "garden")
    again = json.loads(run(*argv)[1])
    assert not again["reselected"]
    assert again["messages"] == sent["messages"]
    run("redact", chats, sent["included"][0], "--conversation", "garden")
    assert json.loads(run(*argv)[1])["reselected"]


def test_conversations_are_listed(run: Run, chats: Path) -> None:
    code, out, err = run("list", chats)
    assert (code, err) == (0, "")
    rows = [line.split() for line in out.splitlines()]
    assert [row[:2] for row in rows[1:]] == [["garden", str(len(read_chat(EXAMPLE)))], ["alice", "2"]]
    with store.open(chats) as opened:
        assert json.loads(run("list", chats, "--format", "json")[1]) == opened.conversations()


def test_a_conversation_is_deleted(run: Run, chats: Path) -> None:
    assert run("delete", chats, "--conversation", "alice") == (0, "alice: deleted\n", "")
    assert [line.split()[0] for line in run("list", chats)[1].splitlines()[1:]] == ["garden"]
    assert run("export", chats)[1].count("\n") == len(read_chat(EXAMPLE))


# What is refused


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (["append", "STORE"], "append: expected a TEXT, or --file CHAT"),
        (["append", "STORE", "hi", "--file", "x"], "append: expected a TEXT, or --file CHAT"),
        (["append", "STORE", "hi"], "holds 2 conversations; name one with --conversation: 'garden', 'alice'"),
        (["append", "STORE", "hi", "--conversation", ""], "the id of a conversation must be of 1 to 500 bytes"),
        (["append", "STORE", "hi", "--role", "system"], "invalid choice: 'system'"),
        (["append", "STORE", "hi", "--conversation", "alice", "--budget", "0"], "budget"),
        (["append", "a\0b", "hi", "--conversation", "alice"], "cannot make the file"),
        (["append", "mysql://x/y", "hi", "--conversation", "alice"], "address must be a path or a postgresql:// URL"),
        (["append", "CHAT", "hi", "--conversation", "alice"], "is no SQLite file, or a damaged one"),
        (["compose", "STORE", "hi"], "holds 2 conversations; name one with --conversation: 'garden', 'alice'"),
        (["search", "STORE", "hi", "--conversation", "zoe"], "holds 2 conversations, none called 'zoe'; name one"),
        (["compose", "STORE", "hi", "--conversation", "alice", "--skip-roles", "tool"], "is a store, not a chat file"),
        (["compose", "STORE", "--conversation", "alice"], "the newest turn is the assistant's"),
        (["export", "absent.db"], "there is no such file; byheart append makes one"),
        (["export", "a\0b"], "there is no such file"),
        (["export", "CHAT"], "is no SQLite file, or a damaged one"),
        (["redact", "STORE", "one", "--conversation", "alice"], "invalid int value: 'one'"),
        (["redact", "STORE", "--conversation", "alice"], "expected one TURN or more"),
        (["delete", "STORE"], "required: --conversation"),
        (["delete", "STORE", "--conversation", "zoe"], "none called 'zoe'"),
        (["list", "absent.db"], "there is no such file"),
    ],
)
def test_wrong_input_is_one_line_and_changes_nothing(
    refused: Callable[..., str], chats: Path, argv: list[str], said: str
) -> None:
    before = turns(chats, "alice")
    words = {"STORE": str(chats), "CHAT": str(EXAMPLE)}
    assert said in refused(*[words.get(word, word) for word in argv])
    assert turns(chats, "alice") == before
    assert not Path("absent.db").exists()


def test_a_chat_file_is_still_a_chat_file(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "chat.db"
    file.write_text('{"role": "user", "content": "the marmot sleeps"}\n')
    assert "marmot" in run("search", file, "marmot")[1]


def test_commands_work_on_postgresql_too(
    run: Run, refused: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    for argv in (["list"], ["export"], ["compose", "q"], ["search", "q"], ["append", "text"], ["redact", "0"]):
        words = [argv[0], "postgresql://alice:secret@host/chats", *argv[1:]]
        said = refused(*words)
        assert "pip install 'byheart[postgres]'" in said
        assert "secret" not in said


def test_the_commands_that_need_no_store_import_none() -> None:
    code = (
        "import sys; from byheart.cli import main; main(['search', sys.argv[1], 'kitchen']); "
        "print(*(name for name in ('sqlite3', 'psycopg', 'byheart.store') if name in sys.modules), file=sys.stderr)"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code, str(EXAMPLE)], cwd=ROOT, capture_output=True, check=True, text=True
    )
    assert ran.stderr == "\n"
