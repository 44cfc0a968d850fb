"""Find the functions that pipelines of `tf.data` call, in which TensorFlow's operators stay.

TensorFlow calls such a function with tensors of its own, so its operators may become JAX's only if the pipeline
moves, too. A function that other code calls as well is left to the usual rules.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from tf2jax_port.rewrite.findings.findings import State
from tf2jax_port.rewrite.reading.neighbors import Neighbors
from tf2jax_port.rewrite.reading.scopes import Function, Names
from tf2jax_port.rewrite.sites.decision import Decision, File

_METHODS = frozenset(
    ("map", "flat_map", "filter", "interleave", "take_while", "group_by_window", "map_with_cleanup")
)


def pipeline_functions(names: Names, neighbors: Neighbors) -> frozenset[ast.AST]:
    """Return the functions and lambdas of a file that only pipelines call, directly or through each other."""
    given = [f for node in names.attributes if (f := _given_function(names, node)) is not None]
    if not given:
        return frozenset()
    found: set[ast.AST] = {node for node in given if isinstance(node, ast.Lambda)}
    named = [node for node in given if not isinstance(node, ast.Lambda)]
    defined = {n: f for n, f in _definitions(names).items() if not neighbors.takes(n)}
    uses = _uses(names, defined)
    waiting = True
    while waiting:
        waiting = False
        for name, nodes in uses.items():
            function = defined[name]
            inside = [n for n in nodes if n in named or _is_inside(names, n, found)]
            if function not in found and nodes and len(inside) == len(nodes):
                found.add(function)
                waiting = True
    return frozenset(found)


def keep(file: File, node: ast.expr, symbol: str) -> Decision | None:
    """Return the decision to leave a reference unchanged because only pipelines call its function, or `None`."""
    if not file.in_pipelines or not _is_inside(file.names, node, file.in_pipelines):
        return None
    message = (
        "a TensorFlow pipeline calls the function that contains this call; with `--data shims`, the pipeline and "
        "the function are rewritten"
    )
    return Decision(State.KEPT, "TJ504", message, symbol, node)


def _is_inside(names: Names, node: ast.AST, functions: Iterable[ast.AST]) -> bool:
    return any(parent in functions for parent in names.ancestors(node))


def _given_function(names: Names, node: ast.Attribute) -> ast.expr | None:
    """Return the function that a call such as `data.map(f)` passes on, `None` for other attributes."""
    call = names.parents[node]
    if node.attr not in _METHODS or not isinstance(call, ast.Call) or call.func is not node:
        return None
    if len(call.args) > 1 or any(isinstance(a, ast.Starred) for a in call.args):
        return None
    if isinstance(node.value, ast.Name) and node.value.id in ("executor", "pool", "jax", "lax"):
        return None
    given = call.args[0] if call.args else next((k.value for k in call.keywords), None)
    if isinstance(given, ast.Call) and given.args and _is_partial(given.func):
        given = given.args[0]
    return given if isinstance(given, ast.Lambda | ast.Name | ast.Attribute) else None


def _is_partial(function: ast.expr) -> bool:
    name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    return name == "partial"


def _definitions(names: Names) -> dict[str, ast.AST]:
    """Return the functions of a file by name, without those whose name is defined more than once."""
    found: dict[str, ast.AST] = {}
    twice = set()
    for node in names.scopes:
        if isinstance(node, Function):
            if node.name in found:
                twice.add(node.name)
            found[node.name] = node
    return {name: node for name, node in found.items() if name not in twice}


def _uses(names: Names, defined: dict[str, ast.AST]) -> dict[str, list[ast.expr]]:
    """Return the places where functions are used: by name, or as a method of `self` or `cls`."""
    uses: dict[str, list[ast.expr]] = {name: [] for name in defined}
    for name, _ in names.uses:
        if name.id in uses:
            uses[name.id].append(name)
    for attribute in names.attributes:
        if attribute.attr in uses:
            uses[attribute.attr].append(attribute)
    return uses
