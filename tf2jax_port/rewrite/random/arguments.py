"""Read the arguments of a random call, and convert its shape for JAX."""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Mapping

from tf2jax_port.rewrite.knowledge.known import look_up
from tf2jax_port.rewrite.reading.layout import Argument
from tf2jax_port.rewrite.sites.decision import File
from tf2jax_port.rewrite.values.values import Kind
from tf2jax_port.rewrite.writing.edits import Piece, Span

_SIZES = ("shape", "noise_shape", "size")
_SIZE = "TJ108"  # `tf.shape(x)[0]` that has become a number


class NoFormError(Exception):
    """Raised if a random call cannot be written with `jax.random`; the message gives the reason."""


@dataclasses.dataclass(frozen=True, slots=True)
class DrawSite:
    """A random call to rewrite: its arguments by parameter, and the diagnostics of names in them.

    `shapes` collects the calls of `tf.shape` that must become calls of `jnp.shape`.
    """

    file: File
    name: str
    arguments: dict[str, Argument]
    codes: Mapping[ast.expr, str]
    shapes: list[ast.Call]

    def has(self, name: str) -> bool:
        """Return whether the call passes an argument other than `None` for a parameter."""
        argument = self.arguments.get(name)
        return argument is not None and not is_none(argument.node)

    def node(self, name: str) -> ast.expr:
        """Return the expression that the call passes for a parameter."""
        return self.arguments[name].node

    def text(self, name: str, *, operand: bool = False) -> list[Piece]:
        """Return the text of an argument; a list is converted to an array.

        operand: whether an operator is applied to it, so it needs parentheses.
        """
        argument = self.arguments[name]
        span = Span(argument.value, argument.end)
        if self.file.values.kind(argument.node) is Kind.LIST and name not in _SIZES:
            return ["jnp.asarray(", span, ")"]
        atom = isinstance(argument.node, ast.Constant | ast.Name | ast.Attribute | ast.Call)
        if not operand or argument.parenthesized or atom:
            return [span]
        return ["(", span, ")"]

    def path(self, name: str) -> str:
        """Return the last part of a TensorFlow name (`float32` for `tf.float32`), or a literal string."""
        node = self.node(name)
        reference = self.file.values.by_node.get(node)
        if reference is not None:
            return reference.path.rpartition(".")[2]
        text = isinstance(node, ast.Constant) and isinstance(node.value, str)
        return str(node.value) if text and isinstance(node, ast.Constant) else ""

    def is_repeatable(self, name: str) -> bool:
        """Return whether an argument consists of numbers and names, so it can be written twice."""
        node = self.node(name)
        parts = (ast.BinOp, ast.UnaryOp, ast.operator, ast.unaryop, ast.expr_context, ast.Constant)
        return is_simple(node) or all(
            isinstance(n, (*parts, ast.Name, ast.Attribute)) and n not in self.file.values.by_node
            for n in ast.walk(node)
        )

    def repeatable(self, name: str) -> None:
        """Check that an argument can be written twice; raise `NoFormError` otherwise."""
        if not self.is_repeatable(name):
            raise NoFormError(f"`{name}` would be computed twice: assign it to a name first")


def is_none(node: ast.expr) -> bool:
    """Return whether an expression is the literal `None`."""
    return isinstance(node, ast.Constant) and node.value is None


def is_simple(node: ast.expr) -> bool:
    """Return whether an expression is a constant, a name or an attribute of a name, perhaps negated."""
    while isinstance(node, ast.Attribute):
        node = node.value
    if isinstance(node, ast.UnaryOp):
        node = node.operand
    return isinstance(node, ast.Name | ast.Constant)


def number(node: ast.expr) -> float | None:
    """Return the value of a literal number, which may be negative, `None` for any other expression."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        found = number(node.operand)
        return None if found is None else -found
    value = node.value if isinstance(node, ast.Constant) else None
    return value if type(value) in (int, float) else None  # type: ignore[return-value]


# The shape.


def shape_of(site: DrawSite) -> list[Piece]:
    """Return the text of the `shape` argument; JAX needs sizes that are static under `jit`.

    Raises:
      NoFormError: the shape is not a list, or depends on arrays.
    """
    argument = site.arguments["shape"]
    node = argument.node
    whole = node
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice):
        whole = node.value
    sized = _size_of(site, whole)
    if sized is not None and isinstance(whole, ast.Call):
        site.shapes.append(whole)
    elif isinstance(node, ast.Constant):
        raise NoFormError("the shape is not a list")
    else:
        check_sizes(site, node)
    return [Span(argument.value, argument.end)]


def _size_of(site: DrawSite, node: ast.expr) -> ast.expr | None:
    """Return the expression `x` of a call `tf.shape(x)`, `None` for any other expression."""
    if not isinstance(node, ast.Call) or len(node.args) != 1 or node.keywords:
        return None
    starred = isinstance(node.args[0], ast.Starred | ast.GeneratorExp)
    is_call = site.file.values.is_call_of(node, "shape")
    plain = is_call and b"#" not in slice_of(site.file, node) and not starred
    return node.args[0] if plain and node.func in site.codes else None


def slice_of(file: File, node: ast.expr | ast.stmt) -> bytes:
    """Return the source text of a node."""
    start, end = file.source.span(node)
    return file.source.data[start:end]


def check_sizes(site: DrawSite, node: ast.expr) -> None:
    """Check that a shape does not depend on arrays; raise `NoFormError` otherwise."""
    sizes = [node, *(node.elts if isinstance(node, ast.List | ast.Tuple) else ())]
    values = site.file.values
    if any(values.kind(size) is Kind.TENSOR for size in sizes):
        raise NoFormError("the shape is an array")
    for inner in ast.walk(node):
        if isinstance(inner, ast.expr) and inner in values.by_node:
            known = look_up(values.by_node[inner])
            if site.codes.get(inner) != _SIZE or known is None:
                raise NoFormError("the shape is computed by TensorFlow's operators")
