"""Tokenize and compare source lines of the two programs."""

from __future__ import annotations

import ast
import difflib
import functools
import linecache
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from tf2jax_port.diff.locate.watch.places import Place

_SAME_TARGETS = 0.2
# The least similarity of corresponding lines, and the least lead over other lines.
_ALIKE, _MORE = 0.6, 0.05
# Names of modules, which are ignored.
_MODULES = {"tf", "jnp", "jax", "np", "numpy", "tensorflow", "nn", "math", "lax", "linalg", "keras"}
# Functions whose names differ between libraries in more than the prefix `reduce_`.
_CALLS = {
    "matmul": "MatMult",
    "square": "Pow",
    "pow": "Pow",
    "power": "Pow",
    "add": "Add",
    "subtract": "Sub",
    "multiply": "Mult",
    "divide": "Div",
    "negative": "USub",
    "concat": "concatenate",
    "cast": "astype",
    "stop_gradient": "stop_gradient",
}


@dataclass(frozen=True)
class Statement:
    """A statement, without the statements nested in it.

    Attributes:
      line: its first line.
      end: its last line.
      words: its tokens, in order.
      names: the names that it reads.
      targets: the names that it assigns.
      calls: the names of the methods and module functions that it calls.
      numbers: the number literals of its right-hand side if that contains nothing else; otherwise empty.
      texts: its string literals.
      function: the first line of the function or class that contains it; 0 at the top level.
    """

    line: int
    end: int
    words: tuple[str, ...]
    names: tuple[str, ...]
    targets: tuple[str, ...]
    calls: frozenset[str]
    numbers: tuple[float, ...]
    texts: frozenset[str]
    function: int


@functools.lru_cache(maxsize=64)
def parsed(file: str) -> ast.Module:
    """Parse a file; return an empty tree if the file cannot be read or parsed."""
    try:
        return ast.parse("".join(linecache.getlines(file)))
    except SyntaxError:
        return ast.Module([], [])


@functools.lru_cache(maxsize=64)
def statements(file: str) -> tuple[Statement, ...]:
    """Return all statements of a file, nested ones included; none if the file cannot be read."""
    return tuple(_statements(parsed(file).body, 0))


def calls(place: Place) -> list[ast.Call]:
    """Return the syntax tree nodes of the calls that begin on a line, the outermost first."""
    walked = ast.walk(parsed(place.file))
    return [n for n in walked if isinstance(n, ast.Call) and n.lineno == place.line]


def functions_around(place: Place) -> list[ast.FunctionDef]:
    """Return the syntax tree nodes of the functions that contain a line, the outermost first."""
    found = [n for n in ast.walk(parsed(place.file)) if isinstance(n, ast.FunctionDef)]
    inside = [n for n in found if n.body[0].lineno <= place.line <= (n.end_lineno or 0)]
    return sorted(inside, key=lambda n: n.lineno)


def function_of(place: Place) -> ast.FunctionDef | None:
    """Return the syntax tree node of the innermost function that contains a line, or `None`."""
    return next(reversed(functions_around(place)), None)


def last_line(place: Place) -> int:
    """Return the last line of the calls that begin on a line; the line itself if there are none."""
    return max([place.line, *(call.end_lineno or 0 for call in calls(place))])


def statement(place: Place) -> Statement | None:
    """Return the statement that contains a line, or `None`."""
    around = [s for s in statements(place.file) if s.line <= place.line <= s.end]
    return max(around, key=lambda s: s.line, default=None)


def alike(one: Statement, other: Statement) -> float:
    """Return the similarity of two statements, which is higher if both assign the same names."""
    said = difflib.SequenceMatcher(None, one.words, other.words, autojunk=False).ratio()
    return said + (_SAME_TARGETS if one.targets and one.targets == other.targets else 0.0)


def likest(
    wanted: Place, near: Sequence[Place], but: Collection[tuple[str, int]] = ()
) -> Place | None:
    """Return the line most similar to a line of the other program; `None` if no line is similar enough.

    Args:
      wanted: the line of the other program.
      near: lines of this program. Only the functions that contain them are searched, and only a
        line that is more similar than all of them is returned.
      but: the lines to exclude, as pairs of file and line number.
    """
    said = statement(wanted)
    if said is None:
        return None
    found: dict[Place, float] = {}
    for place in near:
        inside = statement(place)
        for one in statements(place.file):
            is_near = inside is not None and one.function == inside.function
            if is_near and (place.file, one.line) not in but:
                found[Place(place.file, one.line, place.function)] = alike(one, said)
    best = max(found, key=lambda one: found[one], default=None)
    own = max((alike(here, said) for p in near if (here := statement(p)) is not None), default=0.0)
    return best if best is not None and found[best] >= max(_ALIKE, own + _MORE) else None


