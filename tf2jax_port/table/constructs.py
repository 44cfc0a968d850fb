"""Define the table rows of types, errors, variables and control flow."""

from __future__ import annotations

from tf2jax_port.table import ragged
from tf2jax_port.table.row import Native, Row, Shim

_ERRORS = (
    *("AbortedError", "AlreadyExistsError", "CancelledError", "DataLossError"),
    *("DeadlineExceededError", "FailedPreconditionError", "InternalError", "InvalidArgumentError"),
    *("NotFoundError", "OpError", "OperatorNotAllowedInGraphError", "OutOfRangeError"),
    *("PermissionDeniedError", "ResourceExhaustedError", "UnauthenticatedError"),
    *("UnavailableError", "UnimplementedError", "UnknownError"),
    *("OK", "CANCELLED", "UNKNOWN", "INVALID_ARGUMENT", "DEADLINE_EXCEEDED", "NOT_FOUND"),
    *("ALREADY_EXISTS", "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION"),
    *("ABORTED", "OUT_OF_RANGE", "UNIMPLEMENTED", "INTERNAL", "UNAVAILABLE", "DATA_LOSS"),
    "UNAUTHENTICATED",
)


_SATURATES = (
    "for a float outside the range of an integer dtype, TensorFlow returns the lowest integer, and JAX returns the "
    "nearest integer"
)


def _conversion(name: str, dtype: str) -> Row:
    """Build the table row of a TensorFlow 1 function that casts to a dtype, such as `tf.to_float(x)`."""
    expression = f"jnp.asarray({{x}}).astype(jnp.{dtype})"
    note = _SATURATES if dtype.startswith("int") else ""
    params = f"x, name='{name.title().replace('_', '')}'"
    return Row(f"v1.{name}", params, Native(expression), note=note)


_LOOP = "parallel_iterations=10, back_prop=True, swap_memory=False"
_FOLD = f"fn, elems, initializer=None, {_LOOP}"
_CONTROL_FLOW = (
    ("cond", "pred, true_fn=None, false_fn=None, name=None"),
    ("case", "pred_fn_pairs, default=None, exclusive=False, strict=False, name='case'"),
    ("switch_case", "branch_index, branch_fns, default=None, name='switch_case'"),
    (
        "while_loop",
        f"cond, body, loop_vars, shape_invariants=None, {_LOOP}, maximum_iterations=None, name=None",
    ),
    (
        "map_fn",
        "fn, elems, dtype=None, parallel_iterations=None, back_prop=True, swap_memory=False, "
        "infer_shape=True, name=None, fn_output_signature=None",
    ),
    ("vectorized_map", "fn, elems, fallback_to_while_loop=True, warn=True"),
    ("scan", f"{_FOLD}, infer_shape=True, reverse=False, name=None"),
    ("foldl", f"{_FOLD}, name=None"),
    ("foldr", f"{_FOLD}, name=None"),
)

_UNCONNECTED = "unconnected_gradients=tf.UnconnectedGradients.NONE"
_GRADIENTS = (
    ("IndexedSlices", "values, indices, dense_shape=None"),
    ("UnconnectedGradients", None),
    ("UnconnectedGradients.NONE", None),
    ("UnconnectedGradients.ZERO", None),
    ("autodiff.ForwardAccumulator", "primals, tangents"),
    ("custom_gradient", "f=None"),
    (
        "gradients",
        "ys, xs, grad_ys=None, name='gradients', gate_gradients=False, aggregation_method=None, "
        f"stop_gradients=None, {_UNCONNECTED}",
    ),
    ("hessians", "ys, xs, gate_gradients=False, aggregation_method=None, name='hessians'"),
    ("recompute_grad", "f"),
)

