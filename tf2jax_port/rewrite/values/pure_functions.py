"""Find the functions under `tf.function` that can be compiled with `jax.jit` after the rewrite.

The test is conservative: parameters are used only as operands, every call is of an operator that JAX has, and
nothing but modules is read from outside. All other functions use `shims.function`.
"""

from __future__ import annotations

import ast
from collections.abc import Callable

_OPERATORS = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.MatMult, ast.Pow)
_SWITCHES = ("jit_compile", "autograph", "reduce_retracing")
# Returns the operands of a call that becomes a call of JAX, `None` for any other call.
Operands = Callable[[ast.Call], "list[ast.expr] | None"]


def decorated(node: ast.expr, parents: dict[ast.AST, ast.AST]) -> ast.FunctionDef | None:
    """Return the function whose only decorator is `node`, `None` if there is none or it is a method."""
    function = parents[node]
    alone = isinstance(function, ast.FunctionDef) and function.decorator_list == [node]
    method = isinstance(parents.get(function), ast.ClassDef)
    return function if isinstance(function, ast.FunctionDef) and alone and not method else None


def only_switches(call: ast.Call) -> bool:
    """Return whether a call of `tf.function` passes only options that `jax.jit` can ignore."""
    return not call.args and all(
        keyword.arg in _SWITCHES and isinstance(keyword.value, ast.Constant)
        for keyword in call.keywords
    )


def is_pure(function: ast.FunctionDef, operands: Operands) -> bool:
    """Return whether a function only computes its result from its parameters."""
    arguments = function.args
    plain = not (arguments.vararg or arguments.kwarg or arguments.kwonlyargs or arguments.defaults)
    parameters = [argument.arg for argument in (*arguments.posonlyargs, *arguments.args)]
    *statements, last = function.body
    if not plain or not parameters or not isinstance(last, ast.Return) or last.value is None:
        return False
    known = set(parameters)
    for index, statement in enumerate(statements):
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
            if index:
                return False
            continue
        target = statement.targets[0] if isinstance(statement, ast.Assign) else None
        if not isinstance(statement, ast.Assign) or not isinstance(target, ast.Name):
            return False
        if len(statement.targets) > 1 or not _computes(statement.value, known, operands):
            return False
        known.add(target.id)
    results = last.value.elts if isinstance(last.value, ast.Tuple) else [last.value]
    return all(_computes(result, known, operands) for result in results)


def _computes(node: ast.expr, known: set[str], operands: Operands) -> bool:
    """Return whether an expression contains only operators, numbers and known names."""
    if isinstance(node, ast.Constant):
        return type(node.value) in (int, float)
    if isinstance(node, ast.Name):
        return node.id in known
    if isinstance(node, ast.UnaryOp):
        return isinstance(node.op, ast.USub) and _computes(node.operand, known, operands)
    if isinstance(node, ast.BinOp):
        both = (node.left, node.right)
        return isinstance(node.op, _OPERATORS) and all(_computes(n, known, operands) for n in both)
    if isinstance(node, ast.Call):
        found = operands(node)
        return found is not None and all(_computes(n, known, operands) for n in found)
    return False
