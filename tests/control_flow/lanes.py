"""The ways in which one function of arrays is run here."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import export


def total(tree):
    """A float scalar that depends on everything in a result."""
    floats = [x for x in jax.tree.leaves(tree) if jnp.issubdtype(jnp.result_type(x), jnp.floating)]
    return sum((jnp.sum(x * 1.5) for x in floats), jnp.float32(0))


def gradient(f, *args, jit=False):
    """The gradient of a result's total with respect to the first argument."""
    g = jax.grad(lambda *a: total(f(*a)))
    return (jax.jit(g) if jit else g)(*args)


def check_same(found, wanted, *, dtypes=True):
    """Equal structures, shapes, dtypes and, to float32's accuracy, values."""
    assert jax.tree.structure(found) == jax.tree.structure(wanted)
    for a, b in zip(jax.tree.leaves(found), jax.tree.leaves(wanted), strict=True):
        if dtypes:
            assert jnp.asarray(a).dtype == jnp.asarray(b).dtype
        np.testing.assert_allclose(np.asarray(a), np.asarray(b), rtol=2e-6, atol=1e-6)


def symbolic_results(f, *shapes):
    """Shapes of the results when sizes named in `shapes` are symbolic, as text."""
    scope = export.SymbolicScope()
    specs = [
        jax.ShapeDtypeStruct(export.symbolic_shape(shape, scope=scope), jnp.float32)
        for shape in shapes
    ]
    return [str(list(a.shape)) for a in jax.make_jaxpr(f)(*specs).out_avals]


def primitives_of(f, *args):
    """The names of the primitives at the top level of a function's program."""
    return [e.primitive.name for e in jax.make_jaxpr(f)(*args).eqns]
