"""How one call of a TensorFlow operator is rewritten.

Three ways, the first that works is taken: change the call where it stands (comments and line breaks
stay), write the row's expression anew from the text of the arguments, or call the function of
`shims` that has TensorFlow's own signature.
"""

from __future__ import annotations

import ast
import dataclasses
import re

from tf2jax_port.rewrite.bind import Bound, signature
from tf2jax_port.rewrite.edits import Edit, Piece, Span
from tf2jax_port.rewrite.knowledge import rows
from tf2jax_port.rewrite.layout import Argument, CallLayout
from tf2jax_port.rewrite.source import Source
from tf2jax_port.rewrite.spelling import Spelling
from tf2jax_port.rewrite.template import Hole, Slot, Template, parse_template
from tf2jax_port.rewrite.values import Kind, Values
from tf2jax_port.table import Native, Row

_ATOMS = (
    ast.Name,
    ast.Attribute,
    ast.Subscript,
    ast.Call,
    ast.List,
    ast.Dict,
    ast.Set,
    ast.ListComp,
    ast.SetComp,
    ast.DictComp,
    ast.JoinedStr,
)
# What must be evaluated where and when it was.
_ORDERED = (ast.NamedExpr, ast.Await, ast.Yield, ast.YieldFrom)
# JAX takes a tuple here where TensorFlow takes a list as well.
_TUPLES = ("axis", "axes", "perm")
# Parents beside which an expression of operators needs no parentheses.
_LOOSE = (
    ast.Expr,
    ast.Assign,
    ast.AugAssign,
    ast.AnnAssign,
    ast.Return,
    ast.keyword,
    ast.List,
    ast.If,
    ast.While,
)
_TF_NAME = re.compile(r"\btf\.([\w.]+)")


@dataclasses.dataclass(frozen=True, slots=True)
class CallSite:
    """One call to rewrite: the nodes, their layout, what was bound, and the file around it."""

    source: Source
    call: ast.Call
    function: ast.expr
    layout: CallLayout
    bound: Bound
    row: Row
    parent: ast.AST
    spelling: Spelling
    values: Values

    def parameter_of(self, argument: Argument) -> str:
        """The parameter that an argument was bound to, `""` for one of `*args`, or unbound."""
        return next((n for n, a in self.bound.arguments.items() if a is argument), "")


def write_native(site: CallSite) -> list[Edit] | None:
    """The edits that put the row's JAX expression in place of a call, `None` where none would do."""
    assert isinstance(site.row.target, Native)
    template = parse_template(site.row.target.expression, site.row.target.optional)
    if site.bound.surplus or not site.spelling.allows(template.names):
        return None
    if any(name not in site.bound.arguments for name in site.row.target.needs):
        return None
    unused = set(site.bound.arguments) - {hole.parameter for hole in template.holes()}
    if not all(_may_be_dropped(site, name) for name in unused):
        return None
    edits = _in_place(site, template)
    return edits if edits is not None else _anew(site, template)


def write_facade(site: CallSite, function: str, unknown: list[str]) -> list[Edit] | None:
    """The edits that call a function with TensorFlow's own signature instead.

    Args:
      site: the call.
      function: `shims.something`.
      unknown: arguments that the function has no use for, and that are left out.
    """
    if any(_holds_references(site, site.bound.arguments[name].node) for name in unknown):
        return None
    order = [p.name for p in signature(site.row.params or "") if not p.keyword_only]
    edits = [Edit(*site.source.span(site.function), (site.spelling.text(function),))]
    keywords = False
    kept = [
        a
        for a in site.layout.arguments
        if a in site.bound.surplus or site.parameter_of(a) not in ("", *unknown)
    ]
    for index, argument in enumerate(kept):
        name = site.parameter_of(argument)
        if argument.keyword is not None:
            keywords = True
            edits += _renamed(argument, name or argument.keyword)
        elif name and (keywords or order.index(name) != index):
            keywords = True
            edits.append(_inserted(argument.start, f"{name}="))
    dropped = [argument for argument in site.layout.arguments if argument not in kept]
    if any(_has_comment(site, argument.start, argument.end) for argument in dropped):
        return None
    return edits + _removals(site, kept)


def _may_be_dropped(site: CallSite, name: str) -> bool:
    """A `name=`, or an argument that says what is so anyway."""
    argument = site.bound.arguments[name]
    if any(isinstance(node, _ORDERED) for node in ast.walk(argument.node)):
        return False
    if _holds_references(site, argument.node) or _has_comment(site, argument.start, argument.end):
        return False
    defaults = {p.name: p.default for p in signature(site.row.params or "")}
    return name == "name" or ast.unparse(argument.node) == defaults[name]


