"""The plugin ``hybrid``: which texts are candidates, how two kinds of scores become one, what is refused."""

from __future__ import annotations

import itertools
import math
import os
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from byheart import Memory, PluginError, load
from byheart.testing import check_retriever

if not os.environ.get("BYHEART_REQUIRE_DENSE"):
    pytest.importorskip("byheart_hybrid", reason="byheart_hybrid is not installed: pip install 'byheart[hybrid]'")

from byheart_hybrid import build
from byheart_hybrid.fusion import (
    LEAST_TRUST,
    above_mean,
    agreement,
    coverage,
    expected_largest,
    min_max,
    reciprocal_ranks,
    trust,
)


class Words:
    """A lexical side whose score of a text is looked up; texts with 0 are left out of its order."""

    def __init__(self, values: dict[str, float], best: float = 10.0) -> None:
        self.values = values
        self.best = best
        self.docs: list[str] = []

    def fit(self, docs: Sequence[str]) -> None:
        self.docs = list(docs)

    def rank(self, query: str, limit: int) -> list[int]:
        found = [at for at, doc in enumerate(self.docs) if self.values.get(doc)]
        return sorted(found, key=lambda at: (-self.values[self.docs[at]], -at))[:limit]

    def scores(self, query: str, positions: Sequence[int] | None) -> list[float]:
        wanted = range(len(self.docs)) if positions is None else positions
        return [self.values.get(self.docs[at], 0.0) for at in wanted]

    def best_score(self, query: str) -> float:
        return self.best


class Meaning:
    """A dense side whose cosine with a text is looked up; one it has none for has no distance."""

    def __init__(self, cosines: dict[str, float | None]) -> None:
        self.cosines = cosines
        self.docs: list[str] = []

    def fit(self, docs: Sequence[str]) -> None:
        self.docs = list(docs)

    def rank(self, query: str, limit: int) -> list[int]:
        known = [at for at, doc in enumerate(self.docs) if self.cosines.get(doc) is not None]
        return sorted(known, key=lambda at: (-(self.cosines[self.docs[at]] or 0.0), -at))[:limit]

    def scores(self, query: str, positions: Sequence[int] | None) -> list[float]:
        wanted = range(len(self.docs)) if positions is None else positions
        return [self.cosines.get(self.docs[at]) or 0.0 for at in wanted]


DOCS = ["ticket one", "ticket two", "ticket three", "style guide"]
COSINES: dict[str, float | None] = {"ticket one": 0.9, "ticket two": 0.8, "ticket three": 0.7, "style guide": 0.1}
GUIDE = {"style guide": 9.0}


def of(words: dict[str, float], cosines: dict[str, float | None], docs: Sequence[str] = DOCS, **options: Any) -> Any:
    if "dense_weight" in options:
        options["fusion"] = "weighted"
    retriever = build(lexical=Words(words), dense=Meaning(cosines), **options)
    retriever.fit(docs)
    return retriever


# -- candidates ---------------------------------------------------------------------------------------------------


def test_union_brings_up_a_text_of_rare_words_that_is_far_in_meaning() -> None:
    retriever = of(GUIDE, COSINES, candidates=2, dense_weight=0.5)
    assert 3 in retriever.rank("draft a reply", 2)


def test_vector_takes_candidates_from_the_dense_side_alone() -> None:
    retriever = of(GUIDE, COSINES, candidates=2, dense_weight=0.5, candidate_strategy="vector")
    assert retriever.rank("draft a reply", 2) == [0, 1]


def test_under_vector_the_lexical_side_ranks_the_candidates_again() -> None:
    retriever = of({"ticket two": 9.0}, COSINES, candidates=2, candidate_strategy="vector")
    assert retriever.rank("draft a reply", 2) == [1, 0]


def test_union_is_the_default() -> None:
    default = of(GUIDE, COSINES, candidates=1)
    union = of(GUIDE, COSINES, candidates=1, candidate_strategy="union")
    vector = of(GUIDE, COSINES, candidates=1, candidate_strategy="vector")
    assert set(default.rank("reply", 4)) == set(union.rank("reply", 4)) == {0, 1, 2, 3}
    assert set(default.rank("reply", 1)) | {0} == {0, *union.rank("reply", 1)}
    assert vector.rank("reply", 1) == [0]


