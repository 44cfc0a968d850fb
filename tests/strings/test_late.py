"""Strings of traced values are those of TensorFlow: computed, joined, compared, printed and returned."""

import sys

import jax
import numpy as np
import pytest
import tensorflow as tf

import shims
from shims._src.types.traced_text import CAPACITY

OPERATORS = {
    "as_string": lambda t, x, n: t.strings.as_string(x),
    "as_string_scalar": lambda t, x, n: t.strings.as_string(n, width=4, fill="0"),
    "format": lambda t, x, n: t.strings.format("v {} {}", [x, n]),
    "join": lambda t, x, n: t.strings.join(["a", t.strings.as_string(n), "b"], separator="-"),
    "join_vectors": lambda t, x, n: t.strings.join([t.strings.as_string(x), "s"]),
    "add": lambda t, x, n: "<" + t.strings.as_string(n) + ">",
    "lower": lambda t, x, n: t.strings.lower(t.strings.format("STEP {}", n)),
    "upper": lambda t, x, n: t.strings.upper(t.strings.format("step {}", n)),
    "strip": lambda t, x, n: t.strings.strip(t.strings.format("  {} ", n)),
    "substr": lambda t, x, n: t.strings.substr(t.strings.as_string(x), 0, 3),
    "to_number": lambda t, x, n: t.strings.to_number(t.strings.as_string(x)),
    "to_int": lambda t, x, n: t.strings.to_number(t.strings.as_string(n), t.int32),
    "length": lambda t, x, n: t.strings.length(t.strings.as_string(x)),
    "regex_replace": lambda t, x, n: t.strings.regex_replace(t.strings.as_string(x), r"\.", ","),
    "regex_full_match": lambda t, x, n: t.strings.regex_full_match(t.strings.as_string(n), "3"),
    "hash": lambda t, x, n: t.cast(
        t.strings.to_hash_bucket_fast(t.strings.as_string(x), 97), t.int32
    ),
    "equal": lambda t, x, n: t.strings.as_string(n) == "3",
    "differ": lambda t, x, n: t.strings.as_string(n) != "3",
}


def _plain(value):
    return value.numpy() if hasattr(value, "numpy") else np.asarray(value)


@pytest.mark.parametrize("name", OPERATORS)
def test_operators_in_functions(name):
    found = []
    for library in (tf, shims):
        function = library.function(lambda x, n, t=library: OPERATORS[name](t, x, n))
        numbers = library.constant([1.5, 2.25])
        found.append([_plain(function(numbers, library.constant(n))) for n in (3, 14)])
    for wanted, ours in zip(*found, strict=True):
        assert np.asarray(wanted).shape == np.asarray(ours).shape
        np.testing.assert_array_equal(wanted, ours)


@shims.function
def chosen(n):
    if shims.strings.length(shims.strings.format("{}", n)) == 1:
        text = shims.strings.format("0{}", n)
    else:
        text = shims.strings.format("{}", n)
    for i in shims.range(n):
        text = shims.strings.join([text, shims.strings.as_string(i)], ":")
    shims.print(text, output_stream=sys.stdout)
    shims.print("n =", n, text, output_stream=sys.stdout, end="|\n")
    return text


def test_a_branch_and_a_loop_choose_strings(capfd):
    # Printed by TensorFlow 2.21 for the same function.
    for n, text in ((3, "03:0:1:2"), (10, "10:0:1:2:3:4:5:6:7:8:9")):
        assert _plain(chosen(shims.constant(n))) == text.encode()
        jax.effects_barrier()
        assert capfd.readouterr().out == f'{text}\nn = {n} "{text}"|\n'


def test_a_long_string_is_an_error():
    function = shims.function(lambda n: shims.strings.format("x" * CAPACITY + "{}", n))
    with pytest.raises(Exception, match="at most 1024 bytes"):
        function(shims.constant(3))


def test_sizes_that_data_decide_become_constants():
    function = shims.function(lambda x: shims.strings.as_string(shims.boolean_mask(x, x > 0)))
    with pytest.warns(shims.errors.SpecializationWarning, match="constants"):
        found = function(shims.constant([1.0, -1.0, 3.0]))
    assert _plain(found).tolist() == [b"1.000000", b"3.000000"]
