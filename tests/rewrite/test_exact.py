"""With `--exact` the rewritten program computes what TensorFlow computes in the corners, too."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import tensorflow as tf

from tests.rewrite import call_sites
from tests.rewrite.test_execution import BY_ROW, difference
from tests.table import cases
from tf2jax_port.rewrite import State, rewrite
from tf2jax_port.rewrite.knowledge.known import has_exact_form
from tf2jax_port.rewrite.options import Options
from tf2jax_port.table import Native

EXACT = Options(exact=True)


def has_a_corner(row):
    return isinstance(row.target, Native) and bool(row.differs or row.note)


WITHOUT = ("math.bessel_i1e",)  # its gradient at NaN, which `shims` has as JAX does


def test_corners_without_an_exact_form_are_reviewed():
    found = [
        r
        for r in filter(has_a_corner, cases.operators())
        if r.params is not None and not has_exact_form(r)
    ]
    assert tuple(sorted(row.name for row in found)) == WITHOUT
    for row in found:
        code = f"import tensorflow as tf\n\ny = tf.{row.name}(x)\n".encode()
        (finding,) = rewrite(code, EXACT).findings
        assert (finding.state, finding.code, finding.message) == (
            State.REVIEW,
            "TJ201",
            row.note,
        )
        (held,) = rewrite(code, Options(safe_only=True)).findings
        assert (held.state, held.code) == (State.MANUAL, "TJ313")


NAMES = [
    row.name
    for row in filter(has_a_corner, cases.operators())
    if row.name in BY_ROW and has_exact_form(row)
]


@pytest.mark.parametrize("name", NAMES)
def test_equal_in_every_case(name):
    """All cases of the row, those in which the plain spelling differs among them."""
    wrong = []
    for point in BY_ROW[name]:
        program = call_sites.programs(point)[0]
        outcome = rewrite(program.code.encode(), EXACT)
        (finding, *_) = outcome.findings
        assert (finding.state, finding.code) == (State.SHIM, "TJ404"), finding
        apart = difference(point, program, outcome.data.decode())
        if apart and not point.case.differs.startswith("value"):
            wrong.append(f"{point.case.id}: {apart}")
    assert wrong == []


GRADIENTS = {
    "abs": ("tf.abs(x)", [0.0, -1.0]),
    "maximum": ("tf.maximum(x, 1.0)", [1.0, 2.0]),
    "minimum": ("tf.minimum(x, 1.0)", [1.0, 2.0]),
    "reduce_max": ("tf.reduce_max(x)", [2.0, 2.0, 1.0]),
    "nn.relu6": ("tf.nn.relu6(x)", [0.0, 6.0, 3.0]),
    "clip_by_value": ("tf.clip_by_value(x, 0.0, 1.0)", [0.0, 1.0, 2.0]),
}


@pytest.mark.parametrize(("call", "at"), GRADIENTS.values(), ids=GRADIENTS)
def test_gradients_in_the_corner(call, at):
    code = f"import tensorflow as tf\n\n\ndef f(x):\n    return tf.reduce_sum({call})\n"
    old, new = {}, {}
    exec(code, old)
    exec(rewrite(code.encode(), EXACT).data.decode(), new)
    x = tf.constant(at)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = old["f"](x)

    ours = jax.grad(new["f"])(jnp.asarray(at))
    np.testing.assert_array_equal(ours, tape.gradient(y, x))


@pytest.mark.parametrize("value", ["f = tf.nn.softsign", "f = map(tf.math.lgamma, [x])"])
def test_operators_that_are_passed_on(value):
    outcome = rewrite(f"import tensorflow as tf\n\n{value}\n".encode(), EXACT)
    assert b"shims." in outcome.data
    assert b"jax" not in outcome.data
