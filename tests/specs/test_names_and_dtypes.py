"""What TensorFlow does not have: named sizes, symbolic sizes, dtypes from three libraries."""

import jax.numpy as jnp
import numpy as np
import pytest
import tensorflow as tf
from jax import export

from shims._src.types.tensor_shape import TensorShape
from shims._src.types.tensor_spec import TensorSpec, as_numpy_dtype


def test_names_are_unknown_sizes():
    shape = TensorShape(["batch", 3])
    assert repr(shape) == "TensorShape(['batch', 3])"
    assert str(shape) == "(batch, 3)"
    assert not shape.is_fully_defined()
    assert shape.num_elements() is None
    assert shape.as_list() == ["batch", 3]
    assert shape == TensorShape(["batch", 3])
    assert shape != TensorShape([None, 3])
    assert shape.is_compatible_with([7, 3])
    assert shape.is_compatible_with([None, 3])
    assert not shape.is_compatible_with([7, 4])


@pytest.mark.parametrize(
    ("one", "other", "merged"),
    [("b", 3, 3), (None, "b", "b"), ("b", None, "b"), ("b", "b", "b"), (None, None, None)],
)
def test_merging_keeps_what_says_most(one, other, merged):
    assert TensorShape([one]).merge_with([other]) == TensorShape([merged])


def test_a_name_describes_less_than_none():
    assert TensorShape(["b"]).is_subtype_of([None])
    assert not TensorShape([None]).is_subtype_of(["b"])
    assert TensorShape(["b"]).most_specific_compatible_shape(["c"]) == TensorShape([None])


def test_symbolic_sizes_are_kept():
    (n,) = export.symbolic_shape("n")
    shape = TensorShape([n, 2])
    assert shape.as_list() == [n, 2]
    assert shape.num_elements() == 2 * n
    assert repr(shape) == "TensorShape([n, 2])"


@pytest.mark.parametrize(
    ("size", "error", "text"),
    [
        (
            "not a name",
            TypeError,
            "Dimension value must be integer or None, a name, or have an __index__ method, "
            "got value 'not a name' with type '<class 'str'>'",
        ),
        (
            2.5,
            TypeError,
            "Dimension value must be integer or None, a name, or have an __index__ method, "
            "got value 2.5 with type '<class 'float'>'",
        ),
        (-1, ValueError, "Dimension -1 must be >= 0"),
    ],
)
def test_what_is_not_a_size(size, error, text):
    with pytest.raises(error) as caught:
        TensorShape([size])
    assert str(caught.value) == text


def test_a_string_is_one_name_not_many():
    assert TensorShape("ab") == TensorShape(["ab"])


@pytest.mark.parametrize("name", ["float32", "int64", "bool", "complex64", "bfloat16", "uint8"])
def test_a_dtype_from_any_library(name):
    spellings = [name, getattr(tf, name), getattr(jnp, name), getattr(jnp, name).dtype]
    assert {as_numpy_dtype(s) for s in spellings} == {np.dtype(getattr(jnp, name).dtype)}


@pytest.mark.parametrize("bad", [None, "no", int, "complex", 999])
def test_what_is_not_a_dtype(bad):
    with pytest.raises(TypeError) as caught:
        TensorSpec([2], bad)
    assert str(caught.value) == f"Cannot convert {bad!r} to a dtype."


def test_specs_travel():
    spec = TensorSpec(["batch", None, 3], jnp.bfloat16, "x")
    rebuild, arguments = spec.__reduce__()
    assert rebuild(*arguments) == spec
    assert repr(spec) == "TensorSpec(shape=(batch, None, 3), dtype=tf.bfloat16, name='x')"
    assert {spec: 1}[TensorSpec(["batch", None, 3], "bfloat16", "x")] == 1
