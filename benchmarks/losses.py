"""Counts, ratings, holes: what the further losses must reach. ``python benchmarks/losses.py`` (``make bench-losses``).

Each part is kept in ``results/losses.json`` as soon as it is measured; ``--only ratings holes`` measures some again and
leaves the others as they are. Every run is a process of its own, warmed by a tiny fit; the ones that are compared take
turns. Processor seconds stand beside seconds, since other work on the machine changes the latter. scikit-learn's
multiplicative updates take minutes, so their run is kept in ``results/raw/``; ``--again`` repeats it.
"""

import argparse
import json
import os
import subprocess
import sys
import tarfile
import tempfile
import time
import warnings
import zipfile
from collections.abc import Callable
from io import BytesIO
from itertools import count
from pathlib import Path
from statistics import median

import numpy as np
import scipy.sparse as sp

import partwise as pw
from partwise import datasets

HERE = Path(__file__).resolve().parent
RESULT, RAW = HERE / "results" / "losses.json", HERE / "results" / "raw"
CMFREC = Path(os.environ.get("PARTWISE_CMFREC", HERE.parent / ".venv" / "cmfrec" / "bin" / "python"))
VERSION_0_1 = "f014d2a"
RANKS, TURNS = (10, 50), 3
LAMBDAS = (0.02, 0.025, 0.03, 0.035, 0.04, 0.05)
"""Penalties by observation that are tried inside the training folds, in units of the mean rating."""
NNZ, WORDS = 10_000_000, 63_000


def say(text: str) -> None:
    """A line of progress."""
    print(f"{time.strftime('%H:%M:%S')}  {text}", flush=True)


def child(*words: object, python: object = sys.executable, source: object = None) -> dict:
    """One of the functions of CHILDREN in a process of its own; ``source`` holds another partwise."""
    there = {} if source is None else {"PYTHONPATH": str(source)}
    environment = os.environ | {"OPENBLAS_NUM_THREADS": "1"} | there
    script = __file__ if python == sys.executable else HERE / "ratings_cmfrec.py"
    command = [str(python), str(script), "--child", *map(str, words)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, env=environment)
    return json.loads(done.stdout.splitlines()[-1])


def timed(work: Callable[[], object]) -> tuple[object, dict]:
    """(what it gives, its seconds and processor seconds)."""
    wall, processor = time.perf_counter(), time.process_time()
    result = work()
    spent = {"seconds": time.perf_counter() - wall, "processor_seconds": time.process_time() - processor}
    return result, {name: round(value, 4) for name, value in spent.items()}


def quiet() -> None:
    """Unknown rows of a fold and iterations that run out are part of what is measured."""
    warnings.simplefilter("ignore")


def counted(scratch: Path) -> tuple[Path, dict]:
    """Reuters as counts, terms × documents, in a file; the vocabulary of the tf-idf benchmark."""
    from sklearn.feature_extraction.text import CountVectorizer

    texts = (article.text for article in datasets.load_reuters() if article.body)
    counts = CountVectorizer(stop_words="english", token_pattern=r"[a-z]{2,}", min_df=3).fit_transform(texts)
    matrix, path = sp.csr_array(counts.T, dtype=np.float64), scratch / "reuters.npz"
    sp.save_npz(path, matrix)
    return path, {"terms": matrix.shape[0], "documents": matrix.shape[1], "nnz": matrix.nnz, "sum": matrix.sum()}


def divergence(matrix: sp.csr_array, w: np.ndarray, h: np.ndarray) -> float:
    """D(A | WH) in numpy, w m × k and h n × k."""
    entries, total = matrix.tocoo(), -float(matrix.sum()) + float(w.sum(axis=0) @ h.sum(axis=0))
    for lo in range(0, matrix.nnz, 2**18):
        part = slice(lo, lo + 2**18)
        fitted = np.einsum("ij,ij->i", w[entries.row[part]], h[entries.col[part]])
        total += float(entries.data[part] @ np.log(entries.data[part] / fitted))
    return total


def ended(pieces: list[dict]) -> bool:
    """scikit-learn's rule: 200 iterations, or less than 1e-4 of the first error gained in the last ten."""
    errors = [piece["error"] for piece in pieces]
    return len(errors) > 20 or (len(errors) > 1 and errors[-2] - errors[-1] < 1e-4 * errors[0])