def likest_of(wanted: Place, given: Sequence[Place]) -> Place | None:
    """Return the given line that is most similar to a line of the other program, or `None`."""
    said = statement(wanted)
    found = {p: alike(here, said) for p in given if said and (here := statement(p)) is not None}
    best = max(found, key=lambda one: found[one], default=None)
    return best if best is not None and found[best] >= _ALIKE else None


def renaming(wanted: Place, given: Place) -> Place | None:
    """Return the only line that copies the result of the given line to another name, or `None`.

    The name must be the one that the wanted line assigns. The operation on the wanted line is then missing
    between the given line and the copy.

    Args:
      wanted: the line of the other program.
      given: the line of this program, which assigns other names.
    """
    said, here = statement(wanted), statement(given)
    if said is None or here is None or not said.calls or {*said.targets} & {*here.targets}:
        return None
    found = [
        one
        for one in statements(given.file)
        if len(one.words) == 2 and len(one.names) == 1 and one.targets == said.targets
    ]
    is_its_value = len(found) == 1 and found[0].names[0] in here.targets
    return Place(given.file, found[0].line, given.function) if is_its_value else None


def _statements(body: list[ast.stmt], function: int) -> Iterator[Statement]:
    for node in body:
        inner = [getattr(node, part, []) for part in ("body", "orelse", "finalbody")]
        handlers = [handler.body for handler in getattr(node, "handlers", [])]
        nested = [part for part in (*inner, *handlers) if part]
        end = node.end_lineno or node.lineno
        if nested:
            end = max(node.lineno, nested[0][0].lineno - 1)
        is_scope = isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))
        parts = _header(node)
        words = tuple(word for part in parts for word in _tokens(part))
        loaded = [n for part in parts for n in ast.walk(part) if isinstance(n, ast.Name)]
        names = tuple(dict.fromkeys(n.id for n in loaded if isinstance(n.ctx, ast.Load)))
        targets = tuple(dict.fromkeys(n.id for n in loaded if isinstance(n.ctx, ast.Store)))
        called = [n.func for part in parts for n in ast.walk(part) if isinstance(n, ast.Call)]
        calls = frozenset(f.attr for f in called if isinstance(f, ast.Attribute))
        texts = frozenset(
            n.value
            for part in parts
            for n in ast.walk(part)
            if isinstance(n, ast.Constant) and isinstance(n.value, str)
        )
        yield Statement(
            node.lineno, end, words, names, targets, calls, _assigned_numbers(node), texts, function
        )
        for part in nested:
            yield from _statements(part, node.lineno if is_scope else function)


def _assigned_numbers(node: ast.stmt) -> tuple[float, ...]:
    value = getattr(node, "value", None)
    if isinstance(value, ast.Call) and value.args:
        value = value.args[0]  # an array of a list
    parts = value.elts if isinstance(value, (ast.List, ast.Tuple)) else [value]
    constants = (p.value for p in parts if isinstance(p, ast.Constant))
    found = tuple(float(n) for n in constants if isinstance(n, (int, float)))
    return found if len(found) == len(parts) else ()


def _header(node: ast.stmt) -> list[ast.AST]:
    """Return the syntax tree nodes of a statement without its nested statements."""
    if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
        return [node.args] if isinstance(node, ast.FunctionDef) else []
    parts = []
    for name, value in ast.iter_fields(node):
        if name not in ("body", "orelse", "finalbody", "handlers"):
            parts += value if isinstance(value, list) else [value]
    kind: list[ast.AST] = (
        [] if isinstance(node, ast.Assign) else [ast.Name(type(node).__name__, ast.Load())]
    )
    return kind + [part for part in parts if isinstance(part, ast.AST)]


def _tokens(node: ast.AST) -> Iterator[str]:
    """Yield the tokens of an expression, each operator before its operands."""
    if isinstance(node, ast.Constant):
        value = node.value
        if isinstance(value, int):
            value = float(value)
        yield repr(value)
    elif isinstance(node, ast.Name):
        if node.id not in _MODULES:
            yield node.id
    elif isinstance(node, ast.Attribute):
        yield from _tokens(node.value)
        if node.attr not in _MODULES:
            yield word_of(node.attr)
    elif isinstance(node, (ast.operator, ast.unaryop, ast.boolop, ast.cmpop)):
        yield type(node).__name__
    elif isinstance(node, (ast.BinOp, ast.UnaryOp)):
        yield type(node.op).__name__
        for part in ast.iter_child_nodes(node):
            if not isinstance(part, (ast.operator, ast.unaryop)):
                yield from _tokens(part)
    else:
        for part in ast.iter_child_nodes(node):
            yield from _tokens(part)


def word_of(name: str) -> str:
    """Return a token for a function's name that is the same in both libraries."""
    name = name.removeprefix("reduce_")
    return _CALLS.get(name, name)
