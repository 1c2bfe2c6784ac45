"""A short run of the fuzzer: damaged models, corpora and checkpoints give an answer or an error of one line."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[1] / "benchmarks" / "fuzz.py"


@pytest.mark.skipif(sys.platform == "win32" or not SCRIPT.exists(), reason="needs benchmarks/fuzz.py and FIFOs")
def test_damaged_files_give_an_answer_or_an_error_of_one_line() -> None:
    done = subprocess.run(
        [sys.executable, SCRIPT, "--cases", "300", "--seed", "3"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "300 cases, 0 failures" in done.stdout
    outcomes = dict(re.findall(r"^(\w+ \w+) +(\d+)$", done.stdout, re.MULTILINE))
    for target in ("model", "corpus", "checkpoint"):
        num_answers, num_errors = int(outcomes.get(f"{target} answer", 0)), int(outcomes[f"{target} error"])
        assert num_answers >= 2  # some damage has no effect, such as that of a letter of a word
        assert num_errors >= 50
        assert num_answers + num_errors == 100
