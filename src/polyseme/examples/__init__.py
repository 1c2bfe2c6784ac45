"""Example sentences: selecting, extracting and storing them."""
