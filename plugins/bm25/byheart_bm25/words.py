"""Text to index terms for one language: function words left out, the rest stemmed, any script."""

from __future__ import annotations

import importlib
import re
import unicodedata
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

from byheart_bm25.stopwords import stop_words

CODES = {
    "ar": "arabic", "hy": "armenian", "eu": "basque", "ca": "catalan", "cs": "czech", "da": "danish",
    "nl": "dutch", "en": "english", "eo": "esperanto", "et": "estonian", "fi": "finnish", "fr": "french",
    "de": "german", "el": "greek", "hi": "hindi", "hu": "hungarian", "id": "indonesian", "ga": "irish",
    "it": "italian", "lt": "lithuanian", "ne": "nepali", "no": "norwegian", "nb": "norwegian",
    "fa": "persian", "pl": "polish", "pt": "portuguese", "ro": "romanian", "ru": "russian", "sr": "serbian",
    "st": "sesotho", "es": "spanish", "sv": "swedish", "ta": "tamil", "tr": "turkish", "yi": "yiddish",
}  # fmt: skip
"""ISO 639-1 codes of the languages Snowball knows, as a convenience."""

# Thai, Lao, Tibetan, Burmese, Khmer, kana, Han: no spaces between words, so pairs of characters stand in.
_UNSPACED = (
    "\u0e00-\u0fff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
_RUNS = re.compile(f"[{_UNSPACED}]+|[^{_UNSPACED}]+")
_STARTS_UNSPACED = re.compile(f"[{_UNSPACED}]")
_FLOOD = re.compile(r"([^\w\s\x00-\x7f]{30})[^\w\s\x00-\x7f]+")
"""More marks in a row than any word has; putting them in order takes time by the square of their number."""
_LAST_MARK = 0xFFFF  # the combining marks of living scripts lie in the basic plane


class Words:
    """The terms of texts in ``language``, a Snowball name; None leaves words as they are.

    ``stop`` replaces the language's own function words.

    >>> Words("english").terms("The movers were quickly moving")
    ['mover', 'quick', 'move']
    >>> Words(None).terms("Привет, мир! 東京都")
    ['привет', 'мир', '東京', '京都']
    """

    def __init__(self, language: str | None, stop: Iterable[str] | None = None) -> None:
        self.language = language
        given = stop_words(language or "") if stop is None else stop
        self._stop = frozenset(fold(word, language) for word in given)
        self._stem: Callable[[list[str]], list[str]] | None = None
        if language is not None:
            stemmer: Any = importlib.import_module("Stemmer")
            self._stem = stemmer.Stemmer(language, 0).stemWords  # 0: it keeps no words, which may have to be forgotten

    def terms(self, text: str) -> list[str]:
        """The terms of ``text`` in order, repetitions included."""
        words: list[str] = []
        pairs: list[str] = []
        for word in self._split(fold(text, self.language)):
            if word in self._stop:
                continue
            for run in _RUNS.findall(word):
                if _STARTS_UNSPACED.match(run):
                    pairs += [run] if len(run) == 1 else [run[at : at + 2] for at in range(len(run) - 1)]
                else:
                    words.append(run)
        return (words if self._stem is None else self._stem(words)) + pairs

    def _split(self, folded: str) -> list[str]:
        words: list[str] = _word().findall(folded)
        if self.language in ("english", "porter"):
            return words  # Snowball's English takes the possessive off; the function words list contractions
        return [part for word in words for part in word.split("'")]


def language_name(language: str) -> str:
    """Snowball's name for a language given by name or ISO 639-1 code; ValueError where it knows none.

    >>> language_name("ru")
    'russian'
    """
    name = language.strip().lower()
    name = CODES.get(name, name)
    stemmer: Any = importlib.import_module("Stemmer")
    known = sorted(stemmer.algorithms())
    if name not in known:
        hint = "language=None indexes words as they are"
        if name in CODES.values():
            hint = "a newer PyStemmer knows it: pip install -U PyStemmer"
        languages = ", ".join(known)
        raise ValueError(f"language must be one that Snowball knows ({languages}), got {language!r}; {hint}")
    return name


def fold(text: str, language: str | None = None) -> str:
    """``text`` with compatibility forms and case folded, and one form of apostrophe.

    >>> fold("ＣＡＦÉ l’Été")
    "café l'été"
    >>> fold("ISPARTA İzmir", "turkish")
    'ısparta izmir'
    """
    if language == "turkish":  # I is the capital of dotless ı there
        text = text.replace("İ", "i").replace("I", "ı")
    text = _FLOOD.sub(r"\1", text)
    return unicodedata.normalize("NFKC", text).casefold().replace("’", "'")


@cache
def _word() -> re.Pattern[str]:
    """A run of letters, digits and the marks that belong to them, apostrophes inside it included.

    ``\\w`` alone would break a word at each vowel sign of Devanagari or Tamil.
    """
    marks = "".join(
        re.escape(chr(code)) for code in range(_LAST_MARK) if unicodedata.category(chr(code)).startswith("M")
    )
    return re.compile(rf"[^\W_][{marks}]*(?:[^\W_]|[{marks}]|'(?=[^\W_]))*")
