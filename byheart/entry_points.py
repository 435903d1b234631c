"""Plugins by name: finding, building and listing what installed distributions offer.

A distribution offers a plugin as an entry point of the group ``byheart``: a name and a *factory*, anything
that returns the plugin when called with its options by keyword. A class is one. Importing the module of a
factory is meant to be cheap and what is heavy to be imported by the call, so that a plugin costs nothing until
it is asked for, and listing them all costs little.
"""

from __future__ import annotations

import difflib
import importlib
import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, partial
from typing import TYPE_CHECKING, Any

from byheart.errors import PluginError
from byheart.hooks import SPECS
from byheart.hookspecs import GROUP

if TYPE_CHECKING:  # costs a hundred modules, and the default memory has no use for it
    from importlib.metadata import Distribution, EntryPoint

BUILTINS = {"builtin": "byheart.bm25:BM25", "counter": "byheart.counter:Counter"}
"""The plugins that byheart has in itself, as ``module:factory``. Nobody else can offer these names."""

_TELLING = {"rank": "retriever", "boundaries": "segmenter", "rewrite": "rewriter"}
_BROKEN = (Exception, SystemExit)
_REQUIREMENT = re.compile(r"\s*([A-Za-z0-9][A-Za-z0-9._-]*)\s*(?:\[([^\]]*)\])?")
_EXTRA = re.compile(r"""extra\s*==\s*["']([^"']+)["']""")


@dataclass(frozen=True)
class PluginInfo:
    """One plugin that can be asked for by name, or the reason why it cannot."""

    name: str
    kind: str
    """``retriever``, ``segmenter``, ``rewriter``, ``wrapper``, or ``?`` where its factory does not tell."""
    distribution: str | None
    version: str | None
    ok: bool
    error: str | None = None
    cure: str | None = None


def load(name: str, /, **options: Any) -> object:
    """Build the plugin of this name; the options are its factory's.

    Only the one plugin is imported. PluginError where there is none of that name, where two distributions
    offer it, or where it cannot be imported or built; TypeError and ValueError of the factory as they come.

    >>> load("builtin", k1=1.5).k1
    1.5
    """
    return build(name, **options)[0]


def build(name: str, /, **options: Any) -> tuple[object, str, str]:
    """As :func:`load`; returns the plugin, its name, and the distribution it is from."""
    if not isinstance(name, str):
        raise TypeError(f"the name of a plugin must be a str, got {name!r} ({type(name).__name__})")
    if name in BUILTINS:
        return _builtin(name)(**options), name, GROUP
    offers = [offer for offer in _offers() if offer.name == name]
    if not offers:
        raise PluginError(_unknown(name), plugin=name)
    if len(offers) > 1:
        raise PluginError(_ambiguous(offers), plugin=name)
    offer = offers[0]
    factory = offer.factory()
    try:
        plugin = factory(**options)
    except (TypeError, ValueError, PluginError):
        raise
    except Exception as error:
        raise offer.broken("cannot be built", error) from error
    if plugin is None:
        nothing = TypeError("its factory returned None, expected the plugin")
        raise offer.broken("cannot be built", nothing) from nothing
    return plugin, name, offer.distribution


def available() -> list[PluginInfo]:
    """Every plugin that can be asked for by name, the built-in ones first; builds none.

    A plugin that cannot be imported is listed with its error, as is one whose requirements are not installed,
    where its distribution declares them as an extra of the plugin's name.
    """
    offers = sorted(_offers(), key=lambda offer: (offer.name, offer.distribution))
    version = next((offer.version for offer in offers if offer.distribution == GROUP), None) or _version(GROUP)
    found = [PluginInfo(name, kind_of(_builtin(name)), GROUP, version, ok=True) for name in BUILTINS]
    for offer in offers:
        rivals = [other for other in offers if other.name == offer.name]
        found.append(offer.info(_ambiguous(rivals) if len(rivals) > 1 else None))
    return found


def kind_of(factory: object) -> str:
    """What the factory builds, as told by the class it is or by the class it says it returns."""
    built: Any = factory if inspect.isclass(factory) else _returned(factory)
    for hook, kind in _TELLING.items():
        method = getattr(built, hook, None)
        if callable(method) and not _wraps(method):
            return kind
    return "wrapper" if any(_wraps(getattr(built, hook, None)) for hook in SPECS) else "?"


def distribution_of(plugin: object) -> str | None:
    """The installed distribution whose code ``plugin`` is, None where unknown. Slow: for error messages."""
    owner = plugin if hasattr(plugin, "__name__") else type(plugin)
    module = getattr(owner, "__module__", None) or getattr(owner, "__name__", "")
    return _distribution_of(str(module).partition(".")[0])


@cache
def _distribution_of(package: str) -> str | None:
    from importlib.metadata import packages_distributions

    try:
        names = packages_distributions().get(package)
    except Exception:  # metadata that cannot be read must not hide the error that is being told
        return None
    return names[0] if names else None