@given(
    st.dictionaries(st.sampled_from(DOCS), st.floats(0.1, 9), max_size=4),
    st.dictionaries(st.sampled_from(DOCS), st.floats(-1, 1), max_size=4),
    st.integers(1, 3),
    st.integers(1, 6),
)
@settings(max_examples=100, deadline=None)
def test_the_pool_of_union_holds_all_that_vectors_pool_holds(
    words: dict[str, float], cosines: dict[str, float | None], candidates: int, limit: int
) -> None:
    everything = len(DOCS)
    vector = of(words, cosines, candidates=candidates, candidate_strategy="vector")
    union = of(words, cosines, candidates=candidates)
    pool = set(vector.rank("q", candidates))
    assert pool <= set(union.rank("q", everything))
    for retriever in (vector, union):
        assert len(retriever.rank("q", limit)) <= limit


def test_an_empty_index_gives_an_empty_answer() -> None:
    for strategy in ("union", "vector"):
        retriever = of(GUIDE, COSINES, docs=[], candidate_strategy=strategy)
        assert retriever.rank("anything", 5) == []
        assert retriever.scores("anything", None) == []
        assert Memory(retriever=of(GUIDE, COSINES, docs=[])).search("anything") == []


def test_before_the_first_fit_the_answer_is_empty() -> None:
    assert build(lexical=Words({}), dense=Meaning({})).rank("anything", 5) == []


def test_the_limit_holds_where_the_pool_is_larger() -> None:
    retriever = of(GUIDE, COSINES)
    for limit in range(6):
        assert len(retriever.rank("reply", limit)) == min(limit, 4)


def test_texts_that_begin_alike_are_told_apart() -> None:
    docs = ["README\nproject alpha: frobnitz", "README\nproject beta: wibble", "small talk about config"]
    retriever = of({docs[0]: 5.0, docs[1]: 5.0}, {docs[0]: 0.1, docs[1]: 0.1, docs[2]: 0.9}, docs, dense_weight=0.3)
    assert retriever.rank("frobnitz wibble", 2) == [1, 0]


def test_equal_texts_at_two_places_both_come_up_the_newer_first() -> None:
    retriever = of({"same": 5.0}, {"same": 0.9, "other": 0.1}, ["same", "other", "same"])
    assert retriever.rank("q", 3) == [2, 0, 1]


# -- distances ----------------------------------------------------------------------------------------------------


def test_with_max_distance_every_hit_has_a_distance_within_it() -> None:
    retriever = of(GUIDE, COSINES, max_distance=0.25, dense_weight=0.1)
    hits = retriever.rank("reply", 4)
    assert hits == [0, 1]
    assert all(distance is not None and distance <= 0.25 for distance in retriever.distances("reply", hits))
    assert 3 in of(GUIDE, COSINES, dense_weight=0.1).rank("reply", 4)


def test_with_max_distance_a_candidate_of_the_lexical_side_alone_stays_out() -> None:
    near = {**COSINES, "style guide": 0.6}
    retriever = of(GUIDE, near, max_distance=0.5, candidates=1, dense_weight=0.1)
    assert retriever.rank("reply", 2) == [0, 1]


def test_a_candidate_without_a_distance_counts_as_similarity_zero() -> None:
    cosines: dict[str, float | None] = {"ticket one": 0.8, "ticket two": 0.3}
    retriever = of({"style guide": 9.0, "ticket two": 9.0}, cosines, dense_weight=0.5)
    assert retriever.distances("reply") == [pytest.approx(0.2), pytest.approx(0.7), None, None]
    scores = retriever.scores("reply", None)
    assert scores == pytest.approx([0.5, 0.45, 0.0, 0.45])
    assert set(retriever.rank("reply", 4)) == {0, 1, 3}


def test_the_dense_sides_own_distances_are_used_where_it_tells_them() -> None:
    class Measured(Meaning):
        def distances(self, query: str, positions: Sequence[int]) -> list[float | None]:
            return [None if self.docs[at] == "ticket two" else 0.5 for at in positions]

    retriever = build(lexical=Words({}), dense=Measured(COSINES))
    retriever.fit(DOCS)
    assert retriever.distances("reply") == [0.5, None, 0.5, 0.5]


