"""The 400 ORL (AT&T) faces of 92 × 112 pixels, grey values from 0 to 1."""

LABEL, RANK = "ORL faces", 25
CURVES = 0
SEEDS = 3


def load():
    """Images × pixels."""
    import zipfile

    import numpy as np

    from partwise.datasets import find

    with zipfile.ZipFile(find("orl-faces", "att_faces.zip")) as archive:
        members = sorted(name for name in archive.namelist() if name.endswith(".pgm"))
        pixels = [np.frombuffer(archive.read(name), np.uint8)[-92 * 112 :] for name in members]
    return np.array(pixels, dtype=np.float64) / 255
