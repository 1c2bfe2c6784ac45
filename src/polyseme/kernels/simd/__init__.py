"""SIMD vectors, padded arrays and prefetching: the only modules that use Numba's internals or llvmlite."""
