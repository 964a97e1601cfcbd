"""The data sets on which defaults are compared, split into those that tuned ours and those that judge it.

The split is written down before anything is measured. TUNING holds every data set of ``make bench`` but the largest,
what earlier versions were tuned on and, in its second half, what judged the defaults of earlier versions and had been
seen; JUDGING is not looked at before the default is fixed.
"""

import ast
import sysconfig
from collections.abc import Callable
from pathlib import Path

import numpy as np
from scipy.sparse import csr_array, csr_matrix


def bench(name: str):
    """A data set of ``make bench``."""
    from importlib import import_module

    return import_module(f"datasets.{name}").load()


def cisi():
    """The CISI titles and abstracts, tf-idf."""
    from matrices import cisi

    return cisi().matrix.T.tocsr()


def docstrings():
    """The docstrings of Python's standard library, tf-idf."""
    from matrices import tfidf

    from partwise.datasets import load_standard_library

    return tfidf((document.text for document in load_standard_library()), min_df=2).matrix.T.tocsr()


def planted(rows=1200, columns=700, rank=15, noise=0.1, seed=1):
    """W H of sparse exponential factors with a tenth of noise, clipped at zero."""
    rng = np.random.default_rng(seed)
    w, h = (rng.exponential(size=shape) * (rng.random(shape) < 0.3) for shape in ((rows, rank), (rank, columns)))
    exact = w @ h
    return np.maximum(0, exact + noise * exact.std() * rng.standard_normal(exact.shape))


def table(name: str):
    """A table that scikit-learn ships, each column divided by its largest entry and moved up to zero."""
    from importlib import import_module

    values = getattr(import_module("sklearn.datasets"), f"load_{name}")().data
    values = values - np.minimum(0, values.min(axis=0))
    return np.ascontiguousarray(values / values.max(axis=0))


