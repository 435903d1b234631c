"""Text to index terms, in any script, as a person would type them.

The way of a text: compatibility forms and case are folded (NFKC, casefold), accents go where readers take the
letter without one for the same, then it is cut into words. Words give terms: English ones stemmed, compounds
such as ``snake_case`` or ``a@b.org`` whole and in parts, unspaced scripts as character bigrams, and words
of languages other than English, whose endings this module does not know, also as character 4-grams.
"""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections.abc import Set
from typing import Final

from byheart import english
from byheart.floods import tamed

# Scripts that put no space between words (or, in Korean, glue particles to them): kana, Han, Hangul, Thai, Lao,
# Khmer, Burmese, Tibetan. Bigrams of their characters stand in for words.
_UNSPACED: Final = (
    "\u0e00-\u0eff\u0f00-\u0fff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af\u1100-\u11ff\U00020000-\U0003ffff"
)
_RUN: Final = re.compile(f"[{_UNSPACED}]+")
_IDEOGRAPH: Final = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
# Combining marks belong to the word they stand in (Devanagari, Arabic, Hebrew, ...). Zero-width joiners too.
_MARKS: Final = (
    "\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed\u0900-\u0dff\u200c\u200d"
    "\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ecd\u0f71-\u0f84\u102b-\u103e\u17b4-\u17d3"
)
_WORD: Final = re.compile(
    rf"""
    [^\W\d_]\+\+ | \b[^\W\d_]\#            # C++, C#, F#
    | (?<!\w)\.[^\W\d_][\w-]*              # .env
    | \d+(?:[.,:/-]\d+)+                   # 1.2.3  10,000  18:30
    | [\w{_MARKS}]+(?:['’][^\W_]+)*
    | [\u2190-\u2bff\U0001f000-\U0001faff] # arrows, dingbats, emoji
    """,
    re.VERBOSE,
)
_PLAIN: Final = re.compile("([A-Za-z][a-z]*)[.,;:!?]*")  # most words, and nothing else in them to be found
_COMPOUND: Final = re.compile(r"(?<!\w)\w+(?:[._@/:+~-]+\w+)+")
_SNAKE: Final = re.compile(r"(?<!\w)\w*_\w*")
GRAM: Final = 4
"""Letters in the pieces of words of languages whose endings are not known here; such a term opens with a tilde."""

_LATIN: Final = "\u036f"  # the last character of Latin words; those of other scripts have their grams in any language
_LONGEST_COMPOUND: Final = 1000  # characters; nobody types the parts of a longer one
_CAMEL: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\WA-Za-z\d_]+")
_CLITIC: Final = re.compile(r"['’](?:s|d|m|re|ve|ll|t)$")

# Letters that casefold and decomposition leave apart although people type one for the other.
_FOLDED: Final = str.maketrans(
    {
        "ı": "i", "ł": "l", "ø": "o", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ё": "е", "ґ": "г",
        "أ": "ا", "إ": "ا", "آ": "ا", "ٱ": "ا", "ى": "ي", "ئ": "ي", "ؤ": "و", "ة": "ه", "ـ": None,
        "ँ": "ं", "\u093c": None, "ी": "ि", "ू": "ु", "ई": "इ", "ऊ": "उ",
        "ی": "ي", "ک": "ك", "\u200c": None, "\u200d": None, "\ufe0e": None, "\ufe0f": None,
        "\u00ad": None, "\u200b": None, "\u2060": None, "\ufeff": None, "’": "'",
    }
)  # fmt: skip
_DIGIT: Final = re.compile(r"[^\D0-9]")  # of another script
_HALF_NASAL: Final = re.compile(
    "[\u0919\u091e\u0923\u0928\u092e]\u094d(?=[\u0915-\u0939])"
)  # also written as a dot above
_ARABIC_ARTICLE: Final = re.compile("(?:[\u0648\u0628\u0643\u0641]?\u0627\u0644|\u0644\u0644)(?=[\u0621-\u064a]{3})")
_ARABIC_MARKS: Final = re.compile("[\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed\u0591-\u05c7]")

