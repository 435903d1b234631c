"""Running one check over drawn conversations, and turning what goes wrong into one AssertionError."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from types import ModuleType
from typing import Any

from byheart.entry_points import load
from byheart.errors import PluginError

Factory = Callable[[], object]


def hypothesis() -> ModuleType:
    """The hypothesis package; ImportError with the cure where it is missing."""
    try:
        import hypothesis
        import hypothesis.strategies
    except ImportError as missing:
        raise ImportError(
            "byheart.testing draws its conversations with hypothesis, which is not installed: pip install hypothesis"
        ) from missing
    return hypothesis


def factory_of(asked: Factory | str) -> Factory:
    """What builds the plugin: the factory given, or that of a plugin's name."""
    if isinstance(asked, str):
        return partial(load, asked)
    if not callable(asked):
        raise TypeError(
            "factory must be the name of a plugin or a callable that builds one, "
            f"got {asked!r} ({type(asked).__name__})"
        )
    return asked


def drive(check: Callable[..., None], max_examples: int, draws: Mapping[str, Any]) -> None:
    """Call ``check`` with values of these strategies, the same ones every time it is run."""
    engine = hypothesis()

    def example(drawn: dict[str, Any]) -> None:
        with plugin_errors_as_failures():
            check(**drawn)

    run = engine.given(engine.strategies.fixed_dictionaries(dict(draws)))(example)
    settings = engine.settings(
        max_examples=max_examples,
        phases=[engine.Phase.generate, engine.Phase.shrink],
        deadline=None,
        database=None,
        derandomize=True,
        print_blob=False,
        report_multiple_bugs=False,
        suppress_health_check=list(engine.HealthCheck),
    )
    try:
        settings(run)()
    except engine.errors.Flaky as flaky:
        raise AssertionError(
            f"the plugin must answer the same question alike each time; {check.__name__} failed once and "
            f"passed once with the same texts: {flaky}"
        ) from flaky


@contextmanager
def plugin_errors_as_failures() -> Iterator[None]:
    """What the memory would refuse is a failed check."""
    try:
        yield
    except PluginError as error:
        raise AssertionError(f"the memory refuses it: {error}") from error
