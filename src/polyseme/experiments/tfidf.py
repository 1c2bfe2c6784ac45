"""The sparse baselines: TF-IDF vectors of words, whole and pruned, and their prototypes (Reisinger and Mooney 2010).

A feature f of a use is a word of the vocabulary among the `window` known words on each side, within the line. With
tf(f) how often f stands around the uses in question, df(f) the lines that f stands in, and N all lines:

    weight(f) = (1 + log tf(f)) log(N / df(f))        where tf(f) > 0

    TF-IDF         one vector a word, of all its uses
    pruned TF-IDF  of those only the KEPT strongest features
    prototypes     up to USES uses of a word, each a unit vector, fall in PROTOTYPES clusters by spherical k-means; a
                   prototype is the pruned vector of the uses of a cluster
    in a context   p(prototype) ~ cos(prototype, context), the context weighted as a use is; the clusters' shares where
                   all cosines are 0

With tf itself instead of its logarithm, function words would be the strongest features. Of six weightings this one was
taken for the score of its pruned vectors on SCWS itself, with a corpus of 2 million tokens: it favours that row. Whole
vectors score higher with others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, vstack
from sklearn.preprocessing import normalize

from polyseme.corpus.encoded_corpus import EncodedCorpus
from polyseme.corpus.occurrences import Occurrences, find_occurrences
from polyseme.corpus.tokenizers import AnyTokenizer, get_tokenizer
from polyseme.evaluation.instances import Instance
from polyseme.evaluation.scores import Score
from polyseme.evaluation.word_similarity import KnownPairs, RatedPair, read_pairs, read_scws
from polyseme.kernels.cooccurrence import NO_WORD, count_document_frequencies, gather_context_words
from polyseme.model.data import unit_rows
from polyseme.vocabulary import Vocabulary

WINDOW = 10
KEPT = 200
USES = 1000
PROTOTYPES = 3
ROUNDS = 20  # of k-means, at most
SAME = 1e-5  # of 1 - cosine: rows as near to each other are the same
CHUNK = 1 << 17  # uses looked at in one go

Rows = Any  # a scipy.sparse.csr_matrix: scipy has no types
Ints = NDArray[np.int64]
Floats = NDArray[np.float32]
Scores = dict[str, dict[str, Score]]


def sparse_scws(
    corpus: EncodedCorpus, vocabulary: Vocabulary, path: Path, *, window: int = WINDOW, seed: int = 1
) -> Scores:
    """SCWS by TF-IDF and by pruned TF-IDF."""
    pairs = _sparse_pairs(corpus, vocabulary, read_scws(path), path, window, seed)
    table = pairs.table()
    table["Pruned TF-IDF"] |= pairs.scores_in_context(pairs.probabilities(pairs.sparse.probabilities))
    return table


def sparse_wordsim(
    corpus: EncodedCorpus, vocabulary: Vocabulary, path: Path, *, window: int = WINDOW, seed: int = 1
) -> Scores:
    """A file of word pairs and ratings by TF-IDF and by pruned TF-IDF."""
    return _sparse_pairs(corpus, vocabulary, read_pairs(path), path, window, seed).table()


@dataclass(frozen=True)
class Prototypes:
    """The clusters of a word's uses: unit rows (k, V), most frequent first, and their shares."""

    rows: Rows
    shares: NDArray[np.float64]


@dataclass(frozen=True)
class SparseModel:
    """Sparse vectors of some words of a vocabulary."""

    vocabulary: Vocabulary
    tokenizer: AnyTokenizer
    window: int
    idf: Floats
    vectors: dict[int, Rows]  # by the word's id: unit rows (1, V)
    pruned: dict[int, Rows]
    prototypes: dict[int, Prototypes]

    def id_of(self, word: str) -> int | None:
        """The id of a word of the vocabulary, as it is or as the tokenizer would write it."""
        return _id_of(word, self.vocabulary, self.tokenizer)

    def shares(self, word: int) -> NDArray[np.float64]:
        return self.prototypes[word].shares

    def cosines(self, a: int, b: int) -> Floats:
        """The cosines of the prototypes of two words, (prototypes of a, prototypes of b)."""
        return np.asarray((self.prototypes[a].rows @ self.prototypes[b].rows.T).toarray())

    def probabilities(self, word: int, occurrence: Instance) -> NDArray[np.float64]:
        """Of the prototypes of a word in its context."""
        index = self.vocabulary.index
        left, right = (
            [index[token] for token in self.tokenizer(text) if token in index]
            for text in (occurrence.left, occurrence.right)
        )
        around = np.array(left[-self.window :] + right[: self.window], np.int64)
        counts = csr_matrix(np.bincount(around, minlength=len(index)), dtype=np.float32)
        products = weighted(counts, self.idf) @ self.prototypes[word].rows.T
        cosines = products.toarray()[0]  # but for the length of the context, which they share
        return np.asarray(cosines / cosines.sum() if cosines.sum() else self.shares(word), np.float64)


