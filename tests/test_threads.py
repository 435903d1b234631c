"""One memory in several threads: a question that takes its time holds up no append, and none sees another half done."""

from __future__ import annotations

import gc
import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pytest

from byheart import Memory, forks, hookimpl, load
from byheart.bm25 import BM25

WAIT = 30  # seconds, until a test gives up


class Slow(BM25):
    """The built-in ranking, which waits in ``at`` (a hook) until it may go on."""

    def __init__(self, at: str) -> None:
        super().__init__()
        self.at = at
        self.waits = False
        self.reached, self.go_on = threading.Event(), threading.Event()

    def _wait(self, hook: str) -> None:
        if self.waits and hook == self.at:
            self.reached.set()
            assert self.go_on.wait(WAIT)

    @hookimpl
    def fit(self, docs: Sequence[str]) -> None:
        self._wait("fit")
        super().fit(docs)

    @hookimpl
    def extend(self, start: int, docs: Sequence[str]) -> None:
        self._wait("extend")
        super().extend(start, docs)

    @hookimpl
    def rank(self, query: str, limit: int) -> list[int]:
        self._wait("rank")
        return super().rank(query, limit)


def filled(retriever: object = None, turns: int = 40) -> Memory:
    memory = Memory(budget=600, chunk=80, retriever=retriever)
    memory.extend([("user" if at % 2 == 0 else "assistant", f"turn {at} about trains, in Lyon") for at in range(turns)])
    return memory


class Doing(threading.Thread):
    """Something done in another thread; ``done()`` is what it gave."""

    def __init__(self, what: Callable[[], Any]) -> None:
        super().__init__(daemon=True)
        self._what = what
        self._given: Any = None
        self._failed: BaseException | None = None
        self.start()

    def run(self) -> None:
        try:
            self._given = self._what()
        except BaseException as failed:  # raised where it is asked for
            self._failed = failed

    def done(self) -> Any:
        self.join(WAIT)
        assert not self.is_alive(), "it does not end"
        if self._failed is not None:
            raise self._failed
        return self._given


@contextmanager
def asked_meanwhile(memory: Memory, slow: Slow, ask: Callable[[], Any]) -> Iterator[Doing]:
    """A question that another thread asks, and that waits inside the retriever."""
    slow.waits = True
    asking = Doing(ask)
    try:
        assert slow.reached.wait(WAIT)
        yield asking
    finally:
        slow.go_on.set()


@pytest.mark.parametrize("hook", ["fit", "extend", "rank"])
@pytest.mark.parametrize("how", ["compose", "search"])
def test_turns_are_appended_and_read_while_the_retriever_takes_its_time(hook: str, how: str) -> None:
    slow = Slow(hook)
    memory = filled(slow)
    if hook == "extend":
        memory.search("Lyon")
        memory.append("user", "and one more about Lyon")
    count = len(memory)
    with asked_meanwhile(memory, slow, lambda: getattr(memory, how)("trains in Lyon?")) as asking:
        meanwhile = Doing(lambda: (memory.append("user", "meanwhile"), memory.turns[-1]["text"], memory.to_dict()))
        index, text, saved = meanwhile.done()
        assert (index, text, len(saved["turns"])) == (count, "meanwhile", count + 1)
        assert memory.bounds[0] == 0
        assert asking.is_alive()
    assert asking.done()
    assert memory.search("meanwhile", limit=1)[0]["turns"][1] == count + 1


@pytest.mark.parametrize("hook", ["fit", "rank"])
def test_a_question_is_answered_as_if_what_was_appended_meanwhile_had_come_after_it(hook: str) -> None:
    """Even where the open stretch, which the question is compared with, is divided by what comes."""
    slow = Slow(hook)
    memory, other = filled(slow, turns=41), filled(turns=41)
    expected = other.compose("trains in Lyon?")
    with asked_meanwhile(memory, slow, lambda: memory.compose("trains in Lyon?")) as asking:
        for each in (memory, other):
            each.extend([("assistant", f"more {at} about Lyon and its trains") for at in range(30)])
    assert asking.done() == expected
    assert memory.compose("and then, in Lyon?") == other.compose("and then, in Lyon?")
    assert memory.search("more 3") == other.search("more 3")
    assert json.dumps(memory.to_dict()) == json.dumps(other.to_dict())


@pytest.mark.parametrize("change", ["redact", "redact_matching", "truncate"])
def test_forgetting_waits_for_a_question_under_way_and_then_nothing_has_the_words(
    change: str, reachable: Callable[[object], str]
) -> None:
    slow = Slow("fit")
    memory = filled(slow)
    at = memory.append("user", "the word is xyzzy4711")
    with asked_meanwhile(memory, slow, lambda: memory.compose("what is the word?")) as asking:
        forgetting = Doing(lambda: getattr(memory, change)("xyzzy4711" if change == "redact_matching" else at))
        forgetting.join(0.05)
        assert forgetting.is_alive(), "it came back while the words were still being indexed"
    forgetting.done()
    assert "xyzzy4711" not in reachable(memory)
    assert "xyzzy4711" in json.dumps(asking.done()), "what was asked before is answered as it was"


