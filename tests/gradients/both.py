"""One program over `m`, run with TensorFlow and with shims, and what both gave side by side."""

import jax.numpy as jnp
import numpy as np
import pytest
import tensorflow as tf

import shims


def array(m, values, dtype="float32"):
    """A constant of either module."""
    values = np.asarray(values, dtype)
    return tf.constant(values) if m is tf else jnp.asarray(values)


def plain(value):
    """A result as plain Python: structures, `None`s, dtypes, shapes and numbers."""
    if value is None or isinstance(value, (str, bool)):
        return value
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items()}
    if isinstance(value, (tf.IndexedSlices, shims.IndexedSlices)):
        parts = (value.values, value.indices, np.asarray(value.dense_shape, np.int32))
        return {"slices": [plain(part) for part in parts]}
    value = np.asarray(value)
    return (value.dtype.name, value.shape, value)


def check(found, wanted, path="result", *, rtol=2e-5):
    """Equal in structure, `None`s, dtypes and shapes; in value to float32's accuracy."""
    assert type(found) is type(wanted), (path, found, wanted)
    if isinstance(wanted, dict):
        assert list(found) == list(wanted), path
        for key in wanted:
            check(found[key], wanted[key], f"{path}[{key!r}]", rtol=rtol)
    elif isinstance(wanted, list):
        assert len(found) == len(wanted), path
        for i, (a, b) in enumerate(zip(found, wanted, strict=True)):
            check(a, b, f"{path}[{i}]", rtol=rtol)
    elif isinstance(wanted, tuple):
        assert found[:2] == wanted[:2], path
        np.testing.assert_allclose(found[2], wanted[2], rtol=rtol, atol=1e-6, err_msg=path)
    else:
        assert found == wanted, path


def check_same(program, *arguments):
    """A program gives with shims what it gives with TensorFlow."""
    check(plain(program(shims, *arguments)), plain(program(tf, *arguments)))


def check_raises(program, *arguments):
    """A program raises with shims what it raises with TensorFlow, of the same class."""
    try:
        program(tf, *arguments)
    except Exception as error:  # noqa: BLE001, what is compared is its class
        expected = type(error)
    else:
        raise AssertionError("TensorFlow does not raise")
    with pytest.raises(expected) as ours:
        program(shims, *arguments)
    assert type(ours.value) is expected
