"""Analyze the computation in a tape's block, to decide whether JAX can differentiate it.

The analysis is conservative. Each statement must assign to a name what operators compute from names and numbers,
and each name must be known to be a source, assigned in the block, or constant in it.
"""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Callable

# TensorFlow's operators through which a gradient flows, and from which parameters; all that are
# operands where none are named. None of them makes a real array of a complex one: there the two
# gradients are conjugate to each other.
_UNARY = (
    *("negative", "square", "sqrt", "math.rsqrt", "exp", "math.log", "math.log1p", "math.expm1"),
    *("tanh", "sigmoid", "math.softplus", "nn.relu", "nn.relu6", "nn.elu", "nn.selu", "nn.gelu"),
    *("nn.silu", "nn.leaky_relu", "sin", "cos", "tan", "sinh", "cosh", "asin", "acos", "atan"),
    *("math.erf", "math.lgamma", "math.log_sigmoid", "math.reciprocal"),
)
_REDUCING = (
    *("reduce_sum", "reduce_mean", "reduce_max", "reduce_min", "reduce_prod"),
    *("reduce_logsumexp", "nn.l2_loss"),
)
_FLOWING: dict[str, tuple[str, ...]] = {
    **dict.fromkeys((*_UNARY, *_REDUCING), ()),
    **dict.fromkeys(("add", "subtract", "multiply", "divide", "maximum", "minimum", "pow"), ()),
    **dict.fromkeys(("math.squared_difference", "math.divide_no_nan", "math.atan2"), ()),
    **dict.fromkeys(("matmul", "linalg.matvec", "tensordot", "nn.bias_add"), ()),
    **dict.fromkeys(("transpose", "reshape", "squeeze", "expand_dims", "tile", "stack"), ()),
    **dict.fromkeys(("concat", "identity", "clip_by_value", "math.cumsum", "linalg.trace"), ()),
    **dict.fromkeys(("nn.softmax", "nn.log_softmax", "nn.l2_normalize"), ()),
    "nn.sigmoid_cross_entropy_with_logits": ("logits",),
    "nn.softmax_cross_entropy_with_logits": ("logits",),
    "nn.sparse_softmax_cross_entropy_with_logits": ("logits",),
    "where": ("x", "y"),
}
# Operators that a block may use, and through which no gradient flows.
_CONSTANT = ("stop_gradient", "zeros_like", "ones_like", "zeros", "ones", "constant")
# Operators that may return their operand itself.
_PASSING = ("identity", "constant", "stop_gradient", "reshape", "squeeze", "concat")
_OPERATORS = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.MatMult, ast.Pow)


@dataclasses.dataclass(frozen=True, slots=True)
class Operation:
    """A call of an operator: TensorFlow's name, and the operands by parameter."""

    name: str
    operands: dict[str, ast.expr]
    alone: bool  # no argument but the operands

    @property
    def is_allowed(self) -> bool:
        """Whether the operator may be used in a block."""
        return self.name in _FLOWING or self.name in _CONSTANT

    @property
    def is_new(self) -> bool:
        """Whether the result is always a new tensor, never one of the operands."""
        return self.name in _FLOWING and self.name not in _PASSING

    def flowing(self) -> list[ast.expr]:
        """Return the operands through which a gradient flows."""
        if self.name not in _FLOWING:
            return []
        names = _FLOWING[self.name] or tuple(self.operands)
        return [node for name, node in self.operands.items() if name in names]


# Returns the operation of a call, `None` unless it has become one of JAX.
Operations = Callable[[ast.Call], "Operation | None"]


