"""What the fuzzer tries: each target draws one input and uses it, and lets out what it does not expect.

A target returns whether the input was taken (rather than refused in the documented way), and raises for anything else,
:class:`BrokenError` where nothing was raised but a promise was not kept.
"""

from __future__ import annotations

import datetime
import io
import itertools
import json
import random
import re
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from byheart import InputError, Memory, PluginError, SnapshotError, adapters, hookimpl, store
from byheart.dates import WhenReader, annotate, mark
from byheart.dates.notes import unmark
from byheart.dates.questions import spans
from byheart.errors import StoreError
from byheart.readers import KINDS, read_chat

from . import fuzz_inputs as inputs

LANGUAGES: Final = ("en", "de", "es", "ru")


class BrokenError(AssertionError):
    """A promise that was not kept."""


def promised(holds: object, what: str) -> None:
    if not holds:
        raise BrokenError(what)


def check_request(composed: Any, memory: Any, promise: float) -> None:
    """A request is of a shape that providers take, within the promise, and can be sent."""
    json.dumps(composed, ensure_ascii=False).encode()
    messages = composed["messages"]
    roles = [message["role"] for message in messages]
    promised(roles[:1] in ([], ["user"]), "the request starts with the assistant")
    promised(("assistant", "assistant") not in itertools.pairwise(roles), "two assistant messages in a row")
    promised(all(part["text"].strip() for message in messages for part in message["parts"]), "a blank part")
    promised(composed["chars"] <= promise, f"{composed['chars']} were sent, {promise} promised")
    promised(-1 <= composed["stable_upto"] < max(1, len(messages)), "stable_upto is out of range")
    promised(all(0 <= at < len(memory) for at in composed["included"]), "a turn is named that is not there")


def lives(draw: random.Random) -> bool:
    """A memory's life, with right arguments of any content: nothing raises, nothing is lost."""
    budget = draw.choice([1, 30, 300, 3_000])
    ceiling = draw.choice([1.0, 1.5, 2.0])
    stability = draw.choice([0.0, 0.5, 0.7, 1.0])
    options: dict[str, Any] = {
        "budget": budget, "ceiling": ceiling, "stability": stability, "fill": draw.choice([0.01, 0.5, 1.0]),
        "chunk": draw.choice([None, 1, 50, 1e9]), "languages": draw.sample(LANGUAGES, draw.randrange(3)),
        "day_first": draw.choice([None, True, False]),
    }  # fmt: skip
    if draw.random() < 0.3:
        material = [{"text": inputs.text(draw), "source": inputs.text(draw, longest=20)}]
        options["external"] = lambda query: material
    memory = Memory(**options)
    promise = max(400, budget * (ceiling if stability else 1))  # the smallest excerpt has a size of its own
    said: list[str] = []
    for _ in range(draw.randrange(1, 25)):
        pick = draw.random()
        if pick < 0.55:
            words = inputs.text(draw)
            promised(memory.append(draw.choice(["user", "assistant"]), words, inputs.when(draw)) == len(said), "index")
            said.append(words)
        elif pick < 0.75:
            asked = draw.choice([inputs.text(draw), draw.choice(said) if said else "?"])
            composed = memory.compose(asked, when=inputs.when(draw), dry_run=draw.random() < 0.2)
            check_request(composed, memory, promise)
        elif pick < 0.82:
            for hit in memory.search(inputs.text(draw), limit=draw.randrange(1, 9)):
                promised(hit["score"] > 0 and hit["turns"][0] < hit["turns"][1], "a hit of nothing")
        elif pick < 0.86 and said:
            at = draw.randrange(len(said))
            memory.redact(at)
            said[at] = "[redacted]"
        elif pick < 0.9 and said:
            words = draw.choice(said)
            for at in memory.redact_matching(words[: draw.randrange(1, 5)] or "x"):
                said[at] = "[redacted]"
        elif pick < 0.93 and said:
            at = draw.randrange(len(said))
            memory.truncate(at)
            del said[at:]
        elif pick < 0.95 and said:
            memory.bounds = [0, *sorted(draw.sample(range(1, len(said)), draw.randrange(len(said))))]
        else:
            # Escaped, two halves of a pair that stand side by side would be read as one character.
            memory = Memory.from_dict(json.loads(json.dumps(memory.to_dict(), ensure_ascii=False)), **options)
        promised([turn["text"] for turn in memory.turns] == said, "words were lost or changed")
    return True


