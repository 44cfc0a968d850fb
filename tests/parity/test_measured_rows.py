"""Each place at which a plain JAX port is known to differ: ours is TensorFlow's value and gradient."""

import jax.numpy as jnp
import numpy as np
import pytest
import tensorflow as tf

import shims
from shims.compat import v1 as shims_v1
from tf2jax_port.table import find

from .measured_rows import ROWS


def observed(m, row):
    """The results and the gradients of a program, by a tape, as nested lists of arrays."""
    arrays = dict(zip("xyz", (m.constant(a) for a in row.arrays), strict=False))
    floating = [v for v in arrays.values() if np.asarray(v).dtype.kind in "fc"]
    with m.GradientTape() as tape:
        for v in floating:
            tape.watch(v)
        out = eval(row.text, {"m": m, "v1": tf.compat.v1 if m is tf else shims_v1, **arrays})
    results = list(out) if isinstance(out, (list, tuple)) else [out]
    targets = [r for r in results if jnp.issubdtype(np.asarray(r).dtype, jnp.floating)]
    if not (targets and floating):
        return results, []
    return results, tape.gradient(targets, floating)


@pytest.mark.parametrize("row", [r for r in ROWS if not r.raises], ids=lambda r: r.id)
def test_value_and_gradient_are_tensorflows(row):
    (want, want_by), (got, got_by) = (observed(m, row) for m in (tf, shims))
    same = [all(map(is_same, *pair, [row.rtol] * 99)) for pair in ((got, want), (got_by, want_by))]
    found = "" if all(same) else "value" if not same[0] else "gradient"
    assert found == row.own, f"ours {got} {got_by}, TensorFlow's {want} {want_by}"


def is_same(ours, theirs, rtol):
    if ours is None or theirs is None:
        return ours is theirs
    ours, theirs = np.asarray(ours), np.asarray(theirs)
    if ours.dtype.kind in "fc" or ours.dtype.name == "bfloat16":
        ours, theirs = (a.astype(np.complex128) for a in (ours, theirs))
    return ours.shape == theirs.shape and bool(
        np.allclose(ours, theirs, rtol, 1e-6, equal_nan=True)
        if ours.dtype.kind == "c"
        else np.array_equal(ours, theirs)
    )


@pytest.mark.parametrize("row", [r for r in ROWS if r.raises], ids=lambda r: r.id)
def test_what_tensorflow_refuses_is_refused(row):
    raised = []
    for m in (tf, shims):
        with pytest.raises((TypeError, ValueError, tf.errors.OpError, shims.errors.OpError)) as e:
            observed(m, row)
        raised.append({c.__name__ for c in type(e.value).__mro__})
    assert row.raises in raised[0]
    assert row.raises in raised[1]


@shims.custom_gradient
def cumprod_of_tensorflow(x):
    y = shims.math.cumprod(x)
    return y, lambda dy: shims.math.divide_no_nan(shims.cumsum(y * dy, reverse=True), x)


def test_where_tensorflow_is_wrong_the_row_says_how_to_get_its_number_all_the_same():
    assert "`divide_no_nan(cumsum(y * dy, reverse=True), x)`" in find("math.cumprod").note
    x = shims.constant([2.0, 0.0, 3.0])
    with shims.GradientTape(persistent=True) as tape:
        tape.watch(x)
        ours, theirs = shims.math.cumprod(x), cumprod_of_tensorflow(x)
    assert tape.gradient(ours, x).tolist() == [1.0, 8.0, 0.0]
    assert tape.gradient(theirs, x).tolist() == [1.0, 0.0, 0.0]

    assert "`reduce_sum(x) / size`" in find("reduce_mean").note
    x = shims.fill([2000], shims.constant(100, shims.float16))
    assert float(shims.reduce_mean(x)) == 100
    assert float(shims.reduce_sum(x) / 2000) == np.inf

    assert "`scan(lambda total, v: total + v, x)`" in find("cumsum").note
    x = shims.ones([300], shims.bfloat16)
    assert float(shims.cumsum(x)[-1]) == 300
    assert float(shims.scan(lambda total, v: total + v, x)[-1]) == 256
