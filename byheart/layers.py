"""What pluggy is given to call: one small function a hook of a plugin, which asks it and answers for it.

pluggy puts wrappers around what they wrap and hands answers outwards. Each layer checks its plugin's answer
and turns every failure into a PluginError that names the plugin, so that a wrapper sees either a sound answer
or a PluginError, and blame falls where it belongs.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, cast

import pluggy

from byheart import answers, entry_points
from byheart.answers import WrongAnswerError
from byheart.errors import PluginError
from byheart.hooks import SPECS, Hook, HookRefusedError, Role, marked_hooks
from byheart.hookspecs import GROUP, hookimpl


class TakenPlugin:
    """A plugin, what to call it in an error, and the hooks taken from it: at first those that it marks."""

    def __init__(self, plugin: object, name: str | None = None, distribution: str | None = None) -> None:
        self.plugin = plugin
        self.name = name
        self._distribution = distribution
        self.hooks: list[Hook] = []
        if inspect.isclass(plugin):
            raise self.error("is a class, expected an instance: call it")
        try:
            self.hooks += marked_hooks(plugin)
        except HookRefusedError as refused:
            raise self.refused(refused) from refused

    @property
    def kind(self) -> str:
        """A function's or module's own name, else the name of the plugin's type."""
        own = getattr(self.plugin, "__name__", None)
        return own if isinstance(own, str) else type(self.plugin).__qualname__

    def implements(self, role: Role) -> bool:
        """Whether it has a hook of this role that is not a wrapper."""
        return any(hook.spec.role == role and not hook.wrapper for hook in self.hooks)

    def refused(self, refusal: HookRefusedError) -> PluginError:
        return self.error(f"cannot be taken: {refusal}", refusal.hook)

    def error(self, what: str, hook: str | None = None) -> PluginError:
        """A PluginError about this plugin; ``what`` completes the sentence that begins with its name."""
        called = self.kind if self.name is None else f"{self.name!r} ({self.kind})"
        distribution = self._distribution or entry_points.distribution_of(self.plugin)
        owner = f" of {distribution}" if distribution else ""
        return PluginError(
            f"plugin {called}{owner} {what}",
            plugin=self.name or self.kind,
            distribution=distribution,
            hook=hook,
        )


class Index:
    """What checking an answer needs to know besides the arguments of the call."""

    size = 0
    """How many texts there are."""


class _Namespace:
    """Functions by name and nothing else: pluggy looks at every attribute of what it is given."""

    def __init__(self, functions: Mapping[str, Callable[..., object]]) -> None:
        self.__dict__.update(functions)

    def __dir__(self) -> Iterator[str]:
        return iter(self.__dict__)


_SPEC_FUNCTIONS: Any = _Namespace({name: spec.function for name, spec in SPECS.items()})


def build_manager(plugins: Sequence[TakenPlugin], index: Index) -> pluggy.PluginManager:
    """A manager that has the hooks of these plugins, those of the first innermost."""
    manager = pluggy.PluginManager(GROUP)
    manager.add_hookspecs(_SPEC_FUNCTIONS)
    if any(hook.spec.name == "rewrite" for plugin in plugins for hook in plugin.hooks):
        manager.register(_Namespace({"rewrite": _as_asked}), name="the query as asked")
    for number, plugin in enumerate(plugins):
        functions: dict[str, Callable[..., object]] = {}
        for hook in plugin.hooks:
            layer = _Layer(plugin, hook, index)
            if hook.wrapper:
                functions[f"{hook.spec.name} around"] = _around(layer)
            elif hook.spec.name == "rewrite":
                functions[hook.spec.name] = _rewriting(layer)
            else:
                functions[hook.spec.name] = _asking(layer)
        manager.register(_Namespace(functions), name=f"{number}: {plugin.name or plugin.kind}")
    return manager


