"""The plugins of one memory: one retriever, one segmenter, and what goes around them.

Taking a plugin is strict: what cannot work is refused here, with the hook, the signature expected and the one
found. From then on its answers are checked, each at a cost that follows the answer and not the index.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any, NoReturn, cast

from byheart import entry_points
from byheart.errors import PluginError, shown
from byheart.hooks import SPECS, HookRefusedError, Role, plain_hook, plain_hooks
from byheart.hookspecs import GROUP
from byheart.layers import Index, TakenPlugin, build_manager

Factories = Mapping[str, Callable[[], object]]
_Chosen = dict[Role, TakenPlugin]

_DEFAULTS: dict[Role, str] = {"retriever": "builtin", "segmenter": "counter"}
_REQUIRED: dict[Role, tuple[str, ...]] = {"retriever": ("fit", "rank"), "segmenter": ("boundaries",)}
_OPTIONS: dict[Role, str] = {"retriever": "retriever=", "segmenter": "boundaries="}
_EXPECTED: dict[Role, str] = {
    "retriever": "the name of a retriever or an object with fit and rank",
    "segmenter": "the name of a segmenter, an object with boundaries, or a function of the turns",
}

# Retrievers in use, by id: a host keeps its retriever alive, so the id stays its own while the host lives.
_in_use: dict[int, weakref.ref[PluginHost]] = {}


class PluginHost:
    """One retriever, one segmenter, and what goes around them.

    ``retriever`` and ``boundaries`` are a name (a built-in's, or an entry point's of the group ``byheart``),
    a plugin object, or None for the default; ``boundaries`` may be a plain callable that takes the open
    stretch's turns. ``plugins`` are names and objects that wrap hooks or rewrite the query; the last listed
    is outermost. ``builtins`` says how to build the defaults, whose names are ``builtin`` and ``counter``.
    Raises PluginError for what cannot be found, built or taken, and from every hook that fails.

    >>> class Shortest:
    ...     def fit(self, texts):
    ...         self.order = sorted(range(len(texts)), key=lambda at: len(texts[at]))
    ...     def rank(self, query):
    ...         return self.order
    >>> host = PluginHost(Shortest(), lambda turns: [len(turns)])
    >>> host.fit(["a long text", "short"])
    >>> host.rank("anything", limit=1, size=2)
    [1, 0]
    >>> host.has_scores
    False
    """

    def __init__(
        self,
        retriever: object | str | None = None,
        boundaries: object | str | Callable[..., object] | None = None,
        plugins: Sequence[object | str] = (),
        *,
        builtins: Factories | None = None,
    ) -> None:
        if isinstance(plugins, (str, bytes)) or not isinstance(plugins, Sequence):
            raise TypeError(f"plugins must be a list of names and objects, got {shown(plugins)}")
        factories = {**entry_points.BUILTIN_FACTORIES, **(builtins or {})}
        chosen = _choose(retriever, boundaries, factories)
        everything = list({id(plugin): plugin for plugin in chosen.values()}.values())
        everything += _companions(chosen, plugins, factories)
        _refuse_reordering(everything)
        self._retriever = chosen["retriever"]
        self._segmenter = chosen["segmenter"]
        self._optional = {hook.spec.name for hook in self._retriever.hooks if not hook.wrapper}
        self._rewrites = any(hook.spec.name == "rewrite" for plugin in everything for hook in plugin.hooks)
        self._plugins = everything
        self._index = Index()
        self._occupy()

    @property
    def retriever(self) -> object:
        """The retriever, as it was given or built."""
        return self._retriever.plugin

    @property
    def segmenter(self) -> object:
        """The segmenter, as it was given or built."""
        return self._segmenter.plugin

    @property
    def segments_alone(self) -> bool:
        """Whether nothing is wrapped around the segmenter."""
        return sum(hook.spec.name == "boundaries" for plugin in self._plugins for hook in plugin.hooks) == 1

    @property
    def has_scores(self) -> bool:
        """Whether the retriever scores texts; what wraps ``scores`` does not count."""
        return "scores" in self._optional

    @property
    def has_best_score(self) -> bool:
        """Whether the retriever knows the best score a query could have."""
        return "best_score" in self._optional

    @property
    def has_extend(self) -> bool:
        """Whether the retriever's index can grow without ``fit``."""
        return "extend" in self._optional

    @property
    def has_ingest(self) -> bool:
        """Whether the retriever wants each stretch as soon as it settles."""
        return "ingest" in self._optional

    def fit(self, docs: Sequence[str]) -> None:
        """Index these texts, one a stretch, instead of what was indexed."""
        self._hooks.fit(docs=docs)

    def extend(self, start: int, docs: Sequence[str]) -> None:
        """The texts from ``start`` on are now ``docs``. Only where ``has_extend``."""
        self._need("extend")
        self._hooks.extend(start=start, docs=docs)

    def ingest(self, start: int, docs: Sequence[str]) -> None:
        """As ``extend``, at append. Only where ``has_ingest``."""
        self._need("ingest")
        self._hooks.ingest(start=start, docs=docs)

    def rank(self, query: str, limit: int, size: int) -> list[int]:
        """Positions in an index of ``size`` texts, best first, none twice; it may be more than ``limit``."""
        self._index.size = size
        return cast("list[int]", self._hooks.rank(query=query, limit=limit))

    def scores(self, query: str, positions: Sequence[int] | None, size: int) -> list[float]:
        """A finite score for each of ``positions`` (None: all ``size`` texts). Only where ``has_scores``."""
        self._need("scores")
        self._index.size = size
        return cast("list[float]", self._hooks.scores(query=query, positions=positions))

    def best_score(self, query: str) -> float:
        """The score of a text that matched all of the query. Only where ``has_best_score``."""
        self._need("best_score")
        return cast("float", self._hooks.best_score(query=query))

    def rewrite(self, query: str) -> str:
        """The query as the retriever should see it; each rewriter sees what the one before made of it."""
        if not self._rewrites:
            return query
        return cast("str", self._hooks.rewrite(query=query))

    def boundaries(self, turns: Sequence[Mapping[str, Any]]) -> list[int]:
        """Where new stretches begin among the open stretch's turns: sorted, from 1 to ``len(turns)``."""
        return cast("list[int]", self._hooks.boundaries(turns=turns))

    def __reduce__(self) -> NoReturn:
        # A copy would share its retriever with the original, which no memory survives.
        raise TypeError("the plugins of a memory cannot be copied or pickled: save the memory with to_dict()")

    @cached_property
    def _hooks(self) -> Any:
        # Half of what taking plugins costs, and not owed by a memory that is only read.
        return build_manager(self._plugins, self._index).hook

    def _need(self, hook: str) -> None:
        if hook not in self._optional:
            raise self._retriever.error(f"has no {SPECS[hook].signature}", hook)

    def _occupy(self) -> None:
        key = id(self.retriever)

        def release(gone: weakref.ref[PluginHost]) -> None:
            if _in_use.get(key) is gone:
                del _in_use[key]

        reference = weakref.ref(self, release)
        holder = _in_use.setdefault(key, reference)
        if holder is not reference:
            if holder() is not None:
                raise self._retriever.error(
                    "already serves another memory: build one for each (what is costly in it, such as an "
                    "encoder, may be shared)"
                )
            _in_use[key] = reference


