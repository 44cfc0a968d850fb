"""Infer from the surrounding code whether an expression has a float, integer or boolean dtype."""

from __future__ import annotations

import ast

from tf2jax_port.rewrite.knowledge.known import Known, look_up
from tf2jax_port.rewrite.reading.scopes import Binding, Scope
from tf2jax_port.rewrite.values.uses import Uses
from tf2jax_port.table import Native, Shim
from tf2jax_port.table.numbers import (
    ADAPTING,
    ALWAYS,
    BY_DEFAULT,
    DTYPE_POSITIONS,
    FIRST_PASSED,
    OF_OTHER_NUMBERS,
    PASSED,
    Numbers,
)

INTEGERS = (Numbers.WIDE, Numbers.NARROW)
_NAMED = {
    **dict.fromkeys(("int", "int32", "int64", "uint32", "uint64"), Numbers.WIDE),
    **dict.fromkeys(("int8", "int16", "uint8", "uint16"), Numbers.NARROW),
    **dict.fromkeys(("float", "float16", "float32", "float64", "bfloat16"), Numbers.INEXACT),
    **dict.fromkeys(("half", "double", "complex64", "complex128"), Numbers.INEXACT),
    **dict.fromkeys(("bool", "bool_"), Numbers.BOOL),
}
_KEPT_BY_METHODS = ("astype", "reshape", "read_value", "value", "numpy", "copy", "transpose")


def dtype_numbers(node: ast.expr) -> Numbers:
    """Classify a dtype such as `tf.int32` or `"float32"` as float, integer or boolean."""
    name = getattr(node, "attr", None) or getattr(node, "id", None) or getattr(node, "value", None)
    return _NAMED.get(name, Numbers.UNKNOWN) if isinstance(name, str) else Numbers.UNKNOWN


