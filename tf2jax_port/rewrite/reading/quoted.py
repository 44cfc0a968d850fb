"""Parse code inside of quotes: string annotations and expressions in f-strings."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tf2jax_port.rewrite.reading.scopes import Names, resolve_more
from tf2jax_port.rewrite.reading.source import Source


def parse_annotation(source: Source, constant: ast.Constant) -> tuple[ast.expr, bool] | None:
    """Parse a string annotation, and determine whether edits at its positions are valid.

    Returns:
      The expression, with positions in the file; and whether its text is in the file unchanged: no prefix, escape,
      triple quotes or joined strings. `None` if the string is not an expression.
    """
    text = constant.value
    if not isinstance(text, str):
        return None
    try:
        expression = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError):
        return None
    start, end = source.span(constant)
    written = source.data[start:end]
    exact = written[:1] in (b"'", b'"') and written[1:-1] == text.encode() and text == text.strip()
    for node in ast.walk(expression):
        if isinstance(node, ast.expr | ast.keyword):
            ends = node.end_col_offset or 0
            single = node.lineno == node.end_lineno == 1
            exact = exact and single
            node.col_offset += constant.col_offset + 1
            node.end_col_offset = ends + constant.col_offset + 1
            node.lineno = node.end_lineno = constant.lineno
    return expression, exact


def strings_in(annotation: ast.expr) -> Iterator[ast.Constant]:
    """Yield the strings in an annotation that are types, not values as in `Literal["a"]`."""
    if isinstance(annotation, ast.Subscript):
        name = annotation.value
        last = name.attr if isinstance(name, ast.Attribute) else getattr(name, "id", "")
        if last == "Literal":
            return
        if last == "Annotated" and isinstance(annotation.slice, ast.Tuple):
            yield from strings_in(annotation.slice.elts[0])
            return
    if isinstance(annotation, ast.Constant):
        if isinstance(annotation.value, str):
            yield annotation
        return
    for child in ast.iter_child_nodes(annotation):
        if isinstance(child, ast.expr):
            yield from strings_in(child)


def add_annotations(source: Source, names: Names) -> set[ast.AST]:
    """Parse the string annotations of a file and add them to `names`.

    Returns:
      The syntax nodes that cannot be edited, because the file does not contain their text
      literally.
    """
    frozen: set[ast.AST] = set()
    for annotation, scope in names.annotations:
        for constant in strings_in(annotation):
            parsed = parse_annotation(source, constant)
            if parsed is None:
                continue
            expression, exact = parsed
            resolve_more(names, expression, constant, scope)
            if not exact:
                frozen.update(ast.walk(expression))
    return frozen


def enclosing_string(names: Names, node: ast.AST) -> ast.expr | None:
    """Return the f-string or string annotation that contains a node, `None` if there is none."""
    if not names.strings:
        return None
    for ancestor in names.ancestors(node):
        if isinstance(ancestor, ast.stmt):
            return None
        if isinstance(ancestor, ast.JoinedStr | ast.Constant):
            return ancestor
    return None


def is_editable(source: Source, names: Names, node: ast.expr) -> bool:
    """Return whether the reported position of a node in an f-string is the right one.

    Python 3.11 gives some nodes in f-strings wrong positions.
    """
    whole = node
    for ancestor in names.ancestors(node):
        if isinstance(ancestor, ast.FormattedValue):
            break
        if isinstance(ancestor, ast.expr):
            whole = ancestor
    start, end = source.span(whole)
    try:
        written = ast.parse(b"(" + source.data[start:end] + b")", mode="eval").body
    except SyntaxError:
        return False
    return ast.dump(written) == ast.dump(whole)


def fits_in_string(text: str) -> bool:
    """Return whether a text can be written between quotes on every supported version of Python."""
    return not any(mark in text for mark in "'\"\\\n\r#")
