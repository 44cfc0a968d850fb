"""Strings in traced functions are parts of the program."""

from __future__ import annotations

import sys

import jax
import numpy as np
import pytest

import shims


def test_arguments_are_static_and_compared_by_value():
    traces = []

    @shims.function
    def joined(x, mode):
        traces.append(mode)
        return x + 1, mode + "!"

    for mode in ("a", "a", "b"):
        number, text = joined(shims.constant(1), shims.constant(mode))
        assert (int(number), text.numpy()) == (2, mode.encode() + b"!")
    assert len(traces) == 2


def test_signatures_of_strings():
    lengths = shims.function(
        shims.strings.length, input_signature=[shims.TensorSpec([None], shims.string)]
    )
    assert lengths(shims.constant(["a", "bb"])).tolist() == [1, 2]
    with pytest.raises(TypeError):
        lengths(shims.constant([1]))
    with pytest.raises(TypeError, match="differs from the spec"):
        lengths(shims.constant("a"))


def test_numbers_of_known_strings_are_constants():
    run = jax.jit(lambda x: x + shims.strings.length(shims.stack(["a", "bb"])))
    assert run(1).tolist() == [2, 3]


@pytest.mark.parametrize("trace", [jax.jit, shims.function])
def test_strings_that_depend_on_traced_values_are_refused(trace):
    with pytest.raises(shims.errors.UnimplementedError) as raised:
        trace(lambda x: shims.gather(["a", "bb"], x))(np.int32(1))
    message = str(raised.value)
    assert "traced values decide which strings" in message
    assert "test_in_functions.py" in message
    # The remedy of the message.
    chosen = trace(lambda x: x + 1)(np.int32(0))
    assert shims.gather(["a", "bb"], chosen).numpy() == b"bb"


def test_printing_in_a_function(capsys):
    @shims.function
    def run(x):
        shims.print("x", shims.constant("y"), x, output_stream=sys.stdout)
        return x

    run(shims.constant(1))
    jax.effects_barrier()
    assert capsys.readouterr().out == 'x "y" 1\n'
