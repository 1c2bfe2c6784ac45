"""Vectors of other programs: the layouts of word2vec, GloVe and the paper's authors."""
