"""Find the statement before which the key of a call is split, and the function that receives the key.

A key is split before a statement, so that each run of the statement has a new key. That is enough for a call that
runs at most once per statement. A call that runs for each element of a comprehension folds the index of the
element into the key.
"""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Container

from tf2jax_port.rewrite.reading.scopes import Function
from tf2jax_port.rewrite.sites.decision import File

Unit = ast.Module | ast.FunctionDef | ast.AsyncFunctionDef
Comprehension = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
# Nodes around a call that are evaluated at most once for each run of the statement.
_ONCE = (
    *(ast.Call, ast.keyword, ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.IfExp, ast.Compare, ast.Await),
    *(ast.Tuple, ast.List, ast.Set, ast.Dict, ast.Attribute, ast.Subscript, ast.Slice, ast.Starred),
    *(ast.NamedExpr, ast.Yield, ast.YieldFrom, ast.withitem),
)
_PLAIN = (
    *(ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Expr, ast.Return, ast.Raise, ast.Assert),
    *(ast.With, ast.AsyncWith, ast.If, ast.For, ast.AsyncFor),
)
# Builtins that exhaust a generator before they return.
_CONSUMERS = (
    "all",
    "any",
    "dict",
    "frozenset",
    "list",
    "max",
    "min",
    "set",
    "sorted",
    "sum",
    "tuple",
)
_BLOCKS = ("body", "orelse", "finalbody", "handlers")


class NoPlaceError(Exception):
    """Raised if no key can be split before a call; the message gives the reason."""


@dataclasses.dataclass(frozen=True, slots=True)
class Place:
    """The function and the statement that provide the key of a call.

    Attributes:
      unit: the function whose key is used, or the module.
      anchor: the statement before which the key is split.
      repeated: the comprehension that runs the call for each of its elements.
      room: whether a line can be inserted before the statement.
    """

    unit: Unit
    anchor: ast.stmt
    repeated: Comprehension | None = None
    room: bool = True


def find_place(file: File, node: ast.expr, blocks: Container[ast.AST]) -> Place | str:
    """Return the statement before which the key of a call is split, or why there is none.

    Args:
      file: the file.
      node: the call.
      blocks: `with` statements that become functions; their keys must be split before them.
    """
    try:
        statement, repeated = _statement(file, node)
        if _is_body_in_line(file, statement):
            return Place(_unit(file, statement), statement, repeated, room=False)
        anchor = leading(file, _outermost_class(file, statement))
        for outer in file.names.ancestors(anchor):
            if outer in blocks and isinstance(outer, ast.stmt):
                anchor = leading(file, outer)
        return Place(_unit(file, anchor), anchor, repeated)
    except NoPlaceError as error:
        return str(error)


def _is_body_in_line(file: File, statement: ast.stmt) -> bool:
    """Return whether a statement is the whole body of a function, on the line of its `def`."""
    parent = file.names.parents[statement]
    return (
        isinstance(parent, Function)
        and parent.body == [statement]
        and not _begins_line(file, statement)
    )


def unit_of(file: File, node: ast.AST) -> Unit:
    """Return the innermost function that contains a node, or the module."""
    for outer in file.names.ancestors(node):
        if isinstance(outer, Function | ast.Module):
            return outer
    raise AssertionError("a node outside of any file")


def _outermost_class(file: File, statement: ast.stmt) -> ast.stmt:
    """Return the outermost class in the same function that contains a statement, else the statement."""
    found, looped = statement, False
    for outer in file.names.ancestors(statement):
        if isinstance(outer, Function | ast.Module):
            return found
        if isinstance(outer, ast.ClassDef):
            if looped:
                raise NoPlaceError("the call is in a loop in the body of a class")
            found = outer
        looped = looped or isinstance(outer, ast.For | ast.AsyncFor | ast.While)
    return found


def _unit(file: File, statement: ast.stmt) -> Unit:
    for outer in file.names.ancestors(statement):
        if isinstance(outer, Function | ast.Module):
            return outer
    raise AssertionError("a statement outside of any file")


def _statement(file: File, node: ast.expr) -> tuple[ast.stmt, Comprehension | None]:
    """Return the statement that contains a node, and the comprehension that repeats the node, if any."""
    repeated: Comprehension | None = None
    inner: ast.AST = node
    for outer in file.names.ancestors(node):
        if isinstance(outer, ast.stmt):
            _check_statement(outer, inner)
            return outer, repeated
        if isinstance(outer, Comprehension):
            if inner is not outer.generators[0] or not _is_within(file, node, inner.iter):
                if repeated is not None or len(outer.generators) > 1:
                    raise NoPlaceError("the call is in a comprehension with several loops")
                repeated = outer
                _check_loop(file, outer)
        elif isinstance(outer, ast.Lambda):
            if _is_branch(file, outer):
                inner = outer
                continue
            raise NoPlaceError(_why_no_lambda(file, outer))
        elif not isinstance(outer, (ast.comprehension, ast.arguments, *_ONCE)):
            raise NoPlaceError("no key can be split before the call")
        inner = outer
    raise AssertionError("an expression outside of any statement")


