"""Rows of what is named, not computed: dtypes, types, constants, errors, and what holds state.

Operators have their rows in `tf2jax_port.table`; these are the names around them.
"""

from __future__ import annotations

from tf2jax_port.table import Native, Row, Shim

# TensorFlow's name, JAX's expression, other TensorFlow spellings.
_DTYPES = (
    ("float16", "jnp.float16", ("half",)),
    ("float32", "jnp.float32", ()),
    ("float64", "jnp.float64", ("double",)),
    ("bfloat16", "jnp.bfloat16", ()),
    ("int8", "jnp.int8", ()),
    ("int16", "jnp.int16", ()),
    ("int32", "jnp.int32", ()),
    ("int64", "jnp.int64", ()),
    ("uint8", "jnp.uint8", ()),
    ("uint16", "jnp.uint16", ()),
    ("uint32", "jnp.uint32", ()),
    ("uint64", "jnp.uint64", ()),
    ("bool", "jnp.bool_", ()),
    ("complex64", "jnp.complex64", ()),
    ("complex128", "jnp.complex128", ()),
)
_ERRORS = (
    "InvalidArgumentError",
    "OutOfRangeError",
    "FailedPreconditionError",
    "UnimplementedError",
    "NotFoundError",
    "OpError",
)


def _dtype(name: str, expression: str, others: tuple[str, ...]) -> Row:
    aliases = (f"dtypes.{name}", *others, *(f"dtypes.{other}" for other in others))
    return Row(name, None, Native(expression), aliases=aliases)


ROWS: tuple[Row, ...] = (
    *(_dtype(*dtype) for dtype in _DTYPES),
    *(Row(f"errors.{name}", None, Shim(f"shims.errors.{name}")) for name in _ERRORS),
    Row("newaxis", None, Native("None")),
    Row("Tensor", None, Native("jax.Array"), aliases=("types.experimental.TensorLike",)),
    Row("DType", None, Native("jnp.dtype"), aliases=("dtypes.DType",)),
    Row("as_dtype", "type_value", Native("jnp.dtype({type_value})"), aliases=("dtypes.as_dtype",)),
    Row("TensorShape", "dims", Shim("shims.TensorShape")),
    Row("TensorSpec", "shape, dtype=tf.float32, name=None", Shim("shims.TensorSpec")),
    Row(
        "function",
        "func=None, input_signature=None, autograph=True, jit_compile=None, "
        "reduce_retracing=False, experimental_implements=None, "
        "experimental_autograph_options=None, experimental_attributes=None, "
        "experimental_relax_shapes=None, experimental_compile=None, "
        "experimental_follow_type_hints=None",
        Shim("shims.function"),
    ),
    Row(
        "Variable",
        "initial_value=None, trainable=None, validate_shape=True, caching_device=None, name=None, "
        "variable_def=None, dtype=None, import_scope=None, constraint=None, "
        "synchronization=None, aggregation=None, shape=None, "
        "experimental_enable_variable_lifting=True",
        Shim("shims.Variable"),
    ),
)

# Arguments that say how TensorFlow traces or places something, for which `shims` has no use.
_WITHOUT_PLACE = {
    "function": (
        "experimental_implements",
        "experimental_autograph_options",
        "experimental_attributes",
        "experimental_relax_shapes",
        "experimental_compile",
        "experimental_follow_type_hints",
    ),
    "Variable": (
        "caching_device",
        "variable_def",
        "import_scope",
        "experimental_enable_variable_lifting",
    ),
}


def without_place(row: Row) -> tuple[str, ...]:
    """The parameters of a row's function that a call of the shim leaves out."""
    return _WITHOUT_PLACE.get(row.name, ())


# What TensorFlow's dtypes have and JAX's scalar types spell otherwise.
DTYPE_ATTRIBUTES = {
    "max": "jnp.{info}({dtype}).max",
    "min": "jnp.{info}({dtype}).min",
    "as_numpy_dtype": "{dtype}",
    "name": "jnp.dtype({dtype}).name",
    "size": "jnp.dtype({dtype}).itemsize",
}


def dtype_attribute(expression: str, attribute: str) -> str | None:
    """JAX's spelling of `tf.float32.max` and its like, `None` where there is none."""
    form = DTYPE_ATTRIBUTES.get(attribute)
    if form is None or expression not in {dtype[1] for dtype in _DTYPES}:
        return None
    integral = "int" in expression
    if attribute in ("max", "min") and not (integral or "float" in expression):
        return None
    return form.format(info="iinfo" if integral else "finfo", dtype=expression)
