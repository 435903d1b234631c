"""Benchmarks of byheart: every figure the documentation quotes comes from here.

Run ``python -m eval list`` to see what there is, ``python -m eval recall --quick`` to try one.
Nothing in this package is imported by the library, and no text of a data set is stored in a result.
"""
