"""Lengths and hashes of strings are those of TensorFlow.

Hashes are integers: equality holds on every processor.
"""

import numpy as np
import pytest
import tensorflow as tf

import shims

TEXTS = (
    "abc",
    b"abc",
    "",
    ["h\u00e9", "\u65e5\u672c", ""],
    [[b"a", b"bc"], [b"", b"def"]],
    np.asarray([["x", "yz"]]),
)


@pytest.mark.parametrize("unit", ["BYTE", "UTF8_CHAR"])
@pytest.mark.parametrize("text", TEXTS, ids=range(len(TEXTS)))
def test_lengths(text, unit):
    wanted = tf.strings.length(text, unit=unit).numpy()
    found = np.asarray(shims.strings.length(text, unit=unit))
    assert found.dtype == wanted.dtype
    assert found.tolist() == wanted.tolist()


def test_no_lengths():
    for library in (tf, shims):
        with pytest.raises((tf.errors.InvalidArgumentError, shims.InvalidArgumentError)):
            library.strings.length("a", unit="WORD")
        with pytest.raises(TypeError):
            library.strings.length([1])


LONG = [bytes(range(97, 97 + 26)) * 8 + b"\xff"]
HASHES = {
    "to_hash_bucket": {},
    "to_hash_bucket_fast": {},
    "to_hash_bucket_strong": {"key": [-3, 2**62 + 5]},
}


@pytest.mark.parametrize("name", HASHES)
def test_buckets(name):
    ours, theirs = (getattr(m.strings, name) for m in (shims, tf))
    # Every length up to a few blocks: each hash has forms of its own for short strings.
    texts = [LONG[0][:n] for n in range(209)]
    for number in (1, 1000, 2**31 - 1):
        found = ours(texts, number, **HASHES[name])
        np.testing.assert_array_equal(found, theirs(texts, number, **HASHES[name]))
    for text in TEXTS:
        found = np.asarray(ours(text, 97, **HASHES[name]))
        np.testing.assert_array_equal(found, theirs(text, 97, **HASHES[name]))


@pytest.mark.parametrize("name", HASHES)
def test_no_buckets(name):
    for library in (tf, shims):
        f = getattr(library.strings, name)
        with pytest.raises((tf.errors.InvalidArgumentError, shims.InvalidArgumentError)):
            f(["a"], 0, **HASHES[name])
    ours = getattr(shims.strings, name)
    with pytest.raises(TypeError):
        ours([1], 3, **HASHES[name])
    with pytest.raises(shims.errors.UnimplementedError, match="jax_enable_x64"):
        ours(["a"], 2**40, **HASHES[name])


def test_a_key_has_two_integers():
    with pytest.raises(shims.InvalidArgumentError):
        shims.strings.to_hash_bucket_strong("a", 3, [1])