def sklearn_pieces(path: str, rank: str, stem: str) -> dict:
    """Ten iterations after ten, each kept in files, for two minutes of the processor or to the end."""
    from sklearn.decomposition import NMF
    from sklearn.decomposition._nmf import _beta_divergence, _initialize_nmf

    quiet()
    samples, k, pair, record = sp.csr_matrix(sp.load_npz(path).T), int(rank), Path(f"{stem}.npz"), Path(f"{stem}.json")
    if not pair.exists():
        (w, h), spent = timed(lambda: _initialize_nmf(samples, k, init="nndsvda", random_state=0))
        pieces = [{**spent, "error": float(_beta_divergence(samples, w, h, 1, square_root=True))}]
    else:
        (w, h), pieces = np.load(pair).values(), json.loads(record.read_text())
    while not ended(pieces) and time.process_time() < 120:
        model = NMF(k, solver="mu", beta_loss="kullback-leibler", init="custom", tol=0, max_iter=10)
        w, spent = timed(lambda w=w, h=h, model=model: model.fit_transform(samples, W=w, H=h))
        h = model.components_
        pieces.append({**spent, "error": float(model.reconstruction_err_)})
        np.savez(pair.with_suffix(".part.npz"), w=w, h=h)
        pair.with_suffix(".part.npz").replace(pair)
        record.write_text(json.dumps(pieces))
    return {"ended": ended(pieces)}


def poisson_sklearn(path: Path, rank: int) -> dict:
    """``NMF(k, solver="mu", beta_loss="kullback-leibler")`` as a user calls it, step by step.

    It looks at its tolerance every ten iterations, so ten after ten are the same run, and one that is broken off goes
    on where it was.
    """
    import sklearn

    stem = RAW / f"losses-sklearn-{rank}"
    while not child("sklearn_pieces", path, rank, stem)["ended"]:
        say(f"scikit-learn, k = {rank}: {10 * (len(json.loads(Path(f'{stem}.json').read_text())) - 1)} iterations")
    pieces, (w, h) = json.loads(Path(f"{stem}.json").read_text()), np.load(f"{stem}.npz").values()
    value = divergence(sp.csr_array(sp.load_npz(path)), h.T, w)
    spent = {name: sum(piece[name] for piece in pieces) for name in ("seconds", "processor_seconds")}
    return {**spent, "divergence": value, "iterations": 10 * (len(pieces) - 1), "version": sklearn.__version__}


def poisson_partwise(path: str, rank: str, target: str) -> dict:
    """Until the divergence is scikit-learn's, and by the defaults to their end."""
    matrix, k = sp.load_npz(path), int(rank)
    pw.factorize(matrix[:, :200], 3, loss="poisson")

    def reach() -> int:
        for step in pw.iterate(matrix, k, loss="poisson"):
            if step.objective <= float(target) or step.iteration == 200:
                return step.iteration if step.objective <= float(target) else -1
        return -1

    iterations, until = timed(reach)
    fit, whole = timed(lambda: pw.factorize(matrix, k, loss="poisson"))
    certificate = fit.certificate
    end = {"divergence": divergence(matrix, fit.w, fit.h), "iterations": certificate.iterations, "kkt": certificate.kkt}
    return {"until": {**until, "iterations": iterations}, "whole": {**whole, **end}}


def poisson(scratch: Path, again: bool) -> dict:
    """Reuters as counts beside scikit-learn's multiplicative updates."""
    path, about = counted(scratch)
    RAW.mkdir(exist_ok=True)
    rows = []
    for rank in RANKS:
        if again:
            (RAW / f"losses-sklearn-{rank}.npz").unlink(missing_ok=True)
        theirs = poisson_sklearn(path, rank)
        ours = child("poisson_partwise", path, rank, theirs["divergence"])
        until, reached = ours["until"], ours["until"]["iterations"] >= 0
        ratios = {name: theirs[name] / until[name] for name in ("seconds", "processor_seconds")}
        lower = ours["whole"]["divergence"] < theirs["divergence"]
        met = {"met": bool(reached and ratios["processor_seconds"] >= 15), "lower": bool(lower)}
        rows.append({"rank": rank, "sklearn": theirs, **ours, "ratios": ratios, **met})
        say(f"k = {rank}: {ratios['seconds']:.0f} times, {ratios['processor_seconds']:.0f} by the processor's; {met}")
    return {**about, "rows": rows, "least_ratio": 15}


