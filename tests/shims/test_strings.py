"""Strings: their lengths are computed, everything else says what to do instead."""

import numpy as np
import pytest
import tensorflow as tf

import shims
from tf2jax_port.table.strings import ROWS

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


@pytest.mark.parametrize("name", [n for r in ROWS for n in r.names if n != "strings.length"])
def test_refused(name):
    found = shims
    for part in name.split("."):
        found = getattr(found, part)
    with pytest.raises(shims.errors.UnimplementedError) as raised:
        found("a")
    head, _, do = str(raised.value).partition("\n  Do:       ")
    assert head.partition("\n")[0].endswith(": JAX has no arrays of strings.")
    assert do
