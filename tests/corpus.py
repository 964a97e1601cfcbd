"""A small made-up collection: three themes, thirty documents, the same every time."""

import numpy as np

from partwise.text import Document

THEMES = {
    "sea": "ship harbour sail captain wave anchor tide island",
    "kitchen": "bread oven flour butter recipe sugar kettle spoon",
    "music": "violin concert melody piano choir rhythm singer tune",
}


def documents(seed: int = 0, count: int = 30) -> list[Document]:
    """Documents with an id, a title and the theme as the label; each leans to one theme and borrows from the others."""
    rng = np.random.default_rng(seed)
    made, names = [], list(THEMES)
    for number in range(count):
        theme = names[number % 3]
        own, every = THEMES[theme].split(), " ".join(THEMES.values()).split()
        words = [*rng.choice(own, 9), *rng.choice(every, 3)]
        made.append(Document(f"d{number:02}", " ".join(words), f"{theme.title()} {number}", theme))
    return made


def texts(seed: int = 0, count: int = 30) -> list[str]:
    """Their texts."""
    return [document.text for document in documents(seed, count)]
