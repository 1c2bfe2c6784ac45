"""The package itself: its public names, and what importing it loads."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
from functools import cached_property

import pytest

import polyseme

HEAVY = ("numpy", "numba", "llvmlite", "rich", "safetensors")


@pytest.mark.parametrize("name", [name for name in polyseme.__all__ if name != "__version__"])
def test_each_public_name_has_a_docstring_of_its_own(name: str) -> None:
    documented = getattr(polyseme, name)
    assert documented.__doc__
    assert not documented.__doc__.startswith(f"{name}("), "the signature that dataclasses generate is not a docstring"


def documented_callables() -> dict[str, object]:
    """The public functions and classes, and the public methods of classes, by name."""
    found: dict[str, object] = {}
    for name in polyseme.__all__:
        documented = getattr(polyseme, name)
        if callable(documented):
            found[name] = documented
        if inspect.isclass(documented) and not issubclass(documented, Exception):
            members = {key: value for key, value in vars(documented).items() if not key.startswith("_")}
            found.update({f"{name}.{key}": getattr(documented, key) for key in members if callable(members[key])})
            found.update({f"{name}.{k}": v.__func__ for k, v in members.items() if isinstance(v, classmethod)})
    return found


def documented_members() -> dict[str, str]:
    """The docstrings of the public methods and properties of the classes that users call, by name."""
    classes = (polyseme.SenseModel, polyseme.TrainConfig, polyseme.SenseVectorizer, polyseme.Sense)
    members = {f"{cls.__name__}.{key}": value for cls in classes for key, value in vars(cls).items()}
    return {name: value.__doc__ or "" for name, value in members.items() if is_method_or_property(name, value)}


def is_method_or_property(name: str, value: object) -> bool:
    return not name.split(".")[1].startswith("_") and (
        inspect.isfunction(value) or isinstance(value, property | cached_property | classmethod)
    )


@pytest.mark.parametrize("name", documented_callables())
def test_each_parameter_is_documented(name: str) -> None:
    documented = documented_callables()[name]
    if inspect.isclass(documented) and issubclass(documented, Exception | polyseme.TrainConfig | polyseme.SenseModel):
        return  # settings have their help, which the reference shows; models are not made by their constructor
    text = documented.__doc__ or ""
    listed = set(re.findall(r"^ *(\w+)  +\S", text, re.MULTILINE))
    parameters = set(inspect.signature(documented).parameters) - {"self", "cls"}  # type: ignore[arg-type]
    assert {parameter for parameter in parameters if not parameter.startswith("_")} <= listed


@pytest.mark.parametrize("name", documented_callables())
def test_each_result_is_documented(name: str) -> None:
    documented = documented_callables()[name]
    if inspect.isclass(documented) or inspect.signature(documented).return_annotation == "None":  # type: ignore[arg-type]
        return
    text = documented.__doc__ or ""
    assert "Returns " in text or re.match(r"(The|A|Whether|Mask|\()\b", text), "the first line says what is returned"


@pytest.mark.parametrize("name", [name for name in polyseme.__all__ if name != "__version__"])
def test_each_public_name_has_an_example(name: str) -> None:
    assert ">>> " in getattr(polyseme, name).__doc__


@pytest.mark.parametrize("name", documented_members())
def test_each_method_and_property_has_an_example(name: str) -> None:
    assert ">>> " in documented_members()[name]


@pytest.mark.parametrize("name", documented_callables())
def test_docstrings_of_public_names_refer_to_public_names_only(name: str) -> None:
    text = (documented_callables()[name].__doc__ or "").split(">>>")[0]
    assert set(re.findall(r"polyseme\.(\w+)", text)) <= set(polyseme.__all__)


def test_errors_in_docstrings_exist() -> None:
    for name, documented in documented_callables().items():
        for error in re.findall(r"^ *Raises (\w+) if ", documented.__doc__ or "", re.MULTILINE):
            assert issubclass(getattr(polyseme, error), polyseme.PolysemeError), name


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
