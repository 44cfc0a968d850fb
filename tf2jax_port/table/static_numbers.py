"""Define the expressions that compute static sizes with NumPy and Python, by names of table rows.

Under `jax.jit` the result of every function of JAX is traced, even for constants, so it cannot be a
size, a bound of a slice or an argument of `range`. Sizes are therefore computed with NumPy, whose
functions `shims` stages if a size depends on data.
"""

from __future__ import annotations

from tf2jax_port.table.row import Native

# Functions of one or two numbers, or of arrays of them.
_ELEMENTWISE = {
    **{name: name for name in ("add", "subtract", "multiply", "divide", "minimum", "maximum")},
    **{name: name for name in ("equal", "not_equal", "less", "less_equal", "greater")},
    "greater_equal": "greater_equal",
    "math.floordiv": "floor_divide",
    "math.floormod": "mod",
}
_ONE_OPERAND = {
    "abs": "abs",
    "floor": "floor",
    "math.ceil": "ceil",
    "math.log": "log",
    "negative": "negative",
    "sqrt": "sqrt",
    "square": "square",
}
ELEMENTWISE = {
    **{name: Native(f"np.{function}({{x}}, {{y}})") for name, function in _ELEMENTWISE.items()},
    **{name: Native(f"np.{function}({{x}})") for name, function in _ONE_OPERAND.items()},
}
# Reductions of a shape to a number, without options; a product of no sizes is the integer 1.
REDUCTIONS = {
    "reduce_prod": Native("math.prod({input_tensor})"),
    "reduce_sum": Native("sum({input_tensor})"),
    "reduce_max": Native("max({input_tensor})"),
    "reduce_min": Native("min({input_tensor})"),
}
# Functions of a list of sizes or shapes.
JOINING = {
    "concat": Native("np.concatenate({values}, axis={axis})"),
    "stack": Native("np.stack({values}, axis={axis})", optional=("axis",)),
}
CAST = Native("np.asarray({x}, {dtype})")
UNSTACK = Native("tuple({value})")
AS_IT_IS = Native("{value}")
# As the axes of another operator; elsewhere a range is an array of JAX.
RANGE = "range"
AXES = Native("tuple(range({start}, {limit}, {delta}))", optional=("limit", "delta"))
# As a part of them, since an empty tuple would make floats of the others.
PART_OF_AXES = Native("np.arange({start}, {limit}, {delta})", optional=("limit", "delta"))
SHAPE_AS_TUPLE = Native("jnp.shape({input})")
SHAPE_AS_ARRAY = Native(
    "np.asarray(jnp.shape({input}), dtype={out_type})", (), (("out_type", "np.int32"),)
)
SIZE_OF_DTYPE = Native("np.asarray(jnp.size({input}), dtype={out_type})")
NUMBERS = {"size": Native("jnp.size({input})"), "rank": Native("jnp.ndim({input})")}
FORMS = {
    **ELEMENTWISE,
    **REDUCTIONS,
    **JOINING,
    **NUMBERS,
    "cast": CAST,
    "unstack": UNSTACK,
    RANGE: AXES,
}
