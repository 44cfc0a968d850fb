"""Rewrite methods that TensorFlow's tensors have and arrays lack: `x.numpy()`, `x.get_shape()`.

Only the surrounding code can show whether `x` is a tensor. If it does not, the new code works for tensors and arrays
alike, and is reported for review.
"""

from __future__ import annotations

import ast
import dataclasses
import functools
import re
from collections.abc import Iterator

from tf2jax_port.rewrite.findings.findings import State
from tf2jax_port.rewrite.reading.scopes import Binding
from tf2jax_port.rewrite.sites import pipelines
from tf2jax_port.rewrite.sites.attributes import find_attributes
from tf2jax_port.rewrite.sites.decision import Decision, File
from tf2jax_port.rewrite.sites.references import may_edit
from tf2jax_port.rewrite.sites.shape_lists import find_lists, is_shape, tensor_of_shape
from tf2jax_port.rewrite.values.dtype_attributes import (
    FORMS,
    RANGE_FORMS,
    RANGES,
    SHAPE_METHODS,
    is_of_dtype,
)
from tf2jax_port.rewrite.values.numbers import INTEGERS, Numbers
from tf2jax_port.rewrite.values.static_shapes import is_called_shape, is_static_shape
from tf2jax_port.rewrite.values.values import Kind
from tf2jax_port.rewrite.writing.edits import Edit, Span

_NAMES = frozenset(
    (
        *("numpy", "get_shape", "as_list", "ndims", "rank", "value", "set_shape"),
        *(*FORMS, *RANGES, *SHAPE_METHODS),
    )
)
# Libraries whose tensors have some of these methods as well.
_OTHER_LIBRARIES = ("torch", "mxnet", "paddle", "mindspore", "oneflow")


@dataclasses.dataclass(frozen=True, slots=True)
class Idiom:
    """One use of a tensor method.

    Attributes:
      symbol: the name of the method in findings.
      code: the diagnostic.
      whole: the whole expression.
      tensor: the expression of the tensor.
      form: the new text, with `{}` in place of the tensor.
      index: the subscript of `x.shape[i].value`, or the shape that is set.
      sure: whether the new text is correct whatever object the method is called on.
      of_dtype: whether `tensor` is a dtype.
      assigns: whether the new text is the statement `x = shims.ensure_shape(x, ...)`.
    """

    symbol: str
    code: str
    whole: ast.expr
    tensor: ast.expr
    form: str
    index: ast.expr | None = None
    sure: bool = False
    of_dtype: bool = False
    assigns: bool = False

    @property
    def passes_tensor(self) -> bool:
        """Whether the new text passes the tensor itself to a function, where it needs no parentheses."""
        return self.index is None and _passes_tensor(self.form)


@functools.cache
def _passes_tensor(form: str) -> bool:
    calls = (n for n in ast.walk(ast.parse(form.format("tensor"))) if isinstance(n, ast.Call))
    return any(isinstance(a, ast.Name) and a.id == "tensor" for call in calls for a in call.args)


def find_idioms(file: File) -> list[Decision]:
    """Return the decisions for all uses of tensor methods in a file, in text order."""
    attributes = [node for node in file.names.attributes if node.attr in _NAMES]
    found = _decide_methods(file, attributes) if attributes else []
    found = [*found, *find_lists(file), *find_attributes(file)]
    return [pipelines.keep(file, each.span, each.symbol) or each for each in found]


def _decide_methods(file: File, named: list[ast.Attribute]) -> list[Decision]:
    """Decide which of the attributes are tensor methods; return the decisions about these."""
    own = {node for reference in file.references for node in reference.chain}
    attributes = [node for node in named if node not in own]
    elsewhere = any(
        binding.path.partition(".")[0] in _OTHER_LIBRARIES
        for bindings in file.names.module.bindings.values()
        for binding in bindings
        if binding.kind == "import"
    )
    own_methods = {
        name
        for scope in file.names.scopes.values()
        if scope.kind == "class"
        for name in scope.bindings
    }
    claimed: set[ast.AST] = set()
    decisions = []
    for idiom in _match_idioms(file, attributes):
        if idiom.whole in claimed:
            continue
        known = _is_known(file, idiom)
        doubtful = elsewhere or idiom.symbol.split(".")[-1] in own_methods
        if known or not doubtful:
            decision = _decide_idiom(file, idiom, known=known)
            if decision is not None and may_edit(file, decision):
                claimed.update(_nodes_within(file, idiom))
                decisions.append(decision)
    return decisions


