"""JAX still words its errors as the module that reads them expects."""

import jax
import jax.numpy as jnp
import pytest

from shims._src.platform import jax_messages


def symbolic(f):
    """The error of a function of an array of unknown size."""
    (n,) = jax.export.symbolic_shape("n")
    with pytest.raises(Exception) as info:  # noqa: PT011 - JAX has many classes for it
        jax.make_jaxpr(f)(jax.ShapeDtypeStruct((n,), jnp.float32))
    return info.value


def test_a_number_is_needed():
    error = symbolic(lambda x: range(x.shape[0]))
    assert jax_messages.needs_number(error)


@pytest.mark.parametrize(
    "f",
    [
        lambda x: x + jnp.ones(3),
        lambda x: x @ jnp.ones(3),
        lambda x: jax.lax.while_loop(lambda c: c.sum() > 0, lambda c: jnp.ones(3), x),
        lambda x: jnp.stack([x, jnp.ones(3)]),
    ],
    ids=["sum", "product", "carry", "stack"],
)
def test_equal_sizes_are_needed(f):
    error = symbolic(f)
    assert jax_messages.needs_equal_sizes(error)
    assert jax_messages.names_in(error, ["m", "n"]) == ["n"]


def test_a_traced_value():
    with pytest.raises(TypeError) as info:
        jax.jit(lambda x: [1, 2][x])(1)
    assert jax_messages.names_tracer(info.value)


def test_too_many_elements():
    with pytest.raises(RuntimeError) as info:
        jnp.zeros([2**31 - 1] * 3)
    assert jax_messages.is_too_large(info.value)
    assert not jax_messages.is_too_large(RuntimeError("out of memory"))


def test_a_class_of_traced_values():
    def says(x):
        raise TypeError(f"{type(x)} is no number")

    with pytest.raises(TypeError) as info:
        jax.jit(says)(1)
    assert jax_messages.names_traced_class(info.value)
    assert jax_messages.names_traced_class(symbolic(lambda y: says(y.shape[0])))
    with pytest.raises(TypeError) as info:
        says(1)
    assert not jax_messages.names_traced_class(info.value)


def test_the_text_of_a_traced_value_is_no_class():
    def says(x):
        raise TypeError(f"nothing in {x}")

    with pytest.raises(TypeError) as info:
        jax.jit(says)(1)
    assert not jax_messages.names_traced_class(info.value)
