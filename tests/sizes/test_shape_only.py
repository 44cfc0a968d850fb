"""Somebody else's trace over symbolic sizes gets shapes, and no program."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import export

import shims


def shape_of(f, *shapes):
    """What `jax.eval_shape` says of `f` for shapes such as `"(n, 3)"`."""
    scope = export.SymbolicScope()
    specs = [
        jax.ShapeDtypeStruct(export.symbolic_shape(s, scope=scope), jnp.float32) for s in shapes
    ]
    return jax.eval_shape(f, *specs)


def test_a_static_result_has_the_sizes_that_were_given():
    f = shims.dynamic(lambda x: x - shims.reduce_mean(shims.boolean_mask(x, x[:, 0] > 0), axis=0))
    assert str(shape_of(f, "(n, 3)").shape) == "(n, 3)"


def test_a_size_from_data_is_padded_to_its_bound():
    found = shape_of(lambda x: shims.boolean_mask(x, x > 0), "(2*n,)")
    assert str(found.values.shape) == "(2*n,)"
    assert list(found.sizes) == [0]
    found = shape_of(lambda x: shims.repeat(shims.boolean_mask(x, x > 0), 3), "(n,)")
    assert str(found.values.shape) == "(3*n,)"


def test_padded_values_are_taken():
    def f(x):
        kept = shims.boolean_mask(x, x > 0)
        return shims.concat([kept, x], 0), shims.reduce_sum(kept)

    joined, total = shape_of(f, "(n,)")
    assert str(joined.values.shape) == "(2*n,)"
    assert total.shape == ()


def test_two_sizes_stay_two():
    f = shims.dynamic(lambda x, y: (shims.tensordot(x, y, 0), shims.where(x > 0)))
    product, places = shape_of(f, "(n,)", "(m,)")
    assert str(product.shape) == "(n, m)"
    assert str(places.values.shape) == "(n, 1)"


def test_a_size_without_a_bound_is_refused():
    with pytest.raises(
        shims.CapacityError,
        match="a data-dependent size inside an enclosing JAX trace has no bound",
    ):
        shape_of(shims.dynamic(lambda x: shims.range(shims.cast(x[0], shims.int32))), "(n,)")


def test_it_is_no_program():
    (n,) = export.symbolic_shape("n")
    f = jax.jit(lambda x: shims.reduce_sum(shims.boolean_mask(x, x > 0)))
    with pytest.raises(Exception, match="cannot be exported for symbolic sizes"):
        export.export(f)(jax.ShapeDtypeStruct((n,), np.float32))
