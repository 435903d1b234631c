"""A simulator of prompt caches, by the rules the providers publish.

Rules are data, each with the page they were read on and when; prices are multiples of the price of
an uncached input token. The simulator knows nothing of a provider beyond them, and where a page
leaves something open the note says what was assumed. Sizes are tokens; a token is taken to be four
characters, whatever the script, so figures compare systems and do not predict a bill.

Two kinds of cache exist:

- *marks*: what is cached ends where the request marks a block. A later request finds it if one of
  its own marks stands on that block or at most ``look_back`` blocks behind it.
- *prefix*: no marks; any exact prefix of an earlier request is found, in whole steps.
"""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field

CHARACTERS_PER_TOKEN = 4


@dataclass(frozen=True)
class Rules:
    """How one provider's cache works and what it costs."""

    name: str
    source: str
    read_on: str
    kind: str  # "marks" or "prefix"
    minimum: int  # tokens; a shorter prefix is not cached
    read_price: float
    write_price: float  # 1.0: a write costs nothing beyond the input itself
    lifetime: float | None  # seconds from the start of the last request that used the entry; None: no end
    longest: float | None = None  # seconds from the write, however often it is read
    look_back: int | None = None  # blocks before a mark at which an entry is still found; None: any
    step: int = 1  # tokens; a prefix cache finds whole steps only
    marks: int = 4  # at most this many in a request
    note: str = ""


_ANTHROPIC = "docs: build-with-claude/prompt-caching"
_OPENAI = "docs: guides/prompt-caching"
_GEMINI = "ai.google.dev/gemini-api/docs/caching"
_READ_ON = "2026-10"

#: What "effective tokens" means in the documentation: explicit marks, look-back of 20 blocks,
#: nothing below 1,024 tokens, every request within the lifetime.
EFFECTIVE = Rules(
    name="effective tokens",
    source="docs/results.md",
    read_on=_READ_ON,
    kind="marks",
    minimum=1024,
    read_price=0.1,
    write_price=1.25,
    lifetime=None,
    look_back=20,
)

ANTHROPIC_5M = Rules(
    name="Anthropic, 5 minutes",
    source=_ANTHROPIC,
    read_on=_READ_ON,
    kind="marks",
    minimum=1024,
    read_price=0.1,
    write_price=1.25,
    lifetime=300,
    look_back=19,
    note="the page counts the marked block as the first of the 20 that are looked at",
)
ANTHROPIC_1H = dataclasses.replace(
    ANTHROPIC_5M,
    name="Anthropic, 1 hour",
    write_price=2.0,
    lifetime=3600,
)
#: Smallest cached prefix by model, in tokens; sources disagree on some.
ANTHROPIC_MINIMUM = {
    "Sonnet 4 to 5, Opus 4 to 4.1 and 4.8": 1024,
    "Haiku 3.5, Opus 4.7": 2048,
    "Opus 4.5 and 4.6, Haiku 4.5": 4096,
}
ANTHROPIC_LARGE = dataclasses.replace(
    ANTHROPIC_5M,
    name="Anthropic, 5 minutes, minimum 4,096",
    minimum=4096,
)
OPENAI = Rules(
    name="OpenAI before GPT-5.6",
    source=_OPENAI,
    read_on=_READ_ON,
    kind="prefix",
    minimum=1024,
    read_price=0.1,
    write_price=1.0,
    lifetime=300,
    longest=3600,
    step=128,
    note="idle for 5 to 10 minutes, an hour at most: the shorter one assumed; reads cost 0.1 to 0.5 by model",
)
OPENAI_MARKED = Rules(
    name="OpenAI from GPT-5.6, marked",
    source=_OPENAI,
    read_on=_READ_ON,
    kind="marks",
    minimum=1024,
    read_price=0.1,
    write_price=1.25,
    lifetime=1800,
    note="30 minutes are promised at least; no limit of look-back is published, none is assumed",
)
OPENAI_UNMARKED = dataclasses.replace(
    OPENAI_MARKED,
    name="OpenAI from GPT-5.6, unmarked",
    note="the implicit mark stands on the newest message, which changes each time",
)
GEMINI = Rules(
    name="Gemini, implicit",
    source=_GEMINI,
    read_on=_READ_ON,
    kind="prefix",
    minimum=2048,
    read_price=0.1,
    write_price=1.0,
    lifetime=300,
    step=64,
    note="hits are not guaranteed, so this is the least it can cost; no lifetime and no step are published: "
    "5 minutes and 64 tokens assumed",
)
GEMINI_LARGE = dataclasses.replace(GEMINI, name="Gemini 3, implicit", minimum=4096)

PROVIDERS = (ANTHROPIC_5M, ANTHROPIC_LARGE, ANTHROPIC_1H, OPENAI, OPENAI_MARKED, OPENAI_UNMARKED, GEMINI, GEMINI_LARGE)