def test_threads_that_append_ask_and_forget_at_once_leave_a_memory_in_order(effort: Callable[[int], int]) -> None:
    """Without the locks this fails: turns lost, positions that do not exist, words that stay."""
    rounds = min(300, effort(30))
    memory = Memory(budget=500, chunk=60)
    gone: list[str] = []

    def live(who: int) -> None:
        for number in range(rounds):
            memory.append("user" if number % 2 else "assistant", f"parcel {who}x{number}y in the cellar, or the attic")
            if number % 3 == 0:
                memory.compose(f"where is parcel {who}x{number // 2}y?")
            if number % 5 == 4:
                memory.search(f"parcel {who}x{number // 3}y")
            if number % 7 == 6:
                assert len(memory.redact_matching(f" {who}x{number}y ")) == 1
                gone.append(f"{who}x{number}y")

    switch = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        threads = [Doing(lambda who=who: live(who)) for who in range(6)]
        for thread in threads:
            thread.done()
    finally:
        sys.setswitchinterval(switch)
    assert len(memory) == 6 * rounds
    kept = [turn["text"] for turn in memory.turns if turn["text"] != "[redacted]"]
    for who in range(6):
        mine = [text.split()[1] for text in kept if text.startswith(f"parcel {who}x")]
        assert mine == [f"{who}x{at}y" for at in range(rounds) if at % 7 != 6]
    assert not any(name in json.dumps(memory.to_dict()) for name in gone)
    restored = Memory.from_dict(memory.to_dict(), budget=500, chunk=60)
    assert memory.compose("parcel 3x7y?") == restored.compose("parcel 3x7y?")


# processes

_FORKS = """
import os, sys, threading, warnings
warnings.simplefilter("ignore")  # of a process with threads that is forked, which is what this is about
from byheart import Memory

class Slow:
    waits, reached, go_on = False, threading.Event(), threading.Event()
    def fit(self, docs): self.docs = docs
    def rank(self, query):
        if self.waits:
            self.reached.set()
            self.go_on.wait()
        return range(len(self.docs))

slow, memory, other = Slow(), Memory(budget=40, retriever=None), Memory(budget=40)
busy = Memory(budget=40, retriever=slow)
for each in (busy, other):
    each.extend([("user", f"turn {at}") for at in range(30)])
slow.waits = True
threading.Thread(target=busy.search, args=("turn",), daemon=True).start()
slow.reached.wait()

def tell(what):
    try:
        return str(what())
    except Exception as error:
        return f"{type(error).__name__}: {error}"

reads, writes = os.pipe()
if os.fork() == 0:
    found = [
        tell(lambda: other.append("user", "in the child")), tell(lambda: other.compose("turn 3?")["mode"]),
        *(tell(lambda: call(busy)) for call in (
            lambda memory: memory.append("user", "in the child"), lambda memory: memory.compose("turn 3?"),
            lambda memory: memory.turns, lambda memory: memory.redact(0), lambda memory: memory.to_dict())),
    ]
    os.write(writes, "\\n".join(found).encode())
    os._exit(0)
os.close(writes)
print(open(reads).read())
slow.go_on.set()
print(busy.append("user", "in the parent"), other.append("user", "in the parent"))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_forked_process_has_the_memory_too_unless_another_thread_was_using_it() -> None:
    ran = subprocess.run([sys.executable, "-c", _FORKS], capture_output=True, text=True, check=True, timeout=2 * WAIT)
    *child, parent = ran.stdout.splitlines()
    assert child[:2] == ["30", "assembled"]
    assert len(child) == 7
    for refusal in child[2:]:
        assert refusal.startswith("RuntimeError: another thread was using this Memory when the process was forked")
        assert "build it anew" in refusal
    assert parent == "30 30"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_memory_that_is_gone_leaves_nothing_behind_for_a_fork() -> None:
    class Equal(Memory):
        __hash__ = None  # type: ignore[assignment]

    gc.collect()  # memories of other tests
    before = len(forks._guarded)
    memory = Equal()
    assert len(forks._guarded) == before + 1
    del memory
    gc.collect()
    assert len(forks._guarded) == before


# encoders


def test_an_encoder_that_takes_its_time_holds_up_no_append(reachable: Callable[[object], str]) -> None:
    np = pytest.importorskip("numpy")
    reached, go_on = threading.Event(), threading.Event()

    class Encoder:
        def encode(self, texts: list[str]) -> Any:
            reached.set()
            assert go_on.wait(WAIT)
            return np.ones((len(texts), 3))

    memory = filled(load("dense", model=Encoder()))
    at = memory.append("user", "the word is xyzzy4711")
    asking = Doing(lambda: memory.compose("what is the word, xyzzy4711?"))
    try:
        assert reached.wait(WAIT)
        assert Doing(lambda: memory.append("assistant", "meanwhile")).done() == at + 1
        assert Doing(lambda: memory.turns[-1]["text"]).done() == "meanwhile"
        forgetting = Doing(lambda: memory.redact(at))
        assert asking.is_alive()
    finally:
        go_on.set()
    assert asking.done()["mode"] == "assembled"
    forgetting.done()
    assert "xyzzy4711" not in reachable(memory)