_NEST = (
    ("map_structure", "func, *structure, **kwargs"),
    ("flatten", "structure, expand_composites=False"),
    ("pack_sequence_as", "structure, flat_sequence, expand_composites=False"),
)
# Names, parameters, and the kind of result, which is not an array.
_WITHOUT_ARRAYS = (
    (
        "nest.assert_same_structure",
        "nest1, nest2, check_types=True, expand_composites=False",
        "nothing",
    ),
    ("nest.is_nested", "seq", "Python's True or False"),
    ("autograph.experimental.do_not_convert", "func=None", "the function that it is given"),
    ("broadcast_static_shape", "shape_x, shape_y", "a shape"),
    ("TensorShape", "dims", "a shape"),
    ("TensorSpec", "shape, dtype=tf.float32, name=None", "a spec"),
)

ROWS: tuple[Row, ...] = (
    *(Row(name, params, Shim(f"shims.{name}")) for name, params in _CONTROL_FLOW),
    *ragged.CONSTRUCTORS,
    *(Row(name, params, Shim(f"shims.{name}")) for name, params in _GRADIENTS),
    Row(
        "GradientTape",
        "persistent=False, watch_accessed_variables=True",
        Shim("shims.GradientTape"),
        aliases=("autodiff.GradientTape",),
    ),
    *(Row(f"nest.{name}", params, Shim(f"shims.nest.{name}")) for name, params in _NEST),
    *(
        Row(name, params, Shim(f"shims.{name}"), gives=gives)
        for name, params, gives in _WITHOUT_ARRAYS
    ),
    *(Row(f"errors.{name}", None, Shim(f"shims.errors.{name}")) for name in _ERRORS),
    Row(
        "TensorArray",
        "dtype, size=None, dynamic_size=None, clear_after_read=None, tensor_array_name=None, "
        "handle=None, flow=None, infer_shape=True, element_shape=None, "
        "colocate_with_first_write_call=True, name=None",
        Shim("shims.TensorArray"),
    ),
    Row("v1.batch_gather", "params, indices, name=None", Shim("shims.batch_gather")),
    Row("v1.setdiff1d", "x, y, index_dtype=tf.int32, name=None", Shim("shims.setdiff1d")),
    _conversion("to_float", "float32"),
    _conversion("to_double", "float64"),
    _conversion("to_int32", "int32"),
    _conversion("to_int64", "int64"),
    _conversion("to_bfloat16", "bfloat16"),
    _conversion("to_complex64", "complex64"),
    _conversion("to_complex128", "complex128"),
    Row("v1.div", "x, y, name=None", Shim("shims.div")),
    Row("v1.floor_div", "x, y, name=None", Shim("shims.math.floordiv")),
    Row("name_scope", "name", Native("jax.named_scope({name})")),
    Row("Tensor", None, Native("jax.Array")),
    Row(
        "function",
        "func=None, input_signature=None, autograph=True, jit_compile=None, "
        "reduce_retracing=False, experimental_implements=None, "
        "experimental_autograph_options=None, experimental_attributes=None, "
        "experimental_follow_type_hints=None",
        Shim("shims.function"),
        renames=(
            ("experimental_relax_shapes", "reduce_retracing"),
            ("experimental_compile", "jit_compile"),
        ),
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

# Arguments that control how TensorFlow traces or places something; `shims` does not take them.
WITHOUT_PLACE = {
    "function": (
        "experimental_implements",
        "experimental_autograph_options",
        "experimental_attributes",
        "experimental_follow_type_hints",
    ),
    "Variable": (
        "caching_device",
        "variable_def",
        "import_scope",
        "experimental_enable_variable_lifting",
    ),
}

# Attributes of TensorFlow's dtypes that JAX's scalar types spell differently.
DTYPE_ATTRIBUTES = {
    "max": "jnp.{info}({dtype}).max",
    "min": "jnp.{info}({dtype}).min",
    "as_numpy_dtype": "{dtype}",
    "name": "jnp.dtype({dtype}).name",
    "size": "jnp.dtype({dtype}).itemsize",
}