def _nodes_within(file: File, idiom: Idiom) -> Iterator[ast.AST]:
    """Yield the nodes of an idiom, from the parent of the tensor to the whole expression."""
    yield idiom.whole
    for node in file.names.ancestors(idiom.tensor):
        if node is idiom.whole:
            return
        yield node


def _match_idioms(file: File, attributes: list[ast.Attribute]) -> Iterator[Idiom]:
    """Yield the uses of tensor methods among attributes, outer expressions before inner ones."""
    parents = file.names.parents
    for node in attributes:
        call = parents[node]
        called = isinstance(call, ast.Call) and call.func is node
        bare = isinstance(call, ast.Call) and called and not call.args and not call.keywords
        tensor = tensor_of_shape(node.value)
        if isinstance(call, ast.Call) and node.attr == "as_list" and bare and tensor is not None:
            yield Idiom("Tensor.shape.as_list", "TJ105", call, tensor, "list({}.shape)")
        elif node.attr in ("ndims", "rank") and tensor is not None:
            is_array = file.values.kind(tensor) is Kind.TENSOR  # sparse tensors have no `ndim`
            form = "{}.ndim" if is_array else "len({}.shape)"
            yield Idiom(f"Tensor.shape.{node.attr}", "TJ105", node, tensor, form)
        elif node.attr == "value" and isinstance(node.value, ast.Subscript) and not called:
            inner = tensor_of_shape(_without_dims(node.value.value))
            if inner is not None:
                index = node.value.slice
                yield Idiom("Dimension.value", "TJ105", node, inner, "{}.shape[", index)
        elif node.attr == "value" and not called and _is_dimension(file, node.value):
            yield Idiom("Dimension.value", "TJ105", node, node.value, "{}", sure=True)
    yield from _of_dtypes_and_shapes(file, attributes)
    for node in attributes:
        call = parents[node]
        if not isinstance(call, ast.Call) or call.func is not node:
            continue
        if node.attr == "get_shape" and not call.args and not call.keywords:
            yield Idiom("Tensor.get_shape", "TJ105", call, node.value, "{}.shape")
        elif node.attr == "numpy" and not call.args and not call.keywords:
            yield Idiom("Tensor.numpy", "TJ106", call, node.value, "np.array({})[()]")
        elif node.attr == "set_shape" and _is_statement(parents, call):
            yield Idiom(
                "Tensor.set_shape", "TJ107", call, node.value, "", call.args[0], assigns=True
            )


def _without_dims(node: ast.expr) -> ast.expr:
    """Return the shape of `shape.dims`, other expressions as they are."""
    return node.value if isinstance(node, ast.Attribute) and node.attr == "dims" else node


def _is_dimension(file: File, node: ast.expr) -> bool:
    """Return whether a name is only ever a size of a static shape: `for d in x.shape`, `d = x.shape[0]`."""
    scope = file.values.scope_of.get(node) if isinstance(node, ast.Name) else None
    home = scope.lookup(node.id) if scope is not None and isinstance(node, ast.Name) else None
    bindings = home.bindings[node.id] if home is not None and isinstance(node, ast.Name) else []
    return bool(bindings) and all(_binds_dimension(file, binding) for binding in bindings)


def _binds_dimension(file: File, binding: Binding) -> bool:
    """Return whether a binding gives its name a size of a static shape."""
    parent = file.names.parents.get(binding.node)
    if isinstance(parent, ast.For | ast.comprehension) and parent.target is binding.node:
        return is_shape(file, _without_dims(parent.iter))
    value = binding.value
    if isinstance(value, ast.Attribute) and value.attr == "value":  # n = n.value
        return getattr(value.value, "id", "") == getattr(binding.node, "id", None)
    subscript = isinstance(value, ast.Subscript) and not isinstance(value.slice, ast.Slice)
    return subscript and is_shape(file, _without_dims(value.value))  # type: ignore[union-attr]


