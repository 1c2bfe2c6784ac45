"""Sparse baselines: TF-IDF vectors, complete and pruned, and multi-prototype vectors (Reisinger and Mooney 2010).

The features f of an occurrence of a word are the `window` known words on each side, within the line. Let tf(f) be the
number of times that f is a context word in a set of occurrences, df(f) the number of lines with f, and N that of all
lines:

    weight(f) = (1 + log tf(f)) log(N / df(f))        where tf(f) > 0

    TF-IDF         one vector per word, from all its occurrences
    pruned TF-IDF  the same with only the MAX_FEATURES largest weights
    prototypes     spherical k-means with NUM_PROTOTYPES clusters of up to MAX_OCCURRENCES occurrences of a word, each a
                   unit vector; a prototype is the pruned vector of the occurrences in a cluster
    in a context   p(prototype) ~ cos(prototype, context), where the context is weighted like an occurrence; if all
                   cosines are 0, the clusters' shares

With tf instead of 1 + log tf, function words would have the largest weights. Of six weightings this one was selected by
the score of pruned TF-IDF on SCWS itself, with a corpus of 2 million tokens, so that score is optimistic.
TF-IDF without pruning scores higher with other weightings.
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
from polyseme.corpus.tokenizers import AnyTokenizer, CallableTokenizer, get_tokenizer
from polyseme.evaluation.instances import Instance
from polyseme.evaluation.scores import Score
from polyseme.evaluation.word_similarity import KnownPairs, RatedPair, read_pairs, read_scws
from polyseme.kernels.cooccurrence import NO_WORD, count_document_frequencies, gather_context_words
from polyseme.model.data import unit_rows
from polyseme.vocabulary import Vocabulary

WINDOW = 10
MAX_FEATURES = 200
MAX_OCCURRENCES = 1000
NUM_PROTOTYPES = 3
MAX_ITERATIONS = 20  # of k-means
MIN_DISTANCE = 1e-5  # 1 - cosine; nearer rows count as equal
CHUNK = 1 << 17  # occurrences counted at a time

Rows = Any  # scipy.sparse.csr_matrix, which has no type annotations
Ints = NDArray[np.int64]
Floats = NDArray[np.float32]
Scores = dict[str, dict[str, Score]]


def tfidf_scws(
    corpus: EncodedCorpus, vocabulary: Vocabulary, path: Path, *, window: int = WINDOW, seed: int = 1
) -> Scores:
    """The scores of TF-IDF and pruned TF-IDF on SCWS."""
    model, pairs = _fit_pairs(corpus, vocabulary, read_scws(path), path, window, seed)
    scores = _scores_without_contexts(model, pairs)
    scores["Pruned TF-IDF"] |= pairs.scores_in_context(pairs.probabilities(model.probabilities))
    return scores


def tfidf_wordsim(
    corpus: EncodedCorpus, vocabulary: Vocabulary, path: Path, *, window: int = WINDOW, seed: int = 1
) -> Scores:
    """The scores of TF-IDF and pruned TF-IDF on a file of word pairs and ratings."""
    return _scores_without_contexts(*_fit_pairs(corpus, vocabulary, read_pairs(path), path, window, seed))


def _fit_pairs(
    corpus: EncodedCorpus, vocabulary: Vocabulary, pairs: list[RatedPair], path: Path, window: int, seed: int
) -> tuple[TfidfModel, KnownPairs]:
    """A TF-IDF model of the words of the pairs, and the pairs that it knows."""
    words = [instance.word for pair in pairs for instance in (pair.a, pair.b)]
    model = fit_tfidf(corpus, vocabulary, words, window=window, seed=seed)
    return model, KnownPairs(pairs, path, word_id=model.word_id, shares=model.shares, cosines=model.cosines)


def _scores_without_contexts(model: TfidfModel, pairs: KnownPairs) -> Scores:
    """The scores of the measures without context, by kind of vector."""
    complete, pruned = (
        pairs.scores({"global_sim": np.array([(vectors[a] @ vectors[b].T).sum() for a, b in pairs.ids])})
        for vectors in (model.vectors, model.pruned)
    )
    avg_sim = np.array([cosines.mean() for cosines in pairs.cosines], np.float64)
    return {"TF-IDF": complete, "Pruned TF-IDF": pruned | pairs.scores({"avg_sim": avg_sim}, pairs.random_senses)}


@dataclass(frozen=True)
class Prototypes:
    """The prototypes of a word, most frequent first."""

    rows: Rows  # (k, V) unit rows
    shares: NDArray[np.float64]  # (k,)


@dataclass(frozen=True)
class TfidfModel:
    """TF-IDF vectors and prototypes of some words of a vocabulary, by word id."""

    vocabulary: Vocabulary
    tokenizer: AnyTokenizer
    window: int
    idf: Floats  # (V,)
    vectors: dict[int, Rows]  # (1, V) unit rows
    pruned: dict[int, Rows]  # (1, V) unit rows
    prototypes: dict[int, Prototypes]

    def word_id(self, word: str) -> int | None:
        """The id of a word, as spelled or else as the tokenizer normalizes it; None if unknown."""
        return _word_id(word, self.vocabulary, self.tokenizer)

    def shares(self, word: int) -> NDArray[np.float64]:
        return self.prototypes[word].shares

    def cosines(self, a: int, b: int) -> Floats:
        """The cosines of the prototypes of two words, (prototypes of a, prototypes of b)."""
        return np.asarray((self.prototypes[a].rows @ self.prototypes[b].rows.T).toarray())

    def probabilities(self, word: int, instance: Instance) -> NDArray[np.float64]:
        """The probability of each prototype of a word in a context."""
        index = self.vocabulary.index
        left, right = (
            [index[token] for token in self.tokenizer(text) if token in index]
            for text in (instance.left, instance.right)
        )
        context = np.array(left[-self.window :] + right[: self.window], np.int64)
        counts = csr_matrix(np.bincount(context, minlength=len(index)), dtype=np.float32)
        products = tfidf_weights(counts, self.idf) @ self.prototypes[word].rows.T
        cosines = products.toarray()[0]  # times the norm of the context, which cancels out below
        return np.asarray(cosines / cosines.sum() if cosines.sum() else self.shares(word), np.float64)


def fit_tfidf(
    corpus: EncodedCorpus, vocabulary: Vocabulary, words: Sequence[str], *, window: int = WINDOW, seed: int = 1
) -> TfidfModel:
    """The vectors and prototypes of the words that are in the vocabulary."""
    tokenizer, phrases = corpus_tokenizer(corpus), corpus.phrases
    if phrases is not None:
        words_of = tokenizer
        tokenizer = CallableTokenizer(lambda text: phrases.join(words_of(text)))
    ids = sorted({i for word in words if (i := _word_id(word, vocabulary, tokenizer)) is not None})
    idf = inverse_document_frequencies(corpus, len(vocabulary))
    contexts = ContextCounter.of(corpus, vocabulary, ids)
    sample = ContextCounter.of(corpus, vocabulary, ids, max_occurrences=MAX_OCCURRENCES, seed=seed)
    model = TfidfModel(vocabulary, tokenizer, window, idf, {}, {}, {})
    for word in ids:
        vector = tfidf_weights(contexts.total(word, window), idf)
        model.vectors[word] = normalize(vector)
        model.pruned[word] = normalize(prune(vector))
        counts = sample.counts(sample.occurrences.of(word), window)
        model.prototypes[word] = fit_prototypes(counts, idf, np.random.default_rng([seed, word]))
    return model


def corpus_tokenizer(corpus: EncodedCorpus) -> AnyTokenizer:
    """The tokenizer of a corpus. A user's function is not saved, so text is split at white space instead."""
    name = corpus.description["tokenizer"]
    return get_tokenizer(str.split if name == "custom" else name)


