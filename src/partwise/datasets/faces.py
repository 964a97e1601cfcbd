"""Readers of the face images: CBCL (Lee and Seung's), ORL and Olivetti."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from .archive_members import read_members
from .locate import find, first
from .pgm import read_pgm

_NUMBERS = re.compile(r"(\d+)")


@dataclass(frozen=True, eq=False)
class Faces:
    """Grey images as columns, row after row: ``pixels[:, j].reshape(height, width)`` is image j."""

    pixels: NDArray[np.uint8]
    height: int
    width: int
    people: tuple[str, ...] = ()
    """Who is on each image, where that is known."""


def load_cbcl(data: Path | None = None) -> Faces:
    """The 2,429 training faces of CBCL, 19 × 19: CBCL.mat, or the pgm files in their archive."""
    path = first("cbcl-faces", ("CBCL.mat", "cbcl-train-faces-pgm.zip", "face.train.tar.gz"), data=data)
    return read_matlab_faces(path, "X", 19, 19) if path.suffix == ".mat" else read_pgm_faces(path, "face")


def load_orl(data: Path | None = None) -> Faces:
    """The 400 faces of ORL, 112 × 92, of 40 people."""
    return read_pgm_faces(first("orl-faces", ("att_faces.zip", "orl_faces"), data=data), "")


def load_olivetti(data: Path | None = None) -> Faces:
    """The faces of ORL cropped to 64 × 64."""
    faces = read_matlab_faces(find("olivetti-faces", "olivettifaces.mat", data=data), "faces", 64, 64)
    people = tuple(f"s{j // 10 + 1}" for j in range(faces.pixels.shape[1]))
    return Faces(faces.pixels, 64, 64, people)


def read_matlab_faces(path: Path, variable: str, height: int, width: int) -> Faces:
    """Images as columns of a Matlab matrix, each stored column after column."""
    from scipy.io import loadmat  # imported late: only this format needs it

    try:
        variables = loadmat(path)
    except FileNotFoundError:
        raise
    except Exception as error:  # a damaged Matlab file can raise nearly anything
        raise ValueError(f"{path} cannot be read as a Matlab file ({error}); fetch it again.") from None
    if variable not in variables:
        held = ", ".join(name for name in variables if not name.startswith("__")) or "nothing"
        raise ValueError(f"{path} should hold the variable {variable}, but holds {held}.")
    matrix = np.asarray(variables[variable])
    if matrix.ndim != 2 or len(matrix) != height * width:
        raise ValueError(f"{path}: {variable} is {matrix.shape}, expected {height * width} rows, one image a column.")
    stack = matrix.astype(np.uint8).T.reshape(-1, width, height).transpose(0, 2, 1)
    return Faces(_columns(stack), height, width)


def read_pgm_faces(path: Path, within: str) -> Faces:
    """The pgm images of an archive or a folder that lie in a folder called ``within``, if that is not empty.

    They come in the order of their numbers; where each lies in a folder s1, s2, …, the folder is the person.
    """
    members = read_members(path, ".pgm")
    images = {name: read_pgm(content, name) for name, content in members if within in ("", _folder(name))}
    if not images:
        raise ValueError(f"{path} holds no .pgm file in a folder {within}.")
    names = sorted(images, key=_natural)
    height, width = images[names[0]].shape
    for name in names:
        if images[name].shape != (height, width):
            got = " × ".join(map(str, images[name].shape))
            raise ValueError(f"{name}: the image is {got}, but {names[0]} is {height} × {width}.")
    people = tuple(_folder(name) for name in names)
    known = people if all(re.fullmatch(r"s\d+", person) for person in people) else ()
    return Faces(_columns(images[name] for name in names), height, width, known)


def _folder(name: str) -> str:
    """The folder in which a file or a member of an archive lies."""
    return Path(name.split(":")[-1]).parent.name


def _columns(images: Iterable[NDArray[np.uint8]]) -> NDArray[np.uint8]:
    return np.ascontiguousarray(np.array([image.ravel() for image in images]).T)


def _natural(name: str) -> list[tuple[int, str]]:
    """A sort key by which 10 comes after 9."""
    return [(int(part), "") if part.isdigit() else (-1, part) for part in _NUMBERS.split(name)]
