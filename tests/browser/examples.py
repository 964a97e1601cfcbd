"""Collections and pictures that the tests make."""

import numpy as np
import scipy.sparse as sp

from partwise.text import Document, Weighting
from partwise.text.collection import Collection
from partwise.text.vocabulary import Vocabulary

THEMES = {
    "sea": "ship harbour sailing captain waves anchor tides islands fishing storms",
    "kitchen": "bread oven flour butter recipe sugar kettle spoons baking cakes",
    "music": "violin concert melody piano choir rhythm singer tunes orchestra playing",
    "law": "court judges lawyers verdict trial appeal statute witness jury evidence",
    "garden": "roses soil seeds watering hedges pruning flowers compost shovel greenhouse",
    "space": "rocket orbit planets telescope galaxy astronaut launching moon satellite gravity",
}


def documents(count, seed=0):
    """Documents that lean to one theme and borrow from two others."""
    rng, names = np.random.default_rng(seed), list(THEMES)
    collection = []
    for number in range(count):
        theme = names[number % len(names)]
        others = rng.choice(names, 2)
        words = [*rng.choice(THEMES[theme].split(), rng.integers(5, 12))]
        words += [word for other in others for word in rng.choice(THEMES[other].split(), rng.integers(1, 5))]
        text = " ".join(rng.permutation(words)).capitalize() + "."
        collection.append(Document(f"{seed}-{number:03}", text, f"{theme.title()} number {number}", theme))
    return collection


HOSTILE = [
    "<script>window.ran='text'</script>",
    "</script><script>window.ran='end'</script>",
    "<img/src=x/onerror=window.ran='img'>",
    "\"'><svg/onload=window.ran='svg'>",
    "\u202egnorw\u202c",
    "🙂👩‍👩‍👧",
    "{{data}}",
    "<!--",
    "&lt;b&gt;",
    "\u2028\u2029",
    "\ud800",
]


def hostile_documents():
    """Every bad thing as text, title, id and label, and a word of a million letters."""
    hostile = []
    for number in range(20):
        bad = HOSTILE[number % len(HOSTILE)]
        text = f"{bad} {HOSTILE[(number * 3 + 1) % len(HOSTILE)]} plain words here {'left' if number % 2 else 'right'}"
        hostile.append(Document(f"{bad}{number}", text, f"{bad} title", bad))
    return [*hostile, *(Document(f"long{n}" + "i" * 10**6, "w" * 10**6 + " plain left", "t" * 10**6) for n in range(2))]


def large_collection(count, terms, words, seed=0):
    """Documents as counts of generated words by Zipf's law, weighed and of length 1."""
    rng = np.random.default_rng(seed)
    places = np.minimum((terms ** rng.random((count, words))).astype(int), terms - 1)
    rows = np.repeat(np.arange(count), words)
    counts = sp.csr_array((np.ones(places.size), (rows, places.ravel())), shape=(count, terms))
    names = tuple(f"{_letters(i)}word" for i in range(terms))
    vocabulary = Vocabulary(Weighting(stop_words=None), names, names, 1 + rng.random(terms))
    matrix = vocabulary.weighted(counts.T.tocsr())
    ids = tuple(f"report-{i:06}" for i in range(count))
    titles = tuple(f"The title of the document with the number {i}" for i in range(count))
    snippets = tuple(" ".join(names[p] for p in row[:25])[:200] for row in places)
    return Collection(ids, titles, ("",) * count, snippets, matrix, vocabulary, (), ())


def _letters(number):
    return "".join(chr(97 + number // 26**place % 26) for place in range(4))


def pictures(count, seed=0):
    """Pictures of 8 × 6 made of four bars."""
    rng = np.random.default_rng(seed)
    bars = np.zeros((4, 8, 6))
    bars[0, :2], bars[1, 6:], bars[2, :, :2], bars[3, :, 4:] = 1, 1, 1, 1
    return bars.reshape(4, -1).T @ rng.random((4, count)) + 0.01 * rng.random((48, count))


def ranking(answer, most=20):
    """The best ids of a whole answer; scores that differ in their last bits alone are equal, as on the page."""
    return [
        hit.id
        for hit in sorted(answer, key=lambda hit: (-round(hit.score, 12), -round(hit.word_score, 12), hit.index))[:most]
    ]