def _word_id(word: str, vocabulary: Vocabulary, tokenizer: AnyTokenizer) -> int | None:
    tokens = [word] if word in vocabulary else tokenizer(word)
    return vocabulary.index.get(tokens[0]) if len(tokens) == 1 else None


def inverse_document_frequencies(corpus: EncodedCorpus, size: int) -> Floats:
    """(size,) log(N / df) of the `size` most frequent words, which occur in df of the N lines of the corpus."""
    frequencies = np.zeros(size, np.int64)
    count_document_frequencies(np.asarray(corpus.tokens), np.asarray(corpus.sentences), np.full(size, -1), frequencies)
    return np.log(corpus.num_sentences / frequencies).astype(np.float32)


@dataclass(frozen=True)
class ContextCounter:
    """Counts the context words of occurrences in a corpus."""

    corpus: EncodedCorpus
    occurrences: Occurrences

    @classmethod
    def of(
        cls,
        corpus: EncodedCorpus,
        vocabulary: Vocabulary,
        words: Sequence[int] | Ints,
        *,
        max_occurrences: int | None = None,
        seed: int = 0,
    ) -> ContextCounter:
        """A counter for all occurrences of the words, or for a random sample of `max_occurrences` of each word."""
        occurrences = find_occurrences(
            corpus.tokens, vocabulary.counts, words, max_occurrences=max_occurrences, seed=seed
        )
        return cls(corpus, occurrences)

    @property
    def vocabulary_size(self) -> int:
        return len(self.occurrences.offsets) - 1

    def context_words(self, positions: Ints, window: int) -> NDArray[np.int32]:
        """(n, 2 window) The ids of the known words around each position; NO_WORD where the sentence has no more."""
        sentences = self.corpus.sentences
        sentence = np.searchsorted(sentences, positions, side="right") - 1
        starts, ends = np.asarray(sentences[sentence]), np.asarray(sentences[sentence + 1])
        words = np.empty((len(positions), 2 * window), np.int32)
        gather_context_words(np.asarray(self.corpus.tokens), positions, starts, ends, self.vocabulary_size, words)
        return words

    def counts(self, positions: Ints, window: int) -> Rows:
        """(n, V) The count of each context word at each position."""
        words = self.context_words(positions, window)
        known = words != NO_WORD
        row_offsets = np.concatenate([[0], np.cumsum(known.sum(axis=1))])
        ones = np.ones(row_offsets[-1], np.float32)
        rows = csr_matrix((ones, words[known], row_offsets), shape=(len(positions), self.vocabulary_size))
        rows.sum_duplicates()
        return rows

    def total(self, word: int, window: int) -> Rows:
        """(1, V) The count of each context word over all occurrences of a word."""
        counts = np.zeros(self.vocabulary_size, np.int64)
        positions = self.occurrences.of(word)
        for start in range(0, len(positions), CHUNK):
            words = self.context_words(positions[start : start + CHUNK], window)
            counts += np.bincount(words[words != NO_WORD], minlength=len(counts))
        return csr_matrix(counts, dtype=np.float32)


