"""SIMD building blocks: everything that uses Numba's internals or llvmlite."""
