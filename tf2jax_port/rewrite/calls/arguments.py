"""Represent a call to rewrite, and convert, drop or add its arguments."""

from __future__ import annotations

import ast
import dataclasses
import re

from tf2jax_port.rewrite.knowledge import version_1
from tf2jax_port.rewrite.knowledge.bind import Bound, defaults
from tf2jax_port.rewrite.knowledge.known import rows
from tf2jax_port.rewrite.reading.layout import Argument, CallLayout
from tf2jax_port.rewrite.reading.source import Source
from tf2jax_port.rewrite.values.passed_lists import PassedLists
from tf2jax_port.rewrite.values.selections import holds_selection
from tf2jax_port.rewrite.values.values import Kind, Values
from tf2jax_port.rewrite.writing.edits import Edit
from tf2jax_port.rewrite.writing.spelling import Spelling
from tf2jax_port.table import Native, Row

# Expressions with effects that must stay at their place in the order of evaluation.
ORDERED = (ast.NamedExpr, ast.Await, ast.Yield, ast.YieldFrom)
_PLAIN = (ast.Constant, ast.Name)  # without child expressions
# JAX takes a tuple here where TensorFlow takes a list as well.
_TUPLES = ("axis", "axes", "perm")
# JAX takes an array here where TensorFlow takes a list as well.
_ARRAYS = ("repeats", "data", "segment_ids")
# A tensor in place of the list means something else: TensorFlow leaves it as it is, JAX joins its rows.
_LISTS = (("concat", "values"),)
# Arguments that are static in JAX; where a tensor is passed, the function of `shims` is called.
_STATIC = (
    *_TUPLES,
    "shape",
    "dims",
    "multiples",
    "repeats",
    "paddings",
    "depth",
    "num",
    "num_rows",
    "num_columns",
    "num_segments",
    "start",
    "limit",
    "delta",
    "shift",
)
_TF_NAME = re.compile(r"\btf\.([\w.]+)")


@dataclasses.dataclass(
    slots=True
)  # not frozen: creating a frozen instance takes five times as long
class CallSite:
    """A call to rewrite: its syntax node, layout, bound arguments and table row, and its file.

    `static` says that the new text computes with NumPy and Python, which take lists and numbers.
    """

    source: Source
    call: ast.Call
    function: ast.expr
    layout: CallLayout
    bound: Bound
    row: Row
    parent: ast.AST
    spelling: Spelling
    values: Values
    lists: PassedLists
    static: bool = False

    def parameter_of(self, argument: Argument) -> str:
        """Return the parameter that an argument is bound to, `""` if unbound or part of `*args`."""
        for name, bound in self.bound.arguments.items():
            if bound is argument:
                return name
        return ""


def is_traced(site: CallSite, name: str) -> bool:
    """Return whether an argument may be a tensor although JAX requires a static value."""
    node = site.bound.arguments[name].node
    if site.static:
        return False
    if (site.row.name, name) in _LISTS:
        return site.values.kind(node) is not Kind.LIST
    if name not in _STATIC or name in site.row.tensors:
        return False
    if isinstance(node, ast.Call) and site.values.is_call_of(node, "shape"):
        return name not in ("shape", "dims") or holds_selection(site.values, node)
    return site.values.holds_tensor(node)


def may_be_dropped(site: CallSite, name: str) -> bool:
    """Return whether an argument can be dropped: a `name`, or one equal to JAX's default."""
    argument = site.bound.arguments[name]
    if holds_ordered(argument.node):
        return False
    if holds_references(site, argument.node) or has_comment(site, argument.start, argument.end):
        return False
    if name == "name" or name in version_1.without_meaning(site.row.name):
        return True
    return ast.unparse(argument.node) == defaults(site.row.params or "")[name]


def holds_ordered(node: ast.expr) -> bool:
    """Return whether an expression contains `:=`, `await` or `yield`, and must not be moved."""
    return not isinstance(node, _PLAIN) and any(isinstance(n, ORDERED) for n in ast.walk(node))


def holds_references(site: CallSite, node: ast.expr) -> bool:
    """Return whether an expression contains TensorFlow references."""
    if isinstance(node, _PLAIN):
        return node in site.values.by_node
    return any(inner in site.values.by_node for inner in ast.walk(node))


