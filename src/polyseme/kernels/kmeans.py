"""Clusters of the contexts of words: spherical k-means, and bringing together what is alike."""

from __future__ import annotations

import numpy as np

from polyseme.kernels.jit import internal, kernel
from polyseme.kernels.nearest_sense import FIRST, ONE, ZERO, dot
from polyseme.kernels.rng import S32, below, draw
from polyseme.kernels.simd.padding import LANES
from polyseme.kernels.simd.vector import broadcast, check_padding, check_same_width, load, store

STARTS = 2
ROUNDS = 10
TINY = np.float32(1e-12)


@kernel
def unit_rows(rows, bounds, numbers):
    """Give rows the length 1, and close the gaps of those that have none.

    rows     SHARED  float32 (n, d)
    bounds   IN      int64 (w + 1,)  rows of word i are bounds[i] to bounds[i + 1]
    numbers  OUT     int64 (w,)      rows left of each word, which stand one behind the other
    """
    check_padding(rows)
    n = 0
    for i in range(len(numbers)):
        before = n
        for row in range(bounds[i], bounds[i + 1]):
            square = dot(rows, row, rows, row)
            if square > 0:
                scale = broadcast(ONE / np.sqrt(square))
                for j in range(0, rows.shape[1], LANES):
                    store(rows, n, j, scale * load(rows, row, j))
                n += 1
        numbers[i] = n - before


@kernel
def cluster_words(contexts, bounds, most, apart, smallest, seed, centers, sizes, numbers):
    """Cluster the contexts of each of a number of words.

    Spherical k-means with `most` centers, the best of STARTS starts. Then clusters become one, the least apart first,
    as long as their `separation` is below `apart`, or one is smaller than `smallest`.

    contexts  IN   float32 (n, d)        unit vectors
    bounds    IN   int64 (w + 1,)        contexts of word i are rows bounds[i] to bounds[i + 1]
    smallest  IN   int64 (w,)
    centers   OUT  float32 (w, most, d)  the means of the clusters' contexts
    sizes     OUT  int64 (w, most)
    numbers   OUT  int32 (w,)            clusters of each word
    """
    check_padding(contexts)
    check_same_width(contexts, centers)
    dim = contexts.shape[1]
    longest = 0
    for i in range(len(numbers)):
        longest = max(longest, bounds[i + 1] - bounds[i])
    labels, found = np.empty(longest, np.int32), np.empty((most, dim), np.float32)
    rng = np.empty(1, np.uint64)
    for i in range(len(numbers)):
        rows, own = contexts[bounds[i] : bounds[i + 1]], centers[i]
        rng[0] = seed + np.uint64(i)
        best = np.float32(-2)
        for _ in range(STARTS):
            fit = k_means(rows, most, rng, found, labels)
            if fit > best:
                best = fit
                for k in range(most):
                    copy_row(found, k, own, k)
        assign_rows(rows, own, most, labels)
        sum_clusters(rows, labels, own, sizes[i])
        number = merge_alike(own, sizes[i], np.float32(apart), smallest[i])
        numbers[i] = number
        for _ in range(ROUNDS if number < most else 0):
            unit_centers(own, number)
            moved, _ = assign_rows(rows, own, number, labels)
            sum_clusters(rows, labels, own, sizes[i])
            if moved == 0:
                break
        for k in range(most):
            scale = ONE / np.float32(max(sizes[i, k], 1))
            for j in range(dim):
                own[k, j] *= scale


@internal
def k_means(rows, k, rng, centers, labels):
    """Spherical k-means from centers drawn far from each other (k-means++); returns the mean cosine with the nearest.

    rows     IN   float32 (n, d)  unit vectors
    centers  OUT  float32 (k, d)  unit vectors
    labels   OUT  int32 (n,)
    """
    n = len(rows)
    copy_row(rows, below(draw(rng), n), centers, FIRST)
    nearest = np.full(n, np.float32(-1))
    for c in range(1, k):
        total = 0.0
        for i in range(n):
            nearest[i] = max(nearest[i], dot(rows, i, centers, c - 1))
            total += max(ONE - nearest[i], ZERO)
        left = total * (np.float64(draw(rng) >> S32) / 4294967296.0)
        chosen = n - 1
        for i in range(n):
            left -= max(ONE - nearest[i], ZERO)
            if left < 0:
                chosen = i
                break
        copy_row(rows, chosen, centers, c)
    sizes = np.empty(k, np.int64)
    for i in range(n):
        labels[i] = -1
    fit = ZERO
    for _ in range(ROUNDS):
        moved, fit = assign_rows(rows, centers, k, labels)
        if moved == 0:
            break
        sum_clusters(rows, labels, centers, sizes)
        unit_centers(centers, k)
    return fit


