"""Write dtypes such that they compare and hash as TensorFlow's do.

`x.dtype` is a NumPy dtype: it equals `jnp.float32`, but is another object and has another hash.
"""

from __future__ import annotations

import ast
import re

from tf2jax_port.rewrite.reading.source import Source
from tf2jax_port.rewrite.writing.edits import Edit
from tf2jax_port.table import dtypes

DTYPES = frozenset(row.name for row in dtypes.ROWS)
_IDENTITY = re.compile(rb"\bis(\s+not)?\b")


def hashable(text: str, node: ast.expr, parent: ast.AST) -> str:
    """Return the text of a dtype; as a key, the NumPy dtype, whose hash is that of `x.dtype`."""
    key = isinstance(parent, ast.Set) or (isinstance(parent, ast.Dict) and node in parent.keys)
    key = key or (isinstance(parent, ast.Subscript) and parent.slice is node)
    if isinstance(parent, ast.Compare) and parent.left is node:
        key = isinstance(parent.ops[0], ast.In | ast.NotIn)
    method = parent.func if isinstance(parent, ast.Call) else None
    key = key or (isinstance(method, ast.Attribute) and method.attr == "get")
    return f"jnp.dtype({text})" if key else text


def compared_by_value(source: Source, node: ast.expr, parent: ast.AST) -> list[Edit]:
    """Return the edits that turn `x.dtype is tf.float32` into a comparison by value."""
    if not isinstance(parent, ast.Compare):
        return []
    sides = [parent.left, *parent.comparators]
    edits = []
    for left, operator, right in zip(sides, parent.ops, sides[1:], strict=False):
        if not isinstance(operator, ast.Is | ast.IsNot) or node not in (left, right):
            continue
        if any(isinstance(side, ast.Constant) for side in (left, right)):
            continue
        start, end = source.span(left)[1], source.span(right)[0]
        found = _IDENTITY.search(source.data[start:end])
        if found is not None and b"#" not in source.data[start:end]:
            text = "!=" if isinstance(operator, ast.IsNot) else "=="
            edits.append(Edit(start + found.start(), start + found.end(), (text,)))
    return edits
