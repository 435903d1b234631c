"""The English stemmer: inflections and everyday derivations meet, other words are left alone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from byheart.english import STOP_WORDS, stem
from byheart.related import related


@pytest.mark.parametrize(
    "forms",
    [
        ("move", "moving", "moved", "moves", "mover", "movers"),
        ("house", "houses", "housing"),
        ("quick", "quickly"),
        ("run", "runs", "running", "ran"),
        ("child", "children", "kids"),
        ("buy", "bought", "buying", "purchased"),
        ("plan", "planned", "planning", "plans"),
        ("study", "studies", "studied", "studying"),
        ("city", "cities"),
        ("box", "boxes"),
        ("class", "classes"),
        ("bike", "bicycle", "bikes"),
        ("paint", "painted", "painting", "painter"),
        ("happy", "happily", "happiness"),
        ("swim", "swam", "swum", "swimming"),
        ("motivate", "motivated", "motivation", "motivating"),
        ("teach", "taught", "teacher"),
        ("photo", "photos", "picture", "photographs"),
        ("die", "died", "death"),
    ],
    ids=lambda forms: forms[0],
)
def test_forms_of_a_word_meet(forms: tuple[str, ...]) -> None:
    assert len({stem(form) for form in forms}) == 1


@pytest.mark.parametrize(
    "word", ["was", "bus", "2031", "gas", "his", "x", "", "c++", "1.2.3", "кошки", "猫", "e\u0301tudes"]
)
def test_short_words_numbers_and_other_scripts_are_left_alone(word: str) -> None:
    assert stem(word) == word


def test_what_the_requirements_name() -> None:
    assert stem("quickly") == "quick"
    assert stem("moving") == stem("movers")
    assert stem("houses") == stem("house")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("sing", "single"),
        ("king", "kind"),
        ("news", "new"),
        ("corner", "corn"),
        ("mother", "moth"),
        ("number", "numb"),
        ("winter", "wint"),
        ("evening", "even"),
        ("flower", "flow"),
        ("butter", "butt"),
        ("station", "state"),
        ("only", "on"),
        ("series", "serious"),
        ("better", "bet"),
        ("friday", "fried"),
        ("red", "reed"),
        ("bring", "brim"),
    ],
)
def test_words_that_only_look_alike_are_kept_apart(one: str, other: str) -> None:
    assert stem(one) != stem(other)


@given(st.text(alphabet="abcdefghijklmnopqrstuvwxyz", max_size=14))
def test_a_stem_is_never_empty_and_never_longer_by_more_than_its_ending(word: str) -> None:
    assert bool(stem(word)) == bool(word)
    assert stem(word) == stem(word)


@given(st.text(max_size=14))
def test_a_word_with_anything_but_latin_letters_comes_back_as_it_is(word: str) -> None:
    if not (word.isascii() and word.isalpha()):
        assert stem(word) == word


def test_stop_words_are_lower_case_and_say_nothing() -> None:
    assert all(word == word.lower() for word in STOP_WORDS)
    assert not STOP_WORDS & {"cat", "price", "moved", "may", "c", "go", "like", "work", "home", "day", "first"}


@pytest.mark.parametrize(("general", "example"), [("instruments", "guitar"), ("pets", "dogs"), ("family", "sons")])
def test_a_general_word_leads_to_its_examples_and_back(general: str, example: str) -> None:
    assert stem(example) in related(stem(general))
    assert stem(general) in related(stem(example))


def test_a_word_is_not_related_to_itself() -> None:
    for word in ("family", "pet", "cat", "music", "plan", "move"):
        assert stem(word) not in related(stem(word))
