"""Parse the JAX expression of a table row into text and placeholders for arguments."""

from __future__ import annotations

import ast
import dataclasses
import functools
import string

_OPEN = (ast.Call, ast.keyword, ast.List, ast.Tuple, ast.Set, ast.Dict, ast.Lambda, ast.Expression)


@dataclasses.dataclass(frozen=True, slots=True)
class Hole:
    """A placeholder for an argument.

    Attributes:
      parameter: the parameter whose argument fills the placeholder.
      operand: whether an operator or attribute is applied to it, so most arguments need parentheses.
      bare: whether it is outside of all brackets.
    """

    parameter: str
    operand: bool
    bare: bool


@dataclasses.dataclass(frozen=True, slots=True)
class Optional:
    """A part such as `, axis={axis}` that is omitted if the call passes none of `kept_by`."""

    pieces: tuple[str | Hole, ...]
    kept_by: frozenset[str]


Part = str | Hole | Optional


@dataclasses.dataclass(frozen=True, slots=True)
class Slot:
    """One argument of the expression's outermost call: a placeholder or fixed text."""

    keyword: str | None
    hole: str | None
    text: str


@dataclasses.dataclass(frozen=True)
class Template:
    """The parsed JAX expression of a table row.

    Attributes:
      pieces: text, placeholders and optional parts in order.
      function: the dotted name of the function if the expression is a single call, otherwise empty.
      slots: the arguments of that call.
      atomic: whether the expression never needs parentheses.
      names: the names that the expression reads: `jnp`, `jax`, `np`, `shims`, builtins.
    """

    pieces: tuple[Part, ...]
    function: str
    slots: tuple[Slot, ...]
    atomic: bool
    names: frozenset[str]

    @functools.cached_property
    def parameters(self) -> tuple[str, ...]:
        """The parameters of the placeholders, in order."""
        flat = [
            p
            for part in self.pieces
            for p in (part.pieces if isinstance(part, Optional) else (part,))
        ]
        return tuple(p.parameter for p in flat if isinstance(p, Hole))

    @functools.cached_property
    def by_parameter(self) -> dict[str, Slot]:
        """A dict from parameters to the slots that are placeholders for them."""
        return {slot.hole: slot for slot in self.slots if slot.hole}

    @functools.cached_property
    def positional(self) -> list[Slot]:
        """The positional arguments of the call."""
        return [slot for slot in self.slots if slot.keyword is None]

    @functools.cached_property
    def repeats(self) -> bool:
        """Whether the call passes the same parameter more than once."""
        return len(self.by_parameter) < sum(bool(slot.hole) for slot in self.slots)


_HOLE = "hole_{}_{}"


@functools.cache
def parse_template(expression: str, optional: tuple[str, ...] = ()) -> Template:
    """Parse an expression such as `jnp.sum({x}, axis={axis})`."""
    text, holes = _with_names(expression)
    tree = ast.parse(text, mode="eval")
    parents = {c: n for n in ast.walk(tree) for c in ast.iter_child_nodes(n)}
    found = {
        n.id: Hole(holes[n.id], _is_operand(n, parents), _is_bare(n, parents))
        for n in ast.walk(tree)
        if isinstance(n, ast.Name) and n.id in holes
    }
    dropped = _optional_spans(text, tree, holes, optional)
    function, slots = _outer_call(text, tree.body, holes)
    names = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and n.id not in holes}
    return Template(
        _pieces(text, found, dropped),
        function,
        slots,
        isinstance(tree.body, ast.Call | ast.Name | ast.Attribute | ast.Subscript),
        frozenset(names),
    )


def _with_names(expression: str) -> tuple[str, dict[str, str]]:
    """Replace each placeholder by a unique name; return the text and a dict from names to parameters."""
    out: list[str] = []
    holes: dict[str, str] = {}
    for literal, field, _, _ in string.Formatter().parse(expression):
        out.append(literal)
        if field is not None:
            name = _HOLE.format(len(holes), field)
            holes[name] = field
            out.append(name)
    return "".join(out), holes


