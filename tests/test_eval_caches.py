"""The simulated prompt caches keep to the published rules."""

from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eval import caches
from eval.caches import ANTHROPIC_5M, EFFECTIVE, GEMINI, OPENAI, OPENAI_MARKED, Cache, Request

BIG = ("user", "b" * 8000)  # 2,000 tokens
ALL = (EFFECTIVE, *caches.PROVIDERS)


def small(n: int) -> tuple[str, str]:
    return ("user" if n % 2 else "assistant", f"turn {n:04}" + "." * 31)  # 10 tokens


def test_the_first_request_writes_and_the_next_reads() -> None:
    cache = Cache(EFFECTIVE)
    first = cache.send(Request([BIG, small(1)], [0]), 0)
    assert (first.read, first.written, first.plain) == (0, 2000, 10)
    second = cache.send(Request([BIG, small(2), small(3)], [1]), 1)
    assert (second.read, second.written, second.plain) == (2000, 10, 10)
    assert first.effective(EFFECTIVE) == 2510
    assert second.effective(EFFECTIVE) == 200 + 12.5 + 10


def test_one_changed_character_in_front_of_the_mark_reads_nothing() -> None:
    cache = Cache(EFFECTIVE)
    cache.send(Request([BIG, small(1)], [0]), 0)
    changed = ("user", "b" * 7999 + "c")
    assert cache.send(Request([changed, small(1)], [0]), 1).read == 0


def test_the_same_text_under_another_role_or_cut_elsewhere_is_another_prefix() -> None:
    cache = Cache(EFFECTIVE)
    cache.send(Request([BIG], [0]), 0)
    assert cache.send(Request([("assistant", BIG[1])], [0]), 1).read == 0
    half = BIG[1][:4000]
    assert cache.send(Request([("user", half), ("user", half)], [1]), 2).read == 0


def test_below_the_minimum_nothing_is_cached_and_nothing_said() -> None:
    cache = Cache(EFFECTIVE)
    short = ("user", "s" * 4 * 1023)
    for at in (0, 1):
        used = cache.send(Request([short], [0]), at)
        assert (used.read, used.written, used.plain) == (0, 0, 1023)


@pytest.mark.parametrize(("rules", "reach"), [(EFFECTIVE, 20), (ANTHROPIC_5M, 19)])
def test_an_earlier_prefix_is_found_so_many_blocks_back_and_no_further(rules: caches.Rules, reach: int) -> None:
    for more, found in ((reach, True), (reach + 1, False)):
        cache = Cache(rules)
        cache.send(Request([BIG], [0]), 0)
        used = cache.send(Request([BIG, *map(small, range(more))], [more]), 1)
        assert bool(used.read) is found


def test_a_second_mark_reaches_back_where_the_last_one_would_miss() -> None:
    cache = Cache(ANTHROPIC_5M)
    cache.send(Request([BIG], [0]), 0)
    used = cache.send(Request([BIG, *map(small, range(30))], [15, 30]), 1)
    assert (used.read, used.written) == (2000, 300)


def test_a_request_with_more_marks_than_allowed_is_refused() -> None:
    blocks = [BIG] * 5
    with pytest.raises(ValueError, match="at most 4 marks"):
        Cache(ANTHROPIC_5M).send(Request(blocks, range(5)), 0)


@pytest.mark.parametrize("marks", [[1], [-1], [0, 0]])
def test_marks_must_be_positions_of_blocks_in_order(marks: list[int]) -> None:
    with pytest.raises(ValueError, match="positions"):
        Request([BIG], marks)


def test_a_pause_longer_than_the_lifetime_pays_for_writing_again() -> None:
    cache = Cache(ANTHROPIC_5M)
    request = Request([BIG, small(1)], [0])
    cache.send(request, 0)
    assert cache.send(request, 300).read == 2000
    assert cache.send(request, 601).written == 2000


def test_reading_refreshes_the_lifetime_counted_from_the_start_of_the_request() -> None:
    cache = Cache(ANTHROPIC_5M)
    request = Request([BIG, small(1)], [0])
    cache.send(request, 0, begins=20)
    for at in (250, 500, 750):
        assert cache.send(request, at, begins=at + 20).read == 2000
    assert cache.send(request, 1051).read == 0


def test_what_is_still_being_answered_for_the_first_time_cannot_be_read_yet() -> None:
    cache = Cache(ANTHROPIC_5M)
    request = Request([BIG, small(1)], [0])
    cache.send(request, 0, begins=3)
    assert cache.send(request, 2, begins=4).read == 0
    assert cache.send(request, 3, begins=5).read == 2000


