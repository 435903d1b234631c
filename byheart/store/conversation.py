"""A conversation in a store: a memory whose turns are on the disk before anyone hears that they are kept."""

from __future__ import annotations

import itertools
import re
import threading
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any, NoReturn

from byheart.errors import StoreError
from byheart.forks import guard
from byheart.log import Said, TurnDict, When, as_index, check_turn, check_turns
from byheart.matching import check_pattern
from byheart.memory import Found, Memory
from byheart.messages import Composed
from byheart.snapshot import SavedContext
from byheart.store import inside, rows
from byheart.store.database import Database, Transaction
from byheart.store.rows import Change, Head


class Conversation:
    """One conversation of a store, to be used like a :class:`byheart.Memory` with these options.

    What it writes is on the disk when the call returns, and was not written where it raises. Before it answers
    anything it takes in what other processes have written to the same conversation, so that all of them see the same
    turns in the same order, and each goes on from what the last of them sent. Besides what Memory raises, every
    method raises :class:`~byheart.errors.StoreError`.

    Several threads may share one. Options and plugins are not kept: give the same ones every time.
    """

    def __init__(self, database: Database, id: str, options: dict[str, Any]) -> None:
        self._key = rows.check_id(id)
        self._id = id
        self._database = database
        self._memory = Memory(**options)
        self._lock = threading.RLock()
        self._number: int | None = None  # of the conversation; None: it is not there yet
        self._base = 0  # the first turn that the memory holds: not 0 while only appending was asked for
        self._changes = 0  # of them, how many the memory has been through
        self._sent_number = 0  # which of the contexts the memory goes on from; -1: none that is kept
        self._sent: SavedContext | None = rows.NOTHING_SENT
        self._foreign = False  # whether that was sent under other options, so that the memory cannot go on from it
        self._sound = True  # False while the memory is being brought from one state to another
        guard(self, "_lock")

    @property
    def id(self) -> str:
        """What it is called in its store."""
        return self._id

    # -- what was said ------------------------------------------------------------------------------------------------

    def append(self, role: str, text: str, when: When = None) -> int:
        """Keep a turn; returns its index. Once it returns, the turn is on the disk. See ``Memory.append``."""
        return self._extend([check_turn(role, text, when)])[0]

    def extend(self, turns: Iterable[object]) -> list[int]:
        """Keep many turns, all or none; returns their indices. See ``Memory.extend``."""
        return self._extend(check_turns(turns))

    def _extend(self, turns: Sequence[Said]) -> list[int]:
        if not turns:
            return []
        with self._lock, self._database.writing() as transaction:
            head = self._take_in(transaction, whole=False, hold=True)
            if head is not None:
                return self._write(transaction, head, turns)
            try:
                head = self._created(transaction)
                return self._write(transaction, head, turns)
            except BaseException:
                self._number = None  # what was begun is undone
                raise

    def _created(self, transaction: Transaction) -> Head:
        rows.create(transaction, self._key)
        head = self._take_in(transaction, whole=False, hold=True)
        if head is None:
            self._database.refuse(f"did not keep the conversation {self._id!r} that was just made")
        return head

    def _write(self, transaction: Transaction, head: Head, turns: Sequence[Said]) -> list[int]:
        memory, base, stretches = self._memory, self._base, len(inside.starts(self._memory))

        def keep() -> None:
            closed, asked = inside.closed(memory)
            dated = inside.last_dated(memory, head.turns - base)
            rows.write_turns(transaction, head.conversation, head.turns, turns)
            rows.write_starts(transaction, head.conversation, [base + at for at in inside.starts(memory, stretches)])
            rows.write_head(
                transaction,
                head._replace(
                    turns=head.turns + len(turns), closed=closed, asked=asked,
                    dated=head.dated if dated is None else base + dated,
                    ordered=head.ordered or inside.ordered(memory),
                ),
            )  # fmt: skip
            transaction.commit()

        return [base + index for index in inside.extend(memory, turns, keep)]

    def truncate(self, index: int) -> None:
        """Forget the turns from ``index`` on, in the store too. See ``Memory.truncate``."""
        with self._lock, inside.alone(self._memory), self._database.writing() as transaction:
            head = self._take_in(transaction, whole=True, hold=True)
            if head is None or (type(index) is int and index == head.turns):
                self._memory.truncate(index)
                return
            at = as_index(index, head.turns)
            self._change(transaction, head, [Change("truncate", at)], lambda: self._memory.truncate(at))

    def redact(self, index: int) -> None:
        """Remove the words of a turn for good: from the memory, from its row, and, in SQLite, from wherever deleted
        words lie in its files. That writes the file anew, which takes as long as the whole store is large. What a
        PostgreSQL server keeps behind its rows is its owner's to remove: see ``Store.scrub``.
        """
        self.redact_all([index])

    def redact_all(self, indices: Iterable[int]) -> None:
        """Redact several turns, all or none, in the time that one takes."""
        self._redact(lambda length: sorted({as_index(index, length) for index in indices}))

    def redact_matching(self, pattern: str | re.Pattern[str]) -> list[int]:
        """Redact every turn whose words match, all or none; returns their indices. See ``Memory.redact_matching``."""
        matches = check_pattern(pattern)
        return self._redact(lambda length: inside.matching(self._memory, matches))

    def _redact(self, choose: Callable[[int], Iterable[int]]) -> list[int]:
        """Redact what is chosen from so many turns; returns which of them had words till now."""
        with self._lock:
            with inside.alone(self._memory):
                with self._database.writing() as transaction:
                    head = self._take_in(transaction, whole=True, hold=True)
                    chosen = choose(0 if head is None else head.turns)
                    new = [at for at in chosen if not inside.is_redacted(self._memory, at)]
                    if head is not None and new:
                        self._write_redaction(transaction, head, new)
                inside.purge(self._memory, new)  # an encoder may take its time: let others write
            self._database.after_redaction()
            return new

    def _write_redaction(self, transaction: Transaction, head: Head, indices: Sequence[int]) -> None:
        def redact() -> None:
            for at in inside.redact(self._memory, indices):
                rows.redact_turn(transaction, head.conversation, at, inside.said(self._memory, at))
            self._database.mark_redacted(transaction)

        self._change(transaction, head, [Change("redact", at) for at in indices], redact)

    @property
    def turns(self) -> list[TurnDict]:
        """Every turn as a new dict with ``role``, ``text`` and ``when``."""
        return self._current().turns

    def __len__(self) -> int:
        with self._lock:
            head = self._checked(rows.peek(self._database, self._key))
            return 0 if head is None else head.turns

    @property
    def bounds(self) -> list[int]:
        """Where stretches begin; see ``Memory.bounds``. Others take over what is assigned."""
        return self._current().bounds

    @bounds.setter
    def bounds(self, starts: Iterable[int]) -> None:
        with self._lock, inside.alone(self._memory), self._database.writing() as transaction:
            head = self._take_in(transaction, whole=True, hold=True)
            listed = list(starts)
            if head is None:
                self._memory.bounds = listed
                return
            self._memory.bounds = listed  # which may refuse them
            self._change(transaction, head, [Change("bounds", 0)])

    def _change(
        self, transaction: Transaction, head: Head, changes: Sequence[Change], make: Callable[[], None] = lambda: None
    ) -> None:
        """Make changes in the memory and in the store. Where that fails, the memory is read anew."""
        self._sound = False
        make()
        memory, number = self._memory, head.conversation
        if changes[0].kind == "bounds":
            rows.cut(transaction, number, 0, turns=False)
            rows.write_starts(transaction, number, inside.starts(memory))
        elif len(memory) < head.turns:
            rows.cut(transaction, number, len(memory), turns=True)
        rows.write_changes(transaction, number, head.changes, changes)
        closed, asked = inside.closed(memory)
        head = head._replace(
            turns=len(memory), changes=head.changes + len(changes), closed=closed, asked=asked,
            dated=inside.last_dated(memory),
        )  # fmt: skip
        if not self._foreign or inside.sent(memory) or any(map(self._reaches, changes)):
            head = self._write_sent(transaction, head)
        rows.write_head(transaction, head)
        transaction.commit()
        self._changes = head.changes
        self._sound = True

    def _reaches(self, change: Change) -> bool:
        """Whether what was sent may not be sent again after the change."""
        sent = self._sent
        if sent is None or change.kind == "bounds":
            return False
        if sent.upto > change.position and (sent.complete or change.kind == "truncate"):
            return True
        return any(change.position in piece.touches() for piece in sent.pieces)

    # -- what to send -------------------------------------------------------------------------------------------------

    def compose(self, query: str | None = None, *, when: When = None, dry_run: bool = False) -> Composed:
        """The messages to send for a question; see ``Memory.compose``. What was sent is kept too, unless it is a dry
        run, so that the next request begins the same, whoever makes it."""
        memory = self._current()
        composed = memory.compose(query, when=when, dry_run=dry_run)
        if not dry_run:
            self._keep_sent()
        return composed

    def _keep_sent(self) -> None:
        with self._lock:
            if self._number is None or inside.sent(self._memory) == self._sent:
                return
            try:
                with self._database.writing() as transaction:
                    head = self._checked(rows.head(transaction, self._key, hold=True))
                    if head is None or head.changes != self._changes:
                        self._sent_number = -1  # turns are gone that this was made of: go on from what is kept
                        return
                    rows.write_head(transaction, self._write_sent(transaction, head))
                    transaction.commit()
            except BaseException:
                self._sent_number = -1
                raise

    def _write_sent(self, transaction: Transaction, head: Head) -> Head:
        """Write what is being sent, where that is not what is kept; the head that goes with it."""
        sent, kept = inside.sent(self._memory), self._sent
        known = head.sent == self._sent_number
        if known and sent == kept:
            return head
        rows.write_sent(
            transaction,
            head.conversation,
            (() if kept is None else kept.pieces) if known else None,
            () if sent is None else sent.pieces,
        )
        self._sent, self._sent_number, self._foreign = sent, head.sent + 1, False
        upto, complete = (None, False) if sent is None else (sent.upto, sent.complete)
        return head._replace(sent=head.sent + 1, upto=upto, complete=complete)

    def search(self, query: str, limit: int = 5, *, when: When = None) -> list[Found]:
        """The stretches that match a question best; see ``Memory.search``."""
        return self._current().search(query, limit, when=when)

    def to_dict(self) -> dict[str, Any]:
        """The conversation as ``Memory.to_dict`` saves it."""
        return self._current().to_dict()

    # -- what others wrote --------------------------------------------------------------------------------------------

    def _current(self) -> Memory:
        """The memory, with everything in it that the store has by now."""
        with self._lock:
            head = self._checked(rows.peek(self._database, self._key))
            if not self._is_current(head):
                with self._database.reading() as transaction:
                    self._take_in(transaction, whole=True)
            return self._memory

    def _is_current(self, head: Head | None) -> bool:
        if head is None:
            return self._number is None and self._sound
        return self._sound and (0, len(self._memory), self._changes, self._sent_number) == (
            self._base, head.turns, head.changes, head.sent
        )  # fmt: skip

    def _checked(self, head: Head | None) -> Head | None:
        """The head, if it is that of the conversation that this object has known."""
        number = None if head is None else head.conversation
        if self._number is not None and number != self._number:
            raise StoreError(
                f"{self._database.name}: the conversation {self._id!r} was deleted; ask the store for it again",
                store=self._database.name,
            )
        return head

    def _take_in(self, transaction: Transaction, *, whole: bool, hold: bool = False) -> Head | None:
        """Bring the memory up to what the store has. Not ``whole``: enough of it to append."""
        head = self._checked(rows.head(transaction, self._key, hold=hold))
        if head is None:
            return None
        self._number = head.conversation
        if not self._is_current(head):
            grown = not whole and self._sound and head.changes == self._changes
            with (inside.appending if grown else inside.alone)(self._memory):  # no one sees it half way
                self._catch_up(transaction, head, whole=whole)
        return head

    def _catch_up(self, transaction: Transaction, head: Head, *, whole: bool) -> None:
        if not self._sound or (whole and self._base):
            self._clear(head)
        self._sound = False
        memory, number = self._memory, head.conversation
        repeated = self._repeat(transaction, head) if len(memory) and head.changes != self._changes else ()
        if not len(memory):
            self._changes = head.changes
            if not whole and head.turns:
                self._begin_at_the_end(transaction, head)
        held, base = self._base + len(memory), self._base
        if held != head.turns or repeated:  # others may have divided what stayed
            rows.check_end(transaction, head, held)
            known = inside.starts(memory)
            starts = rows.read_starts(transaction, number, base + known[-1] if known else base - 1)
            turns = rows.read_turns(transaction, number, held, head.turns)
            inside.take_in(memory, turns, [start - base for start in starts], closed=head.closed, asked=head.asked)
        if "bounds" in repeated:
            inside.take_bounds(memory, rows.read_starts(transaction, number), closed=head.closed, asked=head.asked)
        if whole and head.sent != self._sent_number:
            self._sent = rows.read_sent(transaction, head)
            self._foreign = not inside.take_sent(memory, self._sent)
            self._sent_number = head.sent
        self._sound = True

    def _clear(self, head: Head) -> None:
        inside.clear(self._memory)
        self._base, self._changes, self._sent_number = 0, head.changes, -1

    def _begin_at_the_end(self, transaction: Transaction, head: Head) -> None:
        """Let the memory begin at the last stretch, where nothing before it matters to what is appended."""
        if head.ordered and not inside.order_is_fixed(self._memory):
            return
        self._base = rows.last_start(transaction, head.conversation)
        self._sent_number = -1
        inside.begin_after(self._memory, rows.dated(transaction, head))

    def _repeat(self, transaction: Transaction, head: Head) -> Collection[str]:
        """Do what others have done to the turns that the memory holds; returns the kinds of it."""
        if self._base:
            self._clear(head)
            return ()
        changes = rows.read_changes(transaction, head.conversation, self._changes)
        memory = self._memory
        for kind, several in itertools.groupby(changes, lambda change: change.kind):
            positions = [change.position for change in several]
            if kind == "redact":
                inside.purge(memory, inside.redact(memory, [at for at in positions if at < len(memory)]))
            elif kind == "truncate" and min(positions) < len(memory):
                memory.truncate(min(positions))
        self._changes, self._sent_number = head.changes, -1
        return {change.kind for change in changes}

    def __repr__(self) -> str:
        return f"<Conversation {self._id!r} of {self._database.name}>"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a Conversation cannot be copied or pickled: ask its store for another with the same id")
