"""Dates of speaking and dates spoken of, by arithmetic."""

from byheart.dates.language import Language
from byheart.dates.moment import Moment
from byheart.dates.notes import Note, annotate, mark, unmark
from byheart.dates.questions import DateSpan, spans
from byheart.dates.when import WhenReader, check_when

__all__ = ["DateSpan", "Language", "Moment", "Note", "WhenReader", "annotate", "check_when", "mark", "spans", "unmark"]