@dataclass(frozen=True)
class Request:
    """Blocks ``(role, text)`` in order, and the positions of the blocks that carry a mark."""

    blocks: Sequence[tuple[str, str]]
    marks: Sequence[int] = ()
    #: For each block, a digest of everything up to its end, and the tokens up to there.
    digests: list[bytes] = field(init=False, repr=False, compare=False, default_factory=list)
    ends: list[float] = field(init=False, repr=False, compare=False, default_factory=list)
    stepped: dict[int, list[bytes]] = field(init=False, repr=False, compare=False, default_factory=dict)

    def __post_init__(self) -> None:
        bad = [m for m in self.marks if not 0 <= m < len(self.blocks)]
        if bad or list(self.marks) != sorted(set(self.marks)):
            raise ValueError(f"expected rising positions of {len(self.blocks)} blocks as marks, got {list(self.marks)}")
        running, size = hashlib.blake2b(digest_size=16), 0
        for role, text in self.blocks:
            # The length first, so that no text can be mistaken for a border between two blocks.
            running.update(f"{role}:{len(text)}:".encode())
            running.update(text.encode("utf-8", "surrogatepass"))
            size += len(text)
            self.digests.append(running.digest())
            self.ends.append(size / CHARACTERS_PER_TOKEN)

    @property
    def tokens(self) -> float:
        return self.ends[-1] if self.ends else 0.0

    def steps(self, step: int) -> list[bytes]:
        """Digests of the prefixes of ``step``, 2 * ``step``, ... tokens."""
        if step not in self.stepped:
            self.stepped[step] = self._steps(step)
        return self.stepped[step]

    def _steps(self, step: int) -> list[bytes]:
        width = step * CHARACTERS_PER_TOKEN
        running, digests, room = hashlib.blake2b(digest_size=16), [], width
        for role, text in self.blocks:
            running.update(f"\x00{role}\x00".encode())
            start = 0
            while len(text) - start >= room:
                running.update(text[start : start + room].encode("utf-8", "surrogatepass"))
                digests.append(running.digest())
                start, room = start + room, width
            running.update(text[start:].encode("utf-8", "surrogatepass"))
            room -= len(text) - start
        return digests


@dataclass(frozen=True)
class Usage:
    """Tokens of one request by what they cost: read from the cache, written to it, neither."""

    read: float
    written: float
    plain: float

    @property
    def tokens(self) -> float:
        return self.read + self.written + self.plain

    def effective(self, rules: Rules) -> float:
        """What the input costs, in uncached tokens."""
        return self.read * rules.read_price + self.written * rules.write_price + self.plain


@dataclass
class _Entry:
    written: float  # when the request that wrote it started
    used: float  # when the last request that used it started
    readable: float  # from when on it can be read


class Cache:
    """One cache, sent one request after another.

    >>> cache = Cache(EFFECTIVE)
    >>> long = ("user", "x" * 8000)
    >>> cache.send(Request([long, ("user", "why?")], marks=[0]), at=0.0)
    Usage(read=0.0, written=2000.0, plain=1.0)
    >>> cache.send(Request([long, ("user", "when?!")], marks=[0]), at=60.0)
    Usage(read=2000.0, written=0.0, plain=1.5)
    """

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self._entries: dict[bytes, _Entry] = {}

    def send(self, request: Request, at: float, begins: float | None = None) -> Usage:
        """Tokens of ``request`` sent at ``at`` seconds; its response begins at ``begins`` (at once, if None).

        An entry can be read once the response that wrote it has begun, and lives from the start of
        the last request that used it.
        """
        if len(request.marks) > self.rules.marks:
            raise ValueError(f"{self.rules.name} takes at most {self.rules.marks} marks, got {len(request.marks)}")
        readable = at if begins is None else begins
        if self.rules.kind == "prefix":
            return self._send_prefix(request, at, readable)
        return self._send_marked(request, at, readable)

    def _alive(self, key: bytes, at: float) -> _Entry | None:
        entry = self._entries.get(key)
        if entry is None or entry.readable > at:
            return None
        rules = self.rules
        if rules.lifetime is not None and at - entry.used > rules.lifetime:
            return None
        if rules.longest is not None and at - entry.written > rules.longest:
            return None
        return entry

    def _store(self, key: bytes, at: float, readable: float) -> None:
        # A prefix that is stored again while its entry lives (or is still being written) is a use of it.
        entry = self._entries.get(key)
        if entry is not None and (entry.readable > at or self._alive(key, at)):
            entry.used = at
        else:
            self._entries[key] = _Entry(written=at, used=at, readable=readable)

    def _send_marked(self, request: Request, at: float, readable: float) -> Usage:
        marks = [m for m in request.marks if request.ends[m] >= self.rules.minimum]
        hit = -1
        for mark in marks:
            reach = mark if self.rules.look_back is None else min(mark, self.rules.look_back)
            for position in range(mark, mark - reach - 1, -1):
                if position <= hit:
                    break
                entry = self._alive(request.digests[position], at)
                if entry is not None:
                    entry.used, hit = at, position
                    break
        read = request.ends[hit] if hit >= 0 else 0.0
        upto = read
        for mark in marks:
            self._store(request.digests[mark], at, readable)
            upto = max(upto, request.ends[mark])
        return Usage(read, upto - read, request.tokens - upto)

    def _send_prefix(self, request: Request, at: float, readable: float) -> Usage:
        step = self.rules.step
        digests = request.steps(step)
        found = 0
        for number, key in enumerate(digests, 1):
            if self._alive(key, at) is None:
                break
            found = number
        read = float(found * step) if found * step >= self.rules.minimum else 0.0
        if request.tokens >= self.rules.minimum:
            for key in digests:
                self._store(key, at, readable)
        return Usage(read, 0.0, request.tokens - read)