def test_how_near_a_text_is_the_dense_sides_scores_say_and_how_far_it_may_be_its_distances() -> None:
    class Both(Meaning):
        def distances(self, query: str, positions: Sequence[int]) -> list[float | None]:
            return [0.2 if self.docs[at] == "style guide" else 0.6 for at in positions]

    def found(**options: Any) -> list[int]:
        retriever = build(lexical=Words({}), dense=Both(COSINES), **options)
        retriever.fit(DOCS)
        order: list[int] = retriever.rank("reply", 4)
        return order

    assert found()[:2] == [0, 1]
    assert found(max_distance=0.5) == [3]


def test_max_distance_needs_distances() -> None:
    class Bare:
        def fit(self, docs: Sequence[str]) -> None: ...

        def rank(self, query: str) -> list[int]:
            return []

    with pytest.raises(ValueError, match=r"max_distance needs a dense retriever with distances or scores, .*Bare has"):
        build(lexical=Words({}), dense=Bare(), max_distance=0.5)


# -- fusion -------------------------------------------------------------------------------------------------------


def test_words_count_more_where_meaning_agrees_and_meaning_counts_alone_where_there_are_none() -> None:
    retriever = of({"ticket one": 5.0, "style guide": 5.0}, COSINES)
    scores = retriever.scores("reply", None)
    # cosines 0.9 0.8 0.7 0.1, mean 0.625: the first two lie above it by 1 and 0.175 / 0.275, the third by 0.075 / 0.275
    near = [1.0, 0.175 / 0.275, 0.075 / 0.275, 0.0]
    covered = [0.5, 0.0, 0.0, 0.5]
    assert scores == pytest.approx([(w + 3 * w * d + 1.5 * d * d) / 5.5 for w, d in zip(covered, near, strict=True)])
    assert retriever.rank("reply", 4) == [0, 1, 3, 2]


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), max_size=8), st.floats(0, 1))
def test_agreement_stays_from_zero_to_one_and_never_falls_as_a_side_rises(
    pairs: list[tuple[float, float]], trusted: float
) -> None:
    scores = agreement([word for word, _ in pairs], [near for _, near in pairs], trusted)
    assert all(0 <= score <= 1 for score in scores)
    for (one, a), (other, b) in itertools.permutations(zip(pairs, scores, strict=True), 2):
        if one[0] <= other[0] and one[1] <= other[1]:
            assert a <= b + 1e-12


@given(st.lists(st.none() | st.floats(-1, 1), max_size=20))
def test_what_is_below_the_mean_or_unknown_counts_nothing(values: list[float | None]) -> None:
    known = [value for value in values if value is not None]
    above = above_mean(values)
    assert all(0 <= share <= 1 for share in above)
    for value, share in zip(values, above, strict=True):
        if value is None or value <= math.fsum(known) / len(known):
            assert share == 0


def test_scores_are_coverage_and_spread_similarity_in_their_shares() -> None:
    retriever = of({"ticket two": 5.0}, COSINES, dense_weight=0.7)
    assert retriever.scores("reply", None) == pytest.approx([0.7, 0.3 * 0.5 + 0.7 * 0.875, 0.7 * 0.75, 0.0])


def test_a_question_that_the_lexical_side_does_not_know_is_decided_by_meaning() -> None:
    retriever = build(lexical=Words({"style guide": 0.2}, best=100.0), dense=Meaning(COSINES))
    retriever.fit(DOCS)
    assert retriever.rank("eine Frage in einer anderen Sprache", 4) == [0, 1, 2, 3]


def test_a_lexical_side_without_a_best_score_is_spread_over_the_index() -> None:
    class Spread(Words):
        best_score = None  # type: ignore[assignment]

    words = Spread({"ticket two": 5.0, "ticket one": 2.5})
    retriever = build(lexical=words, dense=Meaning(COSINES), fusion="weighted", dense_weight=0.0)
    retriever.fit(DOCS)
    assert retriever.scores("reply", None) == pytest.approx([0.5, 1.0, 0.0, 0.0])


def test_reciprocal_ranks_by_option() -> None:
    retriever = of(GUIDE, COSINES, fusion="rrf", rrf_k=10)
    assert retriever.scores("reply", None) == pytest.approx([1 / 11, 1 / 12, 1 / 13, 1 / 14 + 1 / 11])
    assert retriever.rank("reply", 2) == [3, 0]