def arguments(draw: random.Random) -> bool:
    """Wrong arguments: TypeError, ValueError, IndexError or PluginError, and nothing is kept."""
    memory = Memory(budget=300)
    memory.extend([("user", "one"), ("assistant", "two"), ("user", "three")])
    before = memory.to_dict()
    wrong = inputs.value(draw, 2)
    calls: list[Callable[[], object]] = [
        lambda: memory.append(wrong, "text"), lambda: memory.append("user", wrong),
        lambda: memory.append("user", "text", wrong), lambda: memory.extend(wrong), lambda: memory.extend([wrong]),
        lambda: memory.extend([("user", "fine"), wrong]), lambda: memory.extend([("user", "fine", wrong)]),
        lambda: memory.truncate(wrong), lambda: memory.redact(wrong), lambda: memory.redact_matching(wrong),
        lambda: setattr(memory, "bounds", wrong), lambda: setattr(memory, "bounds", [0, wrong]),
        lambda: memory.compose(wrong), lambda: memory.compose("x", when=wrong), lambda: memory.search(wrong),
        lambda: memory.search("x", wrong), lambda: memory.search("x", when=wrong), lambda: store.open(wrong, timeout=5),
        lambda: read_chat(io.BytesIO(b"x"), kind=wrong), lambda: annotate("last Friday", None, wrong),
    ]  # fmt: skip
    if isinstance(wrong, str):  # a path that might be made
        calls = [call for at, call in enumerate(calls) if at != 17]
    try:
        draw.choice(calls)()
    except (TypeError, ValueError, IndexError, PluginError):
        promised(memory.to_dict() == before, "refused, but kept")
        return False
    return True


def options(draw: random.Random) -> bool:
    """Options of any kind: TypeError, ValueError or PluginError, or a memory that works."""
    names = (
        "budget", "chunk", "retriever", "boundaries", "plugins", "stability", "ceiling", "fill", "external_margin",
        "measure", "languages", "day_first",
    )  # fmt: skip
    given = {name: inputs.value(draw, 1) for name in draw.sample(names, draw.choice([1, 1, 1, 2, 4]))}
    try:
        memory = Memory(**given)
        memory.extend([("user", "the cat likes tuna, as we said last Friday"), ("assistant", "it does")] * 5)
        memory.compose("what does the cat like?")
    except (TypeError, ValueError, PluginError):
        return False
    return True


def answers(draw: random.Random) -> bool:
    """Hooks that answer anything, or raise: PluginError, and the memory stays as it was."""

    fails = draw.choice([0.0, 0.01, 0.1, 0.5])

    def answer(right: object) -> Any:
        pick = draw.random()
        if pick > fails:
            return right
        if pick > 0.7 * fails:
            raise draw.choice([RuntimeError("no"), KeyError(1), StopIteration(), RecursionError(), MemoryError()])
        return inputs.value(draw, 2)

    class Retriever:
        size = 0

        @hookimpl
        def fit(self, docs: Any) -> Any:
            self.size = len(docs)
            return answer(None)

        @hookimpl
        def rank(self, query: str, limit: int) -> Any:
            return answer(list(range(self.size)))

        @hookimpl
        def scores(self, query: str, positions: Any) -> Any:
            return answer([1.0] * (self.size if positions is None else len(positions)))

        @hookimpl
        def best_score(self, query: str) -> Any:
            return answer(1.0)

        @hookimpl
        def ingest(self, start: int, docs: Any) -> Any:
            self.size = start + len(docs)
            return answer(None)

    class Around:
        @hookimpl(wrapper=True)
        def rank(self, query: str) -> Any:
            found = yield
            return answer(found)

        @hookimpl
        def rewrite(self, query: str) -> Any:
            return answer(query)

    memory = Memory(
        budget=200, chunk=40, retriever=Retriever(), plugins=[Around()],
        boundaries=(lambda turns: answer([])) if draw.random() < 0.5 else None,
        external=lambda query: answer([{"text": "outside", "source": "book"}]),
    )  # fmt: skip
    kept: list[str] = []
    refused = False
    for number in range(30):
        try:
            memory.append("user", f"turn {number}, about trains")
            kept.append(f"turn {number}, about trains")
        except PluginError:  # of the segmenter
            refused = True
        if number % 5 == 0:
            before = memory.to_dict()
            try:
                memory.compose("trains?")
            except (PluginError, TypeError, KeyError, RuntimeError, MemoryError, StopIteration) as error:
                if not isinstance(error, PluginError):
                    promised(_of_external(error), f"{type(error).__name__} is not of external")
                promised(memory.to_dict() == before, "refused, but changed")
                refused = True
    promised([turn["text"] for turn in memory.turns] == kept, "turns were lost")
    return not refused


