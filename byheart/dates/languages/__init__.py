"""The tables that ship with the package, by code."""

from __future__ import annotations

from importlib import import_module

from byheart.dates.language import Language
from byheart.errors import shown

_TABLES = {"en": "english", "de": "german", "es": "spanish", "ru": "russian"}

CODES = tuple(_TABLES)
"""The codes of the shipped languages."""


def check(language: object) -> None:
    """Refuse what names no language: TypeError for what is no code and no table, ValueError for a code without one."""
    if not isinstance(language, (str, Language)):
        raise TypeError(f"languages must be codes or Language tables, got {shown(language)}")
    if isinstance(language, str) and language not in _TABLES:
        raise ValueError(
            f"languages must be among {', '.join(map(repr, CODES))}, or byheart.dates.Language tables; got {language!r}"
        )


def table(language: str | Language) -> Language:
    """The table for a code; a table is its own. Raises as :func:`check` does."""
    check(language)
    if isinstance(language, Language):
        return language
    # Imported when asked for: each is large, and most programs need one.
    found = getattr(import_module(f"{__name__}.{_TABLES[language]}"), _TABLES[language].upper())
    assert isinstance(found, Language)
    return found
