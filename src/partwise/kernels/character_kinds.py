"""The kinds of characters by which :mod:`partwise.kernels.tokens` finds words, and how it folds characters."""

SEPARATOR, LETTER, MARK, DIGIT, JOINER, APOSTROPHE, HYPHEN, PLUS, SHARP, HAN, HIRAGANA, KATAKANA, CLUSTER = range(13)

CLASS = 21
"""The bit from which on a folded character has its combining class."""
DROPPED, UNCOVERED = -2, -1
"""For a character that is left out, and for one that is not folded by itself."""
