"""The names of TensorFlow 1 that the graph defines itself: `{name: "module:attribute"}`.

They go before the names of operators. A section per part of the library, in alphabetical order.
"""

from __future__ import annotations

_GRAPH = {
    "Dimension": "shims._src.graph.shapes:Dimension",
    "Graph": "shims._src.graph.graph:Graph",
    "GraphKeys": "shims._src.graph.variables:GraphKeys",
    "InteractiveSession": "shims._src.graph.session:InteractiveSession",
    "Operation": "shims._src.graph.operation:Operation",
    "Session": "shims._src.graph.session:Session",
    "Tensor": "shims._src.graph.tensor:Tensor",
    "TensorShape": "shims._src.graph.shapes:GraphShape",
    "Variable": "shims._src.graph.variables:GraphVariable",
    "compat.dimension_at_index": "shims._src.graph.shapes:dimension_at_index",
    "compat.dimension_value": "shims._src.graph.shapes:dimension_value",
    "compat.v1": "shims.compat.v1:",
    "compat.v2": "shims:",
    "constant": "shims._src.graph.conversion:constant",
    "convert_to_tensor": "shims._src.graph.conversion:convert_to_tensor",
    "dimension_at_index": "shims._src.graph.shapes:dimension_at_index",
    "dimension_value": "shims._src.graph.shapes:dimension_value",
    "disable_eager_execution": "shims._src.graph.modes:disable_eager_execution",
    "disable_resource_variables": "shims._src.graph.modes:disable_resource_variables",
    "disable_v2_behavior": "shims._src.graph.modes:disable_v2_behavior",
    "disable_v2_tensorshape": "shims._src.graph.modes:disable_v2_tensorshape",
    "enable_eager_execution": "shims._src.graph.modes:enable_eager_execution",
    "enable_resource_variables": "shims._src.graph.modes:enable_resource_variables",
    "enable_v2_behavior": "shims._src.graph.modes:enable_v2_behavior",
    "enable_v2_tensorshape": "shims._src.graph.modes:enable_v2_tensorshape",
    "executing_eagerly": "shims._src.graph.modes:executing_eagerly",
    "get_default_graph": "shims._src.graph.modes:get_default_graph",
    "get_default_session": "shims._src.graph.session:get_default_session",
    "get_static_value": "shims._src.graph.outline:constant_value",
    "gradients": "shims._src.graph.gradients:gradients",
    "keras": "shims.keras:",
    "placeholder": "shims._src.graph.placeholders:placeholder",
    "placeholder_with_default": "shims._src.graph.placeholders:placeholder_with_default",
    "reset_default_graph": "shims._src.graph.modes:reset_default_graph",
    "random.set_random_seed": "shims._src.graph.modes:set_random_seed",
    "resource_variables_enabled": "shims._src.graph.modes:resource_variables_enabled",
    "set_random_seed": "shims._src.graph.modes:set_random_seed",
}

OWN_NAMES: dict[str, str] = {**_GRAPH}
