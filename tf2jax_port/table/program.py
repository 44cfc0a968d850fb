"""Define the table rows of `tf.print`, `tf.py_function` and other functions with side effects."""

from __future__ import annotations

from tf2jax_port.table.row import Row, Shim

_TESTS = "tests/debugging"


def _row(name: str, params: str, own: str, gives: str = "") -> Row:
    """Build the table row of a function with side effects."""
    return Row(name, params, Shim(f"shims.{name}"), own=own, tests=_TESTS, gives=gives)


ROWS: tuple[Row, ...] = (
    _row("print", "*inputs, **kwargs", "debugging.printing:print_", "nothing"),
    _row(
        "py_function",
        "func=None, inp=None, Tout=None, name=None",
        "debugging.host_calls:py_function",
    ),
    _row(
        "numpy_function",
        "func=None, inp=None, Tout=None, stateful=True, name=None",
        "debugging.host_calls:numpy_function",
    ),
    _row("group", "*inputs, **kwargs", "debugging.graph_operations:group", "nothing"),
    _row("tuple", "tensors, control_inputs=None, name=None", "debugging.graph_operations:tuple_"),
    _row("timestamp", "name=None", "debugging.clock:timestamp"),
    _row("no_op", "name=None", "debugging.graph_operations:no_op", "nothing"),
)
