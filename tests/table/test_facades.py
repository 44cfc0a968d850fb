"""The facades: written by the generator, complete, with TensorFlow's signatures and names."""

import inspect

import numpy as np
import pytest

import shims
from tf2jax_port.diff.parity import original_side, port_side
from tf2jax_port.table import ROWS
from tools import generate_facades
from tools.data_files import ROOT

from . import cases

OPERATORS = [pytest.param(row, id=row.name) for row in cases.operators()]

WRITTEN = generate_facades.generate()


@pytest.mark.parametrize("path", WRITTEN, ids=str)
def test_the_files_are_what_the_generator_writes(path):
    text = WRITTEN[path]
    named = text.startswith(generate_facades.FIRST_LINE) or path.endswith(".json")
    assert named
    assert (ROOT / path).read_text() == text, "run `python -m tools.generate_facades`"


def test_every_name_of_every_row_is_there():
    missing = []
    for row in ROWS:
        for name in row.names:
            found = shims
            for part in name.split("."):
                found = getattr(found, part, shims)
            if found is shims:
                missing.append(name)
    assert missing == []


@pytest.mark.parametrize("row", OPERATORS)
def test_signatures_are_those_of_tensorflow(row):
    live = inspect.signature(original_side.function_of(row)).parameters.values()
    mine = inspect.signature(port_side.function_of(row)).parameters.values()
    assert [(p.name, p.kind) for p in mine] == [(p.name, p.kind) for p in live]
    for a, b in zip(mine, live, strict=True):
        assert _default(a) == _default(b), a.name


def _default(parameter):
    """A default that compares: dtypes as NumPy's, functions by name."""
    value = parameter.default
    if inspect.isfunction(value):
        return value.__name__
    value = getattr(value, "as_numpy_dtype", value)
    return np.dtype(value) if isinstance(value, type) and issubclass(value, np.generic) else value


@pytest.mark.parametrize("row", OPERATORS)
def test_documentation(row):
    text = inspect.getdoc(port_side.function_of(row))
    assert text
    pages = [
        f"https://www.tensorflow.org/api_docs/python/tf/{_path(n).replace('.', '/')}"
        for n in row.names
    ]
    assert any(p in text.splitlines()[-1] for p in pages), pages[0]
    for section in ("Differs from TensorFlow:", "Under jit:"):
        assert section in text, section


def _path(name):
    """Where TensorFlow's documentation has a name."""
    return f"compat.{name}" if name.startswith("v1.") else name


def test_public_names_claim_public_modules():
    strangers = [
        name
        for row in ROWS
        for name in row.names[:1]
        if not _module(name).startswith("shims") or "_src" in _module(name)
    ]
    assert strangers == []


def _module(name):
    found = shims
    for part in name.split("."):
        found = getattr(found, part)
    return getattr(found, "__module__", "shims")
