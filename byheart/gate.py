"""The gate of rule 4: outside material and the conversation scored in one index, by one retriever."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from byheart import outside
from byheart.index import Index
from byheart.options import Options
from byheart.outside import Material
from byheart.plugins import PluginHost
from byheart.stretches import View


class Gate:
    """Lets in the outside material that beats the conversation.

    Scores with the memory's own retriever, or, where that gives no scores, with a built-in one beside it. ``doc``
    renders a stretch, as for :class:`byheart.index.Index`.
    """

    def __init__(self, host: PluginHost, index: Index, doc: Callable[[int, int], str], options: Options) -> None:
        self._host = host
        self._index = index
        self._doc = doc
        self._options = options
        self._beside: tuple[PluginHost, Index] | None = None

    def changed(self, position: int) -> None:
        """The stretches from ``position`` on are not what was indexed."""
        if self._beside is not None:
            self._beside[1].changed(position)

    def forget(self) -> None:
        """Drop the retriever beside the memory's own, with all the words it holds."""
        self._beside = None

    def part(self, materials: Sequence[Material], query: str, before: View) -> str | None:
        """The part with the material that beats the conversation before the question; None: none does."""
        if not materials:
            return None
        host, index = self._scorer()
        index.refresh(before)
        asked = host.rewrite(query)
        texts = [material.text for material in materials]

        def ask(first: int) -> tuple[float, list[float], float | None]:
            count = first + len(texts)
            own = [at for at in host.rank(asked, len(texts) + 1, count) if at < first][:1]
            highest = host.best_score(asked) if host.has_best_score else None
            return (
                max(host.scores(asked, own, count), default=0.0),
                host.scores(asked, range(first, count), count),
                highest,
            )

        best, scores, highest = index.beside(texts, ask)
        chosen, clearly = outside.admitted(materials, scores, best, highest, self._options.external_margin)
        if not chosen:
            return None
        room = outside.room(self._options.budget, clearly)
        return outside.text(chosen, query, room, self._options.measure)

    def _scorer(self) -> tuple[PluginHost, Index]:
        if self._host.has_scores:
            return self._host, self._index
        if self._beside is None:
            host = PluginHost()
            self._beside = host, Index(host, self._doc)
        return self._beside
