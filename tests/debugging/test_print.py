"""`print` writes TensorFlow's text, at once and from compiled programs in their order."""

import collections
import sys

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import tensorflow as tf

import shims

NUMBERS = (
    *(0.0, -0.0, 1.0, 1 / 3, 1e-5, 1e10, 1e7, 123456.789, 1234567.9, 123456789.0, 0.1, 100.0),
    *(np.nan, np.inf, -np.inf, 1e-10, 3e38, 2.5e5, 1e5, 1e6, 999999.9, 16777216.0, 0.00012345),
)
Point = collections.namedtuple("Point", "x y")

# Evaluated as the arguments of `print`, once with TensorFlow as `m` and once with shims.
CALLS = (
    *(f"m.constant(NUMBERS, m.{d}), summarize=-1" for d in ("float32", "bfloat16")),
    "m.constant([0.1, 1 / 3, 65504.0, 1e-5, 2049.0], m.float16), summarize=-1",
    "m.constant([1, -2, 127], m.int8), m.constant([200], m.uint8)",
    "m.constant([True, False]), m.constant(True), m.constant([1 + 2j], m.complex64)",
    "m.range(10), m.range(6), m.range(7)",
    "m.range(7), summarize=2",
    "m.range(7), summarize=0",
    "m.range(3), summarize=1",
    *(f"m.reshape(m.range({np.prod(s)}), {s})" for s in ([3, 4], [9, 9], [2, 3, 4], [8, 8, 2])),
    *(f"m.reshape(m.range({np.prod(s)}), {s})" for s in ([0], [2, 0], [0, 2], [2, 2, 2, 2])),
    "m.reshape(m.range(100), [10, 10]), summarize=1",
    "",
    "'a', 'b', 1, 2.5, None, True",
    "'a', 'b', sep=','",
    "'a', end=''",
    "[1, 2, 3], [m.constant(1), 2.5, 'x'], (1, m.constant([1, 2]))",
    "{'b': m.constant([1, 2]), 'a': 'q', 'k': {'n': [m.constant(1)]}}, {}, []",
    "np.arange(10), np.float32(1 / 3), [np.arange(3)], 1 / 3",
    "m.Variable([1.0, 2.0]), 'x:', m.constant([[1.0]]), Point(m.constant(1), 2)",
    "m.TensorShape([1, None]), 1, name='n'",
    "m.ragged.constant([[1.5], []]), [m.ragged.constant([[1] * 9] * 9)]",
    "m.sparse.from_dense([0, 1.5])",
)
NAMES = {"NUMBERS": NUMBERS, "Point": Point, "np": np}


@pytest.mark.parametrize("call", CALLS)
def test_texts_are_tensorflows(call, tmp_path):
    texts = []
    for m in (tf, shims):
        path = tmp_path / m.__name__
        arguments = f"{call}, output_stream=path" if call else "output_stream=path"
        eval(f"m.print({arguments})", {**NAMES, "m": m, "path": f"file://{path}"})
        texts.append(path.read_text())
    assert texts[1] == texts[0]


def test_streams(capsys):
    shims.print("to", "err")
    shims.print("to", "out", output_stream=sys.stdout)
    captured = capsys.readouterr()
    assert (captured.err, captured.out) == ("to err\n", "to out\n")


@pytest.mark.parametrize("option", [{"foo": 2}, {"output_stream": "bogus"}])
def test_refused(option):
    texts = []
    for m in (tf, shims):
        with pytest.raises(ValueError) as raised:  # noqa: PT011 - compared whole
            m.print(1, **option)
        texts.append(str(raised.value))
    assert texts[1] == texts[0].replace(
        ", tf.logging.info, tf.logging.warning, tf.logging.error", ""
    )


def test_a_function_prints_in_the_order_of_its_program(capsys):
    @shims.function(input_signature=[shims.TensorSpec([None])])
    def f(x):
        shims.print("x", x, shims.boolean_mask(x, x > 1), {"n": shims.shape(x)[0]})
        for v in x:
            shims.print("loop", v)
        if x[0] > 0:
            shims.print("positive")
        else:
            shims.print("other", x[0])
        shims.print("end")
        return x

    f(jnp.arange(3.0))
    f(jnp.ones(1))
    jax.effects_barrier()
    assert capsys.readouterr().err.splitlines() == [
        *("x [0 1 2] [2] {'n': 3}", "loop 0", "loop 1", "loop 2", "other 0", "end"),
        *("x [1] [] {'n': 1}", "loop 1", "positive", "end"),
    ]


def test_transforms_print_too(capsys):
    def f(x):
        shims.print("f", x)
        return x * x

    jax.vmap(f)(jnp.arange(2.0))
    assert float(jax.jit(jax.grad(f))(3.0)) == 6
    jax.effects_barrier()
    assert sorted(capsys.readouterr().err.splitlines()) == ["f 0", "f 1", "f 3"]


def test_a_ragged_tensor_is_not_printed_by_a_program():
    ragged = shims.ragged.constant([[1], []])

    @shims.function
    def f(x):
        shims.print(ragged)
        return x

    with pytest.raises(shims.errors.UnimplementedError) as raised:
        f(1.0)
    assert str(raised.value).splitlines()[:2] == [
        "print: a ragged or sparse tensor cannot be printed while the program runs.",
        "  Received: RaggedTensor",
    ]
