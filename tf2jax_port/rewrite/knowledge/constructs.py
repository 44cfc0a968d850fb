"""Look up rules for names that are not operators: error classes and attributes of dtypes."""

from __future__ import annotations

import ast

from tf2jax_port.table import Row
from tf2jax_port.table.constructs import DTYPE_ATTRIBUTES, WITHOUT_PLACE


def makes_error(row: Row, call: ast.AST) -> bool:
    """Return whether a call creates a TensorFlow error and its arguments suit the class of `shims`."""
    name = row.name.removeprefix("errors.")
    if name == row.name or name.isupper() or not isinstance(call, ast.Call):
        return False
    given = {keyword.arg for keyword in call.keywords}
    starred = any(isinstance(argument, ast.Starred) for argument in call.args)
    return given <= {"node_def", "op", "message"} and len(call.args) <= 3 and not starred


def without_place(row: Row) -> tuple[str, ...]:
    """Return the parameters of a TensorFlow function that its replacement in `shims` lacks."""
    return WITHOUT_PLACE.get(row.name, ())


def dtype_attribute(expression: str, attribute: str) -> str | None:
    """Return the JAX expression for a dtype's attribute (`tf.float32.max`), `None` if none exists."""
    form = DTYPE_ATTRIBUTES.get(attribute)
    integral, floating = "int" in expression, "float" in expression
    if form is None or not (integral or floating):
        return None
    return form.format(info="iinfo" if integral else "finfo", dtype=expression)