def test_an_hour_costs_more_to_write_and_lasts_longer() -> None:
    short, long = Cache(ANTHROPIC_5M), Cache(caches.ANTHROPIC_1H)
    request = Request([BIG], [0])
    assert long.send(request, 0).effective(long.rules) == 4000
    assert short.send(request, 0).effective(short.rules) == 2500
    assert long.send(request, 1800).read == 2000
    assert short.send(request, 1800).read == 0


def test_a_mark_on_what_changes_every_time_only_writes() -> None:
    cache = Cache(EFFECTIVE)
    for at in range(3):
        used = cache.send(Request([BIG, small(at)], [1]), at)
        assert (used.read, used.written) == (0, 2010)


def test_openai_reads_whole_steps_of_128_tokens_from_1024() -> None:
    cache = Cache(OPENAI)
    shared = "s" * 4 * 1300
    cache.send(Request([("user", shared + "first")]), 0)
    used = cache.send(Request([("user", shared + "other")]), 1)
    assert used.read == 1280
    assert used.written == 0
    cache = Cache(OPENAI)
    short = "s" * 4 * 1023
    cache.send(Request([("user", short + "f" * 4000)]), 0)
    assert cache.send(Request([("user", short + "o" * 4000)]), 1).read == 0


def test_openai_needs_no_marks_and_finds_a_prefix_across_blocks() -> None:
    cache = Cache(OPENAI)
    cache.send(Request([BIG, small(1), small(2)]), 0)
    assert cache.send(Request([BIG, small(1), small(3)]), 1).read == 1920
    assert cache.send(Request([("assistant", BIG[1]), small(1)]), 2).read == 0


def test_openai_forgets_after_an_hour_however_often_it_is_read() -> None:
    cache = Cache(OPENAI)
    request = Request([BIG])
    at = 0.0
    cache.send(request, at)
    while at + 200 <= 3600:
        at += 200
        assert cache.send(request, at).read == 1920
    assert cache.send(request, at + 200).read == 0


def test_gpt_5_6_finds_nothing_where_only_the_newest_message_is_marked_and_changes() -> None:
    marked, unmarked = Cache(OPENAI_MARKED), Cache(caches.OPENAI_UNMARKED)
    reads = []
    for at in range(2):
        blocks = [BIG, small(at)]
        reads.append((marked.send(Request(blocks, [0]), at).read, unmarked.send(Request(blocks, [1]), at).read))
    assert reads == [(0, 0), (2000, 0)]


def test_gemini_needs_2048_tokens() -> None:
    for size, found in ((2047, False), (2048, True)):
        cache = Cache(GEMINI)
        request = Request([("user", "g" * 4 * size)])
        cache.send(request, 0)
        assert bool(cache.send(request, 1).read) is found


texts = st.sampled_from(["a" * 2000, "b" * 5000, "c" * 9, "d" * 511, ""])
sendings = st.lists(
    st.lists(st.tuples(st.sampled_from(["user", "assistant"]), texts), min_size=1, max_size=6), max_size=8
)


@given(sendings, st.sampled_from(ALL))
def test_every_token_is_either_read_or_written_or_plain(
    requests: list[list[tuple[str, str]]], rules: caches.Rules
) -> None:
    cache = Cache(rules)
    for at, blocks in enumerate(requests):
        used = cache.send(Request(blocks, [len(blocks) - 1]), at)
        assert min(used.read, used.written, used.plain) >= 0
        assert used.tokens == pytest.approx(sum(len(text) for _, text in blocks) / 4)


@given(sendings)
def test_what_is_read_was_sent_before_in_just_these_blocks(requests: list[list[tuple[str, str]]]) -> None:
    cache = Cache(dataclasses.replace(EFFECTIVE, minimum=1))
    sent: list[list[tuple[str, str]]] = []
    for at, blocks in enumerate(requests):
        used = cache.send(Request(blocks, [len(blocks) - 1]), at)
        longest = max((sum(len(text) for _, text in old) / 4 for old in sent if blocks[: len(old)] == old), default=0.0)
        assert used.read == longest
        sent.append(blocks)


def test_every_set_of_rules_says_where_and_when_it_was_read() -> None:
    for rules in ALL:
        assert rules.source
        assert rules.read_on
        assert rules.kind in ("marks", "prefix")
    assert len({rules.name for rules in ALL}) == len(ALL)