def _of_dtypes_and_shapes(file: File, attributes: list[ast.Attribute]) -> Iterator[Idiom]:
    """Yield the uses of attributes of dtypes (`x.dtype.is_floating`) and of static shapes."""
    for node in attributes:
        parent = file.names.parents[node]
        called = isinstance(parent, ast.Call) and parent.func is node
        if node.attr in FORMS and is_of_dtype(node, called=called):
            form = FORMS[node.attr]
            yield Idiom(f"DType.{node.attr}", "TJ111", node, node.value, form, of_dtype=True)
        if node.attr in RANGES and is_of_dtype(node, called=called):
            yield _of_range(file, node)
        if node.attr in (*SHAPE_METHODS, "ndims", "rank", "as_list"):
            whole = parent if called and isinstance(parent, ast.Call) else node
            yield from _of_shape(file, node, whole)


def _of_range(file: File, node: ast.Attribute) -> Idiom:
    """Return the idiom for `x.dtype.max`, which becomes `jnp.finfo` or `jnp.iinfo`."""
    tensor = node.value.value if isinstance(node.value, ast.Attribute) else node.value
    numbers = file.corners.numbers.numbers(tensor)
    whole = numbers in INTEGERS
    form = RANGE_FORMS[whole] + node.attr
    sure = whole or numbers is Numbers.INEXACT
    symbol = f"DType.{node.attr}"
    return Idiom(symbol, "TJ111", node, node.value, form, sure=sure, of_dtype=True)


def _of_shape(file: File, node: ast.Attribute, whole: ast.expr) -> Iterator[Idiom]:
    """Yield the idiom for a method of a static shape; `whole` is the call, or the attribute itself."""
    symbol = f"Tensor.shape.{node.attr}"
    tensor = tensor_of_shape(node.value)
    known = tensor is not None or is_static_shape(file.values, node.value)
    if tensor is not None and node.attr == "dims":
        parent = file.names.parents[node]
        read = isinstance(parent, ast.Subscript) and parent.value is node
        looped = isinstance(parent, ast.For | ast.comprehension) and parent.iter is node
        form = "{}.shape" if read or looped else "list({}.shape)"
        yield Idiom(symbol, "TJ112", node, tensor, form, sure=True)
    elif tensor is not None and node.attr in SHAPE_METHODS:
        form = f"shims.TensorShape({{}}.shape).{node.attr}"
        yield Idiom(symbol, "TJ112", node, tensor, form, sure=True)
    elif known and node.attr in ("ndims", "rank"):
        yield Idiom(symbol, "TJ112", node, node.value, "len({})", sure=True)
    elif known and node.attr == "as_list" and isinstance(whole, ast.Call) and not whole.args:
        yield Idiom(symbol, "TJ112", whole, node.value, "list({})", sure=True)
    elif known or is_called_shape(node.value):
        form = f"shims.TensorShape({{}}).{node.attr}"
        yield Idiom(symbol, "TJ112", node, node.value, form, sure=known)


def _is_known(file: File, idiom: Idiom) -> bool:
    """Return whether a rewrite is certain: the object is a tensor, or the new text suits any object."""
    if idiom.of_dtype and isinstance(idiom.tensor, ast.Attribute):
        tensor = file.values.kind(idiom.tensor.value) is Kind.TENSOR
        return idiom.sure or (tensor and idiom.symbol.split(".")[-1] not in RANGES)
    return idiom.sure or file.values.kind(idiom.tensor) is Kind.TENSOR


def _is_statement(parents: dict[ast.AST, ast.AST], call: ast.Call) -> bool:
    """Return whether a call is a statement with one positional argument."""
    return isinstance(parents[call], ast.Expr) and len(call.args) == 1 and not call.keywords