def _holds_references(site: CallSite, node: ast.expr) -> bool:
    """Whether dropping an expression would lose a TensorFlow name from the count."""
    return any(inner in site.values.by_node for inner in ast.walk(node))


# In place.


def _in_place(site: CallSite, template: Template) -> list[Edit] | None:
    """Renames the function and its keywords, drops and adds arguments, moves nothing."""
    used = [slot.hole for slot in template.slots if slot.hole]
    if not template.function or len(set(used)) != len(used) or site.layout.opened < 0:
        return None
    by_hole = {slot.hole: slot for slot in template.slots if slot.hole}
    positional = [slot for slot in template.slots if slot.keyword is None]
    edits = [Edit(*site.source.span(site.function), (site.spelling.text(template.function),))]
    written: list[Slot] = []
    kept = [a for a in site.layout.arguments if site.parameter_of(a) in by_hole]
    for argument in kept:
        slot = by_hole[site.parameter_of(argument)]
        if slot.keyword is None and [*written, slot] != positional[: len(written) + 1]:
            return None
        if slot.keyword is None and _has_comment(site, argument.start, argument.value):
            return None
        edits += _as_slot(argument, slot) + _adapted(site, argument, slot.hole or "")
        written.append(slot)
    added = _added(site, template, written)
    if added is None:
        return None
    if added:
        place = kept[-1].end if kept else site.layout.opened + 1
        edits.append(_inserted(place, (", " if kept else "") + ", ".join(added)))
    return edits + _removals(site, kept)


def _as_slot(argument: Argument, slot: Slot) -> list[Edit]:
    """Turns an argument as written into a positional or keyword argument of the new function."""
    if slot.keyword is None:
        return [Edit(argument.start, argument.value)] if argument.keyword else []
    if argument.keyword is not None:
        return _renamed(argument, slot.keyword)
    wrap = isinstance(argument.node, ast.NamedExpr) and not argument.parenthesised
    opening = [_inserted(argument.start, f"{slot.keyword}=" + "(" * wrap)]
    return opening + ([_inserted(argument.end, ")")] if wrap else [])


def _added(site: CallSite, template: Template, written: list[Slot]) -> list[str] | None:
    """The arguments that the call leaves out and the expression needs."""
    assert isinstance(site.row.target, Native)
    added: list[str] = []
    for index, slot in enumerate(template.slots):
        if slot in written:
            continue
        if slot.hole in site.row.target.optional and slot.keyword is not None:
            continue
        text = slot.text if slot.hole is None else default_text(site, slot.hole)
        if slot.keyword is None:
            if len(written) + len(added) != index:
                return None
            added.append(site.spelling.text(text))
        else:
            added.append(f"{slot.keyword}={site.spelling.text(text)}")
    return added


def _adapted(site: CallSite, argument: Argument, parameter: str) -> list[Edit]:
    """Edits that make a list what JAX takes in its place."""
    before, after, inner = _adaptation(site, argument, parameter)
    edits = inner
    if before:
        edits = [_inserted(argument.value, before), *inner, _inserted(argument.end, after)]
    return edits


def _adaptation(site: CallSite, argument: Argument, parameter: str) -> tuple[str, str, list[Edit]]:
    """Text before and after an argument, and edits of its own brackets."""
    node = argument.node
    if parameter in site.row.tensors and site.values.kind(node) is Kind.LIST:
        return site.spelling.text("jnp.asarray("), ")", []
    if parameter in _TUPLES and isinstance(node, ast.List):
        start, end = site.source.span(node)
        single = (
            len(node.elts) == 1
            and b"," not in site.source.data[site.source.span(node.elts[0])[1] : end]
        )
        return "", "", [Edit(start, start + 1, ("(",)), Edit(end - 1, end, ("," * single + ")",))]
    if parameter in _TUPLES and site.values.kind(node) is Kind.LIST and isinstance(node, ast.Name):
        return ("tuple(", ")", []) if site.spelling.allows(["tuple"]) else ("", "", [])
    return "", "", []


def _inserted(place: int, text: str) -> Edit:
    return Edit(place, place, (text,))


def _renamed(argument: Argument, name: str) -> list[Edit]:
    assert argument.keyword is not None
    if argument.keyword == name:
        return []
    return [Edit(argument.start, argument.start + len(argument.keyword), (name,))]


