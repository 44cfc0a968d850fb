"""Choose between imports that a `try` offers for one name: the first one that TensorFlow 2 has is executed."""

from __future__ import annotations

import ast

from tf2jax_port.rewrite.names.public_names import is_public
from tf2jax_port.rewrite.reading.scopes import Binding, Names

_IMPORT_ERRORS = ("ImportError", "ModuleNotFoundError", "AttributeError", "Exception")


def catches_failed_imports(statement: ast.AST) -> bool:
    """Return whether a statement is a `try` that handles an import that fails."""
    if not isinstance(statement, ast.Try):
        return False
    caught = [node for handler in statement.handlers for node in _types(handler)]
    return bool(caught) and all(n is None or n in _IMPORT_ERRORS for n in caught)


def without_alternatives(bindings: list[Binding], names: Names) -> list[Binding]:
    """Return the bindings of a name without those that are executed only if another import fails.

    Two imports are alternatives if one `try` holds both and they import the same name, from TensorFlow or from the
    Keras that was once distributed alone. All bindings are returned where the text does not decide.
    """
    by_try: dict[ast.AST, list[Binding]] = {}
    for binding in bindings if len(bindings) > 1 else ():
        around = None if binding.statement is None else names.parents[binding.statement]
        if isinstance(around, ast.ExceptHandler):
            around = names.parents[around]
        if around is not None and catches_failed_imports(around):
            by_try.setdefault(around, []).append(binding)
    dropped = {id(b) for group in by_try.values() for b in _never_executed(group)}
    return [b for b in bindings if id(b) not in dropped]


def _never_executed(group: list[Binding]) -> list[Binding]:
    """Return the imports of one `try` that are not executed where TensorFlow 2 is installed."""
    own = [b for b in group if b.path.startswith("tensorflow.") and _exists(b.path)]
    same = len({_path(b).rpartition(".")[2] for b in group}) == 1
    known = all(b in own or not b.path or b.path.split(".")[0] == "keras" for b in group)
    return [b for b in group if b is not own[0]] if own and same and known else []


def _path(binding: Binding) -> str:
    """Return the imported name, or the text of the name in `Layer = tf.keras.layers.Layer`."""
    named = isinstance(binding.value, ast.Attribute)
    return ast.unparse(binding.value) if named and binding.value is not None else binding.path


def _exists(dotted: str) -> bool:
    path = dotted.partition(".")[2].removeprefix("compat.v1.").removeprefix("compat.v2.")
    return path.startswith("keras.") or path == "keras" or is_public(path)


def _types(handler: ast.ExceptHandler) -> list[str | None]:
    """Return the names of the errors that a handler catches; `None` means all errors."""
    if handler.type is None:
        return [None]
    each = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return [node.id if isinstance(node, ast.Name) else "" for node in each]
