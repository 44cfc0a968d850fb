"""Paths of nested results, and what counts as a container."""

from __future__ import annotations

import collections
import dataclasses

import numpy as np
import pytest
import tensorflow as tf

from tf2jax_port.diff.values import tree
from tf2jax_port.diff.values.results import as_arrays

Point = collections.namedtuple("Point", "x y")


@dataclasses.dataclass
class Box:
    low: int
    high: list


@pytest.mark.parametrize(
    ("value", "paths"),
    [
        (1, {"out": 1}),
        ([1, (2, None)], {"out[0]": 1, "out[1][0]": 2, "out[1][1]": None}),
        ({"b": 1, "a": 2}, {"out['a']": 2, "out['b']": 1}),
        (Point(1, 2), {"out[0]": 1, "out[1]": 2}),
        (Box(1, [2]), {"out.low": 1, "out.high[0]": 2}),
        ((), {"out": ()}),
        ([[], 1], {"out[0]": [], "out[1]": 1}),
    ],
)
def test_leaves_by_path(value, paths):
    assert dict(tree.walk(value, "out")) == paths


def test_rebuilding_keeps_containers():
    value = {"a": [1, (2,)], "b": Point(3, None)}
    assert tree.rebuild(value, lambda leaf: leaf and leaf * 2) == {
        "a": [2, (4,)],
        "b": Point(6, None),
    }


def test_ragged_and_sparse_values_are_their_parts():
    ragged = as_arrays(tf.ragged.constant([[1, 2], [], [3]]))
    assert list(ragged) == ["output.flat_values", "output.nested_row_splits[0]"]
    sparse = as_arrays(tf.sparse.from_dense([[0, 5]]))
    assert list(sparse) == ["output.indices", "output.values", "output.dense_shape"]


def test_python_numbers_have_tensorflows_types():
    arrays = as_arrays((True, 1, 2.0, 1j, np.float64(3)))
    assert [a.dtype.name for a in arrays.values() if a is not None] == [
        "bool",
        "int32",
        "float32",
        "complex64",
        "float64",
    ]


def test_what_cannot_be_compared_is_named():
    with pytest.raises(TypeError, match=r"^output\[0\] is a object, which cannot be compared$"):
        as_arrays([object()])
