"""The package itself: its public names, and what importing it loads."""

from __future__ import annotations

import subprocess
import sys

import pytest

import polyseme

HEAVY = ("numpy", "numba", "llvmlite", "rich", "safetensors")


@pytest.mark.parametrize("name", [name for name in polyseme.__all__ if name != "__version__"])
def test_each_public_name_has_a_docstring_of_its_own(name: str) -> None:
    documented = getattr(polyseme, name)
    assert documented.__doc__
    assert not documented.__doc__.startswith(f"{name}("), "the signature that dataclasses generate is not a docstring"


def test_all_public_names_are_listed_once_and_no_others_exist() -> None:
    assert len(polyseme.__all__) == len(set(polyseme.__all__))
    assert dir(polyseme) == sorted(polyseme.__all__)
    assert set(polyseme._MODULE_OF) | {"load", "__version__"} == set(polyseme.__all__)
    with pytest.raises(AttributeError, match="module 'polyseme' has no attribute 'fit'"):
        polyseme.fit  # noqa: B018


def test_importing_the_package_imports_no_heavy_libraries() -> None:
    statements = f"import sys, polyseme; print([m for m in {HEAVY} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", statements], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
