"""The rooms of the package, lowest layer first: the test of imports and the table in design.md are made from this."""

LAYERS: list[dict[str, str]] = [
    {
        "start_up": "Ctrl-C while the command is still importing, and less to import",
        "types": "the nouns with their laws: data, factors, updates",
        "arguments": "checks of arguments, each with its sentence; bytes as people write them",
    },
    {
        "kernels": "compiled row loops, the only room that imports numba: plain arrays in, plain arrays out",
        "threads": "row blocks, and on how many threads (`pool`), usable cores (`cores`), BLAS held at one (`blas`)",
        "storage": "files: `archive`, `atomic`, `targets`, `locks`, `npy`, `gzipped`, `settings` (the serialiser)",
    },
    {
        "data": "`as_data` asks what kind a matrix is, engines never do; dense, sparse, disk, Dask; passes, products",
        "algorithms": "`table` (by name), `base` (what one is), `stored` (in files), `penalties`, `updates/`",
    },
    {
        "linalg": "the truncated SVD, matched columns, sparsity and storage of factors",
        "losses": "what is minimised, one file each: how rows are made, what a pair is worth, when it is stationary",
    },
    {
        "inits": "starts for W, one file each, by name in `table`; they see the data protocol alone",
        "plot": "figures of a result",
    },
    {
        "engine": "`call`, `driver`, `iteration`, `half_step`, `momentum`, `warm_start`, …; runs, rules, restarts",
    },
    {"result": "the factorisation that comes back, its certificate, predictions, coherence"},
    {"factorize": "the call: check, drive, certify; `iterate`"},
    {
        "study": "questions asked of many runs: stability, ranks, methods side by side",
        "resume": "go on with a run that was kept in a checkpoint",
        "estimator": "scikit-learn's manners (`NMF`); loaded on first use",
        "testing": "the laws as checks that anybody can run",
        "text": "texts to a weighted matrix, topic models, search, clusters",
        "io": "matrices from files, and their conversion to a matrix on disk",
    },
    {
        "report": "the self-contained page",
        "datasets": "readers of public collections",
        "load": "whatever was saved, by what its file says",
    },
    {
        "__init__": "the public names",
        "experiments": "the paper's tables and figures, search and clusters against human judgement",
    },
    {"cli": "the command, one file a verb"},
    {"__main__": "`python -m partwise`"},
]