def memory_of(name: str) -> int:
    """A line of /proc/self/status, in bytes."""
    line = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith(name))
    return int(line.split()[1]) * 1024


def write_counts(path: str) -> dict:
    """Generated text as counts, words × documents."""
    import generated

    rng, parts, total = np.random.default_rng(0), [], 0
    while total < NNZ:
        indices, counts, sizes = generated.documents(rng, 2_000, WORDS, 50)
        indptr = np.concatenate([[0], np.cumsum(sizes)])
        parts.append(sp.csr_array((counts.astype(np.float64), indices, indptr), shape=(2_000, WORDS)))
        total += len(indices)
    matrix = sp.csr_array(sp.vstack(parts)[:, np.unique(np.concatenate([part.indices for part in parts]))].T)
    for name in ("data", "indices", "indptr"):
        array = getattr(matrix, name)
        np.save(f"{path}-{name}.npy", array if name == "data" else array.astype(np.int32))
    return {"terms": matrix.shape[0], "documents": matrix.shape[1], "nnz": matrix.nnz}


def memory_fit(path: str, words: str, documents: str) -> dict:
    """The peak over the process after a tiny fit, with the matrix itself in it."""
    pw.factorize(sp.random_array((60, 40), density=0.3, rng=np.random.default_rng(0), format="csr"), 3, loss="poisson")
    idle = memory_of("VmRSS")
    arrays = tuple(np.load(f"{path}-{name}.npy") for name in ("data", "indices", "indptr"))
    matrix = sp.csr_array(arrays, shape=(int(words), int(documents)))
    size = sum(array.nbytes for array in arrays)
    fit, spent = timed(lambda: pw.factorize(matrix, 50, loss="poisson", stop=pw.MaxIterations(3)))
    peak = memory_of("VmHWM") - idle
    factors = fit.w.nbytes + fit.h.nbytes
    return {**spent, "idle_bytes": idle, "peak_bytes": peak, "matrix_bytes": size, "factor_bytes": factors}


def memory(scratch: Path, again: bool) -> dict:
    """Poisson at 1e7 nonzeros, k = 50: the peak over the idle process."""
    about = child("write_counts", scratch / "counts")
    result = child("memory_fit", scratch / "counts", about["terms"], about["documents"])
    limit = 3 * result["matrix_bytes"] + 8 * result["factor_bytes"]
    say(f"peak {result['peak_bytes'] / 1e6:.0f} MB of {limit / 1e6:.0f} MB")
    return {**about, **result, "limit_bytes": limit, "met": result["peak_bytes"] <= limit}


def folds(scratch: Path) -> list[Path]:
    """MovieLens' own five folds, each with a tenth of its training ratings to choose λ on."""
    paths = []
    with zipfile.ZipFile(datasets.find("movielens-100k", "ml-100k.zip")) as archive:
        for number in range(1, 6):
            train, test = (
                np.array([line.split()[:3] for line in archive.read(f"ml-100k/u{number}.{part}").splitlines()], int)
                for part in ("base", "test")
            )
            inner = np.random.default_rng(number).random(len(train)) < 0.1
            paths.append(scratch / f"fold{number}.npz")
            np.savez(paths[-1], train=train, test=test, inner=inner)
    return paths


def stars(rows: np.ndarray) -> sp.csr_array:
    """Items × users."""
    return sp.csr_array((rows[:, 2].astype(float), (rows[:, 1] - 1, rows[:, 0] - 1)), shape=(1682, 943))


