"""Replace a whole TensorFlow call by the JAX expression of its table row, with the arguments filled in."""

from __future__ import annotations

import ast

from tf2jax_port.rewrite.calls.arguments import CallSite, adaptation, default_text, holds_ordered
from tf2jax_port.rewrite.values.values import Kind
from tf2jax_port.rewrite.writing.edits import Edit, Piece, Span
from tf2jax_port.rewrite.writing.template import Hole, Optional, Part, Template

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
# Parents beside which an expression of operators needs no parentheses.
_LOOSE = (
    ast.Expr,
    ast.Assign,
    ast.AugAssign,
    ast.AnnAssign,
    ast.Return,
    ast.List,
    ast.If,
    ast.While,
)
_WRAP = "jnp.asarray("


def write_anew(site: CallSite, template: Template) -> list[Edit] | None:
    """Return the edits that replace a whole call by the JAX expression of its table row.

    Returns `None` if comments would be lost or the order of evaluation would change.
    """
    if site.layout.comments or not _keeps_order(site, template):
        return None
    pieces: list[Piece] = []
    edits: list[Edit] = []
    for piece in _drop_conversions(site, template.pieces):
        if isinstance(piece, Optional) and not piece.kept_by & site.bound.arguments.keys():
            continue
        group = piece.pieces if isinstance(piece, Optional) else (piece,)
        for part in group:
            if isinstance(part, str):
                pieces.append(site.spelling.text(part))
                continue
            filled, inner = _fill_hole(site, part)
            pieces += filled
            edits += inner
    if not template.atomic and not _is_loose(site):
        pieces = ["(", *pieces, ")"]
    return [Edit(*site.source.span(site.call), tuple(pieces)), *edits]


def _drop_conversions(site: CallSite, pieces: tuple[Part, ...]) -> list[Part]:
    """Drop `jnp.asarray(...)` around arguments that are arrays already; return the parts."""
    found = list(pieces)
    for index in range(1, len(found) - 1):
        before, hole, after = found[index - 1 : index + 2]
        if not (isinstance(hole, Hole) and isinstance(before, str) and isinstance(after, str)):
            continue
        argument = site.bound.arguments.get(hole.parameter)
        wrapped = before.endswith(_WRAP) and after.startswith(")")
        if wrapped and argument and site.values.kind(argument.node) is Kind.TENSOR:
            inner = Hole(hole.parameter, operand=True, bare=True)
            found[index - 1 : index + 2] = [before.removesuffix(_WRAP), inner, after[1:]]
    return [piece for piece in found if piece != ""]


def _is_loose(site: CallSite) -> bool:
    """Return whether `a + b` can replace the call without parentheses around it."""
    if isinstance(site.parent, ast.Call):
        # An argument of another operator may end up beside an operator itself.
        return site.parent.func is not site.call and site.parent.func not in site.values.by_node
    return isinstance(site.parent, _LOOSE)


def _keeps_order(site: CallSite, template: Template) -> bool:
    """Return whether the new text evaluates every argument once, in the original order.

    The order counts only for arguments that may have side effects.
    """
    order = [name for name in template.parameters if name in site.bound.arguments]
    nodes = {name: argument.node for name, argument in site.bound.arguments.items()}
    if any(order.count(name) > 1 and not _is_simple(nodes[name]) for name in order):
        return False
    written = sorted(set(order), key=lambda name: site.bound.arguments[name].start)
    if list(dict.fromkeys(order)) == written:
        return True
    return not any(holds_ordered(nodes[name]) for name in order)


def _is_simple(node: ast.expr) -> bool:
    """Return whether an expression is a name, a constant, or an attribute of one."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name | ast.Constant)


def _fill_hole(site: CallSite, hole: Hole) -> tuple[list[Piece], list[Edit]]:
    """Fill a placeholder with an argument; return its text and the edits inside the argument."""
    argument = site.bound.arguments.get(hole.parameter)
    if argument is None:
        text = site.spelling.text(default_text(site, hole.parameter))
        return ([f"({text})"] if hole.operand and not text.isidentifier() else [text]), []
    before, after, inner = adaptation(site, argument, hole.parameter)
    span = Span(argument.value, argument.end)
    pieces: list[Piece] = [before, span, after] if before else [span]
    broken = hole.bare and _has_line_end(site.source.data[span.start : span.end])
    walrus = isinstance(argument.node, ast.NamedExpr | ast.Yield | ast.YieldFrom)
    weak = hole.operand and not _is_atom(argument.node)
    if (broken or walrus or weak) and not argument.parenthesized and not before:
        pieces = ["(", *pieces, ")"]
    return pieces, inner


def _is_atom(node: ast.expr) -> bool:
    """Return whether `-x` or `x.attribute` can be applied to an expression without parentheses."""
    text = isinstance(node, ast.Constant) and isinstance(node.value, str | float)
    return text or isinstance(node, _ATOMS)


def _has_line_end(text: bytes) -> bool:
    return b"\n" in text or b"\r" in text
