"""The explorer: a web page on the user's machine that shows the senses of a model, and the server behind it."""
