"""Find the `try` statements that only import TensorFlow or its replacement, and that nothing needs any more."""

from __future__ import annotations

import ast
from collections.abc import Callable, Container

from tf2jax_port.rewrite.reading.alternatives import catches_failed_imports
from tf2jax_port.rewrite.reading.resolve import is_tensorflow
from tf2jax_port.rewrite.reading.scopes import Names, Scope


def unneeded_attempts(
    names: Names, gone: Container[ast.AST], is_kept: Callable[[str], bool]
) -> list[ast.Try]:
    """Return the `try` statements to drop, only from bodies of modules and functions.

    Args:
      names: the bindings and uses of the file.
      gone: the first names of the references that the rewrite removes.
      is_kept: returns whether a name has to stay for other reasons, such as `__all__`.
    """
    homes = [scope for scope in (names.module, *names.scopes.values()) if scope.bindings]
    found: dict[ast.Try, None] = {}
    for statement in names.imports:
        attempt = names.parents[statement]
        if isinstance(attempt, ast.Try) and catches_failed_imports(attempt):
            found[attempt] = None
    used = {(n.id, id(scope.lookup(n.id))) for n, scope in names.uses if n not in gone}
    return [attempt for attempt in found if _is_unneeded(attempt, names, homes, used, is_kept)]


def _is_unneeded(
    attempt: ast.Try,
    names: Names,
    homes: list[Scope],
    used: set[tuple[str, int]],
    is_kept: Callable[[str], bool],
) -> bool:
    """Return whether a `try` only binds names of TensorFlow that nothing uses."""
    handled = [statement for handler in attempt.handlers for statement in handler.body]
    handlers = [s for s in handled if not isinstance(s, ast.Raise)]
    statements = [*attempt.body, *handlers, *attempt.orelse, *attempt.finalbody]
    alone = isinstance(names.parents[attempt], ast.Module | ast.FunctionDef | ast.AsyncFunctionDef)
    if not alone or not all(_only_binds(statement) for statement in statements):
        return False
    inside = set(statements)
    for scope in homes:
        for name, bindings in scope.bindings.items():
            if not any(b.statement in inside or b.node in inside for b in bindings):
                continue
            if (name, id(scope)) in used or is_kept(name):
                return False
            if not any(b.kind == "import" and is_tensorflow(b.path) for b in bindings):
                return False
    return True


def _only_binds(statement: ast.stmt) -> bool:
    """Return whether a statement is an import, `pass`, or `tf = None`."""
    if isinstance(statement, ast.Assign):
        return isinstance(statement.value, ast.Constant) and all(
            isinstance(target, ast.Name) for target in statement.targets
        )
    star = isinstance(statement, ast.ImportFrom) and statement.names[0].name == "*"
    return isinstance(statement, ast.Import | ast.ImportFrom | ast.Pass) and not star
