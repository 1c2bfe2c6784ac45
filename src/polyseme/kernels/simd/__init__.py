"""SIMD vectors, padded arrays and prefetching, by means of Numba's internals and llvmlite."""
