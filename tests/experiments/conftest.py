"""Small collections in the original formats, with something to find in them."""

import io
import tarfile
import zipfile
from pathlib import Path

import numpy as np
import pytest
from scipy.io import savemat

from partwise.datasets import TOP_TEN

LETTERS = "abcdefghijklmnopqrstuvwxyz"


def words(topic: int, count: int, rng: np.random.Generator) -> str:
    """A text of words of one topic and a few that all share; digits are no letters, so names are spelled out."""
    own = [f"topic{LETTERS[topic]}{LETTERS[i]}" for i in range(12)]
    common = [f"common{LETTERS[i]}" for i in range(15)]
    return " ".join(rng.choice(own + common, count)).replace("0", "")


def write_smart(folder: Path, name: str, stem: str, count: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    (folder / name).mkdir()
    documents = "".join(f".I {i + 1}\n.W\n{words(i % 8, 30, rng)}\n" for i in range(count))
    queries = "".join(f".I {i + 1}\n.W\n{words(i, 6, rng)}\n" for i in range(8))
    judged = "".join(f"{i % 8 + 1} 0 {i + 1} 1\n" for i in range(count))
    for kind, text in (("ALL", documents), ("QRY", queries), ("REL", judged)):
        (folder / name / f"{stem}.{kind}").write_text(text, encoding="latin-1")


def write_reuters(folder: Path) -> None:
    rng = np.random.default_rng(3)
    records = []
    for i in range(90):
        split, topic = ("TRAIN", "TEST")[i % 5 == 0], i % 10
        topics = "".join(
            f"<D>{t}</D>" for t in {TOP_TEN[topic], "grain" if TOP_TEN[topic] in ("wheat", "corn") else ""} if t
        )
        records.append(
            f'<REUTERS TOPICS="YES" LEWISSPLIT="{split}" CGISPLIT="TRAINING-SET" OLDID="{i + 1}" NEWID="{i + 1}">\n'
            f"<DATE>26-FEB-1987 15:01:01.79</DATE>\n<TOPICS>{topics}</TOPICS>\n"
            f"<TEXT><TITLE>{words(topic, 3, rng)}</TITLE><BODY>{words(topic, 25, rng)}</BODY></TEXT>\n</REUTERS>\n"
        )
    content = b'<!DOCTYPE lewis SYSTEM "lewis.dtd">\n' + "".join(records).encode("latin-1")
    (folder / "reuters-21578").mkdir()
    with tarfile.open(folder / "reuters-21578" / "reuters21578.tar.gz", "w:gz") as archive:
        member = tarfile.TarInfo("reut2-000.sgm")
        member.size = len(content)
        archive.addfile(member, io.BytesIO(content))


def write_faces(folder: Path) -> None:
    rng = np.random.default_rng(4)
    (folder / "cbcl-faces").mkdir()
    parts = rng.random((361, 6)) * (rng.random((361, 6)) < 0.2)
    savemat(folder / "cbcl-faces" / "CBCL.mat", {"X": np.uint8(200 * np.minimum(parts @ rng.random((6, 30)), 1))})
    (folder / "orl-faces").mkdir()
    with zipfile.ZipFile(folder / "orl-faces" / "att_faces.zip", "w") as archive:
        for person in range(1, 5):
            face = rng.integers(0, 200, (8, 6))
            for number in range(1, 4):
                pixels = (face + rng.integers(0, 50, (8, 6))).astype(np.uint8)
                archive.writestr(f"orl_faces/s{person}/{number}.pgm", b"P5\n6 8\n255\n" + pixels.tobytes())


def write_tables(folder: Path) -> None:
    rng = np.random.default_rng(5)
    (folder / "golub-leukemia").mkdir()
    subtypes = ["ALL-B-cell"] * 5 + ["ALL-T-cell"] * 4 + ["AML"] * 5
    names = [f"s{i}" for i in range(len(subtypes))]
    marks = {name: rng.random(40) < 0.3 for name in set(subtypes)}
    values = np.array([20 + 200 * marks[s] + 5 * rng.random(40) for s in sorted(subtypes)]).T
    lines = ["#1.2", f"40\t{len(names)}", "\t".join(["Name", "Description", *names])]
    lines += ["\t".join([f"G{i}", "gene", *(f"{v:.2f}" for v in row)]) for i, row in enumerate(values)]
    (folder / "golub-leukemia" / "ALL_AML_5000x38.gct").write_text("\n".join(lines) + "\n")
    lines = [f"{n}\t{s[:3]}\t{s}" for n, s in zip(names, sorted(subtypes), strict=True)]
    (folder / "golub-leukemia" / "samples.tsv").write_text("\n".join(["sample\tclass\tsubtype", *lines]) + "\n")
    (folder / "movielens-100k").mkdir()
    rows = [
        f"{user + 1}\t{item + 1}\t{rng.integers(3, 6)}\t1\n"
        for user in range(30)
        for item in range(40)
        if (item % 3 == user % 3 and rng.random() < 0.7) or rng.random() < 0.05
    ]
    (folder / "movielens-100k" / "u.data").write_text("".join(rows))
    (folder / "movielens-100k" / "u.item").write_text("".join(f"{i + 1}|film {i}|\n" for i in range(40)))


@pytest.fixture(scope="session")
def small_data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with every data set, small."""
    folder = tmp_path_factory.mktemp("data")
    write_smart(folder, "medlars", "MED", 48, 1)
    write_smart(folder, "cisi", "CISI", 56, 2)
    write_reuters(folder)
    write_faces(folder)
    write_tables(folder)
    return folder
