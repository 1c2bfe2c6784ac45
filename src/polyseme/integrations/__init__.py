"""Components for other libraries: a spaCy pipeline component and a scikit-learn transformer."""
