"""A disk that is soon full."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest


def small_disk(folder, megabytes=4):
    """(a file system in memory, a function after which it has no more room), where this process may mount one."""
    place = folder / "disk"
    place.mkdir()
    if os.name != "posix" or os.geteuid() != 0 or shutil.which("mount") is None:
        pytest.skip("only root may mount a small disk")
    command = ["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs", str(place)]
    if subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("no file system may be mounted here")
    try:
        yield place, lambda: fill(place / "rest")
    finally:
        subprocess.run(["umount", str(place)], check=True)


def fill(path: Path):
    """Take what room there is, down to the last few kilobytes."""
    with pytest.raises(OSError, match="space"), path.open("wb", buffering=0) as file:  # noqa: PT012
        while True:
            file.write(bytes(4096))
