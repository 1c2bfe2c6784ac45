"""The cache of compiled kernels."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import polyseme

CALLEE = "from polyseme.kernels.jit import internal\n@internal\ndef value():\n    return {}\n"
CALLER = "from polyseme.kernels.{0} import value\nfrom polyseme.kernels.jit import kernel\n"
CALLER += "@kernel\ndef call():\n    return value()\n"


def test_a_kernel_is_compiled_again_if_one_that_it_calls_has_changed(tmp_path: Path) -> None:
    """Also in a cache folder of the user: Numba itself compares only the time of the kernel's own file."""
    assert polyseme.__file__ is not None
    package = tmp_path / "polyseme"
    shutil.copytree(Path(polyseme.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__"))
    (package / "kernels" / "caller.py").write_text(CALLER.format("callee"))
    environment = {**os.environ, "PYTHONPATH": str(tmp_path), "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    printed = []
    for value in (1, 2):
        (package / "kernels" / "callee.py").write_text(CALLEE.format(value))
        done = subprocess.run(
            [sys.executable, "-B", "-c", "from polyseme.kernels.caller import call; print(call())"],
            env=environment, capture_output=True, text=True, check=True,
        )  # fmt: skip
        printed.append(done.stdout.strip())
    assert printed == ["1", "2"]
    assert {path.name.split("-")[0] for path in (tmp_path / "cache").iterdir()} == {"kernels"}
