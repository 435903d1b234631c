"""What a command line says about a memory: which conversation is in it, and with which options and plugins."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn

from byheart.errors import ByheartError, InputError, PluginError
from byheart.readers import KINDS, read_chat
from byheart.terminal import Progress

if TYPE_CHECKING:
    from byheart import Memory

__all__ = ["MANY", "Command", "declare_chat", "declare_options", "memory_options", "read_turns", "refused", "remember"]


@dataclass(frozen=True)
class Command:
    """A subcommand: what it is for, the arguments it declares, and what it does with them (an exit code)."""

    summary: str
    declare: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace], int]


MANY: dict[str, Any] = {"action": "append", "default": []}
"""What makes an option one that may be repeated."""


# Arguments


def declare_chat(parser: argparse.ArgumentParser) -> None:
    """How a chat file is read."""
    add = parser.add_argument_group("the chat").add_argument
    add("--input", metavar="KIND", choices=KINDS, help=f"{', '.join(KINDS)}; detected where not given")
    add("--skip-roles", metavar="ROLE[,ROLE]", **MANY, help="leave their messages out, such as system,tool")


def declare_options(parser: argparse.ArgumentParser) -> None:
    """What the memory is made with."""
    add = parser.add_argument_group("the memory").add_argument
    add("--budget", metavar="CHARACTERS", type=int, help="how much of the conversation is sent")
    add("--chunk", metavar="CHARACTERS", type=int, help="how much a stretch holds before it may close")
    add("--stability", metavar="SHARE", type=float, help="how much of the budget one question may not touch")
    add("--language", metavar="CODE[,CODE]", **MANY, help="what the conversation is in, such as en,de")
    add("--retriever", metavar="NAME", help="the plugin that finds; byheart plugins lists them")
    add("--boundaries", metavar="NAME", help="the plugin that divides into stretches")
    add("--plugin", metavar="NAME", **MANY, help="a plugin that goes around these; may be repeated")
    add(
        "--option",
        metavar="KEY=VALUE",
        type=_option,
        **MANY,
        help="for the retriever or, written retriever.KEY, segmenter.KEY or NAME.KEY of a --plugin, for that "
        "one; VALUE is JSON or else text; may be repeated",
    )


def _option(text: str) -> tuple[str, Any]:
    key, equals, value = text.partition("=")
    if not (key and equals):
        raise argparse.ArgumentTypeError(f"expected KEY=VALUE, got {text!r}")
    try:
        return key, json.loads(value, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        return key, value


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")


def _split(values: Sequence[str]) -> list[str]:
    return [word.strip() for value in values for word in value.split(",") if word.strip()]


# From arguments to a memory


def remember(args: argparse.Namespace) -> Memory:
    """The memory that the arguments describe, with the chat in it."""
    from byheart import Memory

    with Progress(args.chat) as progress:
        turns = read_turns(args.chat, args.conversation, args, progress)
        options = memory_options(args)
        progress("remembering")
        with refused(ValueError, TypeError):  # TypeError: of a plugin's factory that wants an option
            memory = Memory(**options)
        with refused(ValueError):
            memory.extend(turns)
    return memory


def read_turns(
    chat: str, conversation: str | None, args: argparse.Namespace, progress: Progress
) -> list[dict[str, Any]]:
    """The turns of a chat file."""
    skip = _split(args.skip_roles)
    return read_chat(chat, kind=args.input, conversation=conversation, skip_roles=skip, progress=progress)


def memory_options(args: argparse.Namespace) -> dict[str, Any]:
    """The options of ``Memory`` that the arguments give."""
    given: dict[str, dict[str, Any]] = {}
    for key, value in args.option:
        owner, key = _owner(key, args)
        given.setdefault(owner, {})[key] = value
    options: dict[str, Any] = {
        name: getattr(args, name) for name in ("budget", "chunk", "stability") if getattr(args, name) is not None
    }
    if args.language:
        options["languages"] = tuple(_split(args.language))
    if args.retriever is not None:
        options["retriever"] = _plugin(args.retriever, given.get("retriever"))
    if args.boundaries is not None:
        options["boundaries"] = _plugin(args.boundaries, given.get("segmenter"))
    options["plugins"] = [_plugin(name, given.get(name)) for name in args.plugin]
    return options


@contextmanager
def refused(*errors: type[Exception]) -> Iterator[None]:
    """What the memory refuses is wrong input here."""
    try:
        yield
    except errors as error:
        raise InputError(str(error)) from error


def _owner(key: str, args: argparse.Namespace) -> tuple[str, str]:
    """Which plugin an option is for, and the option's own name."""
    owner, dot, own = key.rpartition(".")
    if not dot:
        owner = "segmenter" if args.boundaries and not args.retriever else "retriever"
    named = {
        "retriever": args.retriever,
        "segmenter": args.boundaries,
        **{name: name for name in args.plugin},
    }
    if named.get(owner) and own:
        return owner, own
    how = {"retriever": "--retriever NAME", "segmenter": "--boundaries NAME"}.get(owner, f"--plugin {owner}")
    raise InputError(f"--option {key}: no plugin to give it to; name one with {how}")


def _plugin(name: str, options: Mapping[str, Any] | None) -> Any:
    """The plugin's name where it goes without options, else the plugin itself."""
    if not options:
        return name
    from byheart import load

    try:
        return load(name, **options)
    except ByheartError:
        raise
    except Exception as error:  # what a factory makes of its options is its own affair
        raise PluginError(f"plugin {name!r}: {type(error).__name__}: {error}", plugin=name) from error
