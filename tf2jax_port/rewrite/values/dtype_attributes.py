"""List the JAX code for attributes of TensorFlow's dtypes and shapes: `x.dtype.is_floating`."""

from __future__ import annotations

import ast

# JAX's expression for each attribute of a dtype; `{}` is the dtype.
FORMS = {
    "as_numpy_dtype": "jnp.dtype({}).type",
    "base_dtype": "{}",
    "is_bool": "jnp.issubdtype({}, jnp.bool_)",
    "is_complex": "jnp.issubdtype({}, jnp.complexfloating)",
    "is_floating": "jnp.issubdtype({}, jnp.floating)",
    "is_integer": "jnp.issubdtype({}, jnp.integer)",
    "is_numeric": "jnp.issubdtype({}, jnp.number)",
    "is_unsigned": "jnp.issubdtype({}, jnp.unsignedinteger)",
    "real_dtype": "jnp.zeros((), {}).real.dtype",
    "size": "jnp.dtype({}).itemsize",
}
# Limits of a dtype: JAX has one function for floats and another for integers.
RANGES = ("max", "min")
RANGE_FORMS = {True: "jnp.iinfo({}).", False: "jnp.finfo({})."}
# Attributes that only TensorFlow's dtypes have.
_TENSORFLOWS = ("as_numpy_dtype", "base_dtype")
# Methods and attributes of `tf.TensorShape` that a tuple lacks.
SHAPE_METHODS = (
    *("assert_has_rank", "assert_is_compatible_with", "assert_is_fully_defined"),
    *("assert_same_rank", "concatenate", "dims", "is_compatible_with", "is_fully_defined"),
    *("merge_with", "most_specific_compatible_shape", "num_elements", "with_rank"),
    *("with_rank_at_least", "with_rank_at_most"),
)


def is_of_dtype(node: ast.Attribute, *, called: bool) -> bool:
    """Return whether an attribute belongs to a dtype, judging by the names in the expression."""
    if node.attr in _TENSORFLOWS:
        return not called
    owner = node.value
    if isinstance(owner, ast.Call):
        owner = owner.func
    name = owner.attr if isinstance(owner, ast.Attribute) else getattr(owner, "id", "")
    return not called and name.endswith("dtype")