def ratings_partwise(path: str, biases: str) -> dict:
    """One fold: λ from the training ratings, then all of them, and the error on the others."""
    quiet()
    fold, held = np.load(path), biases == "True"

    def fit(rows: np.ndarray, lam: float) -> pw.Factorization:
        penalty = pw.PerObservation(lam)
        method = pw.penalised(pw.extrapolated("anls"), w=penalty, h=penalty)
        return pw.factorize(stars(rows), 10, algorithm=method, missing="zeros", biases=held)

    def error(model: pw.Factorization, rows: np.ndarray) -> float:
        predicted = np.clip(model.predict(rows[:, 1] - 1, rows[:, 0] - 1), 1, 5)
        return float(np.sqrt(np.mean((predicted - rows[:, 2]) ** 2)))

    train, inner = fold["train"], fold["inner"]
    tried = {lam: error(fit(train[~inner], lam), train[inner]) for lam in LAMBDAS}
    best = min(tried, key=tried.get)
    runs = [timed(lambda: fit(train, best)) for _ in range(TURNS)]
    spent = {name: min(run[1][name] for run in runs) for name in runs[0][1]}
    default = pw.factorize(stars(train), 10, missing="zeros", biases=held)
    return {"lambda": best, "rmse": error(runs[0][0], fold["test"]), "default": error(default, fold["test"]), **spent}


def ratings(scratch: Path, again: bool) -> dict:
    """MovieLens-100k, k = 10, beside cmfrec with the same objective, folds and search for λ, by turns."""
    paths, there, rows = folds(scratch), CMFREC.exists(), []
    for biases in (False, True):
        runs = {"partwise": [], "cmfrec": []}
        for path in paths:
            runs["partwise"].append(child("ratings_partwise", path, biases))
            if there:
                lambdas = ",".join(map(str, LAMBDAS))
                runs["cmfrec"].append(child(path, biases, lambdas, TURNS, python=CMFREC))
        row = {"biases": biases, "folds": runs}
        for name, own in runs.items():
            keys = [key for key, value in own[0].items() if isinstance(value, float) and key != "lambda"] if own else []
            row[name] = {key: float(np.mean([run[key] for run in own])) for key in keys}
            say(f"biases {biases}, {name}: {row[name]}")
        rows.append(row)
    ours, theirs = rows[0]["partwise"], rows[0]["cmfrec"]
    met = {"rmse": ours["rmse"] <= 0.925}
    if theirs:
        faster = all(ours[key] <= theirs[key] for key in ("seconds", "processor_seconds"))
        met |= {"beside": ours["rmse"] <= theirs["rmse"] + 0.003, "time": faster}
    return {"rows": rows, "met": met, "limit": 0.925, "margin": 0.003, "lambdas": LAMBDAS}


def holes_child(kind: str) -> dict:
    """CBCL with or without holes; the error on the holes and on the rest."""
    from scipy.io import loadmat

    faces = np.ascontiguousarray(loadmat(datasets.find("cbcl-faces", "CBCL.mat"))["X"], dtype=np.float64) / 255
    gone = np.random.default_rng(0).random(faces.shape) < 0.1
    holed = np.where(gone, np.nan, faces)
    matrix, settings = (holed, {"missing": "nan"}) if kind == "holes" else (faces, {})
    pw.factorize(matrix[:, :60], 3, **settings)
    fit, spent = timed(lambda: pw.factorize(matrix, 25, **settings))
    squares = (faces - fit.w @ fit.h.T) ** 2
    errors = {"on_holes": float(np.sqrt(squares[gone].mean())), "on_rest": float(np.sqrt(squares[~gone].mean()))}
    return {**spent, **errors, "iterations": fit.certificate.iterations}


def holes(scratch: Path, again: bool) -> dict:
    """CBCL with a tenth of its pixels unknown, k = 25, beside the same fit without holes, by turns."""
    runs = [{kind: child("holes_child", kind) for kind in ("whole", "holes")} for _ in range(TURNS)]
    result = {
        kind: {key: median(run[kind][key] for run in runs) for key in runs[0][kind]} for kind in ("whole", "holes")
    }
    ratios = {k: result["holes"][k] / result["whole"][k] for k in ("seconds", "processor_seconds")}
    errors = result["holes"]["on_holes"] / result["holes"]["on_rest"]
    met = {"time": ratios["processor_seconds"] <= 3, "error": errors <= 1.1}
    say(f"time {ratios}, error {errors:.3f}, {met}")
    return {**result, "ratios": ratios, "error_ratio": errors, "met": met, "limits": {"time": 3, "error": 1.1}}