def learn_sparse(
    corpus: EncodedCorpus, vocabulary: Vocabulary, words: Sequence[str], *, window: int = WINDOW, seed: int = 1
) -> SparseModel:
    """Count the vectors of those of the words that are in the vocabulary, and cluster their uses."""
    tokenizer = tokenizer_of(corpus)
    ids = sorted({i for word in words if (i := _id_of(word, vocabulary, tokenizer)) is not None})
    idf = inverse_document_frequencies(corpus, len(vocabulary))
    every = Surroundings.of(corpus, vocabulary, ids)
    some = Surroundings.of(corpus, vocabulary, ids, most=USES, seed=seed)
    model = SparseModel(vocabulary, tokenizer, window, idf, {}, {}, {})
    for word in ids:
        vector = weighted(every.total(word, window), idf)
        model.vectors[word] = normalize(vector)
        model.pruned[word] = normalize(prune(vector))
        counts = some.counts(some.uses.of(word), window)
        model.prototypes[word] = prototypes(counts, idf, np.random.default_rng([seed, word]))
    return model


def tokenizer_of(corpus: EncodedCorpus) -> AnyTokenizer:
    """The tokenizer of a corpus; that of a user is not kept with it, and white space stands in for it."""
    name = corpus.description["tokenizer"]
    return get_tokenizer(str.split if name == "custom" else name)


def _id_of(word: str, vocabulary: Vocabulary, tokenizer: AnyTokenizer) -> int | None:
    tokens = [word] if word in vocabulary else tokenizer(word)
    return vocabulary.index.get(tokens[0]) if len(tokens) == 1 else None


def inverse_document_frequencies(corpus: EncodedCorpus, size: int) -> Floats:
    """log(N / df) of the `size` most frequent words: of N lines of the corpus, the word stands in df."""
    lines = np.zeros(size, np.int64)
    count_document_frequencies(np.asarray(corpus.tokens), np.asarray(corpus.sentences), np.full(size, -1), lines)
    return np.log(corpus.num_sentences / lines).astype(np.float32)


@dataclass(frozen=True)
class Surroundings:
    """The words around the uses of words of a vocabulary."""

    corpus: EncodedCorpus
    uses: Occurrences

    @classmethod
    def of(
        cls,
        corpus: EncodedCorpus,
        vocabulary: Vocabulary,
        words: Sequence[int] | Ints,
        *,
        most: int | None = None,
        seed: int = 0,
    ) -> Surroundings:
        """All uses of the words, or a random sample of `most` of each."""
        return cls(corpus, find_occurrences(corpus.tokens, vocabulary.counts, words, max_occurrences=most, seed=seed))

    @property
    def size(self) -> int:
        """The size of the vocabulary."""
        return len(self.uses.offsets) - 1

    def around(self, positions: Ints, window: int) -> NDArray[np.int32]:
        """(n, 2 window): the words around positions, see `gather_context_words`."""
        sentences = self.corpus.sentences
        inside = np.searchsorted(sentences, positions, side="right") - 1
        around = np.empty((len(positions), 2 * window), np.int32)
        starts, ends = np.asarray(sentences[inside]), np.asarray(sentences[inside + 1])
        gather_context_words(np.asarray(self.corpus.tokens), positions, starts, ends, self.size, around)
        return around

    def counts(self, positions: Ints, window: int) -> Rows:
        """(n, V): for each position how often each word stands around it."""
        around = self.around(positions, window)
        known = around != NO_WORD
        ends = np.concatenate([[0], np.cumsum(known.sum(axis=1))])
        ones = np.ones(ends[-1], np.float32)
        rows = csr_matrix((ones, around[known], ends), shape=(len(positions), self.size))
        rows.sum_duplicates()
        return rows

    def total(self, word: int, window: int) -> Rows:
        """(1, V): how often each word stands around a word."""
        counts = np.zeros(self.size, np.int64)
        positions = self.uses.of(word)
        for start in range(0, len(positions), CHUNK):
            around = self.around(positions[start : start + CHUNK], window)
            counts += np.bincount(around[around != NO_WORD], minlength=len(counts))
        return csr_matrix(counts, dtype=np.float32)