# A few words of other Latin-script languages that English lacks: enough of them, and a text is not English.
_FOREIGN: Final = frozenset(
    """
    der die das und ist nicht ein eine einen dem den des im ich wir ihr sie mit auf fur von zu war wird sind auch
    wie oder aber noch nach bei aus dass hat haben wurde werden seine ihre uber wer wann welche welcher
    el los las una del que por para con como mas pero esta este fue son sus cual cuando donde quien cuantos
    le les des du est dans qui que sur pas pour avec sont ete aux ces cette ont nous vous mais ou quel quelle
    il lo gli della di che non una sono dei nel alla piu anche come per con questo quale dove quando
    os uma nao em no na dos das ao foi sao mais seu sua pelo pela qual quando onde
    het een van niet zijn voor met op aan ook naar dat ze hij wij deze wat waar wie
    bir bu ve icin ile ne da mi cok olarak sonra kadar gibi olan hangi kim nasil nerede kac
    och att det som en ar pa av inte jag har for med den til og er ikke
    nie sie jest ze na do jak ale przez dla co
    """.split()
)


def fold(text: str) -> str:
    """``text`` with compatibility forms, case and (in Latin and Greek) accents folded.

    >>> fold("Ｃａｆé STRASSE straße İstanbul")
    'cafe strasse strasse istanbul'
    """
    if text.isascii():
        return text.lower()
    text = unicodedata.normalize("NFKC", tamed(text)).casefold()
    decomposed = unicodedata.normalize("NFD", text)
    if any(map(unicodedata.combining, decomposed)):
        kept: list[str] = []
        base = ""
        for character in decomposed:
            if unicodedata.combining(character):
                if base < "\u0400":  # Latin and Greek: e with an accent is searched as e
                    continue
            else:
                base = character
            kept.append(character)
        text = unicodedata.normalize("NFC", "".join(kept))
    text = _ARABIC_MARKS.sub("", text).translate(_FOLDED)
    text = _DIGIT.sub(lambda match: str(unicodedata.decimal(match.group())), text)
    return _HALF_NASAL.sub("\u0902", text)


class Analyzer:
    """Turns text into terms, remembering what short pieces of text gave.

    The memory is of words, so whoever must forget a text calls :meth:`forget`.
    """

    _LONGEST_REMEMBERED: Final = 40
    _MOST_REMEMBERED: Final = 100_000

    def __init__(self) -> None:
        self._pieces: dict[str, tuple[tuple[str, ...], int]] = {}
        self._grams: dict[str, tuple[str, ...]] = {}  # apart, since English asks for none

    def forget(self, gone: Set[str]) -> None:
        """Drop every remembered piece of text that holds one of these terms."""
        for piece in [piece for piece, (words, _) in self._pieces.items() if not gone.isdisjoint(words)]:
            del self._pieces[piece]
        self._grams.clear()

    def terms(self, text: str) -> list[str]:
        """The index terms of ``text``, in order, repetitions included.

        >>> Analyzer().terms("The movers were quickly moving our houses")
        ['mov', 'quick', 'mov', 'hous']
        """
        pieces = text.split()
        known = self._pieces
        found: list[str] = []
        vote = 0
        for piece in pieces:
            words, speaks = known.get(piece) or self._learnt(piece)
            found += words
            vote += speaks
        if vote < 0 or (vote == 0 and not text.isascii()):
            for piece in pieces:
                found += self._grams_of(piece)
        return found

    def _learnt(self, piece: str) -> tuple[tuple[str, ...], int]:
        words, speaks = _analyse(piece)
        known = tuple(words), speaks
        if len(piece) <= self._LONGEST_REMEMBERED and (words or speaks):
            if len(self._pieces) >= self._MOST_REMEMBERED:
                self._pieces.clear()
            self._pieces[piece] = known
        return known

    def _grams_of(self, piece: str) -> tuple[str, ...]:
        known = self._grams.get(piece)
        if known is None:
            known = tuple(_grams(piece))
            if len(piece) <= self._LONGEST_REMEMBERED and known:
                if len(self._grams) >= self._MOST_REMEMBERED:
                    self._grams.clear()
                self._grams[piece] = known
        return known


