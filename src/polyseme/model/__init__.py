"""SenseModel, the one object users hold, and the questions it answers."""