class NumbersOf:
    """Infers whether expressions are floats, integers or booleans, from assignments in their scope."""

    def __init__(self, values: Uses) -> None:
        self.values = values
        self.open: set[tuple[int, str]] = set()
        self.known: dict[tuple[int, str], Numbers] = {}

    def numbers(self, node: ast.expr | None) -> Numbers:
        """Infer whether the dtype of an expression is a float, integer or boolean one.

        A literal integer next to a tensor is ignored, since it takes the dtype of the tensor.
        """
        if isinstance(node, ast.Constant):
            return _of_constant(node.value)
        if isinstance(node, ast.List | ast.Tuple):
            return self._of_several(list(node.elts), weak=False)
        if isinstance(node, ast.Compare):
            return Numbers.BOOL
        if isinstance(node, ast.BinOp):
            if isinstance(node.op, ast.Div):
                return Numbers.INEXACT
            return self._of_several([node.left, node.right])
        if isinstance(node, ast.UnaryOp):
            return self.numbers(node.operand)
        if isinstance(node, ast.IfExp):
            found = {self.numbers(node.body), self.numbers(node.orelse)}
            return found.pop() if len(found) == 1 else Numbers.UNKNOWN
        if isinstance(node, ast.Subscript | ast.Starred | ast.NamedExpr):
            return self.numbers(node.value)
        if isinstance(node, ast.Name):
            scope = self.values.scope_of.get(node)
            return self._of_name(node.id, scope) if scope is not None else Numbers.UNKNOWN
        return self._of_call(node) if isinstance(node, ast.Call) else Numbers.UNKNOWN

    def _of_several(self, nodes: list[ast.expr], *, weak: bool = True) -> Numbers:
        """Infer the class of dtypes that several operands have in common.

        With `weak`, literal integers are ignored, since they take the dtype of the other operand.
        """
        found = {self.numbers(node) for node in nodes if not (weak and _is_integer(node))}
        if Numbers.INEXACT in found:
            return Numbers.INEXACT
        if not found and nodes:
            return Numbers.WIDE
        return found.pop() if len(found) == 1 else Numbers.UNKNOWN

    def _of_call(self, node: ast.Call) -> Numbers:
        """Infer the class of the dtype that a call returns."""
        reference = self.values.by_node.get(node.func)
        known = look_up(reference) if reference is not None else None
        if known is not None:
            return self._of_operator(node, known) if not known.rest else Numbers.UNKNOWN
        if reference is not None:
            return Numbers.UNKNOWN
        if isinstance(node.func, ast.Attribute):
            return self._of_method(node, node.func)
        return dtype_numbers(node.func)

    def _of_method(self, node: ast.Call, function: ast.Attribute) -> Numbers:
        """Infer the class of the dtype that `x.astype(...)` or a NumPy function returns."""
        given = _keyword_argument(node, "dtype")
        if function.attr == "astype":
            return dtype_numbers(node.args[0]) if node.args else Numbers.UNKNOWN
        if function.attr in _KEPT_BY_METHODS:
            return self.numbers(function.value)
        if given is not None:
            return dtype_numbers(given)
        if _dotted_text(function.value) in ("np.random", "numpy.random"):
            drawn = function.attr in ("rand", "randn", "normal", "uniform", "standard_normal")
            return Numbers.INEXACT if drawn else Numbers.UNKNOWN
        if _dotted_text(function.value) not in ("np", "numpy"):
            return Numbers.UNKNOWN
        if function.attr in ("zeros", "ones", "linspace", "eye") and len(node.args) == 1:
            return Numbers.INEXACT
        if function.attr in ("array", "asarray") and len(node.args) == 1:
            return self.numbers(node.args[0])
        return dtype_numbers(function)

    def _of_operator(self, node: ast.Call, known: Known) -> Numbers:
        """Infer the class of the dtype that a TensorFlow operator returns."""
        name = known.row.name
        if name in ALWAYS:
            return ALWAYS[name]
        dtype = _keyword_argument(node, "dtype")
        place = DTYPE_POSITIONS.get(name)
        if dtype is None and place is not None and len(node.args) > place:
            dtype = node.args[place]
        if dtype is not None:
            return dtype_numbers(dtype)
        if name in BY_DEFAULT:
            return BY_DEFAULT[name]
        if _takes_inexact_only(known):
            return Numbers.INEXACT
        return self._of_arguments(node, name)

    def _of_arguments(self, node: ast.Call, name: str) -> Numbers:
        """Infer the class of an operator's result dtype from the dtypes of its arguments."""
        parameters = PASSED.get(name)
        if parameters is None:
            return Numbers.UNKNOWN
        given = [k.value for k in node.keywords if k.arg in parameters]
        first = FIRST_PASSED.get(name, 0)
        given += node.args[first : first + len(parameters) - len(given)]
        return self._of_several(given, weak=name in ADAPTING)

    def _of_name(self, name: str, scope: Scope) -> Numbers:
        """Infer the class of a name's dtype; unknown if its assignments disagree."""
        home = scope.lookup(name)
        if home is None:
            return Numbers.UNKNOWN
        key = (id(home), name)
        if key in self.open:  # `x = x * 2`: the other assignments decide
            return Numbers.UNKNOWN
        if key not in self.known:
            self.open.add(key)
            found = {self._of_binding(binding) for binding in home.bindings[name]}
            self.open.discard(key)
            self.known[key] = found.pop() if len(found) == 1 else Numbers.UNKNOWN
        return self.known[key]

    def _of_binding(self, binding: Binding) -> Numbers:
        assigned = binding.kind == "assign" and binding.value is not None
        return self.numbers(binding.value) if assigned else Numbers.UNKNOWN


def _of_constant(value: object) -> Numbers:
    if isinstance(value, bool):
        return Numbers.BOOL
    if isinstance(value, float | complex):
        return Numbers.INEXACT
    return Numbers.WIDE if isinstance(value, int) else Numbers.UNKNOWN


def _is_integer(node: ast.expr) -> bool:
    """Return whether a node is a literal integer."""
    if isinstance(node, ast.UnaryOp):
        return _is_integer(node.operand)
    return isinstance(node, ast.Constant) and type(node.value) is int


def _takes_inexact_only(known: Known) -> bool:
    """Return whether TensorFlow's operator accepts only floating-point and complex dtypes."""
    row = known.row
    words = {word for _, text in row.kernels for word in text.split() if word[0] != "-"}
    computes = isinstance(row.target, Native | Shim) and row.params is not None
    computes = computes and row.name not in OF_OTHER_NUMBERS
    computes = computes and not row.name.startswith(("image.", "random.", "quantization."))
    floats = ("floating", "inexact", "complex", "float16", "float32", "float64", "complex64")
    return computes and bool(words) and words <= {*floats, "complex128", "bfloat16"}


def _keyword_argument(node: ast.Call, name: str) -> ast.expr | None:
    """Return the value of a keyword argument of a call, `None` if it is missing."""
    return next((k.value for k in node.keywords if k.arg == name), None)


def _dotted_text(node: ast.expr) -> str:
    """Return the source text of a dotted name, an empty string for other nodes."""
    return ast.unparse(node) if isinstance(node, ast.Name | ast.Attribute) else ""