def _analyse(piece: str) -> tuple[list[str], int]:
    """A piece without white space: the terms of its words, and how much it speaks for English."""
    plain = _PLAIN.fullmatch(piece)
    if plain:
        word = plain[1].lower()
        if word in english.STOP_WORDS:
            return [], 1
        return [english.stem(word)], -(word in _FOREIGN)
    folded = fold(piece)
    words: list[str] = []
    speaks = 0
    for word in _WORD.findall(folded):
        bare = _CLITIC.sub("", word)
        if word in english.STOP_WORDS or bare in english.STOP_WORDS:
            speaks += 1
            continue
        if bare in _FOREIGN:
            speaks -= 1
        if _RUN.search(bare):
            speaks -= 1
            words += _unspaced(bare)
            continue
        article = _ARABIC_ARTICLE.match(bare)
        if article:
            bare = bare[article.end() :]
        words.append(_number(bare) if bare[0].isdigit() else english.stem(bare))
        if not bare.isascii():
            speaks -= 1
        if len(bare) >= GRAM - 1 and max(bare) > _LATIN and not bare.isdigit():  # no Latin word, so no English one
            words += _runs(bare)
    if len(piece) <= _LONGEST_COMPOUND:
        words += [term for term in _compounds(piece, folded) if term not in words]
    return words, speaks


def _grams(piece: str) -> list[str]:
    """Runs of letters of the Latin words in ``piece``, for languages whose endings are not known here."""
    grams: list[str] = []
    for word in _WORD.findall(fold(piece)):
        bare = _CLITIC.sub("", word)
        stop = word in english.STOP_WORDS or bare in english.STOP_WORDS
        if not stop and len(bare) >= GRAM and max(bare) <= _LATIN and not bare.isdigit():
            grams += _runs(bare)
    return grams


def _runs(word: str) -> list[str]:
    framed = f".{word}."
    return [f"~{framed[i : i + GRAM]}" for i in range(len(framed) - GRAM + 1)]


def _number(word: str) -> str:
    """10,000 as 10000; other numbers, versions and times as they stand."""
    joined = word.replace(",", "")
    return joined if joined.isdigit() and re.fullmatch(r"\d{1,3}(?:,\d{3})+", word) else word


def _unspaced(word: str) -> list[str]:
    """Character bigrams of the runs of unspaced script in ``word``; what lies between them as words."""
    terms: list[str] = []
    at = 0
    for run in _RUN.finditer(word):
        if run.start() > at:
            terms.append(english.stem(word[at : run.start()]))
        characters = _clusters(run.group())
        if len(characters) == 1:
            terms.append(characters[0])
        terms += [a + b for a, b in itertools.pairwise(characters)]
        if len(characters) > 1:  # an ideograph is often a word, and stands in others that mean much the same
            terms += _IDEOGRAPH.findall(run.group())
        at = run.end()
    if at < len(word):
        terms.append(english.stem(word[at:]))
    return terms


def _clusters(text: str) -> list[str]:
    """Characters with the marks that belong to them."""
    clusters: list[str] = []
    for character in text:
        if clusters and unicodedata.category(character)[0] == "M":
            clusters[-1] += character
        else:
            clusters.append(character)
    return clusters


def _compounds(piece: str, folded: str) -> list[str]:
    """What a compound adds to its words: ``snake_case`` its parts, ``fooBar`` its parts, ``a.b/c`` the whole."""
    terms: list[str] = []
    for match in _COMPOUND.finditer(folded):
        whole = match.group()
        if not whole.replace("-", "").isdigit():
            terms.append(whole if not whole.replace("-", "").isalpha() else whole.replace("-", ""))
    if "_" in folded:
        terms += [english.stem(part) for word in _SNAKE.findall(folded) for part in word.split("_") if part]
    if piece.isascii() and not piece.islower():
        for word in re.findall(r"[A-Za-z0-9]+", piece):
            parts = _CAMEL.findall(word)
            if len(parts) > 1 and any(part[0].isupper() for part in parts[1:]):
                terms += [english.stem(part.lower()) for part in parts if len(part) > 1]
    return terms
