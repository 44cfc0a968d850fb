"""Define the table rows of TensorFlow's dtypes: `tf.float32`, also `tf.dtypes.float32`."""

from __future__ import annotations

from tf2jax_port.table.row import Keep, Native, Row, Target


def _dtype(name: str, *others: str, own: str = "", target: Target | None = None) -> Row:
    """Build the table row of a dtype with its aliases."""
    aliases = (f"dtypes.{name}", *others, *(f"dtypes.{other}" for other in others))
    expression = f"jnp.{own or name}"
    return Row(
        name, None, target or Native(expression), own=f"types.dtypes:{own or name}", aliases=aliases
    )


ROWS: tuple[Row, ...] = (
    _dtype("bfloat16"),
    _dtype("bool", own="bool_"),
    _dtype("complex64"),
    _dtype("complex128"),
    _dtype("float16", "half"),
    _dtype("float32"),
    _dtype("float64", "double"),
    _dtype("int8"),
    _dtype("int16"),
    _dtype("int32"),
    _dtype("int64"),
    _dtype("uint8"),
    _dtype("uint16"),
    _dtype("uint32"),
    _dtype("uint64"),
    Row(
        "string",
        None,
        Keep(
            "JAX has no strings, so strings stay on the host; with `--data shims`, this code becomes code of `shims`"
        ),
        own="types.dtypes:string",
        aliases=("dtypes.string",),
    ),
    Row("DType", None, Native("jnp.dtype"), own="types.dtypes:DType", aliases=("dtypes.DType",)),
    Row(
        "as_dtype",
        "type_value",
        Native("jnp.dtype({type_value})"),
        own="types.dtypes:as_dtype",
        gives="a dtype",
        aliases=("dtypes.as_dtype",),
    ),
)