def _decide_idiom(file: File, idiom: Idiom, *, known: bool) -> Decision | None:
    """Return the decision for a use of a tensor method, `None` if it cannot be rewritten."""
    source, spelling = file.source, file.spelling
    start, end = source.span(idiom.whole)
    passes = idiom.passes_tensor
    tensor = Span(*source.span(idiom.tensor)) if passes else _with_parentheses(file, idiom)
    if _loses_layout(file, idiom, tensor) or not spelling.allows(["list", "len"]):
        return None
    if idiom.assigns:
        if not _is_place(idiom.tensor) or idiom.index is None:
            return None
        text = source.data[tensor.start : tensor.end].decode()
        shape = Span(*source.span(idiom.index))
        # An array has its shape: to set it is to check it. Only an unknown size is learned by the name alone.
        target = f"{text} = " if _is_own_name(file, idiom.tensor) else ""
        checked = f"{target}{spelling.text('shims.ensure_shape(')}{text}, "
        edit = Edit(start, end, (checked, shape, ")"))
    elif idiom.index is not None:
        edit = Edit(start, end, (tensor, ".shape[", Span(*source.span(idiom.index)), "]"))
    else:
        before, after = spelling.text(idiom.form).split("{}")
        edit = Edit(start, end, (before, tensor, after))
    state = State.REWRITTEN if known else State.REVIEW
    code = idiom.code if known else "TJ202"
    message = "JAX arrays have this attribute under another name"
    if not known:
        message = "the code nearby does not show that this is a tensor"
        if idiom.symbol in ("DType.max", "DType.min"):
            message = "the code nearby does not show the dtype; for integers write `jnp.iinfo`"
    elif idiom.assigns and not _is_made_here(file, idiom.tensor):
        state, code = State.REVIEW, "TJ202"
        message = (
            "if a size is unknown, it stays unknown in other variables that refer to the same array"
        )
    return Decision(state, code, message, idiom.symbol, idiom.whole, (edit,))


def _with_parentheses(file: File, idiom: Idiom) -> Span:
    """Return the span of the tensor, including parentheses that enclose only the tensor."""
    data, (start, end) = file.source.data, file.source.span(idiom.whole)
    inner_start, inner_end = file.source.span(idiom.tensor)
    tail = data[inner_end:end]
    closed = tail[: len(tail) - len(tail.lstrip(b" \t\r\n\f\\)"))]
    before = data[start:inner_start]  # parentheses and comments
    opened = [m.start() for m in re.finditer(rb"#[^\n]*|\(", before) if m[0] == b"("]
    count = closed.count(b")")
    first = start + opened[-count] if count else inner_start
    return Span(first, inner_end + closed.rfind(b")") + 1)


def _is_made_here(file: File, node: ast.expr) -> bool:
    """Return whether a name is only ever assigned results of calls or operators."""
    scope = file.values.scope_of.get(node) if isinstance(node, ast.Name) else None
    if scope is None or not isinstance(node, ast.Name):
        return False
    return all(
        binding.kind == "assign" and isinstance(binding.value, ast.Call | ast.BinOp)
        for binding in scope.bindings.get(node.id, [])
    ) and bool(scope.bindings.get(node.id))


def _is_own_name(file: File, node: ast.expr) -> bool:
    """Return whether a name belongs to the function that uses it, so it may be assigned there."""
    scope = file.values.scope_of.get(node) if isinstance(node, ast.Name) else None
    return isinstance(node, ast.Name) and scope is not None and scope.lookup(node.id) is scope


def _is_place(node: ast.expr) -> bool:
    """Return whether an expression can be assigned to: a name or an attribute chain (`a.b.c`)."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name)


def _loses_layout(file: File, idiom: Idiom, tensor: Span) -> bool:
    """Return whether a rewrite would drop a comment, or parentheses around line breaks."""
    data, (start, end) = file.source.data, file.source.span(idiom.whole)
    before, after = data[start : tensor.start], data[tensor.end : end]
    if idiom.index is not None:
        index = file.source.span(idiom.index)
        after = data[tensor.end : index[0]] + data[index[1] : end]
    bare = tensor == Span(*file.source.span(idiom.tensor)) and idiom.form.startswith("{}")
    is_split = bare and b"(" in before and b"\n" in data[tensor.start : tensor.end]
    return is_split or b"#" in before + after
