"""The readers of faces and of the pgm format on small files, damaged ones, and the real collections."""

import io
import tarfile
import zipfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.io import savemat

from partwise.datasets import (
    DataNotFound,
    find,
    load_cbcl,
    load_olivetti,
    load_orl,
    read_matlab_faces,
    read_pgm,
    read_pgm_faces,
)

IMAGES = np.arange(24, dtype=np.uint8).reshape(2, 4, 3)


def pgm(image: np.ndarray, comment: str = "") -> bytes:
    """An image as the collections have it."""
    height, width = image.shape
    return f"P5\n{comment}{width} {height}\n255\n".encode() + image.tobytes()


@given(arrays(np.uint8, st.tuples(st.integers(1, 5), st.integers(1, 5))), st.sampled_from(["", "# drawn by hand\n"]))
def test_an_image_is_read_back(image: np.ndarray, comment: str) -> None:
    """Binary and plain, with a comment in the header or without; pixels that look like blanks are pixels."""
    height, width = image.shape
    plain = f"P2\n{comment}{width} {height}\n255\n" + "\n".join(" ".join(map(str, row)) for row in image)
    for content in (pgm(image, comment), plain.encode()):
        np.testing.assert_array_equal(read_pgm(content, "toy"), image)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "face.pgm, line 1: expected the header of a pgm image, such as 'P5 19 19 255'."),
        (b"P6 1 1 255\nabc", "face.pgm, line 1: expected the header of a pgm image, such as 'P5 19 19 255'."),
        (b"P5 2 2 255\nabc", "face.pgm: the image is cut off, 3 of 4 pixels are there."),
        (b"P5 2 2 65535\nabcdefgh", "face.pgm, line 1: the header says 2 × 2 with grey up to 65535; 8 bits are read."),
        (b"P2 1 1 255\nx", "face.pgm: expected grey values up to 255, found 'x'."),
    ],
)
def test_a_damaged_image_is_refused(content: bytes, sentence: str) -> None:
    with pytest.raises(ValueError) as caught:  # noqa: PT011 -- the whole message is compared
        read_pgm(content, "face.pgm")
    assert str(caught.value) == sentence


def test_a_matlab_image_stands_column_after_column(tmp_path: Path) -> None:
    """Images come out row after row, whatever the file's order."""
    path = tmp_path / "toy.mat"
    savemat(path, {"X": np.array([image.ravel(order="F") for image in IMAGES]).T})
    faces = read_matlab_faces(path, "X", 4, 3)
    for j, image in enumerate(IMAGES):
        np.testing.assert_array_equal(faces.pixels[:, j].reshape(4, 3), image)
    with pytest.raises(ValueError, match=r"toy\.mat should hold the variable faces, but holds X\."):
        read_matlab_faces(path, "faces", 4, 3)
    with pytest.raises(ValueError, match="expected 361 rows"):
        read_matlab_faces(path, "X", 19, 19)
    path.write_bytes(b"MATLAB 5.0 MAT-file" + bytes(20))
    with pytest.raises(ValueError, match="cannot be read as a Matlab file"):
        read_matlab_faces(path, "X", 4, 3)


def folder_of(names: list[str], folder: Path) -> Path:
    for name, image in zip(names, IMAGES, strict=True):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(pgm(image))
    return folder


def zip_of(names: list[str], folder: Path) -> Path:
    with zipfile.ZipFile(folder / "toy.zip", "w") as archive:
        for name, image in zip(names, IMAGES, strict=True):
            archive.writestr(name, pgm(image))
    return folder / "toy.zip"


def tar_of(names: list[str], folder: Path) -> Path:
    with tarfile.open(folder / "toy.tar.gz", "w:gz") as archive:
        for name, image in zip(names, IMAGES, strict=True):
            content = pgm(image)
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return folder / "toy.tar.gz"


@pytest.mark.parametrize("pack", [folder_of, zip_of, tar_of])
def test_people_and_numbers_come_from_the_names(pack, tmp_path: Path) -> None:
    """Person 10 comes after person 9, in every kind of archive."""
    faces = read_pgm_faces(pack(["orl/s9/1.pgm", "orl/s10/1.pgm"], tmp_path), "")
    assert faces.people == ("s9", "s10")
    np.testing.assert_array_equal(faces.pixels, IMAGES.reshape(2, -1).T)


def test_only_the_faces_of_a_collection_are_read(tmp_path: Path) -> None:
    """The folder non-face is not the folder face."""
    path = tar_of(["train/non-face/a.pgm", "train/face/b.pgm"], tmp_path)
    np.testing.assert_array_equal(read_pgm_faces(path, "face").pixels[:, 0], IMAGES[1].ravel())
    with pytest.raises(ValueError, match=r"holds no \.pgm file in a folder test"):
        read_pgm_faces(path, "test")


def test_damage_names_the_member(tmp_path: Path) -> None:
    """An image of another size, a flipped byte, a cut archive."""
    with zipfile.ZipFile(tmp_path / "odd.zip", "w") as archive:
        archive.writestr("s1/1.pgm", pgm(IMAGES[0]))
        archive.writestr("s1/2.pgm", pgm(IMAGES[0][:2]))
    with pytest.raises(ValueError, match=r"odd\.zip:s1/2\.pgm: the image is 2 × 3, but .*s1/1\.pgm is 4 × 3"):
        read_pgm_faces(tmp_path / "odd.zip", "")
    path = zip_of(["s1/1.pgm", "s1/2.pgm"], tmp_path)
    whole = path.read_bytes()
    path.write_bytes(whole.replace(IMAGES[1].tobytes(), bytes(12)))
    with pytest.raises(ValueError, match=r"toy\.zip:s1/2\.pgm is damaged"):
        read_pgm_faces(path, "")
    path = tar_of(["s1/1.pgm", "s1/2.pgm"], tmp_path)
    path.write_bytes(path.read_bytes()[:-30])
    with pytest.raises(ValueError, match="not a whole tar archive"):
        read_pgm_faces(path, "")


@pytest.mark.parametrize(
    ("load", "shape", "people"),
    [(load_cbcl, (361, 2429), 0), (load_orl, (10_304, 400), 40), (load_olivetti, (4096, 400), 40)],
)
def test_the_real_collections(load, shape, people) -> None:
    try:
        faces = load()
    except DataNotFound as missing:
        pytest.skip(str(missing))
    assert faces.pixels.shape == shape
    assert len(set(faces.people)) == people
    assert faces.height * faces.width == shape[0]


def test_both_forms_of_cbcl_are_the_same() -> None:
    try:
        packed = find("cbcl-faces", "cbcl-train-faces-pgm.zip")
        faces = load_cbcl()
    except DataNotFound as missing:
        pytest.skip(str(missing))
    np.testing.assert_array_equal(read_pgm_faces(packed, "face").pixels, faces.pixels)
