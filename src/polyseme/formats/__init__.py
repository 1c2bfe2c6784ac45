"""Readers for vectors of other programs: word2vec, GloVe and the release of the paper's authors."""
