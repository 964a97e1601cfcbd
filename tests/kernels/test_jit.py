"""Compiled kernels are kept on disk, and forgotten when one of them changes."""

import os
import shutil
import subprocess
import sys

from partwise.kernels import jit

INNER = "from jit import jit\n\n@jit\ndef inner(x):\n    return x + {added}\n"
OUTER = "from jit import jit\nfrom inner import inner\n\n@jit\ndef outer(x):\n    return inner(x)\n"
RUN = "from outer import outer; print(outer(1), sum(outer.stats.cache_hits.values()))"


def test_a_kernel_that_is_part_of_another_may_change(tmp_path):
    """numba itself would go on with what it compiled of the old one."""
    shutil.copy(jit.__file__, tmp_path / "jit.py")
    (tmp_path / "outer.py").write_text(OUTER)
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "cache"), "PYTHONDONTWRITEBYTECODE": "1"}

    def found():
        done = subprocess.run(
            [sys.executable, "-c", RUN], cwd=tmp_path, env=environment, capture_output=True, text=True
        )
        return done.stdout.split()

    (tmp_path / "inner.py").write_text(INNER.format(added=1))
    assert found() == ["2", "0"]
    assert found() == ["2", "1"]
    (tmp_path / "inner.py").write_text(INNER.format(added=10))
    assert found() == ["11", "0"]