def _find(asked: object | str, factories: Factories) -> TakenPlugin:
    if not isinstance(asked, str):
        return TakenPlugin(asked)
    if asked in factories:
        return TakenPlugin(factories[asked](), asked, GROUP)
    return TakenPlugin(*entry_points.build(asked))


def _choose(retriever: object | str | None, boundaries: object | str | None, factories: Factories) -> _Chosen:
    """The retriever and the segmenter; one object may be both, where it marks the hooks of both."""
    given: dict[Role, TakenPlugin] = {}
    if retriever is not None:
        given["retriever"] = _find(retriever, factories)
    if boundaries is not None and (boundaries is retriever or _same_name(boundaries, retriever)):
        given["segmenter"] = given["retriever"]
    elif boundaries is not None:
        given["segmenter"] = _find(boundaries, factories)
    chosen: _Chosen = {}
    for role, default in _DEFAULTS.items():
        both = next((plugin for plugin in given.values() if plugin.implements(role)), None)
        chosen[role] = given.get(role) or both or _find(default, factories)
    for role, plugin in chosen.items():
        _complete(plugin, role)
    for role, plugin in chosen.items():
        for other in chosen.values():
            if other is not plugin and other.implements(role):
                raise _second(other, role, plugin)
    return chosen


def _same_name(one: object, other: object) -> bool:
    return isinstance(one, str) and one == other


def _complete(plugin: TakenPlugin, role: Role) -> None:
    """Add the plain methods that make the plugin what it is asked to be; refuse it where one is missing."""
    marked = {hook.spec.name for hook in plugin.hooks if not hook.wrapper}
    missing = [
        hook for hook in _REQUIRED[role] if hook not in marked and not callable(getattr(plugin.plugin, hook, None))
    ]
    try:
        if not missing:
            plugin.hooks += plain_hooks(plugin.plugin, role, plugin.hooks)
        elif role == "segmenter" and callable(plugin.plugin):
            plugin.hooks.append(plain_hook("boundaries", plugin.plugin))
        else:
            raise plugin.error(
                f"cannot be taken as {_OPTIONS[role]}: it has no {SPECS[missing[0]].signature}; "
                f"expected {_EXPECTED[role]}",
                missing[0],
            )
    except HookRefusedError as refusal:
        raise plugin.refused(refusal) from refusal


def _companions(chosen: _Chosen, plugins: Sequence[object | str], factories: Factories) -> list[TakenPlugin]:
    """The wrappers and rewriters; refuses what is given twice, has no effect or is a second retriever."""
    taken: list[TakenPlugin] = []
    for asked in plugins:
        plugin = _find(asked, factories)
        if any(plugin.plugin is earlier.plugin for earlier in (*chosen.values(), *taken)):
            raise plugin.error("is given twice: list each plugin once")
        for role, holder in chosen.items():
            if plugin.implements(role):
                raise _second(plugin, role, holder)
        if not plugin.hooks:
            try:
                plugin.hooks += plain_hooks(plugin.plugin, "rewriter")
            except HookRefusedError as refusal:
                raise plugin.refused(refusal) from refusal
        if not plugin.hooks:
            raise plugin.error(
                "has no effect in plugins=: expected rewrite, or hooks marked @hookimpl(wrapper=True); "
                f"the hooks are {', '.join(SPECS)}"
            )
        taken.append(plugin)
    return taken


def _refuse_reordering(plugins: Sequence[TakenPlugin]) -> None:
    for plugin in plugins:
        for hook in plugin.hooks:
            if hook.reorders and (hook.wrapper or hook.spec.role == "rewriter"):
                raise plugin.error(
                    f"marks {hook.spec.name} tryfirst or trylast: leave that out, the order is as listed",
                    hook.spec.name,
                )


def _second(plugin: TakenPlugin, role: Role, holder: TakenPlugin) -> PluginError:
    hook = next(hook.spec.name for hook in plugin.hooks if hook.spec.role == role and not hook.wrapper)
    return plugin.error(
        f"would be a second {role} beside {holder.kind}, and a memory has one: give it as {_OPTIONS[role]}, "
        f"or mark its {hook} with @hookimpl(wrapper=True) to go around the one there is",
        hook,
    )
