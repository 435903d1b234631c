"""Stores of both kinds: conversations that are there again, whatever was said in them."""

from __future__ import annotations

import asyncio
import copy
import io
import json
import pickle
import re
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from byheart import Memory, store
from byheart.errors import ByheartError, PluginError, StoreError
from byheart.log import REDACTED
from byheart.readers import read_chat

EVERY = st.text(st.characters(), max_size=40)  # surrogates included
TURNS = st.lists(st.tuples(st.sampled_from(["user", "assistant"]), EVERY, st.none() | EVERY), max_size=8)
FILLER = "the garden needs water again, and someone has to see to it. "


def fill(conversation: Any, many: int = 60) -> None:
    """Enough turns to be more than a budget of 2,000 characters."""
    conversation.extend(
        (
            ("user", "assistant")[at % 2],
            f"{FILLER}{at} marmot" if at == 7 else f"{FILLER}{at}",
            f"{at // 9 + 1} May 2023",
        )
        for at in range(many)
    )


# Coming back


def test_a_turn_is_there_when_the_store_is_opened_again(address: str) -> None:
    with store.open(address) as chats:
        assert chats.conversation("alice").append("user", "hello", when="8 May 2023") == 0
    with store.open(address) as chats:
        assert chats.conversation("alice").turns == [{"role": "user", "text": "hello", "when": "8 May 2023"}]


@given(turns=TURNS, id=st.text(st.characters(), min_size=1, max_size=40))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40)
def test_any_text_survives_in_turns_and_in_names(chats: store.Store, turns: list[Any], id: str) -> None:
    try:
        if id in chats:
            chats.delete(id)
        chats.conversation(id).extend(turns)
        expected = [{"role": role, "text": text, "when": when} for role, text, when in turns]
        assert chats.conversation(id).turns == expected
        assert [listed["turns"] for listed in chats.conversations() if listed["id"] == id] == [len(turns)][: len(turns)]
    finally:
        if id in chats:
            chats.delete(id)


def test_a_long_text_survives(chats: store.Store) -> None:
    text = "a\0\ud800é💤" * 500_000
    chats.conversation("alice").append("user", text)
    assert chats.conversation("alice").turns[0]["text"] == text


def test_the_same_bytes_are_sent_after_coming_back(address: str) -> None:
    options: dict[str, Any] = {"budget": 2_000, "stability": 0.7}
    memory = Memory(**options)
    fill(memory)
    with store.open(address) as chats:
        fill(chats.conversation("alice", **options))
    for query in ("where is the marmot?", "and the garden?", "thanks!", "who sees to the water on 3 May 2023?"):
        with store.open(address) as chats:
            composed = chats.conversation("alice", **options).compose(query)
        assert composed == memory.compose(query)
        assert composed["mode"] == "assembled"


def test_a_dry_run_is_not_kept(chats: store.Store) -> None:
    chat = chats.conversation("alice", budget=2_000)
    fill(chat)
    before = chat.to_dict()
    chat.compose("where is the marmot?", dry_run=True)
    assert chats.conversation("alice", budget=2_000).to_dict() == before
    chat.compose("where is the marmot?")
    assert chats.conversation("alice", budget=2_000).to_dict() != before


def test_a_conversation_has_the_interface_of_a_memory(chats: store.Store) -> None:
    public = {name for name in vars(Memory) if not name.startswith("_")} - {"from_dict"}
    assert public - set(vars(store.Conversation)) == set()
    chat, memory = chats.conversation("alice"), Memory()
    for each in (chat, memory):
        each.extend([{"role": "user", "text": "one"}, ("assistant", "two", "8 May 2023"), ("user", "three")])
        each.bounds = [0, 2]
        each.truncate(-1)
        each.redact(0)
    assert (chat.turns, chat.bounds, len(chat)) == (memory.turns, memory.bounds, len(memory))
    assert chat.search("two") == memory.search("two")
    assert chat.compose("two?") == memory.compose("two?")
    assert chat.to_dict() == memory.to_dict()


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda chat: chat.append("system", "no"), ValueError),
        (lambda chat: chat.append("user", None), TypeError),
        (lambda chat: chat.extend([("user", "fine"), ("user", "fine", 5)]), TypeError),
        (lambda chat: chat.truncate(9), IndexError),
        (lambda chat: chat.redact(True), TypeError),
        (lambda chat: chat.redact_all([0, 9]), IndexError),
        (lambda chat: chat.redact_matching(""), ValueError),
        (lambda chat: chat.redact_matching(5), TypeError),
        (lambda chat: setattr(chat, "bounds", [0, 7]), ValueError),
        (lambda chat: chat.compose(5), TypeError),
        (lambda chat: chat.search("one", limit=0), ValueError),
    ],
)
@pytest.mark.parametrize("empty", [True, False])
def test_what_a_memory_refuses_is_refused_and_not_kept(
    chats: store.Store, call: Callable[[Any], Any], error: type[Exception], empty: bool
) -> None:
    chat = chats.conversation("alice")
    if not empty:
        chat.extend([("user", "one"), ("assistant", "two")])
    before = chat.to_dict()
    with pytest.raises(error):
        call(chat)
    assert chat.to_dict() == before
    assert chats.conversation("alice").to_dict() == before
    assert ("alice" in chats) is not empty


