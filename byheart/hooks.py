"""Which hooks an object implements, and how each of them is to be called.

Two ways to write a hook are understood. A function marked with ``@byheart.hookimpl`` takes the arguments of
the hook specification by name and may leave out those it does not need. A plain method, where an object's
role says that one is looked for (``fit`` and ``rank`` of a retriever), takes them by position, whatever it
calls them.
"""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import FunctionType, MethodType
from typing import Any, Literal, NamedTuple

from byheart.hookspecs import GROUP, QuerySpec, RetrieverSpec, SegmenterSpec

Role = Literal["retriever", "rewriter", "segmenter"]

_MARK = f"{GROUP}_impl"
_EMPTY = inspect.Parameter.empty
_ASYNC = inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR
_VARIABLE = inspect.CO_VARARGS | inspect.CO_VARKEYWORDS


class HookRefusedError(TypeError):
    """Why a hook cannot be taken; whoever takes the plugin adds which one. ``hook`` is the hook's name."""

    def __init__(self, message: str, hook: str) -> None:
        super().__init__(message)
        self.hook = hook


@dataclass(frozen=True)
class Spec:
    """One hook as specified: its name, whose it is, its arguments in order."""

    name: str
    role: Role
    arguments: tuple[str, ...]
    function: Callable[..., object]

    @property
    def signature(self) -> str:
        """Such as ``rank(query: str, limit: int) -> Sequence[int]``."""
        return _written(self.name, self.function)


class Hook(NamedTuple):
    """One hook as implemented: the bound function, and the arguments it gets by position and by name."""

    spec: Spec
    attribute: str
    """What the plugin calls it."""
    function: Callable[..., Any]
    positional: tuple[str, ...]
    named: tuple[str, ...]
    wrapper: bool
    reorders: bool
    """Marked ``tryfirst`` or ``trylast``."""

    def answer(self, given: Mapping[str, object]) -> Any:
        """Call it with those of the hook's arguments that it takes."""
        named = {name: given[name] for name in self.named}
        return self.function(*[given[name] for name in self.positional], **named)

    def takes(self, argument: str) -> bool:
        return argument in self.positional or argument in self.named


def _specs() -> dict[str, Spec]:
    owners: tuple[tuple[type, Role], ...] = (
        (RetrieverSpec, "retriever"),
        (QuerySpec, "rewriter"),
        (SegmenterSpec, "segmenter"),
    )
    return {
        name: Spec(name, role, function.__code__.co_varnames[1 : function.__code__.co_argcount], function)
        for owner, role in owners
        for name, function in vars(owner).items()
        if hasattr(function, f"{GROUP}_spec")
    }


SPECS = _specs()
"""Every hook there is, by name, in the order of the specification."""


def marked_hooks(plugin: object) -> list[Hook]:
    """The hooks that ``plugin`` marks with ``@hookimpl``; raises HookRefusedError."""
    found: list[Hook] = []
    for attribute, options in _marks(plugin):
        function = getattr(plugin, attribute)
        if function is None:  # a subclass took the hook out
            continue
        name = options.get("specname") or attribute
        if name not in SPECS:
            if options.get("optionalhook"):
                continue
            raise HookRefusedError(_no_such_hook(name, function), name)
        hook = _marked_hook(SPECS[name], attribute, function, options)
        if any(hook.spec is other.spec and hook.wrapper == other.wrapper for other in found):
            raise HookRefusedError(f"it implements {hook.spec.signature} twice: leave one of them out", name)
        found.append(hook)
    return found


def plain_hooks(plugin: object, role: Role, marked: Sequence[Hook] = ()) -> list[Hook]:
    """The hooks of ``role`` that ``plugin`` has as methods without a mark, beside those it marks."""
    there = {hook.spec.name for hook in marked if not hook.wrapper} | {hook.attribute for hook in marked}
    found: list[Hook] = []
    for name, spec in SPECS.items():
        if spec.role == role and name not in there:
            function = getattr(plugin, name, None)
            if callable(function):
                found.append(plain_hook(name, function))
    return found


def plain_hook(name: str, function: Callable[..., object]) -> Hook:
    """``function`` as the hook ``name``: arguments by position, whatever they are called."""
    spec = SPECS[name]
    arguments, flags = _read(function)
    _refuse_unusual(name, flags)
    if arguments is None:  # a builtin that does not tell what it takes
        return Hook(spec, name, function, spec.arguments, (), wrapper=False, reorders=False)
    slots = [a for a in arguments if a.kind in ("positional", "any")]
    keywords = [a for a in arguments if a.kind == "keyword"]
    named = tuple(a.name for a in keywords if a.name in spec.arguments)
    most = len(spec.arguments) - len(named)
    count = sum(a.required for a in slots)
    # rank(query, k=10) is meant to get the limit, rank(query, stem=True) is not.
    while count < min(len(slots), most) and (slots[count].name in spec.arguments or slots[count].counts):
        count += 1
    if any(a.kind == "*" for a in arguments):
        count = max(count, most)
    # An extend without `start` would be another method of that name.
    least = len(spec.arguments) if spec.arguments[0] == "start" else 1
    if count > most or count + len(named) < least or any(a.required and a.name not in named for a in keywords):
        raise HookRefusedError(_mismatch(spec, function, "the arguments do not fit"), name)
    free = [argument for argument in spec.arguments if argument not in named]
    names = [a.name for a in slots[:count]]
    own = len(names) == count and set(names) <= set(free)  # the hook's own names, in any order
    positional = tuple(names) if own else tuple(free[:count])
    return Hook(spec, name, function, positional, named, wrapper=False, reorders=False)


