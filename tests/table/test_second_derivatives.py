"""A tape over a tape gives TensorFlow's second derivatives, and JAX gives the same by every order of modes.

A rule that is right once can be wrong twice: what it reads has to be differentiable itself, and a rule
within a rule is not asked again when the outer one is transposed.
"""

import itertools
import warnings

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import tensorflow as tf

import shims
from tests.harness.compare import differences
from tf2jax_port.diff.parity import original_side, port_side

from . import cases, rows

LOOSENESS = 100  # by which two derivatives may be off, of the tolerance of a value
# What TensorFlow has otherwise.
_PARAMETERS = "ours takes the slope for the same whatever the parameters are"
DIFFERENT = {
    "math.betainc": _PARAMETERS,
    "math.zeta": _PARAMETERS,
    "nn.ctc_loss": "TensorFlow has NaN",
    "nn.softmax_cross_entropy_with_logits": "TensorFlow leaves out what labels do to the slope",
}
# What TensorFlow's own second derivative does not run through.
STUMBLES = ("quantization.quantize_and_dequantize_v2",)
# Where JAX's modes do not agree.
_NAN = "a direction that is 0 is multiplied by a slope that is NaN"
NOT_FORWARD = {"math.xlogy": _NAN, "math.xlog1py": _NAN}


def is_differentiated(point) -> bool:
    return cases.succeeds(point) and bool(cases.floating(point)) and not point.case.differs


def has_numbers(row) -> bool:
    random = row.name.startswith("random.")
    return not row.no_gradient and not random and bool(rows.points_of(row, is_differentiated))


def first(row):
    return rows.points_of(row, is_differentiated)[0]


def wave(x, step=1.7):
    """Weights like `x`, other ones for each step from element to element."""
    count = int(np.prod(np.shape(x)))
    return np.cos(0.3 + step * np.arange(count)).reshape(np.shape(x)).astype(np.float32)


def twice(tape, sources, outputs, dense, constant):
    """The gradients of a weighted sum of the gradients of a weighted sum."""
    with tape() as outer:
        outer.watch(sources)
        with tape() as inner:
            inner.watch(sources)
            floats = outputs()
        once = dense(inner.gradient(floats, sources, [constant(wave(y, 1.1)) for y in floats]))
        cotangents = [constant(wave(g)) for g in once]
    return [np.asarray(g) for g in dense(outer.gradient(once, sources, cotangents))]


def theirs(point):
    """TensorFlow's second derivatives, or `None` where it has none."""
    given = original_side.tensors(cases.arguments(point))
    sources = [given[name] for name in cases.floating(point)]

    def outputs():
        result = cases.apply(original_side.function_of(point.row), point.row, given)
        return [o for o in original_side.flat(result) if original_side.is_floating(o)]

    def dense(gradients):
        flat = zip(tf.nest.flatten(gradients), tf.nest.flatten(sources), strict=True)
        return [tf.zeros_like(s) if g is None else tf.convert_to_tensor(g) for g, s in flat]

    try:
        return twice(tf.GradientTape, sources, outputs, dense, tf.constant)
    except LookupError:
        return None


def mine(point):
    given = port_side.split(point)[0]
    sources = [given[name] for name in cases.floating(point)]
    is_leaf = lambda g: g is None or isinstance(g, shims.IndexedSlices)

    def dense(gradients):
        flat = jax.tree.leaves(gradients, is_leaf=is_leaf)
        flat = zip(flat, jax.tree.leaves(sources), strict=True)
        return [jnp.zeros_like(s) if g is None else shims.convert_to_tensor(g) for g, s in flat]

    outputs = lambda: port_side.floating_outputs(port_side.of_arrays(point)(given))
    return twice(shims.GradientTape, sources, outputs, dense, jnp.asarray)


def by_mode(point) -> dict[str, float]:
    """One second derivative along two directions, by the modes that the operator has."""
    arrays, call = port_side.split(point)[0], port_side.of_arrays(point)
    sources = {name: arrays[name] for name in cases.floating(point)}
    along = jax.tree.map(lambda x: jnp.asarray(wave(x)), sources)
    across = jax.tree.map(lambda x: jnp.asarray(wave(x, 0.6)), sources)

    def total(sources):
        floats = port_side.floating_outputs(call({**arrays, **sources}))
        return sum((jnp.vdot(wave(y, 1.1), y) for y in floats), jnp.zeros(()))

    def forward(f, direction):
        return lambda x: jax.jvp(f, (x,), (direction,))[1]

    def reverse(f, direction):
        pairs = lambda x: zip(*map(jax.tree.leaves, (jax.grad(f)(x), direction)), strict=True)
        return lambda x: sum(jnp.vdot(g, d) for g, d in pairs(x))

    found = {}
    for inner, outer in itertools.product((reverse, forward), repeat=2):
        try:
            value = outer(inner(total, along), across)(sources)
        except (TypeError, NotImplementedError) as error:
            # A rule for reverse mode only has no forward mode; in reverse mode around it JAX says it like that.
            if not any(text in str(error) for text in ("forward-mode", "rule for 'custom_lin'")):
                raise
        else:
            found[f"{outer.__name__} over {inner.__name__}"] = np.asarray(value)
    return found


@pytest.mark.parametrize("row", rows.parameters(has_numbers))
def test_second_derivatives(row):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what TensorFlow warns of itself
        want = None if row.name in STUMBLES else theirs(first(row))
    problems = {}
    if want is not None:
        found = differences(mine(first(row)), want, LOOSENESS * row.tolerance)
        if row.name in DIFFERENT:
            found = "" if found else f"nothing differs, although {DIFFERENT[row.name]}"
        problems["TensorFlow"] = found
    values = by_mode(first(row))
    one = values.pop("reverse over reverse")
    for mode, other in values.items() if row.name not in NOT_FORWARD else ():
        problems[mode] = differences([other], [one], LOOSENESS * row.tolerance)
    rows.report(problems)


def test_what_differs_is_there():
    assert {*DIFFERENT, *STUMBLES, *NOT_FORWARD} <= {row.name for row in cases.operators()}