def test_options_are_those_of_a_memory(chats: store.Store) -> None:
    with pytest.raises(ValueError, match="budget must be a number above 0"):
        chats.conversation("alice", budget=0)
    with pytest.raises(TypeError, match="bugdet"):
        chats.conversation("alice", bugdet=1)
    assert list(chats.conversations()) == []


def test_a_segmenter_that_fails_leaves_nothing_behind(chats: store.Store) -> None:
    def boundaries(turns: Any) -> list[int]:
        raise RuntimeError("no")

    chat = chats.conversation("alice", chunk=30, boundaries=boundaries)
    with pytest.raises(PluginError):
        chat.append("user", "more than thirty characters, which is a stretch")
    assert "alice" not in chats
    assert chat.append("user", "less") == 0
    with pytest.raises(PluginError):
        chat.extend([("assistant", "a"), ("user", "more than thirty characters, which is a stretch")])
    assert [turn["text"] for turn in chats.conversation("alice").turns] == ["less"]
    assert chat.append("user", "") == 1


# Several at once


def test_a_second_hand_sees_what_the_first_wrote(address: str) -> None:
    with store.open(address) as one, store.open(address) as two:
        first, second = one.conversation("alice"), two.conversation("alice")
        assert [first.append("user", "a"), second.append("assistant", "b"), first.append("user", "c")] == [0, 1, 2]
        assert first.turns == second.turns
        memory = Memory()
        memory.extend(second.turns)
        assert first.compose() == memory.compose()
        second.truncate(1)
        assert len(first) == 1
        first.redact(0)
        assert second.turns[0]["text"] == REDACTED


def test_turns_are_redacted_by_what_they_hold_in_every_hand(address: str) -> None:
    with store.open(address) as one, store.open(address) as two:
        first, second, memory = one.conversation("alice"), two.conversation("alice"), Memory()
        for each in (first, memory):
            each.extend([("user", "the key is x-47"), ("assistant", "x-47, noted"), ("user", "what is next?")])
        assert len(second.turns) == 3
        assert first.redact_matching("x-47") == memory.redact_matching("x-47") == [0, 1]
        assert second.turns == memory.turns
        assert second.redact_matching(re.compile("x-4|next")) == memory.redact_matching("next") == [2]
        assert first.to_dict() == memory.to_dict()
        assert first.redact_matching("x-47") == []


def test_turns_are_appended_while_a_question_is_being_answered(address: str) -> None:
    class Slow:
        reached, go_on = threading.Event(), threading.Event()

        def fit(self, docs: Any) -> None:
            self.docs = docs

        def rank(self, query: str) -> Any:
            self.reached.set()
            assert self.go_on.wait(30)
            return range(len(self.docs))

    with store.open(address) as one, store.open(address) as two:
        slow = Slow()
        chat = one.conversation("alice", budget=100, retriever=slow)
        chat.extend([("user", f"turn {at} of some length") for at in range(20)])
        answers: list[Any] = []
        asking = threading.Thread(target=lambda: answers.append(chat.compose("which turn?")))
        asking.start()
        try:
            assert slow.reached.wait(30)
            assert two.conversation("alice").append("assistant", "another hand's") == 20
            assert chat.append("user", "meanwhile") == 21
            assert len(chat) == 22
            assert asking.is_alive()
        finally:
            slow.go_on.set()
            asking.join(30)
        assert answers[0]["included"][-1] == 19
        assert [turn["text"] for turn in chat.turns[20:]] == ["another hand's", "meanwhile"]
        assert chat.compose("and now?")["messages"][: answers[0]["stable_upto"] + 1]