def adaptation(site: CallSite, argument: Argument, parameter: str) -> tuple[str, str, list[Edit]]:
    """Return the texts to insert before and after a list argument, and edits in it, to suit JAX.

    Tensor arguments become arrays, and arguments such as `axis` become tuples.
    """
    node = argument.node
    if site.static:
        return "", "", []
    array = parameter in site.row.tensors or parameter in _ARRAYS
    if array and (site.values.kind(node) is Kind.LIST or site.lists.may_be_list(node)):
        # Under `jit` an array of JAX would be traced, although all of its elements are numbers.
        module = "np" if parameter == "repeats" else "jnp"
        return site.spelling.text(f"{module}.asarray("), ")", []
    if parameter == "values" and isinstance(node, ast.List | ast.Tuple):
        return "", "", [edit for element in node.elts for edit in _as_array(site, element)]
    if parameter not in _TUPLES or site.values.kind(node) is not Kind.LIST:
        return "", "", []
    if isinstance(node, ast.List):
        return "", "", as_tuple(site.source, node)
    if isinstance(node, ast.Name) and site.spelling.allows(["tuple"]):
        return "tuple(", ")", []
    return "", "", []


def _as_array(site: CallSite, element: ast.expr) -> list[Edit]:
    """Return the edits that wrap an element of a list in `jnp.asarray` if it may be a list itself."""
    if site.values.kind(element) is not Kind.LIST and not site.lists.may_be_list(element):
        return []
    start, end = site.source.span(element)
    return [inserted(start, site.spelling.text("jnp.asarray(")), inserted(end, ")")]


def as_tuple(source: Source, node: ast.List) -> list[Edit]:
    """Return the edits that turn a list display into a tuple."""
    start, end = source.span(node)
    last = source.span(node.elts[-1])[1] if node.elts else end
    single = len(node.elts) == 1 and b"," not in source.data[last:end]
    return [Edit(start, start + 1, ("(",)), Edit(end - 1, end, ("," * single + ")",))]


def removals(site: CallSite, kept: list[Argument]) -> list[Edit]:
    """Return the edits that remove all arguments except `kept`, with their commas; comments stay."""
    arguments = site.layout.arguments
    if len(kept) == len(arguments):
        return []
    dropped = [a for a in arguments if a not in kept]
    last = max((i for i, a in enumerate(arguments) if a in kept), default=-1)
    tail = list(arguments[last + 1 :])
    edits = []
    if tail and not has_comment(
        site, (arguments[last] if last >= 0 else tail[0]).end, tail[-1].end
    ):
        start = arguments[last].end if last >= 0 else tail[0].start
        end = tail[-1].end if last >= 0 or tail[-1].comma < 0 else tail[-1].comma + 1
        edits.append(Edit(start, end))
        dropped = [a for a in dropped if a not in tail]
    return edits + [_removal(site.source.data, argument) for argument in dropped]


def _removal(data: bytes, argument: Argument) -> Edit:
    """Return the edit that removes one argument and its comma.

    An argument that is alone on its line is removed with the line.
    """
    end = argument.end if argument.comma < 0 else argument.comma + 1
    while argument.comma >= 0 and data[end : end + 1] in (b" ", b"\t"):
        end += 1
    line_start = data.rfind(b"\n", 0, argument.start) + 1
    if not data[line_start : argument.start].strip() and data[end : end + 1] in (b"\n", b"\r"):
        end += 2 if data[end : end + 2] == b"\r\n" else 1
        return Edit(line_start, end)  # the whole line
    return Edit(argument.start, end)


def has_comment(site: CallSite, start: int, end: int) -> bool:
    """Return whether a range of the text contains `#`.

    A `#` inside a string counts too; the only cost is a less compact edit.
    """
    return b"#" in site.source.data[start:end]


def inserted(place: int, text: str) -> Edit:
    """Return the edit that inserts `text` at the offset `place`."""
    return Edit(place, place, (text,))


def renamed(argument: Argument, name: str) -> list[Edit]:
    """Return the edits that rename a keyword argument; none if it has that name already."""
    assert argument.keyword is not None
    if argument.keyword == name:
        return []
    return [Edit(argument.start, argument.start + len(argument.keyword), (name,))]


def default_text(site: CallSite, parameter: str) -> str:
    """Return the default of a parameter as JAX code: `jnp.int32` for `tf.int32`."""
    assert isinstance(site.row.target, Native)
    text = dict(site.row.target.defaults).get(parameter)
    if text is None:
        text = defaults(site.row.params or "")[parameter] or "None"
    return _without_tensorflow(text)


def _without_tensorflow(text: str) -> str:
    """Replace each TensorFlow name in a default by the JAX expression of its table row."""
    if "tf." not in text:
        return text

    def named(match: re.Match[str]) -> str:
        target = rows()[match.group(1)].target
        assert isinstance(target, Native)
        return target.expression

    return _TF_NAME.sub(named, text)