def _removals(site: CallSite, kept: list[Argument]) -> list[Edit]:
    """Drops the arguments that are not kept, with their commas; comments around them stay."""
    arguments = site.layout.arguments
    dropped = [a for a in arguments if a not in kept]
    last = max((i for i, a in enumerate(arguments) if a in kept), default=-1)
    tail = list(arguments[last + 1 :])
    edits = []
    if tail and not _has_comment(
        site, (arguments[last] if last >= 0 else tail[0]).end, tail[-1].end
    ):
        start = arguments[last].end if last >= 0 else tail[0].start
        end = tail[-1].end if last >= 0 or tail[-1].comma < 0 else tail[-1].comma + 1
        edits.append(Edit(start, end))
        dropped = [a for a in dropped if a not in tail]
    return edits + [_removal(site.source.data, argument) for argument in dropped]


def _removal(data: bytes, argument: Argument) -> Edit:
    end = argument.end if argument.comma < 0 else argument.comma + 1
    while argument.comma >= 0 and data[end : end + 1] in (b" ", b"\t"):
        end += 1
    line_start = data.rfind(b"\n", 0, argument.start) + 1
    if not data[line_start : argument.start].strip() and data[end : end + 1] in (b"\n", b"\r"):
        end += 2 if data[end : end + 2] == b"\r\n" else 1
        return Edit(line_start, end)  # the whole line
    return Edit(argument.start, end)


def _has_comment(site: CallSite, start: int, end: int) -> bool:
    """A `#` in a text; one inside a string counts too, which only costs a plainer edit."""
    return b"#" in site.source.data[start:end]


# Anew.


def _anew(site: CallSite, template: Template) -> list[Edit] | None:
    """Writes the whole expression from the text of the arguments."""
    if site.layout.comments or not _keeps_order(site, template):
        return None
    pieces: list[Piece] = []
    edits: list[Edit] = []
    for piece in template.pieces:
        group = piece if isinstance(piece, tuple) else (piece,)
        holes = [p for p in group if isinstance(p, Hole)]
        if isinstance(piece, tuple) and not any(h.parameter in site.bound.arguments for h in holes):
            continue
        for part in group:
            if isinstance(part, str):
                pieces.append(site.spelling.text(part))
                continue
            filled, inner = _filled(site, part)
            pieces += filled
            edits += inner
    if not template.atomic and not _is_loose(site):
        pieces = ["(", *pieces, ")"]
    return [Edit(*site.source.span(site.call), tuple(pieces)), *edits]


def _is_loose(site: CallSite) -> bool:
    """Whether an expression of operators may stand where the call stands, as it is."""
    if isinstance(site.parent, ast.Call):
        return site.parent.func is not site.call
    return isinstance(site.parent, _LOOSE)


def _keeps_order(site: CallSite, template: Template) -> bool:
    """No argument is evaluated twice, or before another where that could be seen."""
    order = [h.parameter for h in template.holes() if h.parameter in site.bound.arguments]
    nodes = {name: argument.node for name, argument in site.bound.arguments.items()}
    if any(order.count(name) > 1 and not _is_simple(nodes[name]) for name in order):
        return False
    written = sorted(set(order), key=lambda name: site.bound.arguments[name].start)
    if list(dict.fromkeys(order)) == written:
        return True
    return not any(isinstance(n, _ORDERED) for name in order for n in ast.walk(nodes[name]))


def _is_simple(node: ast.expr) -> bool:
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name | ast.Constant)


def _filled(site: CallSite, hole: Hole) -> tuple[list[Piece], list[Edit]]:
    argument = site.bound.arguments.get(hole.parameter)
    if argument is None:
        text = site.spelling.text(default_text(site, hole.parameter))
        return ([f"({text})"] if hole.operand and not text.isidentifier() else [text]), []
    before, after, inner = _adaptation(site, argument, hole.parameter)
    span = Span(argument.value, argument.end)
    pieces: list[Piece] = [before, span, after] if before else [span]
    broken = hole.bare and _has_line_end(site.source.data[span.start : span.end])
    walrus = isinstance(argument.node, ast.NamedExpr | ast.Yield | ast.YieldFrom)
    weak = hole.operand and not isinstance(argument.node, _ATOMS)
    if (broken or walrus or weak) and not argument.parenthesised and not before:
        pieces = ["(", *pieces, ")"]
    return pieces, inner


def _has_line_end(text: bytes) -> bool:
    return b"\n" in text or b"\r" in text


def default_text(site: CallSite, parameter: str) -> str:
    """The default of a parameter in JAX's words: `tf.int32` is `jnp.int32`."""
    assert isinstance(site.row.target, Native)
    defaults = {p.name: p.default or "None" for p in signature(site.row.params or "")}
    return _without_tensorflow({**defaults, **dict(site.row.target.defaults)}[parameter])


def _without_tensorflow(text: str) -> str:
    """Text with TensorFlow's names replaced by those of their rows."""

    def named(match: re.Match[str]) -> str:
        target = rows()[match.group(1)].target
        assert isinstance(target, Native)
        return target.expression

    return _TF_NAME.sub(named, text)
