"""Name the remedy where a program asks for a method that only TensorFlow's graphs, operations or variables have."""

from __future__ import annotations

from typing import NoReturn

_TO_JAX = (
    "use `graph.to_function(fetches, feeds)`, which returns the program as a JAX function, or `tf2jax-port "
    "import-graph --run`, which writes the program as source code"
)
_OF_OPERATIONS = "use `op.name`, `op.type`, `op.inputs` and `op.outputs`"
_LACKING = {
    "as_graph_def": _TO_JAX,
    "create_op": "call the operator by its name in `tf`",
    "op_def_for_type": _OF_OPERATIONS,
    "num_operations": "`len(graph.get_operations())`",
    "operations": "`graph.get_operations()`",
    "node_def": _OF_OPERATIONS,
    "op_def": _OF_OPERATIONS,
    "traceback": "read the error of the failing operation, which names the line that created the operation",
    "colocation_groups": "remove this call: JAX decides where operations run",
    "count_up_to": "call `tf.assign_add(variable, 1)`, and compare in a `tf.cond`",
    "numpy": "`session.run(variable)`",
    "to_proto": "save the variables with `tf.train.Saver`",
    "from_proto": "restore the variables with `tf.train.Saver`",
}


class NamesRemedies:
    """A class whose `AttributeError` for a method of TensorFlow's class names the remedy."""

    def __getattr__(self, name: str) -> NoReturn:
        text = f"{type(self).__name__!r} object has no attribute {name!r}"
        if name in _LACKING:
            text = f"{text}, which is not supported.\n  Do:       {_LACKING[name]}"
        raise AttributeError(text, name=name, obj=self)