def test_a_second_hand_goes_on_from_what_the_first_sent(address: str) -> None:
    with store.open(address) as one, store.open(address) as two:
        first, second = one.conversation("alice", budget=2_000), two.conversation("alice", budget=2_000)
        fill(first)
        before = first.compose("where is the marmot?")
        after = second.compose("and who waters the garden?")
        assert not after["reselected"]
        assert after["messages"][: before["stable_upto"] + 1] == before["messages"][: before["stable_upto"] + 1]


def test_what_two_send_at_the_same_time_is_one_of_the_two(address: str) -> None:
    with store.open(address) as one, store.open(address) as two:
        second = two.conversation("alice", budget=2_000)
        fill(second)
        beside: list[Any] = []

        def meanwhile(query: str) -> list[Any]:
            beside.append(second.compose("and who waters the garden?"))
            return []

        first = one.conversation("alice", budget=2_000, external=meanwhile)
        mine = first.compose("where is the marmot?")
        third = two.conversation("alice", budget=2_000)
        assert third.to_dict() == first.to_dict()
        stable = third.compose("thanks!")["messages"]
        prefixes = [sent["messages"][: sent["stable_upto"] + 1] for sent in (mine, *beside)]
        assert any(stable[: len(prefix)] == prefix for prefix in prefixes)


def test_what_was_truncated_while_composing_is_not_kept_as_sent(address: str) -> None:
    with store.open(address) as one, store.open(address) as two:
        second = two.conversation("alice", budget=2_000)
        fill(second)

        def meanwhile(query: str) -> list[Any]:
            if len(second) == 60:
                second.truncate(3)
            return []

        first = one.conversation("alice", budget=2_000, external=meanwhile)
        first.compose("where is the marmot?")
        assert len(first.turns) == 3
        assert first.to_dict() == second.to_dict() == two.conversation("alice", budget=2_000).to_dict()
        assert "marmot" not in json.dumps(first.compose("where is the animal?"))


def test_many_threads_share_a_conversation(chats: store.Store) -> None:
    shared = chats.conversation("alice", budget=2_000)
    own = [chats.conversation("alice", budget=2_000) for _ in range(2)]
    errors: list[BaseException] = []
    given: dict[int, str] = {}

    def work(which: int) -> None:
        chat = shared if which < 4 else own[which - 4]
        try:
            for number in range(12):
                text = f"{which} says {number}"
                given[chat.append("user", text)] = text
                if number % 4 == 0:
                    assert chat.compose(f"what does {which} say?")["messages"]
                    chat.search("says")
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(which,)) for which in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert sorted(given) == list(range(72))
    texts = [turn["text"] for turn in chats.conversation("alice").turns]
    assert texts == [given[at] for at in range(72)]
    for which in range(6):
        assert [text for text in texts if text.startswith(f"{which} ")] == [f"{which} says {n}" for n in range(12)]


def test_async_callers_use_threads(chats: store.Store) -> None:
    chat = chats.conversation("alice")

    async def talk() -> list[int]:
        indices = await asyncio.gather(*(asyncio.to_thread(chat.append, "user", str(at)) for at in range(8)))
        await asyncio.to_thread(chat.compose, "what?")
        return list(indices)

    assert sorted(asyncio.run(talk())) == list(range(8))
    assert sorted(turn["text"] for turn in chat.turns) == [str(at) for at in range(8)]


WRITER = """
import sys
from byheart import store
with store.open(sys.argv[1]) as chats:
    chat = chats.conversation("shared", languages=())
    print("ready", flush=True)
    sys.stdin.readline()
    for number in range(int(sys.argv[3])):
        print(chat.append("user", f"{sys.argv[2]} {number}"), flush=True)
"""


