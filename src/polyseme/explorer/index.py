"""The sense-tagged index of a corpus (stub)."""


class SenseIndex:
    pass
