"""Checks that the author of a plugin calls from pytest; they need hypothesis to be installed.

>>> from byheart.testing import check_retriever
>>> check_retriever("builtin", max_examples=2)
"""

from __future__ import annotations

from byheart.testing.retrievers import check_retriever
from byheart.testing.segmenters import check_segmenter

__all__ = ["check_retriever", "check_segmenter"]
