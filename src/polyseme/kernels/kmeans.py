"""Clustering the contexts of words: spherical k-means, then merging of clusters that are too similar or too small."""

from __future__ import annotations

import numpy as np

from polyseme.kernels.jit import internal, kernel
from polyseme.kernels.linkage import group
from polyseme.kernels.rng import S32, below, draw
from polyseme.kernels.rows import FIRST, ONE, ZERO, check_padding, check_same_width, copy_row, dot
from polyseme.kernels.simd.padding import LANES
from polyseme.kernels.simd.vector import broadcast, load, store

NUM_INITS = 4  # runs of k-means per word, of which the best is taken
MAX_ITERATIONS = 10
TINY = np.float32(1e-12)
TWO_32 = 4294967296.0


@kernel
def normalize_rows(rows, bounds, counts):
    """Scale rows to length 1 and remove rows of zeros, moving the rows after them up.

    rows    SHARED  float32 (n, c)
    bounds  IN      int64 (w + 1,)  rows of word i are bounds[i]:bounds[i + 1]
    counts  OUT     int64 (w,)      rows of each word that remain
    """
    check_padding(rows)
    n = 0
    for i in range(len(counts)):
        first = n
        for row in range(bounds[i], bounds[i + 1]):
            square = dot(rows, row, rows, row)
            if square > 0:
                scale = broadcast(ONE / np.sqrt(square))
                for j in range(0, rows.shape[1], LANES):
                    store(rows, n, j, scale * load(rows, row, j))
                n += 1
        counts[i] = n - first


@kernel
def cluster_words(
    contexts, bounds, max_clusters, min_separation, min_size, seed, centers, sizes, num_clusters, tightness
):
    """Cluster the contexts of each word.

    Runs spherical k-means with `max_clusters` clusters NUM_INITS times. Takes the result with the most separated
    clusters and merges those that are too similar or too small (see `merge_clusters`). If `min_separation` is 0, takes
    the result with the highest mean cosine instead.

    contexts      IN   float32 (n, c)                unit vectors
    bounds        IN   int64 (w + 1,)                contexts of word i are rows bounds[i]:bounds[i + 1]
    min_size      IN   int64 (w,)
    centers       OUT  float32 (w, max_clusters, c)  mean of the contexts of each cluster
    sizes         OUT  int64 (w, max_clusters)       contexts of each cluster
    num_clusters  OUT  int32 (w,)
    tightness     OUT  float32 (w,)                  mean cosine of the contexts and their centers, before merging
    """
    check_padding(contexts)
    check_same_width(contexts, centers)
    dim = contexts.shape[1]
    max_contexts = 0
    for i in range(len(num_clusters)):
        max_contexts = max(max_contexts, bounds[i + 1] - bounds[i])
    labels, candidate = np.empty(max_contexts, np.int32), np.empty((max_clusters, dim), np.float32)
    candidate_sizes, rng = np.empty(max_clusters, np.int64), np.empty(1, np.uint64)
    for i in range(len(num_clusters)):
        rows, word_centers = contexts[bounds[i] : bounds[i + 1]], centers[i]
        rng[0] = seed + np.uint64(i)
        best_score = np.float32(-2)
        for _ in range(NUM_INITS):
            fit = k_means(rows, max_clusters, rng, candidate, labels)
            assign_rows(rows, candidate, max_clusters, labels)
            sum_clusters(rows, labels, candidate, candidate_sizes)
            score = highest_separation(candidate, candidate_sizes, min_size[i]) if min_separation > 0 else fit
            if score > best_score:
                best_score = score
                tightness[i] = fit
                for k in range(max_clusters):
                    copy_row(candidate, k, word_centers, k)
                    sizes[i, k] = candidate_sizes[k]
        n = merge_clusters(word_centers, sizes[i], np.float32(min_separation), min_size[i])
        num_clusters[i] = n
        for _ in range(MAX_ITERATIONS if n < max_clusters else 0):
            normalize_centers(word_centers, n)
            moved, _ = assign_rows(rows, word_centers, n, labels)
            sum_clusters(rows, labels, word_centers, sizes[i])
            if moved == 0:
                break
        for k in range(max_clusters):
            scale = ONE / np.float32(max(sizes[i, k], 1))
            for j in range(dim):
                word_centers[k, j] *= scale


@internal
def k_means(rows, k, rng, centers, labels):
    """Spherical k-means with k-means++ initialisation; returns the mean cosine of the rows and their centers.

    rows     IN   float32 (n, c)  unit vectors
    centers  OUT  float32 (k, c)  unit vectors
    labels   OUT  int32 (n,)
    """
    n = len(rows)
    init_centers(rows, k, rng, centers)
    sizes = np.empty(k, np.int64)
    for i in range(n):
        labels[i] = -1
    fit = ZERO
    for _ in range(MAX_ITERATIONS):
        moved, fit = assign_rows(rows, centers, k, labels)
        if moved == 0:
            break
        sum_clusters(rows, labels, centers, sizes)
        normalize_centers(centers, k)
    return fit