def _is_operand(node: ast.AST, parents: dict[ast.AST, ast.AST]) -> bool:
    """Return whether an operator, call, subscript or attribute is applied to a node."""
    parent = parents[node]
    if isinstance(parent, ast.Call):
        return parent.func is node
    if isinstance(parent, ast.Subscript):
        return parent.value is node
    return not isinstance(parent, _OPEN)


def _is_bare(node: ast.AST, parents: dict[ast.AST, ast.AST]) -> bool:
    """Return whether a node is outside of all brackets of the expression."""
    while node in parents:
        parent = parents[node]
        if isinstance(parent, ast.Call) and parent.func is not node:
            return False
        if isinstance(parent, ast.List | ast.Set | ast.Dict):
            return False
        if isinstance(parent, ast.Subscript) and parent.slice is node:
            return False
        node = parent
    return True


def _optional_spans(
    text: str, tree: ast.Expression, holes: dict[str, str], optional: tuple[str, ...]
) -> list[tuple[int, int, frozenset[str]]]:
    """Return the span of each optional argument, with the parameters that make it necessary.

    The argument is kept if a call passes one of these parameters. A positional argument can be omitted
    only together with all arguments that follow it.
    """
    spans = []
    for call in ast.walk(tree):
        if not isinstance(call, ast.Call):
            continue
        following: frozenset[str] = frozenset()
        for node in reversed(call.args[1:]):
            name = holes.get(node.id, "") if isinstance(node, ast.Name) else ""
            if name not in optional:
                break
            following |= {name}
            spans.append(
                (text.rindex(",", 0, node.col_offset), node.end_col_offset or 0, following)
            )
        for keyword in call.keywords:
            value = keyword.value
            name = holes.get(value.id, "") if isinstance(value, ast.Name) else ""
            if name in optional:
                start = text.rindex(",", 0, keyword.col_offset)
                spans.append((start, keyword.end_col_offset or 0, frozenset({name})))
    return sorted(spans, key=lambda span: span[0])


def _outer_call(text: str, body: ast.expr, holes: dict[str, str]) -> tuple[str, tuple[Slot, ...]]:
    """Return the function and the arguments of an expression that is a single call, else `("", ())`."""
    if not isinstance(body, ast.Call) or any(
        isinstance(n, ast.Name) and n.id in holes for n in ast.walk(body.func)
    ):
        return "", ()
    slots = []
    for keyword, node in [(None, a) for a in body.args] + [(k.arg, k.value) for k in body.keywords]:
        name = node.id if isinstance(node, ast.Name) else ""
        inner = any(isinstance(n, ast.Name) and n.id in holes for n in ast.walk(node))
        if inner and name not in holes:
            return "", ()  # a hole inside a larger argument
        slots.append(Slot(keyword, holes.get(name), text[node.col_offset : node.end_col_offset]))
    return ast.unparse(body.func), tuple(slots)


def _pieces(
    text: str, found: dict[str, Hole], dropped: list[tuple[int, int, frozenset[str]]]
) -> tuple[Part, ...]:
    """Split an expression into text, placeholders and optional parts."""
    pieces: list[Part] = []
    place = 0
    for start, end, kept_by in dropped:
        pieces += _split_at_holes(text[place:start], found)
        pieces.append(Optional(tuple(_split_at_holes(text[start:end], found)), kept_by))
        place = end
    return (*pieces, *_split_at_holes(text[place:], found))


def _split_at_holes(text: str, found: dict[str, Hole]) -> list[str | Hole]:
    """Split a text at its placeholders."""
    pieces: list[str | Hole] = []
    place = 0
    for start, name in sorted((text.index(name), name) for name in found if name in text):
        pieces += [text[place:start], found[name]]
        place = start + len(name)
    return [piece for piece in (*pieces, text[place:]) if piece != ""]
