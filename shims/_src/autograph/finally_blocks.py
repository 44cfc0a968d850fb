"""Let a `finally` that leaves its block, by `return`, `break` or `continue`, end the exception, as in Python."""

from __future__ import annotations

import ast

_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
_LOOPS = (ast.For, ast.While)
_FORM = """\
{name} = None
try:
    pass
except BaseException as error_{name}:
    {name} = error_{name}
if {name} is not None:
    raise {name}
"""


class LeavingFinally(ast.NodeTransformer):
    """Catches what a `try` raises before such a `finally`, which raises it again if it does not leave.

    The converters replace `return`, `break` and `continue` by flags, which do not end an exception.
    """

    def visit_Try(self, node):
        self.generic_visit(node)
        if not any(map(_leaves, node.finalbody)):
            return node
        name = f"raised_{node.lineno}_{node.col_offset}"
        return _caught(node, name)


def _caught(node: ast.Try, name: str) -> list[ast.stmt]:
    before, around, again = ast.parse(_FORM.format(name=name)).body
    assert isinstance(around, ast.Try)
    for part in (n for new in (before, around, again) for n in ast.walk(new)):
        if isinstance(part, (ast.stmt, ast.expr, ast.ExceptHandler)):
            ast.copy_location(part, node)
    inner = ast.Try(node.body, node.handlers, node.orelse, [])
    around.body = [ast.copy_location(inner, node)] if node.handlers else node.body
    outer = ast.Try([around], [], [], [*node.finalbody, again])
    return [before, ast.copy_location(outer, node)]


def _leaves(statement: ast.stmt, in_loop: bool = False) -> bool:
    """Return whether a statement may leave the block that it is in, for other code of the function."""
    if isinstance(statement, ast.Return):
        return True
    if isinstance(statement, (ast.Break, ast.Continue)):
        return not in_loop
    if isinstance(statement, _SCOPES):
        return False
    in_loop = in_loop or isinstance(statement, _LOOPS)
    inner = [s for s in ast.iter_child_nodes(statement) if isinstance(s, ast.stmt)]
    inner += [s for h in getattr(statement, "handlers", ()) for s in h.body]
    return any(_leaves(s, in_loop) for s in inner)