@internal
def init_centers(rows, k, rng, centers):
    """Draw k rows as centers, each with probability proportional to 1 - cosine with the nearest one before it."""
    n = len(rows)
    copy_row(rows, below(draw(rng), n), centers, FIRST)
    nearest = np.full(n, np.float32(-1))  # cosine of each row with its nearest center
    for c in range(1, k):
        total = 0.0
        for i in range(n):
            nearest[i] = max(nearest[i], dot(rows, i, centers, c - 1))
            total += max(ONE - nearest[i], ZERO)
        remaining = total * (np.float64(draw(rng) >> S32) / TWO_32)
        chosen = n - 1
        for i in range(n):
            remaining -= max(ONE - nearest[i], ZERO)
            if remaining < 0:
                chosen = i
                break
        copy_row(rows, chosen, centers, c)


@internal
def assign_rows(rows, centers, k, labels):
    """Label each row with the nearest of the first k centers; returns how many labels changed, and the mean cosine."""
    moved, total = 0, 0.0
    for i in range(len(rows)):
        best_cosine, nearest = np.float32(-2), 0
        for c in range(k):
            cosine = dot(rows, i, centers, c)
            if cosine > best_cosine:
                best_cosine, nearest = cosine, c
        moved += labels[i] != nearest
        labels[i] = nearest
        total += np.float64(best_cosine)
    return moved, np.float32(total / max(len(rows), 1))


@internal
def sum_clusters(rows, labels, centers, sizes):
    """Sum and count the rows of each cluster, into `centers` and `sizes`. The center of an empty cluster stays."""
    for c in range(len(sizes)):
        sizes[c] = 0
    for i in range(len(rows)):
        label = np.int64(labels[i])
        sizes[label] += 1
        if sizes[label] == 1:
            copy_row(rows, i, centers, label)
        else:
            for j in range(0, rows.shape[1], LANES):
                store(centers, label, j, load(centers, label, j) + load(rows, i, j))


@internal
def normalize_centers(centers, k):
    """Scale the first k centers to length 1."""
    for c in range(k):
        scale = ONE / np.sqrt(max(dot(centers, c, centers, c), TINY))
        for j in range(centers.shape[1]):
            centers[c, j] *= scale


@kernel
def merge_clusters(sums, sizes, min_separation, min_size):
    """Merge clusters that are too small or too similar; returns how many remain.

    Empty clusters are removed, and each cluster with fewer than `min_size` contexts is merged with the one from which
    it is least separated, the smallest first. Then those in the same group (see `polyseme.kernels.linkage.group`) are
    merged.

    sums   SHARED  float32 (k, c)  sum of the contexts of each cluster; the remaining clusters are the first rows
    sizes  SHARED  int64 (k,)      contexts of each cluster; 0 for rows that no longer hold a cluster
    """
    check_padding(sums)
    n = 0
    for c in range(len(sizes)):
        if sizes[c] > 0:
            copy_row(sums, c, sums, n)
            sizes[n] = sizes[c]
            n += 1
    while n > 1:
        smallest = 0  # np.argmin would import scipy.linalg
        for c in range(1, n):
            if sizes[c] < sizes[smallest]:
                smallest = c
        if sizes[smallest] >= min_size:
            break
        nearest, lowest = -1, np.float32(np.inf)
        for c in range(n):
            if c != smallest:
                between_both = separation(sums, sizes, smallest, c)
                if between_both < lowest:
                    nearest, lowest = c, between_both
        add_cluster(sums, sizes, smallest, nearest)
        n -= 1
        copy_row(sums, n, sums, smallest)
        sizes[smallest] = sizes[n]
    between, labels = np.zeros((n, n), np.float32), np.empty(n, np.int64)
    for c in range(n):
        for e in range(c):
            between[c, e] = between[e, c] = separation(sums, sizes, c, e)
    num_groups = group(between, min_separation, ZERO, labels)
    seen = 0
    for c in range(n):  # the first cluster of a group moves to the group's row, which is not after its own
        if labels[c] == seen:
            copy_row(sums, c, sums, seen)
            sizes[seen] = sizes[c]
            seen += 1
        else:
            add_cluster(sums, sizes, c, labels[c])
    for c in range(num_groups, len(sizes)):
        sizes[c] = 0
    return num_groups


@internal
def add_cluster(sums, sizes, c, e):
    """Add cluster c to cluster e."""
    for j in range(sums.shape[1]):
        sums[e, j] += sums[c, j]
    sizes[e] += sizes[c]


@internal
def highest_separation(sums, sizes, min_size):
    """The separation of the two most separated clusters with at least `min_size` contexts."""
    highest = ZERO
    for c in range(len(sizes)):
        for e in range(c):
            if min(sizes[c], sizes[e]) >= max(min_size, 1):
                highest = max(highest, separation(sums, sizes, c, e))
    return highest


@kernel
def separation(sums, sizes, c, e):
    """How different the contexts of two clusters are: with S the sum of a cluster's contexts and n its size,

        (1 - cos(S_c, S_e)) s^(1/4),     s = min(n_c, n_e) / (n_c + n_e)

    A cluster that has only a small share s of the two is more likely to be an accident of k-means than a sense.

    sums   IN  float32 (k, d)
    sizes  IN  int64 (k,)
    """
    norms = np.sqrt(dot(sums, c, sums, c) * dot(sums, e, sums, e))
    distance = max(ONE - dot(sums, c, sums, e) / max(norms, TINY), ZERO)
    share = np.float32(min(sizes[c], sizes[e])) / np.float32(sizes[c] + sizes[e])
    return distance * np.sqrt(np.sqrt(share))
