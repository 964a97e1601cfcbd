"""The header of .npy files."""

import io
import zipfile

import numpy as np
import pytest

from partwise.storage.npy import read_npy_header


@pytest.mark.parametrize("version", [(1, 0), (2, 0)])
def test_shape_and_type_are_read_and_the_numbers_follow(version):
    """The file stands at the first number."""
    array = np.arange(6, dtype="<f4").reshape(2, 3)
    file = io.BytesIO()
    np.lib.format.write_array(file, array, version=version)
    file.seek(0)
    assert read_npy_header(file) == ((2, 3), np.dtype("<f4"))
    assert np.frombuffer(file.read(), "<f4").tolist() == list(range(6))


def test_a_member_of_an_npz_is_read_the_same_way(tmp_path):
    """Members are .npy files."""
    np.savez_compressed(tmp_path / "a.npz", numbers=np.arange(4))
    with zipfile.ZipFile(tmp_path / "a.npz") as archive, archive.open("numbers.npy") as member:
        assert read_npy_header(member)[0] == (4,)


def test_objects_and_other_files_are_refused():
    """Objects would be unpickled, which runs code."""
    file = io.BytesIO()
    np.lib.format.write_array(file, np.array([{}], object), allow_pickle=True)
    file.seek(0)
    with pytest.raises(ValueError, match="objects, not numbers"):
        read_npy_header(file)
    with pytest.raises(ValueError, match="damaged"):
        read_npy_header(io.BytesIO(b"row,column\n1,2\n"))
