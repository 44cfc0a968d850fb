"""Infer from the surrounding code whether a value is a tensor or a list."""

from __future__ import annotations

import ast
import enum

from tf2jax_port.rewrite.knowledge.known import Known, look_up
from tf2jax_port.rewrite.reading.resolve import Reference
from tf2jax_port.rewrite.reading.scopes import Binding, Names, Scope
from tf2jax_port.rewrite.values.selections import holds_selection
from tf2jax_port.rewrite.values.static_sizes import StaticSizes
from tf2jax_port.rewrite.values.uses import Uses
from tf2jax_port.table import Native, Shim
from tf2jax_port.table.version_1 import NO_TENSORS


class Kind(enum.Enum):
    """The inferred kind of an expression: tensor, list or unknown."""

    TENSOR = "tensor"
    LIST = "list"
    UNKNOWN = "unknown"


_LISTS = (ast.List, ast.Tuple, ast.ListComp)
# Functions of the table that do not return exactly one tensor.
_NO_TENSOR = (
    "function",
    "Variable",
    "TensorSpec",
    "TensorShape",
    "as_dtype",
    "split",
    "unstack",
    "meshgrid",
    "unique",
    "unique_with_counts",
    "dynamic_partition",
    "math.top_k",
    "nn.moments",
    "clip_by_global_norm",
    "cond",
    "case",
    "switch_case",
    "while_loop",
    "map_fn",
    "vectorized_map",
    "scan",
    "foldl",
    "foldr",
)
# Those of them that return a list, of which TensorFlow makes a tensor where it needs one.
_LISTED = ("split", "unstack", "meshgrid")
# Those of them that return several tensors.
_SEVERAL = (*_LISTED, "unique", "nn.moments", "math.top_k")
_TENSOR_METHODS = ("astype", "reshape", "read_value", "value")


def _returns_tensor(known: Known) -> bool:
    """Return whether an operator returns a single tensor."""
    row = known.row
    operator = isinstance(row.target, Native | Shim) and row.params is not None
    tensor = row.name not in _NO_TENSOR and row.name not in NO_TENSORS
    return operator and not known.rest and tensor and not row.name.startswith("keras.")


