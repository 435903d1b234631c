"""The commands on a store, and a conversation in a store where else a chat file stands."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from byheart.cli_memory import Command, declare_chat, declare_options, memory_options, read_turns, refused, remember
from byheart.errors import InputError
from byheart.log import ROLES
from byheart.terminal import Progress, write, write_json

if TYPE_CHECKING:
    from byheart import Memory
    from byheart.store import Conversation, Store

__all__ = ["COMMANDS", "remembered"]

_SQLITE = b"SQLite format 3\0"
_LISTED = 20  # conversations named in an error


@contextmanager
def remembered(args: argparse.Namespace) -> Iterator[Memory | Conversation]:
    """The memory that the arguments describe: of a chat file, or a conversation in a store."""
    if not _is_store(args.chat):
        yield remember(args)
        return
    if args.input or args.skip_roles:
        raise InputError(f"{args.chat} is a store, not a chat file: --input and --skip-roles say nothing about it")
    with _opened(args.chat) as store, _conversation(store, args, options=True) as conversation:
        yield conversation


def _is_store(chat: str) -> bool:
    """Whether it is a store rather than a chat file."""
    if chat.startswith(("postgresql://", "postgres://")):
        return True
    try:
        with open(chat, "rb") as file:
            return file.read(len(_SQLITE)) == _SQLITE
    except (OSError, ValueError):
        return False  # whoever reads it as a chat file will say what is wrong


@contextmanager
def _opened(address: str, *, new: bool = False) -> Iterator[Store]:
    """The store there; a ``new`` one where there is none."""
    import byheart.store

    if not new and "://" not in address and not _exists(address):
        raise InputError(f"cannot open {address!r}: there is no such file; byheart append makes one")
    with refused(ValueError):
        store = byheart.store.open(address)
    with store:
        yield store


def _exists(path: str) -> bool:
    try:
        return Path(path).exists()
    except ValueError:  # a NUL in the path
        return False


@contextmanager
def _conversation(
    store: Store, args: argparse.Namespace, *, options: bool = False, new: bool = False
) -> Iterator[Conversation]:
    """The conversation that the arguments name, with their ``options``; a ``new`` one where there is none."""
    name = _name(store, args.conversation, new=new)
    with refused(ValueError, TypeError):  # TypeError: of a plugin's factory that wants an option
        conversation = store.conversation(name, **(memory_options(args) if options else {}))
    yield conversation


def _name(store: Store, given: str | None, *, new: bool = False) -> str:
    """Which conversation: the one that was named, or the only one there is."""
    if given is not None and (new or given in store):
        return given
    names = [listed["id"] for listed in store.conversations()]
    if given is None and len(names) == 1:
        return names[0]
    which = "" if given is None else f", none called {given!r}"
    listed = "".join(f", {name!r}" for name in names[:_LISTED]) + (", ..." if len(names) > _LISTED else "")
    many = f"{len(names)} conversations" if names else "no conversation"
    raise InputError(f"{store.name} holds {many}{which}; name one with --conversation{listed and ':'}{listed[1:]}")


def _declare_store(parser: argparse.ArgumentParser, *, conversation: bool = True) -> None:
    parser.add_argument("store", metavar="STORE", help="an SQLite file, or a postgresql:// URL")
    if conversation:
        parser.add_argument("--conversation", metavar="ID", help="which one; may be left out where there is only one")


# Commands


def _declare_append(parser: argparse.ArgumentParser) -> None:
    _declare_store(parser)
    parser.add_argument("text", metavar="TEXT", nargs="?", help="what was said")
    parser.add_argument("--role", choices=ROLES, default="user", help="who said it; user")
    parser.add_argument("--when", metavar="DATE", help="the day on which it was said")
    parser.add_argument("--file", metavar="CHAT", help="append all turns of a chat file instead; -: standard input")
    parser.add_argument("--pick", metavar="ID", help="which conversation of a LoCoMo file")
    declare_chat(parser)
    declare_options(parser)


def _append(args: argparse.Namespace) -> int:
    if (args.text is None) == (args.file is None):
        raise InputError("append: expected a TEXT, or --file CHAT; byheart append --help tells more")
    if args.file is None:
        turns = [{"role": args.role, "text": args.text, "when": args.when}]
    else:
        with Progress(args.file) as progress:
            turns = _read_file(args, progress)
    with _opened(args.store, new=True) as store, _conversation(store, args, options=True, new=True) as conversation:
        with refused(ValueError):
            indices = conversation.extend(turns)
        write(f"{conversation.id}: {_counted(indices)} appended\n")
    return 0


def _read_file(args: argparse.Namespace, progress: Progress) -> list[dict[str, object]]:
    try:
        return read_turns(args.file, args.pick, args, progress)
    except InputError as error:
        raise InputError(str(error).replace("--conversation", "--pick")) from error


def _counted(indices: list[int]) -> str:
    if not indices:
        return "nothing"
    return f"turn {indices[0]}" if len(indices) == 1 else f"turns {indices[0]} to {indices[-1]}"


def _export(args: argparse.Namespace) -> int:
    with _opened(args.store) as store:
        for line in store.export(_name(store, args.conversation)):
            write(line)
    return 0


def _declare_redact(parser: argparse.ArgumentParser) -> None:
    _declare_store(parser)
    parser.add_argument("turns", metavar="TURN", nargs="*", type=int, help="which turns, counted from 0")
    parser.add_argument("--matching", metavar="TEXT", help="every turn that holds TEXT, letter for letter, instead")
    parser.add_argument("--regex", action="store_true", help="TEXT is a regular expression, as Python reads it")


def _redact(args: argparse.Namespace) -> int:
    if bool(args.turns) == (args.matching is not None):
        raise InputError("redact: expected one TURN or more, or --matching TEXT; byheart redact --help tells more")
    if args.regex and args.matching is None:
        raise InputError("redact: --regex says how --matching TEXT is meant, and there is none")
    pattern = _compiled(args.matching) if args.regex else args.matching
    with _opened(args.store) as store, _conversation(store, args) as conversation:
        if pattern is None:
            with refused(IndexError):
                conversation.redact_all(args.turns)
            write(f"{conversation.id}: redacted\n")
        else:
            with refused(ValueError):
                indices = conversation.redact_matching(pattern)
            turns = f"{len(indices)} turns: " if len(indices) > 1 else "turn " if indices else "nothing"
            write(f"{conversation.id}: redacted {turns}{', '.join(map(str, indices))}\n")
    return 0


def _compiled(pattern: str) -> re.Pattern[str]:
    try:
        return re.compile(pattern)
    except (re.error, OverflowError, RecursionError) as error:
        raise InputError(f"redact: --matching {pattern!r:.60} is no regular expression: {error}") from error


def _declare_list(parser: argparse.ArgumentParser) -> None:
    _declare_store(parser, conversation=False)
    parser.add_argument("--format", choices=["text", "json"], default="text", help="of the output")


def _list(args: argparse.Namespace) -> int:
    with _opened(args.store) as store:
        listed = store.conversations()
    if args.format == "json":
        write_json(listed)
        return 0
    rows = [("CONVERSATION", "TURNS", "LAST CHANGED")]
    rows += [(" ".join(each["id"].split()), str(each["turns"]), each["changed"]) for each in listed]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for name, turns, changed in rows:
        write(f"{name:{widths[0]}}  {turns:>{widths[1]}}  {changed}\n")
    return 0


def _declare_delete(parser: argparse.ArgumentParser) -> None:
    _declare_store(parser, conversation=False)
    parser.add_argument("--conversation", metavar="ID", required=True, help="which one")


def _delete(args: argparse.Namespace) -> int:
    with _opened(args.store) as store:
        store.delete(_name(store, args.conversation))
        write(f"{args.conversation}: deleted\n")
    return 0


COMMANDS = {
    "append": Command(
        "Append TEXT, or the turns of a chat file, to a conversation in STORE.", _declare_append, _append
    ),
    "export": Command("Print the turns of a conversation in STORE as JSON Lines.", _declare_store, _export),
    "redact": Command("Remove the words of turns from STORE for good.", _declare_redact, _redact),
    "list": Command("List the conversations in STORE.", _declare_list, _list),
    "delete": Command("Remove a conversation from STORE for good.", _declare_delete, _delete),
}