class _Offer:
    """An entry point of the group, with the distribution that has it."""

    def __init__(self, entry: EntryPoint, distribution: Distribution) -> None:
        self.entry = entry
        self.name = entry.name
        self.distribution: str = distribution.name or "?"
        self.version: str | None = distribution.version
        self._metadata = distribution

    def factory(self) -> Callable[..., object]:
        try:
            factory = self.entry.load()
        except _BROKEN as error:
            raise self.broken("cannot be imported", error) from error
        if not callable(factory):
            wrong = TypeError(f"{self.entry.value} is no factory but {type(factory).__name__}, expected a callable")
            raise self.broken("cannot be imported", wrong) from wrong
        return factory  # type: ignore[no-any-return]  # just seen to be callable

    def info(self, error: str | None) -> PluginInfo:
        kind, cure = "?", None
        if error is None and self.name in BUILTINS:
            error, cure = (
                f"the name {self.name!r} is a built-in's and stays so",
                f"ask {self.distribution} to rename it",
            )
        if error is None:
            try:
                kind = kind_of(self.factory())
            except PluginError as broken:
                error, cure = _reason(broken.__cause__ or broken), self.cure()
        if error is None:
            missing = _missing(self._metadata, self.name)
            if missing:
                error, cure = f"not installed: {', '.join(missing)}", self.cure()
        return PluginInfo(self.name, kind, self.distribution, self.version, error is None, error, cure)

    def cure(self) -> str:
        """The command that most likely mends it."""
        if self.name in _extras(self._metadata):
            return f"pip install '{self.distribution}[{self.name}]'"
        return f"pip install --upgrade --force-reinstall {self.distribution}"

    def broken(self, what: str, reason: BaseException) -> PluginError:
        message = f"plugin {self.name!r} of {self.distribution} {what}: {_reason(reason)}"
        if what == "cannot be imported" or isinstance(reason, ImportError):
            message += f". Try: {self.cure()}"
        return PluginError(message, plugin=self.name, distribution=self.distribution)


def _reason(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"


def _builtin(name: str) -> Callable[..., object]:
    module, _, attribute = BUILTINS[name].partition(":")
    return getattr(importlib.import_module(module), attribute)  # type: ignore[no-any-return]


BUILTIN_FACTORIES: Mapping[str, Callable[[], object]] = {
    name: partial(lambda name: _builtin(name)(), name) for name in BUILTINS
}
"""The built-in plugins with their own defaults, imported when first built."""


def _offers() -> Iterator[_Offer]:
    """What the installed distributions offer; one whose metadata cannot be read offers nothing."""
    from importlib.metadata import distributions

    seen: set[str] = set()
    for distribution in distributions():
        try:
            entries = [entry for entry in distribution.entry_points if entry.group == GROUP]
            offers = [_Offer(entry, distribution) for entry in entries]
        except Exception:  # a broken installation of something else is no reason to fail
            continue
        # A distribution may be found twice, once installed and once beside its source: the first counts.
        if offers and _canonical(offers[0].distribution) not in seen:
            seen.add(_canonical(offers[0].distribution))
            yield from offers


def _unknown(name: str) -> str:
    names = sorted({*BUILTINS, *(offer.name for offer in _offers())})
    near = difflib.get_close_matches(name, names, n=1)
    meant = f"; did you mean {near[0]!r}?" if near else "."
    return f"there is no plugin {name!r}{meant} Installed: {', '.join(names)}"


def _ambiguous(offers: list[_Offer]) -> str:
    name = offers[0].name
    both = " and ".join(offer.distribution for offer in offers)
    return f"plugin {name!r} is offered by {both}: uninstall all but one, or build yours and give the object"


def _version(distribution: str) -> str | None:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(distribution)
    except PackageNotFoundError:
        return None


def _canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _extras(distribution: Distribution) -> list[str]:
    return distribution.metadata.get_all("Provides-Extra") or []


def _missing(distribution: Distribution, extra: str, seen: frozenset[str] = frozenset()) -> list[str]:
    """What the extra of this name requires and is not installed.

    Only presence is looked at, not versions; a requirement with conditions besides the extra counts as met,
    for telling needs more than the standard library has.
    """
    missing: list[str] = []
    for line in distribution.requires or ():
        requirement, _, marker = line.partition(";")
        matched = _REQUIREMENT.match(requirement)
        if matched is None or _EXTRA.fullmatch(marker.strip()) is None or _EXTRA.findall(marker) != [extra]:
            continue
        name, extras = matched[1], [one.strip() for one in (matched[2] or "").split(",") if one.strip()]
        if _canonical(name) == _canonical(distribution.name or ""):
            for other in set(extras) - seen - {extra}:
                missing += _missing(distribution, other, seen | {extra})
        elif _version(name) is None:
            missing.append(name)
    return missing


def _returned(factory: object) -> type | None:
    """The class that a factory's annotation names, where it can be found without evaluating anything else."""
    function = factory.func if isinstance(factory, partial) else factory
    annotation = getattr(function, "__annotations__", {}).get("return")
    if isinstance(annotation, str):
        found: Any = getattr(function, "__globals__", {})
        for at, part in enumerate(annotation.split(".")):
            found = found.get(part) if at == 0 else getattr(found, part, None)
        annotation = found
    return annotation if inspect.isclass(annotation) else None


def _wraps(function: object) -> bool:
    options = getattr(function, f"{GROUP}_impl", None)
    return isinstance(options, dict) and bool(options.get("wrapper"))
