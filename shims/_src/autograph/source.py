"""Find the source text that a function was compiled from."""

from __future__ import annotations

import ast
import functools
import inspect
import types


class UnconvertibleError(Exception):
    """Raised if a function cannot be converted and must run as written; has the reason and the line."""

    def __init__(self, reason: str, line: int | None = None):
        super().__init__(reason)
        self.reason = reason
        self.line = line


def find_definition(function: types.FunctionType) -> ast.FunctionDef | ast.Lambda:
    """Return the syntax tree of a function, with its positions in the source file.

    Raises:
      UnconvertibleError: there is no source, or it differs from the compiled function.
    """
    code = function.__code__
    try:
        lines, _ = inspect.findsource(code)
    except (OSError, TypeError):
        raise UnconvertibleError("the source of the function cannot be found") from None
    if code.co_filename == "<string>" and not _is_compiled_from("".join(lines), code):
        # Code compiled by `exec` has the same file name as the text of `python -c`.
        raise UnconvertibleError("the source of the function cannot be found")
    try:
        candidates = _definitions("".join(lines))
    except SyntaxError:
        raise UnconvertibleError(
            "the source of the function has changed since the function was loaded"
        ) from None
    found = [node for node in candidates.get(code.co_firstlineno, ()) if _matches_code(node, code)]
    if len(found) > 1:
        found = _filter_by_position(code, found)
    if len(found) != 1:
        raise UnconvertibleError(
            "the source of the function has changed since the function was loaded"
        )
    return found[0]


@functools.lru_cache(maxsize=32)
def _definitions(text: str) -> dict[int, list]:
    """Return the functions and lambdas in a file, by the first line of their code objects."""
    found: dict[int, list] = {}
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            decorators = getattr(node, "decorator_list", ())
            line = min([node.lineno, *(d.lineno for d in decorators)])
            found.setdefault(line, []).append(node)
    return found


def _is_compiled_from(text: str, code: types.CodeType) -> bool:
    """Return whether compiling `text` yields the code object `code`, possibly nested."""
    try:
        waiting = [compile(text, code.co_filename, "exec", dont_inherit=True)]
    except SyntaxError:
        return False
    while waiting:
        compiled = waiting.pop()
        if compiled == code:
            return True
        waiting += [c for c in compiled.co_consts if isinstance(c, types.CodeType)]
    return False


def _matches_code(node, code: types.CodeType) -> bool:
    """Return whether a definition has the same name and parameters as a code object."""
    if isinstance(node, ast.Lambda) != (code.co_name == "<lambda>"):
        return False
    mangled = enclosing_class(code.co_qualname)
    parameters = [mangle(name, mangled) for name in _parameters(node)]
    return (
        parameters == _code_parameters(code) and getattr(node, "name", "<lambda>") == code.co_name
    )


def enclosing_class(qualname: str) -> str | None:
    """Return the name of the class in whose body a function is defined, or `None`."""
    for segment in reversed(qualname.split(".<locals>.")):
        parts = segment.split(".")
        if len(parts) > 1:
            return parts[-2]
    return None


def mangle(name: str, class_name: str | None) -> str:
    """Mangle a private name (`__x`) as the Python compiler does inside a class."""
    prefix = (class_name or "").lstrip("_")
    if prefix and name.startswith("__") and not name.endswith("__"):
        return f"_{prefix}{name}"
    return name


def _filter_by_position(code: types.CodeType, lambdas: list) -> list:
    """Return those of several lambdas on one line whose body is at the source positions of `code`."""
    span = _span_of(code)
    if span is None:
        return lambdas
    bodies = [
        ((n.lineno, n.col_offset), (n.end_lineno, n.end_col_offset)) for n in map(_body, lambdas)
    ]
    return [node for node, body in zip(lambdas, bodies) if body == span]


def _body(node):
    return node.body if isinstance(node, ast.Lambda) else node


def _span_of(code: types.CodeType):
    """Return the first and last source position of the instructions in a code object, or `None`."""
    positions = [p for p in code.co_positions() if None not in p and p[0] and p[3]]
    if not positions:
        return None
    start = min((line, column) for line, _, column, _ in positions)
    return start, max((line, column) for _, line, _, column in positions)


def _parameters(node) -> list[str]:
    a = node.args
    named = [*a.posonlyargs, *a.args, *a.kwonlyargs]
    rest = [x for x in (a.vararg, a.kwarg) if x is not None]
    return [x.arg for x in (*named, *rest)]


def _code_parameters(code: types.CodeType) -> list[str]:
    count = code.co_argcount + code.co_kwonlyargcount
    count += bool(code.co_flags & inspect.CO_VARARGS) + bool(code.co_flags & inspect.CO_VARKEYWORDS)
    return list(code.co_varnames[:count])