@internal
def assign_rows(rows, centers, k, labels):
    """The nearest of the first k unit centers for each row; returns how many labels changed, and the mean cosine."""
    moved, total = 0, 0.0
    for i in range(len(rows)):
        best, nearest = np.float32(-2), 0
        for c in range(k):
            cosine = dot(rows, i, centers, c)
            if cosine > best:
                best, nearest = cosine, c
        moved += labels[i] != nearest
        labels[i] = nearest
        total += np.float64(best)
    return moved, np.float32(total / max(len(rows), 1))


@internal
def sum_clusters(rows, labels, centers, sizes):
    """The sum of the rows of each cluster, and how many they are; one without rows stays where it was, with size 0."""
    for c in range(len(sizes)):
        sizes[c] = 0
    for i in range(len(rows)):
        own = np.int64(labels[i])
        sizes[own] += 1
        if sizes[own] == 1:
            copy_row(rows, i, centers, own)
        else:
            for j in range(0, rows.shape[1], LANES):
                store(centers, own, j, load(centers, own, j) + load(rows, i, j))


@internal
def copy_row(source, row, target, place):
    """target[place] = source[row]"""
    for j in range(0, source.shape[1], LANES):
        store(target, place, j, load(source, row, j))


@internal
def unit_centers(centers, k):
    for c in range(k):
        scale = ONE / np.sqrt(max(dot(centers, c, centers, c), TINY))
        for j in range(centers.shape[1]):
            centers[c, j] *= scale


@kernel
def merge_alike(sums, sizes, apart, smallest):
    """Add up clusters that are alike, or too small, until none is; returns how many are left, the first rows.

    sums   SHARED  float32 (k, d)  the sum of each cluster
    sizes  SHARED  int64 (k,)
    """
    check_padding(sums)
    n = 0
    for c in range(len(sizes)):  # those that have any
        if sizes[c] > 0:
            copy_row(sums, c, sums, n)
            sizes[n] = sizes[c]
            n += 1
    while n > 1:
        small = 0
        for c in range(n):
            if sizes[c] < sizes[small]:
                small = c
        forced = sizes[small] < smallest
        least, a, b = np.float32(np.inf), 0, 1
        for c in range(n):
            for e in range(c):
                if forced and c != small and e != small:
                    continue
                between = separation(sums, sizes, c, e)
                if between < least:
                    least, a, b = between, e, c
        if least >= apart and not forced:
            break
        for j in range(sums.shape[1]):
            sums[a, j] += sums[b, j]
        sizes[a] += sizes[b]
        n -= 1
        copy_row(sums, n, sums, b)
        sizes[b] = sizes[n]
    for c in range(n, len(sizes)):
        sizes[c] = 0
    return n


@kernel
def separation(sums, sizes, c, e):
    """How clearly contexts belong to one of two clusters and not to the other.

    With S the sum of a cluster's unit vectors, n its size, and R = |S| / n, which is 1 if its contexts are the same,

        (1 - cos(S_c, S_e))^2 (R_c + R_e) / 2

    The cosine alone would take a word for ambiguous that is used everywhere: the centers of its contexts have little in
    common, but neither do the contexts with their center.
    """
    length_c, length_e = np.sqrt(dot(sums, c, sums, c)), np.sqrt(dot(sums, e, sums, e))
    far = ONE - dot(sums, c, sums, e) / max(length_c * length_e, TINY)
    return far * far * (length_c / np.float32(sizes[c]) + length_e / np.float32(sizes[e])) / np.float32(2)