def test_a_side_without_scores_is_fused_by_its_order() -> None:
    class Ordered:
        def fit(self, texts: Sequence[str]) -> None:
            self.count = len(texts)

        def rank(self, asked: str) -> list[int]:
            return list(range(self.count))

    retriever = build(lexical=Ordered(), dense=Meaning(COSINES), rrf_k=1)
    retriever.fit(DOCS)
    assert retriever.scores("reply", None) == pytest.approx([2 / 2, 2 / 3, 2 / 4, 2 / 5])


@pytest.mark.parametrize("weight", [0.0, 1.0])
def test_at_either_end_of_the_weight_one_side_decides(weight: float) -> None:
    retriever = of(GUIDE, COSINES, dense_weight=weight)
    assert retriever.rank("reply", 1) == [0 if weight else 3]


def test_coverage_stays_from_zero_to_one() -> None:
    assert coverage([-1.0, 0.0, 5.0, 50.0], 10.0) == [0.0, 0.0, 0.5, 1.0]
    assert coverage([1.0], 0.0) == [0.0]


@given(st.lists(st.none() | st.floats(-1, 1), max_size=20))
def test_min_max_stays_from_zero_to_one_and_keeps_the_order(values: list[float | None]) -> None:
    spread = min_max(values)
    assert all(0 <= value <= 1 for value in spread)
    for (a, x), (b, y) in itertools.pairwise(zip(values, spread, strict=True)):
        if a is not None and b is not None and a < b:
            assert x <= y
    assert all(new == 0 for old, new in zip(values, spread, strict=True) if old is None)


def test_reciprocal_ranks_leave_out_what_is_not_in_the_order() -> None:
    assert reciprocal_ranks([1], 3, k=1) == [0.0, 0.5, 0.0]


# -- a dense side that does not know --------------------------------------------------------------------------------


def noise(size: int, seed: int) -> list[float]:
    import random

    rng = random.Random(seed)
    return [rng.gauss(0.7, 0.02) for _ in range(size)]


def test_similarities_like_noise_are_hardly_trusted() -> None:
    trusted = [trust(noise(300, seed)) for seed in range(200)]
    assert sum(trusted) / len(trusted) < 0.3
    assert min(trusted) == LEAST_TRUST


def test_a_text_that_stands_out_is_trusted() -> None:
    for seed in range(50):
        assert trust([*noise(300, seed), 0.7 + 0.02 * 6]) == 1.0


def test_trust_does_not_depend_on_the_scale_of_similarities() -> None:
    values = noise(100, 1)
    assert trust([3 * value + 5 for value in values]) == pytest.approx(trust(values))


def test_few_texts_or_equal_ones_tell_nothing() -> None:
    assert trust([0.7, 0.71, 0.69]) == 1.0
    assert trust([0.7] * 100) == LEAST_TRUST
    assert trust([None] * 100) == 1.0


def test_the_expected_largest_of_many_draws_is_about_what_draws_give() -> None:
    for size in (50, 240, 2000):
        drawn = [max((value - 0.7) / 0.02 for value in noise(size, seed)) for seed in range(200)]
        assert sum(drawn) / len(drawn) == pytest.approx(expected_largest(size), abs=0.2)


def test_a_dense_side_like_noise_leaves_the_order_to_the_words() -> None:
    docs = [f"text {at}" for at in range(300)]
    wrong = 0
    for seed in range(20):
        cosines: dict[str, float | None] = dict(zip(docs, noise(300, seed), strict=True))
        words = {"text 7": 4.0}
        wrong += of(words, cosines, docs).rank("q", 1) != [7]
        without = of(words, cosines, docs, fallback=False)
        assert without.rank("q", 300)[0] != 7 or cosines["text 7"] == max(noise(300, seed))
    assert wrong <= 10  # without the fallback, all 20


# -- being a retriever --------------------------------------------------------------------------------------------


def test_it_keeps_what_a_retriever_promises(new_toy: Callable[..., Any]) -> None:
    from byheart_dense import build as dense

    encoder = new_toy()
    check_retriever(lambda: build(dense=dense(model=encoder, progress=False)), max_examples=10)


@pytest.mark.parametrize("options", [{"fusion": "rrf"}, {"candidate_strategy": "vector", "candidates": 3}])
def test_it_keeps_it_with_other_options_too(new_toy: Callable[..., Any], options: dict[str, Any]) -> None:
    from byheart_dense import build as dense

    encoder = new_toy()
    check_retriever(lambda: build(dense=dense(model=encoder, progress=False), **options), max_examples=5)


