"""Retrieval by meaning for byheart: cosine over embeddings of sentence-transformers or of any encoder."""

from byheart_dense.encoders import Encoder, PlainEncoder
from byheart_dense.retriever import DenseRetriever, build

__all__ = ["DenseRetriever", "Encoder", "PlainEncoder", "build"]