def test_several_processes_lose_nothing_and_agree_on_the_order(
    address: str, program: Callable[..., Any], chats: store.Store
) -> None:
    each = 25
    processes = [program(WRITER, address, which, each) for which in range(4)]
    for process in processes:
        assert process.stdout.readline() == b"ready\n"
    for process in processes:
        process.stdin.write(b"\n")
        process.stdin.flush()
    answers = [process.communicate(timeout=120) for process in processes]
    assert [err for _, err in answers] == [b""] * 4
    texts = [turn["text"] for turn in chats.conversation("shared").turns]
    assert len(texts) == 4 * each
    for which, (out, _) in enumerate(answers):
        indices = [int(line) for line in out.split()]
        assert indices == sorted(indices)
        assert [texts[index] for index in indices] == [f"{which} {number}" for number in range(each)]


def test_a_new_store_may_be_opened_by_several_at_once(address: str, program: Callable[..., Any]) -> None:
    code = "import sys; from byheart import store; sys.stdin.readline(); store.open(sys.argv[1]).close(); print('fine')"
    processes = [program(code, address) for _ in range(4)]
    for process in processes:
        process.stdin.write(b"\n")
        process.stdin.flush()
    assert [process.communicate(timeout=120) for process in processes] == [(b"fine\n", b"")] * 4


# Many conversations


def test_conversations_are_listed_in_the_order_in_which_they_began(chats: store.Store) -> None:
    for id in ("b", "a", "c"):
        chats.conversation(id).append("user", "hello")
    chats.conversation("b").append("user", "hello again")
    chats.conversation("never used")
    listed = chats.conversations()
    assert [(each["id"], each["turns"]) for each in listed] == [("b", 2), ("a", 1), ("c", 1)]
    for each in listed:
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00", each["created"])
        assert each["created"] <= each["changed"]
    assert "a" in chats
    assert "never used" not in chats
    assert 5 not in chats


def test_a_conversation_is_exported_as_the_command_line_reads_it(chats: store.Store) -> None:
    turns = [("user", "one\nline \u2028 \0", "8 May 2023"), ("assistant", "half \ud83d", None), ("user", "", "")]
    chats.conversation("alice").extend(turns)
    text = "".join(chats.export("alice"))
    text.encode("utf-8")
    assert read_chat(io.StringIO(text)) == chats.conversation("alice").turns
    assert text.count("\n") == 3


def test_an_export_of_many_turns_is_complete(chats: store.Store) -> None:
    chats.conversation("alice", languages=()).extend(("user", str(at)) for at in range(2_500))
    assert [json.loads(line)["content"] for line in chats.export("alice")] == [str(at) for at in range(2_500)]


def test_an_export_ends_clearly_where_its_turns_are_deleted(chats: store.Store) -> None:
    chats.conversation("alice", languages=()).extend(("user", str(at)) for at in range(2_500))
    lines = chats.export("alice")
    next(lines)
    chats.conversation("alice").truncate(10)
    with pytest.raises(StoreError, match="export again") as caught:
        list(lines)
    assert caught.value.retry


def test_a_deleted_conversation_is_gone_and_its_name_free(chats: store.Store) -> None:
    chat = chats.conversation("alice", budget=2_000)
    fill(chat)
    chat.compose("where is the marmot?")
    chats.conversation("bob").append("user", "hello")
    chats.delete("alice")
    assert [each["id"] for each in chats.conversations()] == ["bob"]
    for call in (lambda: chat.turns, lambda: chat.append("user", "x"), lambda: len(chat), lambda: chat.compose("x")):
        with pytest.raises(StoreError, match="'alice' was deleted; ask the store for it again"):
            call()
    again = chats.conversation("alice")
    assert again.append("user", "new") == 0
    with pytest.raises(StoreError, match="was deleted"):
        chat.append("user", "x")
    assert len(again) == 1


def test_what_is_not_there_cannot_be_exported_or_deleted(chats: store.Store) -> None:
    for call in (chats.export, chats.delete):
        with pytest.raises(LookupError, match="there is no conversation 'zoe' in "):
            call("zoe")


@pytest.mark.parametrize(
    ("id", "error"), [("", ValueError), ("é" * 251, ValueError), (None, TypeError), (7, TypeError)]
)
def test_a_name_is_a_short_text(chats: store.Store, id: Any, error: type[Exception]) -> None:
    with pytest.raises(error, match="the id of a conversation must be"):
        chats.conversation(id)
    assert chats.conversation("é" * 250).append("user", "fine") == 0


