"""BM25 for byheart by rank-bm25: Okapi, BM25L and BM25Plus, stemmed in the languages Snowball knows."""

from byheart_bm25.retriever import BM25Variants, build

__all__ = ["BM25Variants", "build"]
