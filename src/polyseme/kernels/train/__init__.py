"""The training kernel: blocks of sentences, the context_table of a sense, the gradient update."""