def test_sides_without_extend_are_fitted_with_all_texts() -> None:
    retriever = of(GUIDE, COSINES)
    retriever.extend(2, ["style guide"])
    assert retriever._lexical.retriever.docs == ["ticket one", "ticket two", "style guide"]
    assert len(retriever.scores("reply", None)) == 3


def test_a_side_that_fails_is_named_and_the_index_is_whole_after_the_next_fit() -> None:
    class Failing(Meaning):
        broken = True

        def fit(self, docs: Sequence[str]) -> None:
            if self.broken:
                raise ConnectionError("service unavailable")
            super().fit(docs)

    dense = Failing(COSINES)
    retriever = build(lexical=Words(GUIDE), dense=dense)
    with pytest.raises(PluginError, match="Failing failed in fit: ConnectionError: service unavailable"):
        retriever.fit(DOCS)
    assert retriever.rank("reply", 4) == []
    dense.broken = False
    retriever.fit(DOCS)
    assert len(retriever.rank("reply", 4)) == 4


def test_one_object_cannot_be_both_sides() -> None:
    both = Words({})
    with pytest.raises(PluginError, match="already serves"):
        build(lexical=both, dense=both)


# -- in a memory --------------------------------------------------------------------------------------------------


def told(values: dict[str, Any], docs: Sequence[str]) -> list[str]:
    """The texts of a memory, which have dates and speakers, as the keys that they contain."""
    return [next((key for key in values if key in doc), doc) for doc in docs]


class WordsIn(Words):
    def fit(self, docs: Sequence[str]) -> None:
        self.docs = told(self.values, docs)


class MeaningIn(Meaning):
    def fit(self, docs: Sequence[str]) -> None:
        self.docs = told(self.cosines, docs)


def remembering(
    said: Sequence[str], words: dict[str, float], cosines: dict[str, float | None], **options: Any
) -> Memory:
    """A memory in which each of these is a stretch of its own."""
    retriever = build(lexical=WordsIn(words), dense=MeaningIn(cosines), **options)
    memory = Memory(retriever=retriever, chunk=40)
    memory.extend(("user", text, f"{number} May 2023") for number, text in enumerate(said, start=1))
    return memory


def texts(memory: Memory, question: str, limit: int = 10) -> list[str]:
    return [hit["text"].removeprefix("user: ") for hit in memory.search(question, limit=limit)]


def test_a_memory_finds_what_either_side_finds() -> None:
    said = ["house style, plain and sturdy", "ticket one is late", "ticket two lacks its sticker"]
    found = texts(remembering(said, {"house style": 9.0}, {"ticket one": 0.9, "ticket two": 0.8}), "reply to it")
    assert set(found) == set(said)


@pytest.mark.parametrize("strategy", ["union", "vector"])
def test_a_memory_returns_no_more_than_it_is_asked_for(strategy: str) -> None:
    memory = remembering(DOCS, GUIDE, COSINES, candidate_strategy=strategy)
    assert [len(texts(memory, "reply", limit)) for limit in (1, 2, 3, 9)] == [1, 2, 3, 4]


def test_in_a_memory_every_hit_is_within_max_distance_and_no_neighbour_slips_in() -> None:
    said = ["style guide, which one", "ticket one is late", "style guide, the other", "ticket two", "nothing of note"]
    near: dict[str, float | None] = {**COSINES, "nothing": None}
    assert {"style guide, which one", "style guide, the other"} <= set(texts(remembering(said, GUIDE, near), "reply"))
    bound = texts(remembering(said, GUIDE, near, max_distance=0.25), "reply")
    assert bound == ["ticket one is late", "ticket two"]


def test_a_memory_tells_equal_texts_apart_by_their_turns() -> None:
    memory = remembering(["ticket one", "nothing", "ticket one"], {"ticket one": 5.0}, {"ticket one": 0.9})
    hits = memory.search("reply", limit=2)
    assert sorted(hit["turns"] for hit in hits) == [[0, 1], [2, 3]]


def test_a_memory_finds_what_the_dense_side_has_no_distance_for() -> None:
    memory = remembering(["ticket one", "nothing", "style guide"], GUIDE, {"ticket one": 0.9})
    assert texts(memory, "reply")[0] == "style guide"