class _Layer:
    """One hook of one plugin."""

    def __init__(self, plugin: TakenPlugin, hook: Hook, index: Index) -> None:
        self.plugin = plugin
        self.hook = hook
        self.index = index

    def ask(self, **given: Any) -> object:
        """The checked answer of a hook that wraps nothing."""
        try:
            answer = self.hook.answer(given)
        except Exception as error:
            raise self.failed(error) from error
        positions = given.get("positions")
        if positions is None or self.hook.takes("positions"):
            return self.checked(answer, given)
        # Its scores are for all texts: it left out the argument that says which are wanted.
        scores = cast("list[float]", self.checked(answer, {**given, "positions": None}))
        return [scores[at] for at in positions]

    def ask_around(self, **given: Any) -> Generator[None, Any, object]:
        """The checked answer of a wrapper: yields once, for the answer of what it wraps."""
        try:
            wrapper = self.hook.answer(given)
            next(wrapper)
        except StopIteration:
            raise self.wrong("it returned before its yield, so that what it wraps was never asked") from None
        except Exception as error:
            raise self.failed(error) from error
        thrown: BaseException | None = None
        inner: object = None
        try:
            inner = yield
        except BaseException as error:
            thrown = error
        try:
            if thrown is None:
                wrapper.send(_single(inner) if self.hook.spec.name == "rewrite" else inner)
            else:
                wrapper.throw(thrown)
        except StopIteration as stop:
            return self.checked(stop.value, given)
        except Exception as error:
            if error is thrown:
                raise
            raise self.failed(error) from error
        with suppress(Exception):
            wrapper.close()
        raise self.wrong("it yielded twice, expected once")

    def checked(self, answer: object, given: Mapping[str, Any]) -> object:
        try:
            return _checked(self.hook.spec.name, answer, given, self.index.size)
        except WrongAnswerError as wrong:
            forgot = " (did it forget to return it?)" if answer is None and self.hook.wrapper else ""
            raise self.wrong(f"{wrong}{forgot}") from wrong

    def failed(self, error: Exception) -> PluginError:
        name = self.hook.spec.name
        return self.plugin.error(f"failed in {name}: {type(error).__name__}: {error}", name)

    def wrong(self, what: str) -> PluginError:
        spec = self.hook.spec
        return self.plugin.error(
            f"answered {spec.signature} wrongly: {what}; its author can check it with byheart.testing",
            spec.name,
        )


def _checked(hook: str, answer: object, given: Mapping[str, Any], size: int) -> object:
    if hook == "rank":
        return answers.positions(answer, size)
    if hook == "scores":
        return answers.scores(answer, size if given["positions"] is None else len(given["positions"]))
    if hook == "best_score":
        return answers.number(answer)
    if hook == "rewrite":
        return answers.text(answer)
    if hook == "boundaries":
        return answers.boundaries(answer, len(given["turns"]))
    return None  # fit, extend and ingest answer nothing


# pluggy passes an argument that has a default where the call has it: so one signature serves every hook.


def _asking(layer: _Layer) -> Callable[..., object]:
    def hook(
        docs: Any = None,
        start: Any = None,
        query: Any = None,
        limit: Any = None,
        positions: Any = None,
        turns: Any = None,
    ) -> object:
        return layer.ask(docs=docs, start=start, query=query, limit=limit, positions=positions, turns=turns)

    return hookimpl(hook, specname=layer.hook.spec.name)


def _around(layer: _Layer) -> Callable[..., object]:
    def hook(
        docs: Any = None,
        start: Any = None,
        query: Any = None,
        limit: Any = None,
        positions: Any = None,
        turns: Any = None,
    ) -> Generator[None, Any, object]:
        return (
            yield from layer.ask_around(
                docs=docs, start=start, query=query, limit=limit, positions=positions, turns=turns
            )
        )

    return hookimpl(hook, specname=layer.hook.spec.name, wrapper=True)


# Rewriters follow each other: each is a wrapper of those before it, the innermost being the query as asked.


@hookimpl
def _as_asked(query: str) -> str:
    return query


def _rewriting(layer: _Layer) -> Callable[..., object]:
    def hook() -> Generator[None, Any, object]:
        inner = yield
        return layer.ask(query=_single(inner))

    return hookimpl(hook, specname="rewrite", wrapper=True)


def _single(result: Any) -> object:
    # `rewrite` is no firstresult hook, so that pluggy hands the innermost answer over in a list.
    return result[0] if isinstance(result, list) else result
