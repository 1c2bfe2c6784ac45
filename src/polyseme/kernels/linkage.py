"""Grouping clusters of contexts, or senses, that are too similar: complete linkage."""

from __future__ import annotations

import numpy as np

from polyseme.kernels.jit import internal, kernel

TINY = 1e-12
# The senses of an ambiguous word are merged below this part of min_separation, and below this part of the separation of
# its most separated senses.
MERGE_RATIO, RELATIVE_RATIO = np.float32(0.8), np.float32(0.5)


@internal
def group(between, min_separation, relative_ratio, labels):
    """Group the clusters or senses of a word; returns the number of groups.

    If `min_separation` is 0, each is a group of its own. If no two of them reach it, the word has one sense: all are in
    one group. Otherwise it has several. They are grouped by complete linkage (the separation of two groups is that of
    their most separated members) up to MERGE_RATIO * min_separation, or `relative_ratio` times the separation of the
    most separated two if that is higher. That two senses are clearly separated makes it likely that others, less
    separated, are senses, too. But if two are very different, small differences between others do not count.

    between  SHARED  float32 (n, n)  separation of each pair, symmetric; overwritten
    labels   OUT     int64 (n,)      the group of each, 0, 1, ... in order of their first members
    """
    n = len(between)
    highest = np.float32(0)
    for i in range(n):
        labels[i] = i
        for j in range(i):
            highest = max(highest, between[i, j])
    threshold = np.float32(np.inf)
    if min_separation <= 0:
        threshold = np.float32(0)
    elif highest >= min_separation:
        threshold = max(MERGE_RATIO * min_separation, relative_ratio * highest)
    num_groups = n
    while num_groups > 1:
        lowest, a, b = np.float32(np.inf), -1, -1
        for i in range(n):
            for j in range(i):
                if labels[i] == i and labels[j] == j and between[i, j] < lowest:
                    lowest, a, b = between[i, j], j, i
        if a < 0 or lowest >= threshold:
            break
        for i in range(n):
            between[a, i] = between[i, a] = max(between[a, i], between[b, i])
            if labels[i] == b:
                labels[i] = a
        num_groups -= 1
    number = 0
    for i in range(n):  # a group's label so far is its first member, which is numbered before the others
        if labels[i] == i:
            labels[i] = number
            number += 1
        else:
            labels[i] = labels[labels[i]]
    return num_groups


@kernel
def group_senses(centers, vectors, sense_offsets, sense_counts, typical_distance, min_separation, first_members):
    """Group the senses of each word that are too similar (see `group`), by the separation of senses k and m:

        (1 - cos(mu_k, mu_m)) sqrt((1 - cos(v_k, v_m)) / d) s^(1/4),     s = min(n_k, n_m) / (n_k + n_m)

    with mu the cluster center, v the sense vector and n the count of a sense, and d the `typical_distance` of the sense
    vectors of a word: both their contexts and what was learned from them must differ. Senses without tokens join the
    first group.

    centers        IN   float32 (R, c)
    vectors        IN   float32 (R, d)
    sense_offsets  IN   int64 (V + 1,)
    sense_counts   IN   int64 (R,)
    first_members  OUT  int64 (R,)      the row of the first sense with tokens of each sense's group; the sense itself
                                        if no sense of its word has tokens
    """
    for word in range(len(sense_offsets) - 1):
        first, last = sense_offsets[word], sense_offsets[word + 1]
        used = np.empty(last - first, np.int64)
        n = 0
        for row in range(first, last):
            first_members[row] = row
            if sense_counts[row] > 0:
                used[n] = row
                n += 1
        if last - first < 2 or n == 0:
            continue
        between, labels = np.zeros((n, n), np.float32), np.empty(n, np.int64)
        for i in range(n):
            for j in range(i):
                between[i, j] = between[j, i] = sense_separation(
                    centers, vectors, sense_counts, typical_distance, used[i], used[j]
                )
        num_groups = group(between, np.float32(min_separation), RELATIVE_RATIO, labels)
        members = np.full(num_groups, -1, np.int64)
        for i in range(n):
            if members[labels[i]] < 0:
                members[labels[i]] = used[i]
        for row in range(first, last):
            first_members[row] = members[0]
        for i in range(n):
            first_members[used[i]] = members[labels[i]]


@kernel
def sense_separation(centers, vectors, sense_counts, typical_distance, k, m):
    """The separation of two senses with tokens, rows k and m; see `group_senses`.

    centers, vectors  IN  float32 (R, c), float32 (R, d)
    sense_counts      IN  int64 (R,)
    """
    share = min(sense_counts[k], sense_counts[m]) / (sense_counts[k] + sense_counts[m])
    relative_distance = cosine_distance(vectors, k, m) / typical_distance
    return np.float32(cosine_distance(centers, k, m) * np.sqrt(relative_distance * np.sqrt(share)))


@kernel
def largest_distances(vectors, sense_offsets, sense_counts, distances):
    """The largest cosine distance of two sense vectors of each word; 0 if fewer than two of its senses have tokens.

    vectors        IN   float32 (R, d)
    sense_offsets  IN   int64 (V + 1,)
    sense_counts   IN   int64 (R,)
    distances      OUT  float64 (V,)
    """
    for word in range(len(distances)):
        distances[word] = 0.0
        for k in range(sense_offsets[word], sense_offsets[word + 1]):
            for m in range(sense_offsets[word], k):
                if sense_counts[k] > 0 and sense_counts[m] > 0:
                    distances[word] = max(distances[word], cosine_distance(vectors, k, m))


@internal
def cosine_distance(rows, k, m):
    """1 - cos(rows[k], rows[m]), at least 0; 1 if one of them is the zero vector."""
    product, square_k, square_m = 0.0, 0.0, 0.0
    for j in range(rows.shape[1]):
        x, y = np.float64(rows[k, j]), np.float64(rows[m, j])
        product += x * y
        square_k += x * x
        square_m += y * y
    return max(1.0 - product / max(np.sqrt(square_k * square_m), TINY), 0.0)
