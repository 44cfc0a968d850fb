"""Describe what a dataset gives, in a form that is equal for both libraries."""

from __future__ import annotations

import re

import numpy as np


def plain(component):
    """Describe a component: its kind, dtype, shape and values."""
    if component is None:
        return None
    kind = type(component).__name__
    if "Ragged" in kind:
        return (
            "ragged",
            plain(component.flat_values),
            [plain(s) for s in component.nested_row_splits],
        )
    if "Sparse" in kind:
        parts = component.indices, component.values, component.dense_shape
        return "sparse", *map(plain, parts)
    if hasattr(component, "element_spec"):
        return [plain_element(e) for e in component]
    array = np.asarray(component.numpy())
    values = array.tolist()
    return ("string" if array.dtype.kind in "OS" else array.dtype.name, array.shape, values)


def plain_element(element):
    """Describe an element."""
    if isinstance(element, dict):
        return {key: plain_element(value) for key, value in element.items()}
    if isinstance(element, tuple):
        return type(element).__name__, *map(plain_element, element)
    return plain(element)


def spec_text(spec) -> str:
    """Return specs as text, in which a `TensorShape` may be a tuple."""
    # TensorFlow's rows of rows of ragged tensors keep a spec of ragged tensors.
    text = re.sub(
        r"RaggedTensorSpec\(TensorShape\(\[\]\), (\S+), -1, \S+\)",
        r"TensorSpec(shape=(), dtype=\1, name=None)",
        repr(spec),
    )
    return re.sub(r"\bshape=TensorShape\((.*?)\)", r"shape=\1", text)


def observed(m, build, passes: int = 2) -> dict:
    """Run a pipeline and describe it: every pass, its specs and its cardinality."""
    m.random.set_seed(11)
    ds = build(m)
    found = {"cardinality": int(ds.cardinality())}
    found["passes"] = [[plain_element(e) for e in ds] for _ in range(passes)]
    found["spec"] = spec_text(ds.element_spec)
    return found
