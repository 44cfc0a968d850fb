"""What a statement on which sizes decide does to objects of Python, it does as with exact sizes."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import shims
from tests.autograph.programs_with_effects import PROGRAMS

X = jnp.array([1.5, -2.0, 0.5, 3.0, -0.25, 2.5])
MASKS = {
    "some": X > 0,
    "none": jnp.zeros(6, bool),
    "all": jnp.ones(6, bool),
    "one": jnp.arange(6) == 2,
}
LANES = {
    "function": shims.function,
    "jit": lambda f: jax.jit(shims.dynamic(f)),
    "as written": lambda f: shims.function(f, autograph=False),
    "dynamic": shims.dynamic,
    "jit as written": lambda f: jax.jit(shims.dynamic(f, autograph=False)),
}
CASES = [
    pytest.param(lane, program, marks=[pytest.mark.long] if lane not in ("function", "jit") else [])
    for lane in LANES
    for program in PROGRAMS
]


@pytest.mark.filterwarnings("ignore::shims.errors.SpecializationWarning")
@pytest.mark.parametrize(("lane", "program"), CASES)
def test_effects_are_those_of_exact_sizes(lane, program):
    run = LANES[lane](program)
    for mask in MASKS.values():
        try:
            want = program(X, mask)
        except (RuntimeError, AssertionError) as error:
            _assert_fails(run, mask, error, lane)
        else:
            for a, b in zip(jax.tree.leaves(run(X, mask)), jax.tree.leaves(want), strict=True):
                np.testing.assert_allclose(np.asarray(a, float), np.asarray(b, float), rtol=1e-6)


def _assert_fails(run, mask, error, lane):
    """Under somebody else's jit, the value of an error is NaN."""
    if "jit" in lane:
        assert np.isnan(run(X, mask))
    else:
        with pytest.raises(type(error), match=str(error)):
            run(X, mask)


@pytest.mark.parametrize("lane", ["function", "jit", "as written"])
def test_an_answer_beside_an_array_of_bools_is_a_bool(lane):
    def f(x, m):
        n = x[m].shape[0]
        return (n > 0) + m, (n > 2) * m, m + (n > 1), (n > 0) + (n > 1)

    for got, want in zip(LANES[lane](f)(X, X > 0), f(X, X > 0), strict=True):
        assert np.asarray(got).dtype.kind == np.asarray(want).dtype.kind
        np.testing.assert_array_equal(got, want)
