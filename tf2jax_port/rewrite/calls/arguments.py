"""The arguments of one call: what each becomes, what may be dropped, what stands for a default."""

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
from tf2jax_port.rewrite.values.values import Kind, Values
from tf2jax_port.rewrite.writing.edits import Edit
from tf2jax_port.rewrite.writing.spelling import Spelling
from tf2jax_port.table import Native, Row

# What must be evaluated where and when it was.
ORDERED = (ast.NamedExpr, ast.Await, ast.Yield, ast.YieldFrom)
_PLAIN = (ast.Constant, ast.Name)  # nothing is inside
# JAX takes a tuple here where TensorFlow takes a list as well.
_TUPLES = ("axis", "axes", "perm")
# JAX takes an array here where TensorFlow takes a list as well.
_ARRAYS = ("repeats", "data", "segment_ids")
# A tensor in place of the list means something else: TensorFlow leaves it as it is, JAX joins its rows.
_LISTS = (("concat", "values"),)
# What JAX must know while it traces; where a tensor says it, the function of `shims` is called.
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


@dataclasses.dataclass(slots=True)  # frozen ones take five times as long to make
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
    lists: PassedLists

    def parameter_of(self, argument: Argument) -> str:
        """The parameter that an argument was bound to, `""` for one of `*args`, or unbound."""
        for name, bound in self.bound.arguments.items():
            if bound is argument:
                return name
        return ""


def is_traced(site: CallSite, name: str) -> bool:
    """Whether a tensor stands where JAX needs a number, or may stand where it needs a list."""
    node = site.bound.arguments[name].node
    if (site.row.name, name) in _LISTS:
        return site.values.kind(node) is not Kind.LIST
    if name not in _STATIC or name in site.row.tensors:
        return False
    if isinstance(node, ast.Call) and site.values.is_call_of(node, "shape"):
        return name not in ("shape", "dims")
    return site.values.holds_tensor(node)


def may_be_dropped(site: CallSite, name: str) -> bool:
    """A `name=`, or an argument that says what is so anyway."""
    argument = site.bound.arguments[name]
    if holds_ordered(argument.node):
        return False
    if holds_references(site, argument.node) or has_comment(site, argument.start, argument.end):
        return False
    if name == "name" or name in version_1.without_meaning(site.row.name):
        return True
    return ast.unparse(argument.node) == defaults(site.row.params or "")[name]


def holds_ordered(node: ast.expr) -> bool:
    """Whether something in an expression must be evaluated where and when it was."""
    return not isinstance(node, _PLAIN) and any(isinstance(n, ORDERED) for n in ast.walk(node))


def holds_references(site: CallSite, node: ast.expr) -> bool:
    """Whether dropping an expression would lose a TensorFlow name from the count."""
    if isinstance(node, _PLAIN):
        return node in site.values.by_node
    return any(inner in site.values.by_node for inner in ast.walk(node))


def adaptation(site: CallSite, argument: Argument, parameter: str) -> tuple[str, str, list[Edit]]:
    """Text before and after an argument, and edits of its own brackets."""
    node = argument.node
    array = parameter in site.row.tensors or parameter in _ARRAYS
    if array and (site.values.kind(node) is Kind.LIST or site.lists.may_be_list(node)):
        return site.spelling.text("jnp.asarray("), ")", []
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
    """A list among the arrays that are joined becomes an array."""
    if site.values.kind(element) is not Kind.LIST and not site.lists.may_be_list(element):
        return []
    start, end = site.source.span(element)
    return [inserted(start, site.spelling.text("jnp.asarray(")), inserted(end, ")")]


def as_tuple(source: Source, node: ast.List) -> list[Edit]:
    """The edits that make a tuple of a list."""
    start, end = source.span(node)
    last = source.span(node.elts[-1])[1] if node.elts else end
    single = len(node.elts) == 1 and b"," not in source.data[last:end]
    return [Edit(start, start + 1, ("(",)), Edit(end - 1, end, ("," * single + ")",))]


def removals(site: CallSite, kept: list[Argument]) -> list[Edit]:
    """Drops the arguments that are not kept, with their commas; comments around them stay."""
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
    end = argument.end if argument.comma < 0 else argument.comma + 1
    while argument.comma >= 0 and data[end : end + 1] in (b" ", b"\t"):
        end += 1
    line_start = data.rfind(b"\n", 0, argument.start) + 1
    if not data[line_start : argument.start].strip() and data[end : end + 1] in (b"\n", b"\r"):
        end += 2 if data[end : end + 2] == b"\r\n" else 1
        return Edit(line_start, end)  # the whole line
    return Edit(argument.start, end)


def has_comment(site: CallSite, start: int, end: int) -> bool:
    """A `#` in a text; one inside a string counts too, which only costs a plainer edit."""
    return b"#" in site.source.data[start:end]


def inserted(place: int, text: str) -> Edit:
    """New text that replaces nothing."""
    return Edit(place, place, (text,))


def renamed(argument: Argument, name: str) -> list[Edit]:
    """The edit of a keyword, none where it has the name already."""
    assert argument.keyword is not None
    if argument.keyword == name:
        return []
    return [Edit(argument.start, argument.start + len(argument.keyword), (name,))]


def default_text(site: CallSite, parameter: str) -> str:
    """The default of a parameter in JAX's words: `tf.int32` is `jnp.int32`."""
    assert isinstance(site.row.target, Native)
    text = dict(site.row.target.defaults).get(parameter)
    if text is None:
        text = defaults(site.row.params or "")[parameter] or "None"
    return _without_tensorflow(text)


def _without_tensorflow(text: str) -> str:
    """Text with TensorFlow's names replaced by those of their rows."""
    if "tf." not in text:
        return text

    def named(match: re.Match[str]) -> str:
        target = rows()[match.group(1)].target
        assert isinstance(target, Native)
        return target.expression

    return _TF_NAME.sub(named, text)
