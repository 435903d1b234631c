"""The command ``byheart``: compose and search a chat file, list the plugins.

Exit codes: 0; 2 for wrong input or a plugin that cannot be used, told in one line on standard error; 1 where
the answer cannot be written; 130 after Ctrl-C; 141 where the reader of a pipe has gone.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, NoReturn

from byheart.errors import ByheartError, InputError, PluginError
from byheart.readers import KINDS, read_chat
from byheart.terminal import Progress, UnwritableError, abandon_stdout, complain, indented, write, write_json

if TYPE_CHECKING:
    from byheart import Memory

__all__ = ["main"]


@dataclass(frozen=True)
class Command:
    """A subcommand: what it is for, the arguments it declares, and what it does with them (an exit code)."""

    summary: str
    declare: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace], int]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line ``argv`` (None: the process's own) and return its exit code."""
    name, *rest = (sys.argv[1:] if argv is None else argv) or [""]
    try:
        if name in COMMANDS:
            parser = _Parser(prog=f"byheart {name}", description=COMMANDS[name].summary, allow_abbrev=False)
            COMMANDS[name].declare(parser)
            # Intermixed, so that the question may stand behind the options as well as before them.
            return COMMANDS[name].run(parser.parse_intermixed_args(rest))
        return _top(name)
    except UnwritableError as error:
        abandon_stdout()
        if isinstance(error.__cause__, BrokenPipeError):
            return 141
        complain(str(error))
        return 1
    except ByheartError as error:
        complain(str(error))
        return 2
    except KeyboardInterrupt:
        return 130


def _top(name: str) -> int:
    """What stands in place of a command: a wish for help, or a mistake."""
    if name in ("-h", "--help"):
        width = max(map(len, COMMANDS))
        listed = "\n".join(f"  {each:{width}}  {command.summary}" for each, command in COMMANDS.items())
        write(f"usage: byheart COMMAND ...\n\n{listed}\n\nbyheart COMMAND --help tells more of each.\n")
        return 0
    if name == "--version":
        from byheart import __version__

        write(f"byheart {__version__}\n")
        return 0
    got = f", got {name!r}" if name else ""
    raise InputError(f"expected a command ({', '.join(COMMANDS)}){got}; byheart --help tells more")


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise InputError(f"{self.prog.removeprefix('byheart ')}: {message}; {self.prog} --help tells more")


# Arguments


def _declare_memory(parser: argparse.ArgumentParser) -> None:
    """The chat, and the memory that is made of it."""
    parser.add_argument("chat", metavar="CHAT", help="the file with the conversation; -: standard input")
    add = parser.add_argument_group("the chat").add_argument
    add("--input", metavar="KIND", choices=KINDS, help=f"{', '.join(KINDS)}; detected where not given")
    add("--conversation", metavar="ID", help="which one of a LoCoMo file: its name, or its number from 1")
    add("--skip-roles", metavar="ROLE[,ROLE]", **_MANY, help="leave their messages out, such as system,tool")
    add = parser.add_argument_group("the memory").add_argument
    add("--budget", metavar="CHARACTERS", type=int, help="how much of the conversation is sent")
    add("--chunk", metavar="CHARACTERS", type=int, help="how much a stretch holds before it may close")
    add("--stability", metavar="SHARE", type=float, help="how much of the budget one question may not touch")
    add("--language", metavar="CODE[,CODE]", **_MANY, help="what the conversation is in, such as en,de")
    add("--retriever", metavar="NAME", help="the plugin that finds; byheart plugins lists them")
    add("--boundaries", metavar="NAME", help="the plugin that divides into stretches")
    add("--plugin", metavar="NAME", **_MANY, help="a plugin that goes around these; may be repeated")
    add(
        "--option",
        metavar="KEY=VALUE",
        type=_option,
        **_MANY,
        help="for the retriever or, written retriever.KEY, segmenter.KEY or NAME.KEY of a --plugin, for that "
        "one; VALUE is JSON or else text; may be repeated",
    )


_MANY: dict[str, Any] = {"action": "append", "default": []}


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


def _remember(args: argparse.Namespace) -> Memory:
    """The memory that the arguments describe, with the chat in it."""
    with Progress(args.chat) as progress:
        turns = read_chat(
            args.chat,
            kind=args.input,
            conversation=args.conversation,
            skip_roles=_split(args.skip_roles),
            progress=progress,
        )
        memory = _empty_memory(args)
        progress("remembering")
        with _refused(ValueError):
            memory.extend(turns)
    return memory


