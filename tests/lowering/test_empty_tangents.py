"""Tangents of what is computed from an empty selection are those of exact arrays, in both modes."""

import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import shims

X = np.float32([1.0, 2.0, -3.0, 0.5])
T = np.float32([1.0, 0.5, 2.0, 3.0])
MASKS = {
    "none": np.zeros(4, bool),
    "one": np.arange(4) == 1,
    "some": np.arange(4) != 1,
    "all": np.ones(4, bool),
}
FUNCTIONS = {
    "largest": lambda y: jnp.max(y, initial=0.0),
    "smallest": lambda y: jnp.min(y, initial=9.0),
    "norm": jnp.linalg.norm,
    "norm of rows": lambda y: jnp.linalg.norm(jnp.outer(y, np.float32([1, 2])), axis=0),
    "logsumexp": jax.nn.logsumexp,
    "logsumexp of SciPy": jax.scipy.special.logsumexp,
    "root": lambda y: jnp.sqrt(jnp.sum(y**2)),
    "beside another": lambda y: jnp.max(y * 2, initial=0.0) * 2 + jnp.linalg.norm(y) + jnp.sum(y),
    "in a dict": lambda y: {"a": jnp.max(y, initial=0.0), "b": jnp.sum(y)},
}
TRANSFORMS = {
    "value": lambda f: f,
    "jvp": lambda f: lambda x: jax.jvp(f, (x,), (T,))[1],
    "jacfwd": jax.jacfwd,
    "jacrev": jax.jacrev,
    "hessian": jax.hessian,
}
LANES = {
    "function": lambda f, of: of(shims.function(f)),
    "dynamic": lambda f, of: of(shims.dynamic(f)),
    "jit in": lambda f, of: jax.jit(of(shims.dynamic(f))),
    "jit around": lambda f, of: of(jax.jit(shims.dynamic(f))),
}


@pytest.mark.parametrize(
    ("name", "kind"), [*itertools.product(FUNCTIONS, TRANSFORMS)], ids=lambda v: v.replace(" ", "_")
)
def test_as_exact_arrays(name, kind):
    f, transform = FUNCTIONS[name], TRANSFORMS[kind]
    for lane, wrap in LANES.items():
        # The mask is an operand, which the program knows only when it runs.
        run = jax.jit(
            lambda x, mask, wrap=wrap: wrap(lambda x: f(shims.boolean_mask(x, mask)), transform)(x)
        )
        for rows, mask in MASKS.items():
            places = np.flatnonzero(mask)
            want = transform(lambda x, at=places: f(jnp.asarray(x)[at]))(jnp.asarray(X))
            found = run(X, mask)
            for a, b in zip(jax.tree.leaves(found), jax.tree.leaves(want), strict=True):
                np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-5, err_msg=f"{lane} {rows}")


def test_the_mask_of_a_compiled_program():
    run = jax.jit(
        lambda x, m: jax.jacfwd(
            shims.dynamic(lambda x: jnp.max(shims.boolean_mask(x, m), initial=0.0) + 2 * x[0])
        )(x)
    )
    for mask in MASKS.values():
        want = jax.jacfwd(lambda x, m=mask: jnp.max(x[m], initial=0.0) + 2 * x[0])(jnp.asarray(X))
        np.testing.assert_array_equal(run(X, mask), want)


def test_what_depends_on_other_values_is_differentiated_by_the_rules_of_jax():
    def f(w, at):
        return jnp.max(w * shims.boolean_mask(X, at), initial=0.0)

    run = jax.jit(lambda w, at: jax.jvp(shims.dynamic(lambda w: f(w, at)), (w,), (w,))[1])
    assert run(1.0, MASKS["some"]) == 1.0
    # As for `jnp.max(w * jnp.zeros(0), initial=0.)`.
    assert np.isnan(run(1.0, MASKS["none"]))


def test_a_sum_over_devices_or_rows_has_the_tangents_of_all():
    def f(x, mask):
        y = shims.boolean_mask(x, mask)
        return jnp.sqrt(jax.lax.psum(jnp.sum(y**2), "rows"))

    rows, masks = np.stack([X, X]), np.stack([MASKS["some"], MASKS["none"]])
    run = jax.vmap(shims.dynamic(f), axis_name="rows")
    slope = jax.jit(lambda x: jax.jvp(lambda x: run(x, masks), (x,), (x,)))(rows)[1]
    np.testing.assert_allclose(slope, [np.linalg.norm(X[MASKS["some"]])] * 2, rtol=1e-6)