@pytest.mark.parametrize("options", [{}, {"max_distance": 0.5}, {"fusion": "rrf"}, {"candidate_strategy": "vector"}])
def test_a_memory_to_which_nothing_was_said_finds_nothing(options: dict[str, Any]) -> None:
    assert texts(remembering([], GUIDE, COSINES, **options), "reply") == []


# -- with a real model --------------------------------------------------------------------------------------------


def test_union_with_a_real_model_finds_the_guide_that_vector_misses(minilm: Any) -> None:
    docs = [
        "user: A client wants to know why the parcel came without the free pin that was promised.",
        "user: The shipment was three days late; the client asked for her money back and got it.",
        "user: Where is the gift for orders above the limit? We explained how the promotion works.",
        "user: Voice: plain and sturdy, never gushing. No 'Splendid!'. Do not grovel; state the rule.",
    ]
    question = (
        "Write the support reply to a client whose parcel came without the free pin, "
        "but without 'Splendid!' and do not grovel about the rule."
    )

    def found(strategy: str) -> list[int]:
        retriever = build(model=minilm, candidate_strategy=strategy, candidates=2)
        retriever.fit(docs)
        return retriever.rank(question, 2)

    assert 3 in found("union")
    assert 3 not in found("vector")


def test_a_question_in_another_language_is_found_by_meaning_and_a_rare_word_by_itself(e5: Any) -> None:
    retriever = build(model=e5)
    retriever.fit(
        [
            "user: Our cat Minka likes tuna more than anything else.",
            "user: In May we moved from Paris to Lyon because of my new job.",
            "user: The order number is XK-4471-B, please keep it.",
        ]
    )
    assert retriever.rank("Wohin sind wir gezogen?", 1) == [1]
    assert retriever.rank("XK-4471-B", 1) == [2]


# -- options ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "also",
    [{}, {"fusion": "rrf"}, {"dense": "no-such"}, {"dense_weight": 0}, {"lexical": "no-such", "dense_weight": 1}],
)
def test_a_wrong_strategy_is_refused_at_once_whatever_else_is_switched_off(also: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="candidate_strategy must be one of 'union', 'vector', got 'bogus'"):
        build(candidate_strategy="bogus", **also)


@pytest.mark.parametrize(
    ("options", "error", "says"),
    [
        ({"fusion": "sum"}, ValueError, "fusion must be one of 'agreement', 'weighted', 'rrf', got 'sum'"),
        ({"dense_weight": 1.5}, ValueError, "dense_weight must be from 0 to 1, got 1.5"),
        ({"dense_weight": "half"}, TypeError, "dense_weight must be a number"),
        ({"rrf_k": -1}, ValueError, "rrf_k must be 0 or more, got -1"),
        ({"rrf_k": math.inf}, ValueError, "rrf_k must be 0 or more, got inf"),
        ({"max_distance": 3}, ValueError, "max_distance must be from 0 to 2, got 3"),
        ({"max_distance": math.nan}, ValueError, "max_distance must be from 0 to 2, got nan"),
        ({"candidates": 0}, ValueError, "candidates must be at least 1, got 0"),
        ({"candidates": 2.5}, TypeError, "candidates must be an int"),
        ({"fallback": 1}, TypeError, "fallback must be True or False"),
        ({"model": "a", "dense_options": {"model": "b"}}, ValueError, "model is given twice"),
        ({"dense": Meaning({}), "model": "a"}, ValueError, r"options for dense \(model\) go with a name"),
        ({"lexical": Words({}), "lexical_options": {"k1": 1}}, ValueError, r"options for lexical \(k1\)"),
        ({"unknown": 1}, TypeError, "unknown"),
    ],
)
def test_wrong_options_are_refused_before_a_side_is_built(
    options: dict[str, Any], error: type[Exception], says: str
) -> None:
    with pytest.raises(error, match=says):
        build(**{"dense": "no-such-plugin", **options})


def test_a_side_that_is_not_there_is_named() -> None:
    with pytest.raises(PluginError, match="there is no plugin 'no-such-plugin'"):
        build(dense="no-such-plugin")


def test_sides_are_built_by_name_with_their_options(toy: Any) -> None:
    retriever = build(lexical="bm25", lexical_options={"variant": "plus"}, model=toy, dense_options={"batch_size": 1})
    retriever.fit(DOCS)
    assert [len(group) for group in toy.groups] == [1, 1, 1, 1]
    assert load("hybrid", model=toy).rank("q", 1) == []