# Opening


@pytest.mark.parametrize(
    ("address", "error"),
    [
        ("mysql://user:secret@host/db", ValueError),
        (":memory:", ValueError),
        ("", ValueError),
        (5, TypeError),
        (None, TypeError),
    ],
)
def test_an_address_is_a_path_or_a_postgresql_url(address: Any, error: type[Exception]) -> None:
    with pytest.raises(error, match="address must be a path or a") as caught:
        store.open(address)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(("timeout", "error"), [("5", TypeError), (True, TypeError), (-1, ValueError)])
def test_a_timeout_is_a_number_of_seconds(tmp_path: Path, timeout: Any, error: type[Exception]) -> None:
    with pytest.raises(error, match="timeout must be a number of seconds"):
        store.open(tmp_path / "chats.db", timeout=timeout)
    assert list(tmp_path.iterdir()) == []


def test_a_closed_store_says_so(address: str) -> None:
    chats = store.open(address)
    chat = chats.conversation("alice")
    chat.append("user", "hello")
    chats.close()
    chats.close()
    for call in (chats.conversations, lambda: chat.append("user", "x"), lambda: chat.turns):
        with pytest.raises(StoreError, match="is closed; open it again"):
            call()


def test_a_store_and_its_conversations_cannot_be_pickled_or_copied(chats: store.Store) -> None:
    for each in (chats, chats.conversation("alice")):
        for way in (pickle.dumps, copy.copy, copy.deepcopy):
            with pytest.raises(TypeError, match="cannot be copied or pickled"):
                way(each)


FORKED = """
import os, sys
from byheart import store
chats = store.open(sys.argv[1])
chat = chats.conversation("alice")
chat.append("user", "before")
child = os.fork()
if not child:
    try:
        chat.append("user", "no")
        os._exit(1)
    except store.StoreError as error:
        assert "forked" in str(error)
    with store.open(sys.argv[1]) as own:
        own.conversation("alice").append("assistant", "from the child")
    chats.close()
    os._exit(7)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
chat.append("user", "after")
print([turn["text"] for turn in chat.turns])
chats.close()
"""


def test_a_forked_process_opens_its_own(address: str, program: Callable[..., Any]) -> None:
    out, err = program(FORKED, address).communicate(timeout=60)
    assert (out, err) == (b"['before', 'from the child', 'after']\n", b"")


def test_a_store_error_is_a_byheart_error_and_an_os_error() -> None:
    error = StoreError("what is wrong", store="chats.db", retry=True)
    assert isinstance(error, ByheartError)
    assert isinstance(error, OSError)
    assert (str(error), error.store, error.retry) == ("what is wrong", "chats.db", True)


# Schema


def test_a_store_of_a_newer_version_is_left_alone(chats: store.Store, address: str) -> None:
    chats.conversation("alice").append("user", "hello")
    with chats._database.writing() as transaction:
        transaction.run("UPDATE byheart_schema SET version = 99")
        transaction.commit()
    with pytest.raises(StoreError, match="written by a newer byheart: its version is 99, expected at most"):
        store.open(address)
    assert len(chats.conversation("alice")) == 1


def test_an_older_store_is_brought_up_to_date_step_by_step(
    chats: store.Store, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from byheart.store import schema

    chat = chats.conversation("alice", budget=2_000)
    fill(chat)
    chat.compose("where is the marmot?")
    before = chat.to_dict()
    steps = [*schema.MIGRATIONS, ("ALTER TABLE byheart_turns ADD COLUMN mood {BYTES}",), ("DROP TABLE nothing",)]
    monkeypatch.setattr(schema, "MIGRATIONS", steps)
    with pytest.raises(StoreError, match="nothing"):
        store.open(address)
    [(version,)] = chats._database.rows("SELECT version FROM byheart_schema")
    assert version == 1, "a migration that fails changes nothing"
    monkeypatch.setattr(schema, "MIGRATIONS", [*steps[:2], ("UPDATE byheart_turns SET mood = when_said",)])
    with store.open(address) as newer:
        assert newer._database.rows("SELECT count(mood), min(version) FROM byheart_turns, byheart_schema") == [(60, 3)]
        assert newer.conversation("alice", budget=2_000).to_dict() == before
        newer.conversation("alice", budget=2_000).append("user", "more")