def _of_external(error: BaseException) -> bool:
    """Whether what ``external`` raised, or what is said of its answer."""
    trace, through = error.__traceback__, False
    while trace is not None:
        code = trace.tb_frame.f_code
        through = through or code.co_filename.endswith("outside.py") or code.co_name == "<lambda>"
        trace = trace.tb_next
    return through


def snapshots(draw: random.Random) -> bool:
    """Saved data that is damaged: SnapshotError, or a memory that works."""
    data: Any = inputs.snapshot()
    for _ in range(draw.randrange(1, 4)):
        data = inputs.damaged(draw, data)
    try:
        memory = Memory.from_dict(data, budget=draw.choice([20, 200, 5_000]))
    except SnapshotError:
        return False
    check_request(memory.compose("what of turn 5?"), memory, 10_000)
    restored = Memory.from_dict(json.loads(json.dumps(memory.to_dict(), ensure_ascii=False)))
    promised(restored.turns == memory.turns, "words were lost")
    return True


def chats(draw: random.Random) -> bool:
    """Chat files that are damaged: InputError, or turns that a memory takes."""
    data = draw.choice(inputs.chat_files())
    if draw.random() < 0.5:
        data = inputs.damaged_bytes(draw, data)
    else:
        lines = data.decode().splitlines() if data.count(b"\n") > 1 else [data.decode()]
        try:
            changed = [json.dumps(inputs.damaged(draw, json.loads(line)), default=str) for line in lines]
        except ValueError:  # an int that is too long to be written
            return False
        data = "\n".join(changed).encode()
    return read_bytes(data, draw.choice([None, None, *KINDS]), draw.choice([(), ("system", "tool")]))


def read_bytes(data: bytes, kind: str | None = None, skip: tuple[str, ...] = ()) -> bool:
    """A chat file of these bytes."""
    try:
        turns = read_chat(io.BytesIO(data), kind=kind, skip_roles=skip)
    except InputError as error:
        promised("\n" not in str(error), f"an error of more than one line: {error}")
        str(error).encode()
        return False
    memory = Memory(budget=500)
    memory.extend(turns)
    promised([turn["text"] for turn in memory.turns] == [turn["text"] for turn in turns], "words were lost")
    return True


def read_dates(draw: random.Random) -> bool:
    """Dates and phrases in texts of any kind: never an error, and the words stay."""
    words = inputs.text(draw) + draw.choice(["", " last Friday, ", " in May 2021 "]) + inputs.text(draw)
    given = inputs.when(draw)
    return date_text(words, given, tuple(draw.sample(LANGUAGES, draw.randrange(1, 4))), draw.randrange(1, 3_652_059))


def date_text(words: str, given: Any, languages: tuple[str, ...], ordinal: int) -> bool:
    """One text, said on a day."""
    WhenReader().read(given)
    WhenReader(True).read(words)
    day = datetime.date.fromordinal(ordinal)
    notes = annotate(words, day, languages)
    marked = mark(words, notes)
    promised(unmark(marked, notes) == words, "annotating changed the words")
    spans(words, day, languages)
    spans(words, None, languages)
    return bool(notes)


def provider_lists(draw: random.Random) -> bool:
    """Message lists of providers that are damaged: InputError or TypeError, or turns that a memory takes."""
    name = draw.choice(["anthropic", "openai", "gemini"])
    data: Any = inputs.provider_messages()[name]
    for _ in range(draw.randrange(1, 4)):
        data = inputs.damaged(draw, data)
    return read_messages(name, data, draw.choice([(), ("system", "tool")]))


def read_messages(name: str, data: Any, skip: tuple[str, ...] = ()) -> bool:
    """A message list for one adapter."""
    try:
        turns = getattr(adapters, name).read(data, skip_roles=skip)
    except InputError as error:
        str(error).encode()
        return False
    except TypeError:
        promised(not isinstance(data, (list, tuple)), "a list is refused as none")
        return False
    memory = Memory(budget=500)
    memory.extend(turns)
    check_request(memory.compose("and now?"), memory, 1_000)
    return True


