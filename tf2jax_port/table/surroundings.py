"""Define the table rows of names that do not compute: scopes, modules, predicates, graph names."""

from __future__ import annotations

from tf2jax_port.table.row import Manual, Row, Shim

_NO_GRAPH = "JAX has no graphs: write a function and decorate it with `shims.function`"
_NO_REGISTRY = (
    "JAX has no named operations: define the gradient of the function with `shims.custom_gradient`"
)

# Names, parameters, and the kind of result if it is not an array.
_CALLED = (
    ("control_dependencies", "control_inputs", "a block"),
    ("device", "device_name", "a block"),
    ("executing_eagerly", "", "Python's True or False"),
    ("get_current_name_scope", "", "a string"),
    ("get_logger", "", "a logger"),
    ("get_static_value", "tensor, partial=False", "what is known while tracing"),
    ("grad_pass_through", "f", ""),
    ("init_scope", "", "a block"),
    ("inside_function", "", "Python's True or False"),
    ("is_symbolic_tensor", "tensor", "Python's True or False"),
    ("is_tensor", "x", "Python's True or False"),
    ("type_spec_from_value", "value", "a spec"),
    ("variable_creator_scope", "variable_creator", "a block"),
    (
        "train.ExponentialMovingAverage",
        "decay, num_updates=None, zero_debias=False, name='ExponentialMovingAverage'",
        "",
    ),
)
# Classes used in annotations, in `isinstance`, as a base class, or for their members.
_NAMED = (
    "AggregationMethod",
    "Module",
    "TypeSpec",
    "VariableAggregation",
    "VariableSynchronization",
)
_SAMPLED = (
    "TensorFlow's samples cannot be reproduced: draw the classes with `jax.random`, and pass the classes and their "
    "expected counts as `sampled_values`"
)
_FRACTIONAL = "TensorFlow's random pooling regions cannot be reproduced: resize the input first, or use `avg_pool`"
_LEFT = (
    ("nn.all_candidate_sampler", _SAMPLED),
    ("nn.fixed_unigram_candidate_sampler", _SAMPLED),
    ("nn.learned_unigram_candidate_sampler", _SAMPLED),
    ("random.all_candidate_sampler", _SAMPLED),
    ("random.fixed_unigram_candidate_sampler", _SAMPLED),
    ("random.learned_unigram_candidate_sampler", _SAMPLED),
    ("nn.fractional_avg_pool", _FRACTIONAL),
    ("nn.fractional_max_pool", _FRACTIONAL),
    ("nn.with_space_to_batch", "pass `dilations` to the convolution or the pool instead"),
    ("Graph", _NO_GRAPH),
    ("Operation", _NO_GRAPH),
    ("RegisterGradient", _NO_REGISTRY),
    ("no_gradient", _NO_REGISTRY),
    (
        "debugging.enable_check_numerics",
        "JAX can check for NaN: write `jax.config.update('jax_debug_nans', True)`",
    ),
    (
        "debugging.disable_check_numerics",
        "JAX can check for NaN: write `jax.config.update('jax_debug_nans', False)`",
    ),
)

# TensorFlow 1 names of the graph, grouped by purpose, with advice on their replacement.
OF_GRAPHS = (
    (
        (
            *("placeholder", "placeholder_with_default", "sparse_placeholder"),
            *("sparse.placeholder", "ragged.placeholder"),
        ),
        "a placeholder becomes an argument: write a function with `shims.function(input_signature=...)`",
    ),
    (
        (
            *("Session", "InteractiveSession", "get_default_session", "get_session_handle"),
            *("get_session_tensor", "delete_session_tensor"),
        ),
        "JAX has no sessions: call the function that computes the values",
    ),
    (
        (
            *("is_variable_initialized", "report_uninitialized_variables"),
            "assert_variables_initialized",
        ),
        "a variable gets its value when it is created: remove this code",
    ),
    (
        (
            "get_variable",
            "variable_scope",
            "get_variable_scope",
            "AUTO_REUSE",
            "get_local_variable",
            "VariableScope",
            "variable_op_scope",
            "op_scope",
        ),
        "variables are not shared by name: keep a `shims.Variable` in a `shims.Module`",
    ),
    (
        (
            *("trainable_variables", "global_variables", "get_collection", "add_to_collection"),
            *("GraphKeys", "add_to_collections", "all_variables", "get_collection_ref"),
            *("local_variables", "model_variables", "moving_average_variables"),
        ),
        "JAX has no collections: use a `shims.Module`, which tracks its variables",
    ),
    (
        (
            *("get_default_graph", "reset_default_graph", "GraphDef", "disable_eager_execution"),
            *("disable_v2_behavior", "disable_control_flow_v2", "disable_resource_variables"),
            *("disable_tensor_equality", "disable_v2_tensorshape", "control_flow_v2_enabled"),
            *("resource_variables_enabled", "executing_eagerly_outside_functions"),
            *("ConditionalAccumulator", "ConditionalAccumulatorBase", "NameAttrList"),
            *("SparseConditionalAccumulator", "sparse.SparseConditionalAccumulator"),
            *("add_check_numerics_ops", "experimental.output_all_intermediates", "count_up_to"),
            *("get_seed", "random.get_seed"),
        ),
        _NO_GRAPH,
    ),
    (
        (
            *("train.get_or_create_global_step", "train.get_global_step"),
            *("train.create_global_step", "train.assert_global_step"),
        ),
        "count the steps in a variable: `shims.Variable(0, trainable=False)`",
    ),
)

ROWS: tuple[Row, ...] = (
    *(Row(f"v1.{n}", None, Manual("TJ309", why)) for names, why in OF_GRAPHS for n in names),
    Row("v1.Dimension", "value", Shim("shims.compat.v1.Dimension"), gives="a size of a shape"),
    Row("v1.py_func", "func, inp, Tout, stateful=True, name=None", Shim("shims.numpy_function")),
    *(Row(name, params, Shim(f"shims.{name}"), gives=gives) for name, params, gives in _CALLED),
    *(Row(name, None, Shim(f"shims.{name}")) for name in _NAMED),
    *(Row(name, None, Manual("TJ309", why)) for name, why in _LEFT),
)
