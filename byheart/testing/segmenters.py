"""What every segmenter promises, each promise a function that raises AssertionError where it is broken."""

from __future__ import annotations

import copy

from byheart.plugins import PluginHost
from byheart.testing import drawing, elsewhere
from byheart.testing.driving import Factory, drive, factory_of, plugin_errors_as_failures

Turns = list[drawing.Turn]

_MOST_CASES = 20
"""How many open stretches the second process is asked about."""


def check_segmenter(factory: Factory | str, *, max_examples: int = 25) -> None:
    """Hold a segmenter to what a memory relies on; AssertionError for the first promise it breaks.

    ``factory`` is called without arguments and builds a new segmenter each time, an object with
    ``boundaries`` or a function of the turns; or it is the name of an installed plugin. Where it can be
    pickled, the segmenter is also asked in a second process.
    """
    build = factory_of(factory)
    checks = _Checks(build)
    with plugin_errors_as_failures():
        for turns in drawing.PLAIN_TURNS:
            checks.answers_are_valid_and_inputs_unchanged(turns)
    one, other = drawing.turns(), drawing.turns()
    drive(checks.answers_are_valid_and_inputs_unchanged, max_examples, {"turns": one})
    drive(checks.answers_depend_on_the_turns_alone, max_examples, {"turns": one, "earlier": other})
    with plugin_errors_as_failures():
        checks.another_process_answers_alike()


class _Checks:
    def __init__(self, build: Factory) -> None:
        self.build = build
        self.cases: list[Turns] = []

    def answers_are_valid_and_inputs_unchanged(self, turns: Turns) -> None:
        handed = copy.deepcopy(turns)
        self.new().boundaries(handed)
        if handed != turns:
            raise AssertionError(f"boundaries must not change the turns: {turns!r} became {handed!r}")
        if len(self.cases) < _MOST_CASES:
            self.cases.append(turns)

    def answers_depend_on_the_turns_alone(self, turns: Turns, earlier: Turns) -> None:
        cold = self.new().boundaries(turns)
        warm = self.new()
        warm.boundaries(earlier)
        for _ in range(2):
            found = warm.boundaries(turns)
            if found != cold:
                raise AssertionError(
                    "boundaries must depend on the turns alone, for a restored memory starts afresh: "
                    f"a new segmenter answers {cold} to {turns!r}, one that saw {earlier!r} before {found}"
                )

    def another_process_answers_alike(self) -> None:
        found = elsewhere.answers(self.build, "segmenter", self.cases)
        for turns, answer in zip(self.cases, found or (), strict=found is not None):
            here = self.new().boundaries(turns)
            if answer != here:
                raise AssertionError(
                    "boundaries must be the same in another process, where strings hash differently: "
                    f"{answer}, expected {here}, for {turns!r}"
                )

    def new(self) -> PluginHost:
        return elsewhere.host_of(self.build(), "segmenter")
