"""Words and meaning together: a lexical and a dense retriever for byheart, their scores fused."""

from byheart_hybrid.retriever import HybridRetriever, build

__all__ = ["HybridRetriever", "build"]