def _is_within(file: File, node: ast.AST, outer: ast.AST) -> bool:
    return node is outer or outer in file.names.ancestors(node)


def _check_loop(file: File, comprehension: Comprehension) -> None:
    """Check that the elements of a comprehension can be numbered, and are computed immediately.

    Raises:
      NoPlaceError: they cannot, or the comprehension is a generator that is consumed later.
    """
    if comprehension.generators[0].is_async or not file.spelling.allows(["enumerate"]):
        raise NoPlaceError("the call is in a comprehension whose elements cannot be numbered")
    if not isinstance(comprehension, ast.GeneratorExp):
        return
    call = file.names.parents[comprehension]
    name = call.func.id if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) else ""
    if name not in _CONSUMERS or not file.spelling.allows([name]):
        raise NoPlaceError("the call is in a generator, which runs later")


def _is_branch(file: File, node: ast.Lambda) -> bool:
    """Return whether a lambda is a branch of `tf.cond`, which calls it at once and at most once."""
    parent = file.names.parents[node]
    call = file.names.parents[parent] if isinstance(parent, ast.keyword) else parent
    return isinstance(call, ast.Call) and file.values.is_call_of(call, "cond")


def _why_no_lambda(file: File, node: ast.Lambda) -> str:
    parent = file.names.parents[node]
    call = file.names.parents[parent] if isinstance(parent, ast.keyword) else parent
    reference = file.values.by_node.get(call.func) if isinstance(call, ast.Call) else None
    if reference is None:
        return "the call is in a lambda, which may be called more than once"
    return (
        f"the call is in a function that `tf.{reference.path}` calls: a key from outside the loop would draw the "
        "same numbers in each iteration, so make the key part of the loop's state"
    )


def _check_statement(statement: ast.stmt, inner: ast.AST) -> None:
    if isinstance(statement, ast.While):
        raise NoPlaceError("the call is in the condition of a loop")
    if isinstance(statement, Function):  # decorators and defaults are computed where it is defined
        if inner is statement.returns:
            raise NoPlaceError("the call is in an annotation")
        return
    annotated = isinstance(statement, ast.AnnAssign) and inner is statement.annotation
    if annotated or not isinstance(statement, _PLAIN):
        raise NoPlaceError("no key can be split before the call")


# Statements before which a line can be inserted.


def leading(file: File, statement: ast.stmt) -> ast.stmt:
    """Return the statement before which a new line can be inserted, so that both run equally often.

    It is the first statement on the line, or an enclosing `if`, `with` or `try`.

    Raises:
      NoPlaceError: there is no such statement.
    """
    while True:
        parent = file.names.parents[statement]
        is_elif = isinstance(statement, ast.If) and begins_with(file, statement, b"elif")
        if not is_elif:
            first = _first_of_line(parent, statement)
            if _begins_line(file, first):
                return first
        # Code after the body of a `try` would reuse a key that the body has split already.
        attempted = isinstance(parent, ast.Try | ast.TryStar) and statement in parent.body
        if not attempted and not isinstance(parent, ast.If | ast.With | ast.AsyncWith):
            raise NoPlaceError("no line can be inserted before the call")
        assert isinstance(parent, ast.stmt)
        statement = parent


def begins_with(file: File, statement: ast.stmt, word: bytes) -> bool:
    """Return whether the text of a statement begins with a word."""
    return file.source.data.startswith(word, file.source.span(statement)[0])


def block_of(parent: ast.AST, statement: ast.stmt) -> list[ast.stmt]:
    """Return the list of statements (such as `body` or `orelse`) that contains a statement."""
    for field in _BLOCKS:
        block = getattr(parent, field, [])
        if isinstance(block, list) and statement in block:
            return block
    return []


def _first_of_line(parent: ast.AST, statement: ast.stmt) -> ast.stmt:
    same = [s for s in block_of(parent, statement) if s.lineno == statement.lineno]
    return same[0] if same else statement


def first_line(statement: ast.stmt) -> int:
    """Return the line on which a statement begins; decorators belong to the statement."""
    return min([statement.lineno, *(d.lineno for d in getattr(statement, "decorator_list", ()))])


def _is_decorated(statement: ast.stmt) -> bool:
    return bool(getattr(statement, "decorator_list", ()))


def _begins_line(file: File, statement: ast.stmt) -> bool:
    """Return whether a statement is first on its line, and no backslash joins the line before to it."""
    source = file.source
    start = source.starts[first_line(statement) - 1]
    before = source.data[start : source.span(statement)[0]] if not _is_decorated(statement) else b""
    continued = source.data[:start].rstrip(b"\r\n").endswith(b"\\") if start else False
    return not before.strip(b" \t\f") and not continued
