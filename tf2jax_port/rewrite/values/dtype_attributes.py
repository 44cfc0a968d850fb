"""What TensorFlow's dtypes and shapes are asked for: `x.dtype.is_floating`, `x.shape.num_elements()`."""

from __future__ import annotations

import ast

# What JAX writes for an attribute of a dtype, which stands at `{}`.
FORMS = {
    "as_numpy_dtype": "jnp.dtype({}).type",
    "base_dtype": "{}",
    "is_bool": "jnp.issubdtype({}, jnp.bool_)",
    "is_complex": "jnp.issubdtype({}, jnp.complexfloating)",
    "is_floating": "jnp.issubdtype({}, jnp.floating)",
    "is_integer": "jnp.issubdtype({}, jnp.integer)",
    "real_dtype": "jnp.zeros((), {}).real.dtype",
    "size": "jnp.dtype({}).itemsize",
}
# The ends of the range of a dtype, which JAX tells of floats and of integers by two functions.
RANGES = ("max", "min")
RANGE_FORMS = {True: "jnp.iinfo({}).", False: "jnp.finfo({})."}
# What nothing but a dtype of TensorFlow is asked for.
_TENSORFLOWS = ("as_numpy_dtype", "base_dtype")
# What a static shape of TensorFlow can do and a tuple cannot.
SHAPE_METHODS = (
    *("assert_has_rank", "assert_is_compatible_with", "assert_is_fully_defined"),
    *("assert_same_rank", "concatenate", "dims", "is_compatible_with", "is_fully_defined"),
    *("merge_with", "most_specific_compatible_shape", "num_elements", "with_rank"),
    *("with_rank_at_least", "with_rank_at_most"),
)


def is_of_dtype(node: ast.Attribute, *, called: bool) -> bool:
    """Whether an attribute of the list is asked of a dtype, as far as its name says."""
    if node.attr in _TENSORFLOWS:
        return not called
    owner = node.value
    if isinstance(owner, ast.Call):
        owner = owner.func
    name = owner.attr if isinstance(owner, ast.Attribute) else getattr(owner, "id", "")
    return not called and name.endswith("dtype")