def _empty_memory(args: argparse.Namespace) -> Memory:
    from byheart import Memory

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
    with _refused(ValueError, TypeError):  # TypeError: of a plugin's factory that wants an option
        return Memory(**options)


@contextmanager
def _refused(*errors: type[Exception]) -> Iterator[None]:
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


# Commands


def _declare_compose(parser: argparse.ArgumentParser) -> None:
    _declare_memory(parser)
    parser.add_argument(
        "question",
        metavar="QUESTION",
        nargs="?",
        help="what is asked; without: the newest turn, where it is the user's",
    )
    parser.add_argument("--when", metavar="DATE", help="the day on which it is asked")
    parser.add_argument(
        "--format",
        choices=["text", "json", *_PROVIDERS],
        default="text",
        help="of the output; text is for reading",
    )


def _compose(args: argparse.Namespace) -> int:
    memory = _remember(args)
    with _refused(ValueError):
        composed = memory.compose(args.question, when=args.when)
    if args.format == "text":
        write(_composed_text(composed, len(memory)))
    elif args.format == "json":
        write_json(composed)
    else:
        write_json(_for_provider(args.format, composed))
    return 0


_PROVIDERS = ("anthropic", "openai", "gemini")


def _for_provider(name: str, composed: Any) -> Any:
    from byheart import adapters

    if name == "anthropic":
        return adapters.anthropic.request(composed)
    return adapters.openai.chat(composed) if name == "openai" else adapters.gemini.request(composed)


def _composed_text(composed: Mapping[str, Any], turns: int) -> str:
    excerpts = f", {len(composed['excerpts'])} in excerpts" if composed["excerpts"] else ""
    blocks = [
        f"{composed['mode']}: {composed['chars']:,} characters; "
        f"{composed['selected']} of {composed['of_units']} stretches; "
        f"{len(composed['included'])} of {turns} turns whole{excerpts}"
    ]
    for index, message in enumerate(composed["messages"]):
        parts = "\n\n".join(indented(part["text"]) for part in message["parts"])
        blocks.append(f"{message['role']}\n{parts}")
        if index == composed["stable_upto"]:
            blocks.append("---- up to here the next request begins the same")
    return "\n\n".join(blocks) + "\n"


def _declare_search(parser: argparse.ArgumentParser) -> None:
    _declare_memory(parser)
    parser.add_argument("question", metavar="QUESTION", help="what to look for")
    parser.add_argument("--when", metavar="DATE", help="the day on which it is asked")
    parser.add_argument("--limit", metavar="N", type=int, default=5, help="how many stretches at most; 5")
    parser.add_argument("--format", choices=["text", "json"], default="text", help="of the output")


def _search(args: argparse.Namespace) -> int:
    memory = _remember(args)
    with _refused(ValueError):
        hits = memory.search(args.question, limit=args.limit, when=args.when)
    if args.format == "json":
        write_json(hits)
        return 0
    blocks = []
    for hit in hits:
        first, last = hit["turns"][0], hit["turns"][1] - 1
        which = f"turn {first}" if first == last else f"turns {first} to {last}"
        when = f", {hit['when']}" if hit["when"] else ""
        blocks.append(f"{which}{when} (score {hit['score']:.3f})\n{indented(hit['text'])}\n")
    write("\n".join(blocks) or "nothing found\n")
    return 0


def _declare_plugins(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--format", choices=["text", "json"], default="text", help="of the output")


def _plugins(args: argparse.Namespace) -> int:
    from byheart.entry_points import available

    plugins = available()
    if args.format == "json":
        write_json([asdict(plugin) for plugin in plugins])
        return 0
    rows = [("NAME", "KIND", "FROM", "STATE")]
    for plugin in plugins:
        cure = f"; try: {plugin.cure}" if plugin.cure else ""
        state = "ok" if plugin.ok else f"error: {plugin.error}{cure}"
        origin = f"{plugin.distribution or '?'} {plugin.version or ''}"
        rows.append((plugin.name, plugin.kind, origin.strip(), " ".join(state.split())))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        line = "  ".join(f"{cell:{width}}" for cell, width in zip(row, widths, strict=True))
        write(line.rstrip() + "\n")
    return 0


COMMANDS = {
    "compose": Command("Print the messages that a memory of CHAT sends with QUESTION.", _declare_compose, _compose),
    "search": Command("Print the stretches of CHAT that QUESTION is about, best first.", _declare_search, _search),
    "plugins": Command("List the plugins that are installed.", _declare_plugins, _plugins),
}