def tfidf_weights(counts: Rows, idf: Floats) -> Rows:
    """(1 + log tf) idf of each count tf."""
    values = (1 + np.log(counts.data)) * idf[counts.indices]
    return csr_matrix((values, counts.indices, counts.indptr), shape=counts.shape)


def prune(rows: Rows, max_features: int = MAX_FEATURES) -> Rows:
    """The rows with only their largest values; among equal values those of more frequent words are kept."""
    pruned = []
    for row in rows:
        kept = np.sort(np.argsort(-row.data, kind="stable")[:max_features])
        pruned.append(csr_matrix((row.data[kept], row.indices[kept], [0, len(kept)]), shape=row.shape))
    return vstack(pruned, "csr")


def fit_prototypes(counts: Rows, idf: Floats, random: np.random.Generator) -> Prototypes:
    """Cluster the occurrences of a word. If no context word has a weight, there is one prototype.

    counts  (n, V) the count of each context word at each occurrence
    """
    occurrences = normalize(tfidf_weights(counts, idf))
    features, columns = np.unique(occurrences.indices, return_inverse=True)
    # Centers are dense: without the columns that are 0 everywhere they are much smaller.
    rows = csr_matrix((occurrences.data, columns, occurrences.indptr), shape=(occurrences.shape[0], len(features)))
    labels, centers = spherical_k_means(rows, NUM_PROTOTYPES, random)
    sizes = np.bincount(labels, minlength=len(centers))
    order = np.argsort(-sizes, kind="stable")[: np.count_nonzero(sizes)]
    members = csr_matrix((labels == order[:, None]).astype(np.float32))
    return Prototypes(normalize(prune(tfidf_weights(members @ counts, idf))), sizes[order] / len(labels))


def spherical_k_means(rows: Rows | Floats, k: int, random: np.random.Generator) -> tuple[Ints, Floats]:
    """Cluster dense or sparse unit rows by cosine. Returns the label of each row, and the unit centers.

    Initial centers are chosen as in k-means++, among nonzero rows; there are fewer than k if fewer rows are distinct.
    Zero rows get label 0.
    """
    nonzero = np.asarray(abs(rows).sum(axis=1)).ravel() > 0
    distances = nonzero.astype(np.float64)  # of each row to the nearest chosen center
    chosen: list[int] = []
    while len(chosen) < k and distances.any():
        chosen.append(int(random.choice(len(distances), p=distances / distances.sum())))
        distances = nonzero * (1 - (rows @ _dense(rows[chosen]).T).max(axis=1).astype(np.float64))
        distances[distances < MIN_DISTANCE] = 0
    centers = _dense(rows[chosen or [0]])
    labels = np.full(rows.shape[0], -1)
    for _ in range(MAX_ITERATIONS):
        previous, labels = labels, (rows @ centers.T).argmax(axis=1)
        if (labels == previous).all():
            break
        members = (labels == np.arange(len(centers))[:, None]).astype(np.float32)
        nonempty = members.any(axis=1)  # an empty cluster keeps its center
        centers[nonempty] = unit_rows(members[nonempty] @ rows)
    return labels, centers


def _dense(rows: Rows | Floats) -> Floats:
    return np.asarray(rows if isinstance(rows, np.ndarray) else rows.toarray())
