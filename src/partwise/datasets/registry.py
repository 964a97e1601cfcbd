"""The registry of data sets: where each comes from, on what terms, and what its files must hold."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from .expression import load_golub
from .faces import Faces, load_cbcl, load_olivetti, load_orl
from .locate import find, roots
from .movielens import load_movielens
from .reuters import load_reuters
from .smart import JudgedCollection, load_cisi, load_medlars


@dataclass(frozen=True)
class DataSet:
    """A data set; its name in ``DATASETS`` is the name of its folder."""

    title: str
    page: str
    """Where people find it."""
    terms: str
    """What one may do with it, in a line."""
    count: Callable[[Path], str]
    """What the files hold, by parsing them; the path is the folder of all data sets."""
    wanted: str
    """What ``count`` says of the whole collection."""
    files: tuple[str, ...]
    """The files that the reader looks for."""
    others: tuple[str, ...] = ()
    """Alternatives, any one of which suffices instead of ``files``."""
    url: str | None = None
    """What ``fetch`` downloads: an archive, or the file itself; None where no lasting address is known."""
    checksum: str | None = None
    """Of the download, where its home publishes one; else the counts are the check."""
    members: dict[str, str | None] = field(default_factory=dict)
    """What is extracted from the archive, with its sha256 where that is known; empty: the archive is kept as it is."""

    def is_complete_in(self, folder: Path) -> bool:
        """Whether a folder holds what the reader needs."""
        return all((folder / file).exists() for file in self.files) or any(
            next(folder.glob(other), None) is not None for other in self.others
        )


def folder_of(name: str, data: Path | None = None) -> Path | None:
    """The first folder that holds a complete data set, or None."""
    return next((root / name for root in roots(data) if DATASETS[name].is_complete_in(root / name)), None)


def require(names: Iterable[str], data: Path | None = None) -> None:
    """Raise DataNotFound, which names the missing file, unless all these data sets are complete."""
    for name in names:
        if folder_of(name, data) is None:
            for file in DATASETS[name].files:
                find(name, file, data=data)


def _smart(load: Callable[[Path], JudgedCollection]) -> Callable[[Path], str]:
    def count(data: Path) -> str:
        collection = load(data)
        return f"{len(collection.documents):,} documents, {len(collection.queries):,} queries"

    return count


def _faces(load: Callable[[Path], Faces]) -> Callable[[Path], str]:
    def count(data: Path) -> str:
        faces = load(data)
        return f"{faces.pixels.shape[1]:,} images of {faces.height} × {faces.width}"

    return count


def _reuters(data: Path) -> str:
    articles = load_reuters(data=data)
    return f"{len(articles):,} documents, {sum(a.split == 'train' for a in articles):,} in the ModApte training split"


def _golub(data: Path) -> str:
    expression = load_golub(data)
    return f"{expression.values.shape[0]:,} genes, {expression.values.shape[1]} samples"


def _movielens(data: Path) -> str:
    ratings = load_movielens(data)
    return f"{len(ratings.stars):,} ratings of {ratings.shape[0]:,} films by {ratings.shape[1]} people"


_GLASGOW = "http://ir.dcs.gla.ac.uk/resources/test_collections"
_LEWIS = "http://www.daviddlewis.com/resources/testcollections/reuters21578"
_CAMBRIDGE = "https://www.cl.cam.ac.uk/research/dtg/attarchive"

DATASETS: dict[str, DataSet] = {
    "medlars": DataSet(
        "MEDLARS medical abstracts (SMART)",
        f"{_GLASGOW}/medl/",
        "no licence is stated; distributed freely for research",
        _smart(load_medlars),
        "1,033 documents, 30 queries",
        ("MED.ALL", "MED.QRY", "MED.REL"),
        url=f"{_GLASGOW}/medl/med.tar.gz",
        members={
            "MED.ALL": "fdcd99cf7fc6c45707c9b5bef7daac739f06c4063ebcad9b5cccf2f939fa4236",
            "MED.QRY": "41fbc9d7a0ac8620d53e09b3429d2695cecc63d4bf7e15e55bbcee0785a1798c",
            "MED.REL": "aef5ac922c08d5711ffd525985e03cda4272694e35f646deab90177f329ff575",
        },
    ),
    "cisi": DataSet(
        "CISI information-science abstracts (SMART)",
        f"{_GLASGOW}/cisi/",
        "no licence is stated; distributed freely for research",
        _smart(load_cisi),
        "1,460 documents, 112 queries",
        ("CISI.ALL", "CISI.QRY", "CISI.REL"),
        url=f"{_GLASGOW}/cisi/cisi.tar.gz",
        members={
            "CISI.ALL": "df5af339fa4623ef33e315f39f3e13c050d17535c18360c727bf3c96ce60ba40",
            "CISI.QRY": "a5ffad2b39445ca5f4091351466b3d70dad9b4eb9a713b8334d46abb291ffd3c",
            "CISI.REL": "deb203a0dc07628d14dbcbc9a9803bf3c1f86e855570edb29d907663de8d6ea9",
        },
    ),
    "reuters-21578": DataSet(
        "Reuters-21578 newswire, Distribution 1.0",
        f"{_LEWIS}/",
        "copyright Reuters Ltd.; free for research purposes only",
        _reuters,
        "21,578 documents, 9,603 in the ModApte training split",
        ("reuters21578.tar.gz",),
        ("*.sgm",),
        url=f"{_LEWIS}/reuters21578.tar.gz",
    ),
    "cbcl-faces": DataSet(
        "CBCL face database no. 1, the training faces",
        "http://cbcl.mit.edu/software-datasets/FaceData2.html",
        "free for research, with credit to the MIT Center for Biological and Computational Learning",
        _faces(load_cbcl),
        "2,429 images of 19 × 19",
        ("face.train.tar.gz",),
        ("CBCL.mat", "cbcl-train-faces-pgm.zip"),
        url="http://cbcl.mit.edu/projects/cbcl/software-datasets/faces.tar.gz",
        members={"face.train.tar.gz": None},
    ),
    "orl-faces": DataSet(
        "ORL faces (AT&T Laboratories Cambridge)",
        f"{_CAMBRIDGE}/facedatabase.html",
        "free for research, with credit to AT&T Laboratories Cambridge",
        _faces(load_orl),
        "400 images of 112 × 92",
        ("att_faces.zip",),
        ("orl_faces",),
        url=f"{_CAMBRIDGE}/pub/data/att_faces.zip",
    ),
    "olivetti-faces": DataSet(
        "the ORL faces cropped to 64 × 64 (Roweis)",
        "https://cs.nyu.edu/~roweis/data.html",
        "as orl-faces",
        _faces(load_olivetti),
        "400 images of 64 × 64",
        ("olivettifaces.mat",),
        url="https://cs.nyu.edu/~roweis/data/olivettifaces.mat",
    ),
    "golub-leukemia": DataSet(
        "ALL/AML leukaemia expression (Golub 1999, genes of Brunet 2004)",
        "the supplement of Brunet et al. 2004 at the Broad Institute, or data set esGolub of the R package NMF",
        "public research data; cite Golub et al. 1999 and Brunet et al. 2004",
        _golub,
        "5,000 genes, 38 samples",
        ("ALL_AML_5000x38.gct", "samples.tsv"),
    ),
    "movielens-100k": DataSet(
        "MovieLens 100K ratings",
        "https://grouplens.org/datasets/movielens/100k/",
        "research use with citation (Harper and Konstan 2015); no redistribution, no commercial use",
        _movielens,
        "100,000 ratings of 1,682 films by 943 people",
        ("ml-100k.zip",),
        ("ml-100k", "u.data"),
        url="https://files.grouplens.org/datasets/movielens/ml-100k.zip",
        checksum="md5:0e33842e24a9c977be4e0107933c0723",
    ),
}
"""Name -> data set; add a line to add one."""
