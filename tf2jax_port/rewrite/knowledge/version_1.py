"""Look up how TensorFlow 1 differs: renamed functions, other parameters, other results."""

from __future__ import annotations

import ast
import dataclasses

from tf2jax_port.rewrite.knowledge.bind import Bound
from tf2jax_port.rewrite.names.tf_names import V1_PARAMS
from tf2jax_port.table import Native, Row, Shim
from tf2jax_port.table.version_1 import (
    BOUND_SCOPE,
    CLASSES,
    DIFFERS,
    FORMS,
    MOVED,
    RENAMED,
    SCOPE,
    WITHOUT_MEANING,
)


def params(path: str) -> str:
    """Return the parameter list that a function has in TensorFlow 1, as text."""
    return {**V1_PARAMS, **dict(CLASSES)}[path]


def moved() -> dict[str, tuple[str, str]]:
    """Return a dict from TensorFlow 1's names of renamed functions to the new name and old parameters."""
    return {old: (new, V1_PARAMS[new] if own is None else own) for old, new, own in MOVED}


def renames(name: str) -> tuple[tuple[str, str], ...]:
    """Return pairs of a parameter of version 1 and its new name, for the table row `name`."""
    return RENAMED.get(name, ())


def without_meaning(name: str) -> tuple[str, ...]:
    """Return a function's TensorFlow 1 parameters whose arguments can always be dropped."""
    return WITHOUT_MEANING.get(name, ())


def differs(name: str) -> str:
    """Return how a function's result differs in TensorFlow 1 from TensorFlow 2, `""` if it does not."""
    return DIFFERS.get(name, "")


def bound_scope(row: Row, bound: Bound) -> Row:
    """Return the table row of `tf.name_scope`, adapted to `with tf.name_scope(...) as scope`.

    That statement uses the name of the scope, which the replacement must provide.
    """
    target: Native | Shim = Shim("shims.name_scope")
    if "default_name" in bound.arguments:
        target = Native(f"shims.name_scope({SCOPE})")
    return dataclasses.replace(row, name=BOUND_SCOPE, target=target)


def forms(row: Row) -> tuple[Native, ...]:
    """Return the JAX expressions of a table row, in the order in which they are tried."""
    assert isinstance(row.target, Native)
    return (*FORMS.get(row.name, ()), row.target)


def is_exact(name: str, bound: Bound) -> bool:
    """Return whether a function certainly returns the same in TensorFlow 1 and 2 for these arguments."""
    arguments = bound.arguments
    if name == "cond":
        branches = [arguments[n].node for n in ("true_fn", "false_fn") if n in arguments]
        bodies = [b.body if isinstance(b, ast.Lambda) else None for b in branches]
        return not any(b is None or isinstance(b, ast.List | ast.Tuple) for b in bodies)
    if name == "while_loop":
        variables = arguments["loop_vars"].node
        return isinstance(variables, ast.List | ast.Tuple) and len(variables.elts) > 1
    return False