def patterns(draw: random.Random) -> bool:
    """What turns are redacted by: ValueError, or exactly the turns that match."""
    said = [inputs.text(draw, longest=50) for _ in range(8)]
    memory = Memory(budget=300)
    memory.extend([("user", words) for words in said])
    pattern: Any = inputs.text(draw, longest=5)[:4]
    if draw.random() < 0.5:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of what a later Python may read otherwise
                pattern = re.compile(pattern)
        except (re.error, OverflowError):
            return False
    try:
        found = memory.redact_matching(pattern)
    except ValueError:
        promised([turn["text"] for turn in memory.turns] == said, "refused, but redacted")
        return False
    holds = (lambda words: pattern in words) if isinstance(pattern, str) else pattern.search
    promised(found == [at for at, words in enumerate(said) if holds(words)], "other turns than those that match")
    return True


_STORE: list[bytes] = []


def _sound_store() -> bytes:
    """The bytes of a store that was closed."""
    if not _STORE:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "chats.db")
            with store.open(file) as chats:
                chat = chats.conversation("alice", budget=500)
                chat.extend(
                    [("user" if at % 2 == 0 else "assistant", f"turn {at} " * 20, "8 May 2023") for at in range(60)]
                )
                chat.compose("turn 5?")
                chat.redact(3)
                chats.conversation("bob").append("user", "hello")
            _STORE.append(file.read_bytes())
    return _STORE[0]


def stores(draw: random.Random) -> bool:
    """Store files that are damaged: StoreError, or words that were there."""
    data = bytearray(_sound_store())
    for _ in range(draw.choice([1, 1, 2, 10, 100])):
        at = draw.randrange(len(data)) if draw.random() < 0.7 else draw.randrange(100)
        data[at] ^= 1 << draw.randrange(8)
    if draw.random() < 0.1:
        del data[draw.randrange(len(data)) :]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "chats.db")
        file.write_bytes(data)
        try:
            with store.open(file, timeout=0.2) as chats:
                for listed in chats.conversations():
                    chat = chats.conversation(listed["id"], budget=500)
                    for turn in chat.turns:
                        sound = re.fullmatch(r"(turn \d+ ){20}|hello|\[redacted\]", turn["text"])
                        promised(sound, f"other words than were written: {turn['text']!r:.80}")
                    list(chats.export(listed["id"]))
                    check_request(chat.compose("turn 7?"), chat, 1_000)
                    chat.append("user", "one more")
                    chat.redact(0)
                    chat.truncate(0)
        except (StoreError, ValueError, LookupError) as error:
            if not isinstance(error, StoreError):  # an id or a conversation that is not what it was
                promised("id of a conversation" in str(error) or "no conversation" in str(error), f"{error!r}")
            str(error).encode()
            return False
    return True


def vectors(draw: random.Random) -> bool:
    """Files of vectors that are damaged: SnapshotError, or vectors that are finite."""
    import numpy as np
    from byheart_dense import files

    probe = np.ones((1, 4), dtype=np.float32) / 2
    header = {"model": "m", "prompts": {}, "dimension": 4}
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "vectors.npz")
        files.save(file, header, {files.fingerprint(str(at)): probe.repeat(at, 0) for at in range(5)}, probe)
        file.write_bytes(inputs.damaged_bytes(draw, file.read_bytes()))
        try:
            found = files.load(file, header, probe)
        except SnapshotError as error:
            str(error).encode()
            return False
    promised(all(np.isfinite(rows).all() for rows in found.values()), "vectors that are no numbers")
    return True


#: Each target by what it is called, with what may come out of it.
TARGETS: Final[dict[str, tuple[Callable[[random.Random], bool], str]]] = {
    "lives": (lives, "nothing"),
    "arguments": (arguments, "TypeError, ValueError, IndexError, PluginError"),
    "options": (options, "TypeError, ValueError, PluginError"),
    "hook answers": (answers, "PluginError; what external raises"),
    "dates": (read_dates, "nothing"),
    "patterns": (patterns, "ValueError"),
    "snapshots": (snapshots, "SnapshotError"),
    "chat files": (chats, "InputError"),
    "message lists": (provider_lists, "InputError"),
    "SQLite files": (stores, "StoreError"),
    "vector files": (vectors, "SnapshotError"),
}