class Flow:
    """Analyzes the statements of a block one after the other.

    Attributes:
      made: the names that the block assigns.
      read: the names from outside that the block reads.
      reaches: for each assigned name, the outside names with respect to which it has a gradient.
      scalars: the names that are known to be scalars.
      understood: whether every statement so far is supported.
    """

    def __init__(self, operations: Operations, scalars: Callable[[ast.Name], bool]) -> None:
        self.operations = operations
        self.is_scalar_outside = scalars
        self.made: set[str] = set()
        self.read: dict[str, ast.Name] = {}
        self.reaches: dict[str, frozenset[str]] = {}
        self.scalars: set[str] = set()
        self.understood = True

    def follow(self, statement: ast.stmt) -> None:
        """Analyze the next statement."""
        target = _target(statement)
        value = getattr(statement, "value", None)
        if target is None or value is None or not self._computes(value):
            self.understood = False
            return
        name = target.id
        reached, scalar = self._reached(value), self._is_scalar(value)
        if isinstance(statement, ast.AugAssign):
            if name not in self.made:
                self.understood = False
            reached |= self.reaches.get(name, frozenset())
            scalar = scalar and name in self.scalars
        elif name in self.read:
            self.understood = False  # it would be read before the function assigns it
        self.made.add(name)
        self.reaches[name] = reached
        (self.scalars.add if scalar else self.scalars.discard)(name)

    def _computes(self, node: ast.expr) -> bool:
        """Return whether an expression consists of supported operators, numbers and names."""
        if isinstance(node, ast.Constant):
            return type(node.value) in (int, float)
        if isinstance(node, ast.Name):
            if node.id not in self.made:
                self.read.setdefault(node.id, node)
            return True
        if isinstance(node, ast.UnaryOp):
            return isinstance(node.op, ast.USub) and self._computes(node.operand)
        if isinstance(node, ast.BinOp):
            both = (node.left, node.right)
            return isinstance(node.op, _OPERATORS) and all(map(self._computes, both))
        if isinstance(node, ast.Compare):
            one = len(node.ops) == 1 and isinstance(
                node.ops[0], ast.Lt | ast.LtE | ast.Gt | ast.GtE
            )
            return one and all(map(self._computes, (node.left, *node.comparators)))
        if isinstance(node, ast.Call):
            operation = self.operations(node)
            if operation is None or not operation.is_allowed:
                return False
            return all(map(self._is_operand, operation.operands.values()))
        return False

    def _is_operand(self, node: ast.expr) -> bool:
        """Return whether an operand is a supported expression, or a list of them."""
        if isinstance(node, ast.List | ast.Tuple):
            return all(map(self._is_operand, node.elts))
        return self._computes(node)

    def _reached(self, node: ast.expr) -> frozenset[str]:
        """Return the outside names with respect to which an expression has a gradient."""
        parts: list[ast.expr] = []
        if isinstance(node, ast.Name):
            return self.reaches[node.id] if node.id in self.made else frozenset({node.id})
        if isinstance(node, ast.UnaryOp):
            parts = [node.operand]
        elif isinstance(node, ast.BinOp):
            parts = [node.left, node.right]
        elif isinstance(node, ast.List | ast.Tuple):
            parts = node.elts
        elif isinstance(node, ast.Call):
            operation = self.operations(node)
            parts = operation.flowing() if operation is not None else []
        return frozenset[str]().union(*map(self._reached, parts))

    def _is_scalar(self, node: ast.expr) -> bool:
        """Return whether an expression is known to be a scalar."""
        if isinstance(node, ast.Constant):
            return True
        if isinstance(node, ast.Name):
            return node.id in self.scalars if node.id in self.made else self.is_scalar_outside(node)
        if isinstance(node, ast.UnaryOp):
            return self._is_scalar(node.operand)
        if isinstance(node, ast.BinOp):
            plain = not isinstance(node.op, ast.MatMult)
            return plain and self._is_scalar(node.left) and self._is_scalar(node.right)
        operation = self.operations(node) if isinstance(node, ast.Call) else None
        if operation is None or not operation.alone:
            return False
        if operation.name in _REDUCING:
            return True
        return operation.name in _UNARY and all(map(self._is_scalar, operation.operands.values()))


def _target(statement: ast.stmt) -> ast.Name | None:
    """Return the only name that a statement assigns to, `None` for any other statement."""
    target: ast.expr | None = None
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        target = statement.targets[0]
    elif isinstance(statement, ast.AugAssign) and isinstance(statement.op, _OPERATORS):
        target = statement.target
    return target if isinstance(target, ast.Name) else None
