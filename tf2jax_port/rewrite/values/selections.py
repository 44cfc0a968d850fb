"""Infer from the surrounding code which expressions are selections, arrays with a data-dependent size."""

from __future__ import annotations

import ast

from tf2jax_port.rewrite.knowledge.known import look_up
from tf2jax_port.rewrite.reading.scopes import Binding
from tf2jax_port.rewrite.values.flow import Flow, Seen
from tf2jax_port.rewrite.values.uses import Uses, makes_selection
from tf2jax_port.table.static_numbers import FORMS

# Builtins whose result is not an array, whatever they get.
_NUMBERS = ("len", "int", "float", "bool", "print", "isinstance", "range", "str", "repr")
_OF_ONE_SIZE = ("shape", "size", "rank", "math.count_nonzero", "argmax", "argmin", "norm")


def is_selection(values: Uses, node: ast.expr) -> bool:
    """Return whether an expression is a selection, or a list that contains one."""
    return values.selects and _FLOW.reaches(values, node)


def holds_selection(values: Uses, call: ast.Call) -> bool:
    """Return whether an argument of a call is a selection."""
    given = [*call.args, *(keyword.value for keyword in call.keywords)]
    return any(is_selection(values, argument) for argument in given)


def is_size_of_selection(values: Uses, node: ast.expr) -> bool:
    """Return whether an expression, or an element of a list, is computed from the size of a selection."""
    return values.selects and _SIZES.reaches(values, node)


def _returns_size(values: Uses, node: ast.Call, seen: Seen) -> bool:
    """Return whether a call reads the size of a selection, or computes with one."""
    reference = values.by_node.get(node.func)
    known = look_up(reference) if reference is not None else None
    if known is None or known.rest:
        return False
    if known.row.name in ("shape", "size") and holds_selection(values, node):
        return True
    given = [*node.args, *(keyword.value for keyword in node.keywords)]
    return known.row.name in FORMS and any(_SIZES.reaches(values, each, seen) for each in given)


def _binds_size(values: Uses, binding: Binding, seen: Seen) -> bool:
    return binding.value is not None and _SIZES.reaches(values, binding.value, seen)


def _is_slice(index: ast.expr) -> bool:
    """Return whether a subscript keeps an axis: `y[1:]`, `y[:, 0]`."""
    if isinstance(index, ast.Tuple):
        return any(isinstance(element, ast.Slice) for element in index.elts)
    return isinstance(index, ast.Slice)


def _returns_selection(values: Uses, node: ast.Call, seen: Seen) -> bool:
    """Return whether a call may return a selection; a function that is not TensorFlow's may if it gets one."""
    reference = values.by_node.get(node.func)
    given = [*node.args, *(keyword.value for keyword in node.keywords)]
    if reference is None:
        builtin = isinstance(node.func, ast.Name) and node.func.id in _NUMBERS
        return not builtin and any(_FLOW.reaches(values, argument, seen) for argument in given)
    known = look_up(reference) if reference is not None else None
    if known is None or known.rest or known.row.params is None:
        return False
    if makes_selection(known, node):
        return True
    name = known.row.name
    reduces = "reduce_" in name and len(given) == 1
    if reduces or name in _OF_ONE_SIZE:
        return False
    return any(_FLOW.reaches(values, argument, seen) for argument in given)


def _binds_selection(values: Uses, binding: Binding, seen: Seen) -> bool:
    if binding.kind == "assign" and binding.value is not None:
        return _FLOW.reaches(values, binding.value, seen)
    targets = values.names.parents.get(binding.node)
    statement = values.names.parents.get(targets) if targets is not None else None
    if not isinstance(targets, ast.Tuple | ast.List) or not isinstance(statement, ast.Assign):
        return False
    return isinstance(statement.value, ast.Call) and _FLOW.reaches(values, statement.value, seen)


_FLOW = Flow(_returns_selection, _binds_selection, _is_slice)
_SIZES = Flow(_returns_size, _binds_size)
