"""Two plugins for byheart; see the entry points in pyproject.toml."""

from byheart_example_plugin.ngrams import NGrams
from byheart_example_plugin.numbers import NumbersFirst

__all__ = ["NGrams", "NumbersFirst"]
