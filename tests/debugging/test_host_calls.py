"""Functions of Python among operators: eagerly as TensorFlow, in programs with stated shapes.

What is compared exactly are small whole numbers, which no rounding changes, on every processor.
"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import tensorflow as tf

import shims
from tests.harness.compare import EXACT, Dtypes, report
from tests.harness.outcomes import outcome, outcomes_apart

S = shims.TensorSpec
X = "[m.constant([1.0, 2.0])]"
CALLS = (
    f"m.py_function(lambda x: x * 2, {X}, m.float32)",
    f"m.py_function(lambda x: [x * 2], {X}, [m.float32])",
    "m.py_function(lambda x, y: (x * 2, y), [m.constant([1.0]), 3], [m.float32, m.int32])",
    f"m.py_function(lambda x: np.float64(3), {X}, m.float32)",
    f"m.py_function(lambda x: 3, {X}, m.float32)",
    f"m.py_function(lambda x: x, {X}, m.int32)",
    f"m.py_function(lambda x: None, {X}, [])",
    f"m.py_function(lambda x: None, {X}, m.float32)",
    f"m.py_function(lambda x: (x, x), {X}, [m.float32])",
    f"m.py_function(Tout=m.float32)(lambda x: x * 2)({X}[0])",
    "m.py_function(lambda: 1.0, [], m.float32)",
    f"m.numpy_function(lambda x: x * 2, {X}, m.float32)",
    f"m.numpy_function(lambda x: (x, x + 1), {X}, [m.float32, m.float32])",
    f"m.numpy_function(lambda x: 2, {X}, m.int32)",
    f"m.numpy_function(lambda x: 1 / 0, {X}, m.float32)",
    f"m.numpy_function(Tout=m.float32)(lambda x: x * 2)({X}[0])",
)


@pytest.mark.parametrize("call", CALLS)
def test_as_tensorflow(call):
    theirs, ours = (outcome(eval, call, {"m": m, "np": np}) for m in (tf, shims))
    report({call: outcomes_apart(ours, theirs, EXACT, Dtypes.SAME)})


def squares(m, shape):
    """Both kinds of functions, and their gradients, inside of a function."""
    python = lambda v: v * v

    def f(x):
        out = shims.TensorSpec(shape(x), m.float32) if m is shims else m.float32
        with m.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = m.py_function(python, [x], out)
            z = m.numpy_function(python, [x], out)
        return y, z, tape.gradient(y, x), tape.gradient(z, x)

    return m.function(f, input_signature=[m.TensorSpec([None], m.float32)])


@pytest.mark.parametrize("shape", [lambda x: x.shape, lambda x: [x.shape[0]]])
def test_inside_of_functions(shape):
    for values in ([1.0, 2.0, 3.0], [4.0], [0.0, 1.0, 2.0, 3.0, 4.0]):
        theirs = squares(tf, None)(tf.constant(values))
        ours = squares(shims, shape)(jnp.float32(values))
        assert ours[3] is None
        assert theirs[3] is None
        for a, b in zip(ours[:3], theirs[:3], strict=True):
            np.testing.assert_allclose(np.asarray(a), b.numpy(), rtol=1e-6)


def test_transforms():
    square = lambda x: shims.py_function(lambda v: v * v, [x], S([], shims.float32))
    plain = lambda x: shims.numpy_function(lambda v: v * v, [x], S([], shims.float32), False)
    for f in (square, plain):
        assert float(jax.jit(f)(3.0)) == 9
        np.testing.assert_array_equal(jax.vmap(f)(jnp.arange(3.0)), [0, 1, 4])
    assert float(jax.grad(square)(3.0)) == float(jax.jit(jax.grad(square))(3.0)) == 6
    assert float(jax.grad(plain)(3.0)) == 0


def test_calls_without_results_are_made_once_and_in_order():
    calls = []

    @shims.function(input_signature=[S([None])])
    def f(x):
        shims.py_function(lambda v: calls.append(("a", v.shape)), [x], [])
        shims.numpy_function(lambda v: calls.append(("b", v.shape)), [x], [])
        return x

    f(jnp.zeros(3)), f(jnp.zeros(2))
    jax.effects_barrier()
    assert calls == [("a", (3,)), ("b", (3,)), ("a", (2,)), ("b", (2,))]


def test_an_unknown_shape_is_refused():
    for out in (shims.float32, S([None], shims.float32), S(None, shims.float32)):
        f = shims.function(lambda x, out=out: shims.numpy_function(np.sort, [x], out))
        with pytest.raises(shims.errors.UnimplementedError) as raised:
            f(jnp.zeros(3))
        first, required, *_ = str(raised.value).splitlines()
        assert first == (
            "numpy_function: the shape of the result of `func` is not known while the "
            "program is traced."
        )
        assert required == "  Required: a `TensorSpec` in `Tout` that has all sizes"
        assert "  Do:       write `Tout=shims.TensorSpec(x.shape, shims.float32)`" in str(
            raised.value
        )


def test_another_shape_than_stated_is_an_error_of_the_run():
    f = shims.function(lambda x: shims.numpy_function(lambda v: v[:2], [x], S([3], shims.float32)))
    with pytest.raises(
        jax.errors.JaxRuntimeError, match="the result of `func` does not match `Tout`"
    ):
        jax.block_until_ready(f(jnp.zeros(3)))


def test_messages():
    call = lambda f, out: shims.py_function(f, [1.0], out)
    with pytest.raises(shims.errors.InvalidArgumentError) as raised:
        call(lambda x: None, shims.float32)
    assert str(raised.value).splitlines()[:3] == [
        "py_function: `func` returned fewer results than `Tout` declares.",
        "  Required: 1",
        "  Received: 0",
    ]
    with pytest.raises(shims.errors.InvalidArgumentError) as raised:
        call(lambda x: x, shims.int32)
    assert str(raised.value).splitlines()[:3] == [
        "py_function: `func` returned an array whose dtype differs from `Tout`.",
        "  Required: int32",
        "  Received: Tensor conversion requested dtype int32 for an array of dtype float32",
    ]