def weighted(counts: Rows, idf: Floats) -> Rows:
    """Counts by TF-IDF."""
    values = (1 + np.log(counts.data)) * idf[counts.indices]
    return csr_matrix((values, counts.indices, counts.indptr), shape=counts.shape)


def prune(rows: Rows, keep: int = KEPT) -> Rows:
    """The `keep` largest values of each row; of equal ones those of the more frequent words."""
    pruned = []
    for row in rows:
        kept = np.sort(np.argsort(-row.data, kind="stable")[:keep])
        pruned.append(csr_matrix((row.data[kept], row.indices[kept], [0, len(kept)]), shape=row.shape))
    return vstack(pruned, "csr")


def prototypes(counts: Rows, idf: Floats, random: np.random.Generator) -> Prototypes:
    """The clusters of uses, given as counts of the words around each; one of all if none holds a word with a weight."""
    uses = normalize(weighted(counts, idf))
    used, columns = np.unique(uses.indices, return_inverse=True)
    narrow = csr_matrix((uses.data, columns, uses.indptr), shape=(uses.shape[0], len(used)))
    labels, centers = spherical_k_means(narrow, PROTOTYPES, random)
    sizes = np.bincount(labels, minlength=len(centers))
    order = np.argsort(-sizes, kind="stable")[: np.count_nonzero(sizes)]
    members = csr_matrix((labels == order[:, None]).astype(np.float32))
    return Prototypes(normalize(prune(weighted(members @ counts, idf))), sizes[order] / len(labels))


def spherical_k_means(rows: Rows | Floats, k: int, random: np.random.Generator) -> tuple[Ints, Floats]:
    """Cluster unit rows, dense or sparse, by their cosine: the cluster of each row, and the clusters' directions.

    The first centers are drawn as k-means++ draws them: fewer than k if there are fewer different rows, and never a row
    of zeros. Such a row falls to the first cluster.
    """
    alive = np.asarray(abs(rows).sum(axis=1)).ravel() > 0
    far = alive.astype(np.float64)
    chosen: list[int] = []
    while len(chosen) < k and far.any():
        chosen.append(int(random.choice(len(far), p=far / far.sum())))
        far = alive * (1 - (rows @ _dense(rows[chosen]).T).max(axis=1).astype(np.float64))
        far[far < SAME] = 0
    centers = _dense(rows[chosen or [0]])
    labels = np.full(len(far), -1)
    for _ in range(ROUNDS):
        before, labels = labels, (rows @ centers.T).argmax(axis=1)
        if (labels == before).all():
            break
        members = (labels == np.arange(len(centers))[:, None]).astype(np.float32)
        filled = members.any(axis=1)  # a cluster that lost its last row stays where it was
        centers[filled] = unit_rows(members[filled] @ rows)
    return labels, centers


def _dense(rows: Rows | Floats) -> Floats:
    return np.asarray(rows if isinstance(rows, np.ndarray) else rows.toarray())


class _SparsePairs(KnownPairs):
    """The pairs whose words a sparse model knows, and their scores."""

    def __init__(self, sparse: SparseModel, pairs: list[RatedPair], path: Path) -> None:
        self.sparse = sparse
        super().__init__(pairs, path, word_id=sparse.id_of, shares=sparse.shares, cosines=sparse.cosines)

    def table(self) -> Scores:
        """The scores that need no context."""
        whole, pruned = (self.scores(self._of_words(vectors)) for vectors in (self.sparse.vectors, self.sparse.pruned))
        senses = self.scores(self._of_prototypes(), self.random_senses)
        return {"TF-IDF": whole, "Pruned TF-IDF": pruned | senses}

    def _of_words(self, vectors: dict[int, Rows]) -> dict[str, NDArray[np.float64]]:
        return {"global_sim": np.array([(vectors[a] @ vectors[b].T).sum() for a, b in self.ids])}

    def _of_prototypes(self) -> dict[str, NDArray[np.float64]]:
        return {"avg_sim": np.array([cosines.mean() for cosines in self.cosines], np.float64)}


def _sparse_pairs(
    corpus: EncodedCorpus, vocabulary: Vocabulary, pairs: list[RatedPair], path: Path, window: int, seed: int
) -> _SparsePairs:
    words = [occurrence.word for pair in pairs for occurrence in (pair.a, pair.b)]
    return _SparsePairs(learn_sparse(corpus, vocabulary, words, window=window, seed=seed), pairs, path)
