"""Example sentences: select occurrences of each sense, extract snippets from the text, store them as JSON lines."""