def picture(name: str, size=8):
    """The patches of size × size pixels of one of scikit-learn's pictures, in colour: patches × values."""
    from sklearn.datasets import load_sample_image

    pixels = load_sample_image(name)
    high, wide = (side // size * size for side in pixels.shape[:2])
    tiles = pixels[:high, :wide].reshape(high // size, size, wide // size, size, 3).swapaxes(1, 2)
    return tiles.reshape(-1, size * size * 3) / 255.0


def grey(name: str):
    """A picture as a matrix of grey values."""
    from sklearn.datasets import load_sample_image

    return load_sample_image(name).mean(axis=2) / 255


def movielens():
    """MovieLens 100K, users × films, how many stars; no rating is 0."""
    from partwise.datasets import load_movielens

    return csr_matrix(load_movielens().matrix().T)


def package_docstrings(*names: str):
    """The docstrings of installed packages, one document for each function and class, tf-idf."""
    from matrices import tfidf

    texts = []
    for name in names:
        for file in sorted(Path(sysconfig.get_path("purelib"), name).rglob("*.py")):
            for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
                if isinstance(node, ast.FunctionDef | ast.ClassDef):
                    text = ast.get_docstring(node)
                    if text and len(text.split()) >= 20:
                        texts.append(text)
    return tfidf(texts, min_df=3).matrix.T.tocsr()


def source_words():
    """How often each word of three or more letters stands in each source file of the standard library: counts."""
    from sklearn.feature_extraction.text import CountVectorizer

    root = Path(sysconfig.get_path("stdlib"))
    files = sorted(file for file in root.glob("*.py") if file.stat().st_size > 2000)
    files += sorted(
        file for folder in ("json", "email", "asyncio", "xml", "http") for file in (root / folder).rglob("*.py")
    )
    words = CountVectorizer(token_pattern=r"[a-z]{3,}", min_df=3)
    return words.fit_transform(file.read_text(encoding="utf-8", errors="replace") for file in files).astype(np.float64)


def zipf(count=6000, words=9000, topics=35, length=60, seed=7):
    """Generated short texts of another vocabulary than ``make bench``'s: plain word counts, square roots taken."""
    from generated import documents

    indices, counts, sizes = documents(np.random.default_rng(seed), count, words, topics, length)
    indptr = np.concatenate([[0], np.cumsum(sizes)])
    return csr_matrix((np.sqrt(counts.astype(np.float64)), indices, indptr), shape=(count, words))


def lognormal(rows=900, columns=1100, rank=12, seed=3):
    """Low rank times lognormal noise, as expression values and spectra are."""
    rng = np.random.default_rng(seed)
    w, h = rng.lognormal(0, 1, (rows, rank)), rng.lognormal(0, 1, (rank, columns))
    return w @ h * rng.lognormal(0, 0.3, (rows, columns))


def blocks(count=1500, side=24, parts=16, seed=5):
    """Pictures of side × side pixels, each a sum of a few of some rectangles, with a little noise."""
    rng = np.random.default_rng(seed)
    shapes = np.zeros((parts, side, side))
    for shape in shapes:
        top, left = rng.integers(0, side - 6, 2)
        high, wide = rng.integers(3, 7, 2)
        shape[top : top + high, left : left + wide] = 1
    weights = rng.gamma(2, 0.5, (count, parts)) * (rng.random((count, parts)) < 0.25)
    return weights @ shapes.reshape(parts, -1) + 0.05 * rng.random((count, side * side))


def spread(rows=4000, columns=3000, entries=240_000, seed=11):
    """Counts without structure: a sparse random matrix of Poisson counts with uneven rows and columns."""
    rng = np.random.default_rng(seed)
    i, j = (
        rng.choice(size, entries, p=weights / weights.sum())
        for size, weights in ((rows, rng.gamma(0.8, size=rows)), (columns, rng.gamma(0.8, size=columns)))
    )
    return csr_matrix(csr_array((np.ones(entries), (i, j)), shape=(rows, columns)))


def elevations():
    """The heights of a piece of Tennessee that matplotlib ships, above the lowest one."""
    heights = sample_file("jacksboro_fault_dem.npz")
    values = np.load(heights)["elevation"].astype(np.float64)
    return (values - values.min()) / np.ptp(values)


def portrait(size=6):
    """The patches of size × size pixels of the photograph that matplotlib ships: patches × values."""
    from PIL import Image

    pixels = np.asarray(Image.open(sample_file("grace_hopper.jpg")).convert("RGB"), float) / 255
    high, wide = (side // size * size for side in pixels.shape[:2])
    tiles = pixels[:high, :wide].reshape(high // size, size, wide // size, size, 3).swapaxes(1, 2)
    return np.ascontiguousarray(tiles.reshape(-1, size * size * 3))


def stocks():
    """Monthly prices of ten companies from matplotlib's samples, each divided by its largest; months with all ten."""
    lines = sample_file("Stocks.csv").read_text(encoding="utf-8").splitlines()
    cells = [line.split(",")[1:] for line in lines if line and not line.startswith(("#", "Date"))]
    prices = np.array([[float(cell) for cell in row] for row in cells if all(row)])
    return np.ascontiguousarray(prices / prices.max(axis=0))


def sample_file(name: str) -> Path:
    """A file that matplotlib ships."""
    import matplotlib

    return Path(matplotlib.get_data_path(), "sample_data", name)


def labelled(count=5000, words=400, labels=25, seed=21):
    """scikit-learn's generated multilabel texts: counts of words, sparse."""
    from sklearn.datasets import make_multilabel_classification

    counts, _ = make_multilabel_classification(count, words, n_classes=labels, length=40, random_state=seed)
    return csr_matrix(counts)


def checkerboard(rows=900, columns=700, seed=22):
    """scikit-learn's generated checkerboard of 9 × 7 fields with noise, moved up to zero."""
    from sklearn.datasets import make_checkerboard

    board, _, _ = make_checkerboard((rows, columns), (9, 7), noise=8, minval=5, maxval=100, random_state=seed)
    return board - board.min()


def spectra(count=700, channels=1200, kinds=14, seed=23):
    """Mixtures of spectra, each a few peaks, as photon counts: Poisson noise."""
    rng = np.random.default_rng(seed)
    axis, lines = np.arange(channels), np.zeros((kinds, channels))
    for spectrum in lines:
        for _ in range(rng.integers(3, 9)):
            place, width = rng.uniform(0, channels), rng.uniform(4, 40)
            spectrum += rng.gamma(2) * np.exp(-(((axis - place) / width) ** 2) / 2)
    return rng.poisson(20 * rng.gamma(0.5, size=(count, kinds)) @ lines).astype(np.float64)


def package_words(*names: str):
    """How often each word of four or more letters stands in each source file of installed packages: counts."""
    from sklearn.feature_extraction.text import CountVectorizer

    roots = [Path(sysconfig.get_path("purelib"), name) for name in names]
    files = [file for root in roots for file in sorted(root.rglob("*.py")) if file.stat().st_size > 2000]
    words = CountVectorizer(token_pattern=r"[a-z]{4,}", min_df=4)
    return words.fit_transform(file.read_text(encoding="utf-8", errors="replace") for file in files).astype(np.float64)


def scan():
    """The slice of a head that matplotlib ships, 256 × 256 grey values of 16 bits, over the largest."""
    import gzip

    values = np.frombuffer(gzip.decompress(sample_file("s1045.ima.gz").read_bytes()), np.uint16).reshape(256, 256)
    return values / values.max()


def topography():
    """The land and sea that matplotlib ships as heights, above the deepest place."""
    heights = np.load(sample_file("topobathy.npz"))["topo"].astype(np.float64)
    return (heights - heights.min()) / np.ptp(heights)


def gapminder():
    """Life expectancy, population and wealth of countries in twelve years from plotly's samples, over the largest."""
    from plotly.data import gapminder

    table = gapminder().pivot_table(index="country", columns="year", values=["lifeExp", "pop", "gdpPercap"])
    return np.ascontiguousarray(table.to_numpy(float) / table.to_numpy(float).max(axis=0))


def notes(frames=900, length=1024, kinds=18, seed=31):
    """The magnitudes of short Fourier transforms of generated notes with overtones and a little noise."""
    rng = np.random.default_rng(seed)
    time = np.arange(length)
    tones = [
        sum(rng.random() / (1 + j) * np.sin((j + 1) * pitch * time + rng.uniform(0, 6)) for j in range(6))
        for pitch in rng.uniform(0.02, 0.4, kinds)
    ]
    played = rng.gamma(1, size=(frames, kinds)) * (rng.random((frames, kinds)) < 0.15)
    sound = played @ np.array(tones) + 0.02 * rng.standard_normal((frames, length))
    return np.abs(np.fft.rfft(sound * np.hanning(length), axis=1))


def rare_counts(rows=2500, columns=1800, rank=12, seed=32):
    """Poisson counts around a product of sparse gamma factors, about one entry in twenty not zero."""
    rng = np.random.default_rng(seed)
    w = rng.gamma(0.3, size=(rows, rank)) * (rng.random((rows, rank)) < 0.4)
    h = rng.gamma(0.5, size=(rank, columns))
    rates = w @ h
    return csr_matrix(rng.poisson(0.06 * rates / rates.mean()).astype(np.float64))


def affinities(count=800, centres=25, seed=33):
    """exp(−‖x − y‖²/2) between the points of scikit-learn's generated blobs."""
    from sklearn.datasets import make_blobs
    from sklearn.metrics.pairwise import rbf_kernel

    points, _ = make_blobs(count, 4, centers=centres, cluster_std=1.5, random_state=seed)
    return rbf_kernel(points, gamma=0.05)


def biclusters(rows=1000, columns=600, seed=34):
    """scikit-learn's generated biclusters with noise, moved up to zero."""
    from sklearn.datasets import make_biclusters

    table, _, _ = make_biclusters((rows, columns), 12, noise=3, minval=2, maxval=40, random_state=seed)
    return (table - table.min()) / np.ptp(table)


TUNING: dict[str, Callable[[], object]] = {
    **{name: lambda name=name: bench(name) for name in ("medlars", "reuters10", "reuters", "digits", "golub", "cbcl")},
    **{name: lambda name=name: bench(name) for name in ("orl", "text1e6", "text1e7")},
    "cisi": cisi,
    "docstrings": docstrings,
    "planted": planted,
    "breast cancer": lambda: table("breast_cancer"),
    "wine": lambda: table("wine"),
    "diabetes": lambda: table("diabetes"),
    "china patches": lambda: picture("china.jpg"),
    "flower grey": lambda: grey("flower.jpg"),
    "movielens": movielens,
    "scipy and sklearn docstrings": lambda: package_docstrings("scipy", "sklearn"),
    "python sources": source_words,
    "zipf counts": zipf,
    "lognormal": lognormal,
    "block pictures": blocks,
    "uneven counts": spread,
    "stocks": stocks,
    "elevations": elevations,
    "portrait patches": portrait,
    "labelled counts": labelled,
    "checkerboard": checkerboard,
    "spectra": spectra,
    "pandas docstrings": lambda: package_docstrings("pandas"),
    "numpy and dask sources": lambda: package_words("numpy", "dask"),
}
JUDGING: dict[str, Callable[[], object]] = {
    "head scan": scan,
    "land and sea": topography,
    "gapminder": gapminder,
    "matplotlib docstrings": lambda: package_docstrings("matplotlib"),
    "scipy and pandas sources": lambda: package_words("scipy", "pandas"),
    "notes": notes,
    "rare counts": rare_counts,
    "affinities": affinities,
    "biclusters": biclusters,
}
