"""Rows of what stands around operators: blocks, modules, questions, and what has no counterpart."""

from __future__ import annotations

from tf2jax_port.table import Manual, Native, Row, Shim

_NO_GRAPH = "there are no graphs: write a function and decorate it with `shims.function`"
_NO_REGISTRY = (
    "operations are not known by name: give the function its gradient with `shims.custom_gradient`"
)

_CALLED = (
    ("control_dependencies", "control_inputs"),
    ("device", "device_name"),
    ("executing_eagerly", ""),
    ("get_current_name_scope", ""),
    ("get_logger", ""),
    ("get_static_value", "tensor, partial=False"),
    ("grad_pass_through", "f"),
    ("init_scope", ""),
    ("inside_function", ""),
    ("is_symbolic_tensor", "tensor"),
    ("is_tensor", "x"),
    ("type_spec_from_value", "value"),
    ("variable_creator_scope", "variable_creator"),
    (
        "train.ExponentialMovingAverage",
        "decay, num_updates=None, zero_debias=False, name='ExponentialMovingAverage'",
    ),
)
# What is named: in annotations, in `isinstance`, as a base class, or for its members.
_NAMED = (
    "AggregationMethod",
    "Module",
    "TypeSpec",
    "VariableAggregation",
    "VariableSynchronization",
)
_LEFT = (
    ("Graph", _NO_GRAPH),
    ("Operation", _NO_GRAPH),
    ("RegisterGradient", _NO_REGISTRY),
    ("no_gradient", _NO_REGISTRY),
    (
        "debugging.enable_check_numerics",
        "JAX looks for NaN by itself: `jax.config.update('jax_debug_nans', True)`",
    ),
    (
        "debugging.disable_check_numerics",
        "JAX looks for NaN by itself: `jax.config.update('jax_debug_nans', False)`",
    ),
)

ROWS: tuple[Row, ...] = (
    *(Row(name, params, Shim(f"shims.{name}")) for name, params in _CALLED),
    *(Row(name, None, Shim(f"shims.{name}")) for name in _NAMED),
    *(Row(name, None, Manual("TJ309", why)) for name, why in _LEFT),
    Row("v1.name_scope", "name, default_name=None, values=None", Native("jax.named_scope({name})")),
)