def squared_child(path: str, rank: str, iterations: str) -> dict:
    """Iterations of als-hals from one W, and the default fit; by this partwise or by an earlier one."""
    quiet()
    loaded, k = np.load(path), int(rank)
    matrix = loaded["dense"] if "dense" in loaded else sp.csr_array(sp.load_npz(path))
    pw.factorize(matrix[:, :300], 3)
    w = np.random.default_rng(0).random((matrix.shape[0], k))

    def steps() -> None:
        for i, _ in zip(count(), pw.iterate(matrix, k, algorithm="als-hals", init=w), strict=False):
            if i == int(iterations):
                return

    _, same = timed(steps)
    fit, whole = timed(lambda: pw.factorize(matrix, k))
    return {"same": same, "whole": {**whole, "error": fit.error, "iterations": fit.certificate.iterations}}


def squared(scratch: Path, again: bool) -> dict:
    """The squared loss on complete data beside version 0.1, by turns."""
    from matrices import medlars, reuters
    from scipy.io import loadmat

    packed = subprocess.run(["git", "archive", VERSION_0_1, "src"], cwd=HERE.parent, capture_output=True, check=True)
    with tarfile.open(fileobj=BytesIO(packed.stdout)) as archive:
        archive.extractall(scratch / "before", filter="data")
    faces = np.ascontiguousarray(loadmat(datasets.find("cbcl-faces", "CBCL.mat"))["X"], dtype=np.float64) / 255
    np.savez(scratch / "cbcl.npz", dense=faces)
    for name, load in (("medlars", medlars), ("tfidf", reuters)):
        sp.save_npz(scratch / f"{name}.npz", load().matrix)
    rows = []
    for name, file, rank, iterations in (
        ("MEDLARS", "medlars", 10, 100), ("CBCL", "cbcl", 49, 60), ("Reuters", "tfidf", 50, 30)
    ):  # fmt: skip
        sources = {"before": scratch / "before" / "src", "now": HERE.parent / "src"}
        runs = [
            {key: child("squared_child", scratch / f"{file}.npz", rank, iterations, source=source)
             for key, source in sources.items()}
            for _ in range(TURNS)
        ]  # fmt: skip
        row = {"data": name, "rank": rank, "iterations": iterations}
        for part in ("same", "whole"):
            spent = {key: median(run[key][part]["processor_seconds"] for run in runs) for key in sources}
            row[part] = {**spent, "ratio": spent["now"] / spent["before"]}
        row["whole"]["errors"] = {key: runs[0][key]["whole"]["error"] for key in sources}
        rows.append(row)
        say(f"{name}: iterations {row['same']['ratio']:.2f}, whole {row['whole']['ratio']:.2f} of version 0.1")
    return {"rows": rows, "limit": 1.05, "met": all(row["same"]["ratio"] <= 1.05 for row in rows)}


PARTS = {"poisson": poisson, "memory": memory, "ratings": ratings, "holes": holes, "squared": squared}
CHILDREN = {
    f.__name__: f
    for f in (sklearn_pieces, poisson_partwise, write_counts, memory_fit, ratings_partwise, holes_child, squared_child)
}


def main() -> None:
    """Measure all parts or those that are asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", choices=list(PARTS), default=list(PARTS), help="some parts of it")
    parser.add_argument("--again", action="store_true", help="repeat what is kept in results/raw")
    asked = parser.parse_args()
    for name in asked.only:
        say(f"{name}: {PARTS[name].__doc__}")
        with tempfile.TemporaryDirectory() as scratch:
            result = PARTS[name](Path(scratch), asked.again)
        known = json.loads(RESULT.read_text(encoding="utf-8")) if RESULT.exists() else {"parts": {}}
        known["cores"] = os.cpu_count()
        known["parts"][name] = {**result, "load": round(os.getloadavg()[2], 1)}
        RESULT.write_text(json.dumps(known, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--child"]:
        print(json.dumps(CHILDREN[sys.argv[2]](*sys.argv[3:])))
    else:
        main()
