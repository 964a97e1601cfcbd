"""The kinds of characters by which :mod:`partwise.kernels.tokens` finds words."""

SEPARATOR, LETTER, MARK, DIGIT, JOINER, APOSTROPHE, HYPHEN, PLUS, SHARP, HAN, HIRAGANA, KATAKANA, CLUSTER = range(13)