class Values(Uses):
    """Infers whether expressions are tensors or lists, from assignments and annotations."""

    def __init__(self, names: Names, references: list[Reference]) -> None:
        super().__init__(names, references)
        self.open: set[tuple[int, str]] = set()
        self.known: dict[tuple[int, str], Kind] = {}
        self.sizes = StaticSizes(self)

    def kind(self, node: ast.expr) -> Kind:
        """Infer whether an expression is a tensor or a list; a static size is neither."""
        if isinstance(node, _LISTS):
            return Kind.LIST
        if self.sizes.is_size(node):
            return Kind.UNKNOWN
        if isinstance(node, ast.Name):
            scope = self.scope_of.get(node)
            return self._of_name(node.id, scope) if scope is not None else Kind.UNKNOWN
        if isinstance(node, ast.Call):
            return self._of_call(node)
        if isinstance(node, ast.BinOp):
            return self._tensor_if_any(node.left, node.right)
        if isinstance(node, ast.UnaryOp):
            return self._tensor_if(node.operand)
        if isinstance(node, ast.Compare):
            return self._tensor_if_any(node.left, *node.comparators)
        if isinstance(node, ast.Subscript):
            return Kind.UNKNOWN if self.is_size(node) else self._tensor_if(node.value)
        if isinstance(node, ast.IfExp):
            kinds = {self.kind(node.body), self.kind(node.orelse)}
            return kinds.pop() if len(kinds) == 1 else Kind.UNKNOWN
        return Kind.UNKNOWN

    def is_size(self, node: ast.expr) -> bool:
        """Return whether an expression is `tf.shape(x)[0]`, with a literal index, of no selection."""
        if not isinstance(node, ast.Subscript) or not isinstance(node.value, ast.Call):
            return False
        index = node.slice.operand if isinstance(node.slice, ast.UnaryOp) else node.slice
        fixed = isinstance(index, ast.Constant) and type(index.value) is int
        of_array = self.is_call_of(node.value, "shape") and not holds_selection(self, node.value)
        return fixed and of_array

    def holds_tensor(self, node: ast.expr) -> bool:
        """Return whether an expression is a tensor, or a list or tuple that contains one."""
        if isinstance(node, ast.List | ast.Tuple):
            return any(self.holds_tensor(element) for element in node.elts)
        return self.kind(node) is Kind.TENSOR

    def _tensor_if(self, node: ast.expr) -> Kind:
        """Return `Kind.TENSOR` if an expression is a tensor, `Kind.UNKNOWN` otherwise."""
        return Kind.TENSOR if self.kind(node) is Kind.TENSOR else Kind.UNKNOWN

    def _tensor_if_any(self, *nodes: ast.expr) -> Kind:
        """Return `Kind.TENSOR` if any of the expressions is a tensor, `Kind.UNKNOWN` otherwise."""
        tensor = any(self.kind(node) is Kind.TENSOR for node in nodes)
        return Kind.TENSOR if tensor else Kind.UNKNOWN

    def _of_call(self, node: ast.Call) -> Kind:
        reference = self.by_node.get(node.func)
        if reference is not None:
            known = look_up(reference)
            if known is not None and not known.rest and known.row.name in _LISTED:
                return Kind.LIST
            return Kind.TENSOR if known is not None and _returns_tensor(known) else Kind.UNKNOWN
        if isinstance(node.func, ast.Attribute) and node.func.attr in _TENSOR_METHODS:
            return self._tensor_if(node.func.value)
        if isinstance(node.func, ast.Name) and node.func.id == "list":
            return Kind.LIST
        return Kind.UNKNOWN

    def _of_name(self, name: str, scope: Scope) -> Kind:
        """Infer the kind of a name; unknown if its assignments disagree."""
        home = scope.lookup(name)
        if home is None:
            return Kind.UNKNOWN
        key = (id(home), name)
        if key in self.open:  # `x = x + 1`: the other assignments decide
            return Kind.UNKNOWN
        if key not in self.known:
            self.open.add(key)
            kinds = {self._of_binding(binding, name) for binding in home.values_of(name)}
            self.open.discard(key)
            self.known[key] = kinds.pop() if len(kinds) == 1 else Kind.UNKNOWN
        return self.known[key]

    def _of_binding(self, binding: Binding, name: str) -> Kind:
        if binding.kind == "assign" and binding.value is not None:
            return self.kind(binding.value)
        if binding.kind == "parameter" and isinstance(binding.node, ast.arg):
            arguments = self.names.parents[binding.node]
            if isinstance(arguments, ast.arguments) and binding.node is arguments.vararg:
                return Kind.LIST
            reference = self.by_node.get(binding.node.annotation or ast.expr())
            plain = reference is not None and reference.path == "Tensor"
            return Kind.TENSOR if plain and not self._is_starred(binding.node) else Kind.UNKNOWN
        return self._of_unpacked(binding.node)

    def _of_unpacked(self, target: ast.AST) -> Kind:
        """Infer the kind of a name that is assigned in `a, b = ...`."""
        targets = self.names.parents.get(target)
        statement = self.names.parents.get(targets) if targets is not None else None
        if not isinstance(targets, ast.Tuple | ast.List) or not isinstance(statement, ast.Assign):
            return Kind.UNKNOWN
        value = statement.value
        if isinstance(value, ast.Tuple | ast.List):
            alike = len(value.elts) == len(targets.elts)
            starred = any(isinstance(e, ast.Starred) for e in (*value.elts, *targets.elts))
            place = next(i for i, e in enumerate(targets.elts) if e is target)
            return self.kind(value.elts[place]) if alike and not starred else Kind.UNKNOWN
        several = isinstance(value, ast.Call) and any(
            self.is_call_of(value, name) for name in _SEVERAL
        )
        return Kind.TENSOR if several else self._tensor_if(value)

    def _is_starred(self, argument: ast.arg) -> bool:
        arguments = self.names.parents[argument]
        return isinstance(arguments, ast.arguments) and argument in (
            arguments.vararg,
            arguments.kwarg,
        )
