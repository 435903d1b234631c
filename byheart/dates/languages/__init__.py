"""The tables that ship with the package, by code."""

from __future__ import annotations

from importlib import import_module

from byheart.dates.language import Language

_TABLES = {"en": "english", "de": "german", "es": "spanish", "ru": "russian"}

CODES = tuple(_TABLES)
"""The codes of the shipped languages."""


def table(language: str | Language) -> Language:
    """The table for a code; a table is its own.

    Raises ``ValueError`` for a code without one, ``TypeError`` for anything else.
    """
    if isinstance(language, Language):
        return language
    if not isinstance(language, str):
        raise TypeError(
            f"languages: expected codes or Language tables, got {language!r} of type {type(language).__name__}"
        )
    if language not in _TABLES:
        raise ValueError(
            f"languages: expected one of {', '.join(map(repr, CODES))} or a byheart.dates.Language, got {language!r}"
        )
    # Imported when asked for: each is large, and most programs need one.
    found = getattr(import_module(f"{__name__}.{_TABLES[language]}"), _TABLES[language].upper())
    assert isinstance(found, Language)
    return found