def _marked_hook(spec: Spec, attribute: str, function: Callable[..., object], options: Mapping[str, Any]) -> Hook:
    wrapper = bool(options.get("wrapper"))
    arguments, flags = _read(function)
    if options.get("hookwrapper"):
        raise HookRefusedError(
            f"{spec.name} is marked hookwrapper=True, expected wrapper=True and a returned answer", spec.name
        )
    if not wrapper:
        _refuse_unusual(spec.name, flags)
    elif not flags & inspect.CO_GENERATOR:
        raise HookRefusedError(
            f"{_written(spec.name, function)} is marked wrapper=True but never yields: write "
            "`answer = yield` where what it wraps is to be asked, and return the answer",
            spec.name,
        )
    positional: list[str] = []
    named: list[str] = []
    for argument in arguments or ():
        if argument.name in spec.arguments and argument.kind != "*":
            (positional if argument.kind == "positional" else named).append(argument.name)
        elif argument.required:
            what = f"{argument.name!r} is not an argument of it"
            raise HookRefusedError(_mismatch(spec, function, what), spec.name)
    reorders = bool(options.get("tryfirst") or options.get("trylast"))
    return Hook(spec, attribute, function, tuple(positional), tuple(named), wrapper, reorders)


def _marks(plugin: object) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Attribute and options of each marked function, looked up without evaluating any property.

    A method that overrides a marked one counts as marked: to lose the hook without a word would be a trap.
    """
    seen: set[str] = set()
    for namespace in (getattr(plugin, "__dict__", {}), *(vars(cls) for cls in type(plugin).__mro__[:-1])):
        for name, value in namespace.items():
            if isinstance(value, FunctionType):
                options = value.__dict__.get(_MARK)
            elif isinstance(value, (MethodType, staticmethod, classmethod)):
                options = getattr(value, _MARK, None) or getattr(value.__func__, _MARK, None)
            else:
                continue
            if isinstance(options, dict) and name not in seen:
                seen.add(name)
                yield name, options


class _Argument(NamedTuple):
    name: str
    kind: Literal["positional", "any", "keyword", "*"]
    default: object = _EMPTY

    @property
    def required(self) -> bool:
        return self.default is _EMPTY and self.kind != "*"

    @property
    def counts(self) -> bool:
        """Whether the default looks like that of a limit."""
        return self.default is None or (isinstance(self.default, int) and not isinstance(self.default, bool))


_KINDS: dict[Any, Literal["positional", "any", "keyword", "*"]] = {
    inspect.Parameter.POSITIONAL_ONLY: "positional",
    inspect.Parameter.POSITIONAL_OR_KEYWORD: "any",
    inspect.Parameter.KEYWORD_ONLY: "keyword",
    inspect.Parameter.VAR_POSITIONAL: "*",
}


def _read(function: Callable[..., object]) -> tuple[list[_Argument] | None, int]:
    """The arguments without ``self`` (None where the function does not tell), and the flags of its code."""
    bound = isinstance(function, MethodType)
    raw: Any = function.__func__ if isinstance(function, MethodType) else function
    if type(raw) is FunctionType and "__wrapped__" not in raw.__dict__:
        code = raw.__code__
        if not code.co_kwonlyargcount and not code.co_flags & _VARIABLE:
            # The common case by hand: a signature object costs 25 microseconds, and a memory takes 7 hooks.
            names = code.co_varnames[bound : code.co_argcount]
            defaults = raw.__defaults__ or ()
            values = (_EMPTY,) * (len(names) - len(defaults)) + defaults
            only = code.co_posonlyargcount - bound
            return [
                _Argument(name, "positional" if at < only else "any", value)
                for at, (name, value) in enumerate(zip(names, values, strict=True))
            ], code.co_flags
    flags = inspect.CO_GENERATOR if inspect.isgeneratorfunction(function) else 0
    if inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function):
        flags |= _ASYNC
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return None, flags
    return [_Argument(p.name, _KINDS[p.kind], p.default) for p in parameters if p.kind in _KINDS], flags


def _refuse_unusual(name: str, flags: int) -> None:
    if flags & _ASYNC:
        raise HookRefusedError(f"{name} is async, expected a function that returns its answer", name)
    if flags & inspect.CO_GENERATOR:
        raise HookRefusedError(
            f"{name} yields, expected a function that returns its answer; what goes around another plugin "
            "is marked @hookimpl(wrapper=True)",
            name,
        )


def _mismatch(spec: Spec, function: Callable[..., object], what: str) -> str:
    return (
        f"the hook is {spec.signature}, found {_written(spec.name, function)}: {what}; "
        "use the hook's own names and leave out what is not needed"
    )


def _no_such_hook(name: str, function: Callable[..., object]) -> str:
    near = difflib.get_close_matches(name, SPECS, n=1)
    meant = f"did you mean {SPECS[near[0]].signature}? " if near else ""
    return f"there is no hook {name!r}, found {_written(name, function)}; {meant}Hooks are {', '.join(SPECS)}"


def _written(name: str, function: Callable[..., object]) -> str:
    """``name`` with the function's arguments as its author wrote them."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return f"{name}(...)"
    shown = signature.replace(parameters=[p for p in signature.parameters.values() if p.name != "self"])
    return name + str(shown).replace("'", "")
