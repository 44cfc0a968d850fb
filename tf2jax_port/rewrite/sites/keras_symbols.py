"""Rewrite operators on symbolic Keras tensors to `keras.ops`.

In a functional model, `tf.reduce_mean(hidden, axis=1)` is called on the symbolic output of `keras.Input` and layers.
JAX's functions raise an error for such a tensor, as TensorFlow's do with Keras 3. If the surrounding code shows that
an argument is symbolic, the operator is replaced by its counterpart in `keras.ops`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from tf2jax_port.rewrite.knowledge.keras_rows import find_row
from tf2jax_port.rewrite.knowledge.known import Known, look_up
from tf2jax_port.rewrite.reading.resolve import Reference
from tf2jax_port.rewrite.reading.scopes import Binding, Names, Scope
from tf2jax_port.rewrite.sites.decision import File
from tf2jax_port.table import Manual, Row
from tf2jax_port.table.keras_ops import OPERATORS

NO_ARRAY = (
    "a symbolic tensor of Keras is not an array: put the operator into a layer, or into "
    "`keras.layers.Lambda`"
)
_SOURCES = ("keras.Input", "keras.layers.Input")
_ENDS = ("input", "inputs", "output", "outputs")
_MODELS = ("keras.Model", "keras.Sequential", "keras.models.", "keras.applications.")


def may_hold_symbols(data: bytes, names: Names, references: Iterable[Reference]) -> bool:
    """Return whether a file mentions Keras inputs or outputs, and so may contain symbolic tensors."""
    if b"keras" not in data:
        return False
    brought = b"Input" in data or any("Input" in r.dotted[-1] for r in references)
    return brought or any(attribute.attr in _ENDS for attribute in names.attributes)


def of_symbols(file: File, known: Known) -> Known:
    """Return the table row for `keras.ops` if an argument of the call is symbolic, else `known`."""
    if not file.symbolic:
        return known
    node, row = known.reference.node, known.row
    call = file.names.parents[node]
    if not isinstance(call, ast.Call) or call.func is not node or row.name.startswith("keras."):
        return known
    if row.params is None or isinstance(row.target, Manual):
        return known
    if not takes_symbols(file, call):
        return known
    target = OPERATORS.get(row.name) or Manual("TJ341", NO_ARRAY)
    made = Row(f"keras.symbols.{row.name}", row.params, target, renames=known.renames)
    return known._replace(row=made)


def takes_symbols(file: File, call: ast.Call) -> bool:
    """Return whether an argument of a call is certainly a symbolic tensor."""
    return file.symbolic and any(map(Symbols(file).holds, arguments_of(call)))


def arguments_of(call: ast.Call) -> list[ast.expr]:
    """Return the positional and keyword arguments of a call."""
    return [*call.args, *(keyword.value for keyword in call.keywords)]


class Symbols:
    """Infers whether an expression is a symbolic tensor, from the assignments in its scope."""

    def __init__(self, file: File) -> None:
        self.file = file
        self.open: set[tuple[str, int, str]] = set()

    def holds(self, node: ast.expr) -> bool:
        """Return whether an expression is a symbolic tensor, or a list that contains one."""
        if isinstance(node, ast.List | ast.Tuple):
            return any(map(self.holds, node.elts))
        if isinstance(node, ast.BinOp):
            return self.holds(node.left) or self.holds(node.right)
        if isinstance(node, ast.UnaryOp):
            return self.holds(node.operand)
        if isinstance(node, ast.Compare):
            return self.holds(node.left) or any(map(self.holds, node.comparators))
        if isinstance(node, ast.Subscript):
            return self.holds(node.value)
        if isinstance(node, ast.Attribute):
            return node.attr in _ENDS and self._is_model(node.value)
        if isinstance(node, ast.Call):
            return self._of_call(node)
        if isinstance(node, ast.Name):
            return any(map(self.holds, self._assigned_values(node, "holds")))
        return False

    def _of_call(self, call: ast.Call) -> bool:
        """Return whether a call returns a symbolic tensor."""
        row = self._find_row(call.func)
        if row is not None and row.name in _SOURCES:
            return True
        operator = row is not None and row.params is not None
        if not operator and not self._is_layer(call.func):
            return False
        return any(map(self.holds, arguments_of(call)))

    def _is_layer(self, function: ast.expr) -> bool:
        """Return whether an expression is a layer: `keras.layers.Dense(3)` or a name bound to it."""
        if isinstance(function, ast.Name):
            return any(map(self._is_layer, self._assigned_values(function, "layer")))
        row = self._find_row(function.func) if isinstance(function, ast.Call) else None
        return row is not None and row.name.startswith(("keras.layers.", *_MODELS))

    def _is_model(self, node: ast.expr) -> bool:
        """Return whether an expression is a Keras model or a name bound to one."""
        if isinstance(node, ast.Name):
            return any(map(self._is_model, self._assigned_values(node, "model")))
        row = self._find_row(node.func) if isinstance(node, ast.Call) else None
        return row is not None and row.name.startswith(_MODELS)

    def _find_row(self, node: ast.expr) -> Row | None:
        """Return the table row of a TensorFlow or Keras name, `None` if there is none."""
        reference = self.file.values.by_node.get(node)
        if reference is not None:
            known = look_up(reference)
            return known.row if known is not None else None
        attributes: list[str] = []
        while isinstance(node, ast.Attribute):
            attributes.insert(0, node.attr)
            node = node.value
        home = self._binding_scope(node) if isinstance(node, ast.Name) else None
        for binding in home.bindings[node.id] if home is not None else ():  # type: ignore[attr-defined]
            if binding.kind == "import" and f"{binding.path}.".startswith("keras."):
                return find_row(".".join((binding.path, *attributes)), 2)
        return None

    def _binding_scope(self, name: ast.Name) -> Scope | None:
        """Return the scope that binds a name."""
        scope: Scope | None = self.file.values.scope_of.get(name)
        return scope.lookup(name.id) if scope is not None else None

    def _assigned_values(self, name: ast.Name, question: str) -> list[ast.expr]:
        """Return the values assigned to a name.

        To prevent endless recursion, the list is empty if the same question is asked again for a name.
        """
        home = self._binding_scope(name)
        key = (question, id(home), name.id)
        if home is None or key in self.open:
            return []
        self.open.add(key)
        bindings: list[Binding] = home.bindings[name.id]
        return [b.value for b in bindings if b.kind == "assign" and b.value is not None]
