"""Text in, token ids out: sources, readers, tokenizers, encoding, and the planted corpus."""
