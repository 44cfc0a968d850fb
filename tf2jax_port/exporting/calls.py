"""Write an operation of a graph: a call of an operator, a constant, an assignment, a branch or a loop."""

from __future__ import annotations

import dataclasses
import functools
import inspect
from typing import Any

import jax
import numpy as np

from tf2jax_port.exporting import branches, loops
from tf2jax_port.exporting.expressions import Expression, as_expression, text_of
from tf2jax_port.exporting.rules import RULES
from tf2jax_port.exporting.step import Version
from tf2jax_port.importing.rule import UnsupportedError

# Operations that return their only input.
_PASS_ON = ("Merge", "Exit", "TensorArrayGatherV3", "PlaceholderWithDefault", "TensorListStack")
# Operators whose results have sizes that depend on data.
_DYNAMIC = ("boolean_mask", "unique", "dynamic_partition", "setdiff1d", "unique_with_counts")


def is_tensor(value: Any) -> bool:
    """Return whether a value is a tensor of a graph."""
    return hasattr(value, "read_of") and hasattr(value, "op")


def write(body: Any, op: Any) -> None:
    """Write an operation.

    Raises:
      UnsupportedError: JAX cannot express it.
    """
    if "call" in op.attributes:
        _write_call(body, op)
    elif op.type == "Const":
        value = op.attributes["value"]
        body.produce(op, op.outputs, lambda: _constant(body, op, value))
    elif "loop" in op.attributes:
        loops.write(body, op)
    elif op.type in ("If", "StatelessIf") and "parts" in op.attributes:
        branches.write(body, op)
    elif op.writes:
        _write_update(body, op)
    elif len(op.inputs) == len(op.outputs) == 1 and _passes_on(op):
        body.produce(op, op.outputs, lambda: body.find(body.step.key(op.inputs[0], op)))
    elif op.outputs:
        raise UnsupportedError("there is no rule for this operation")


def _passes_on(op: Any) -> bool:
    return op.type in _PASS_ON or getattr(op.compute, "__name__", "") == "_pass_through"


def _constant(body: Any, op: Any, value: Any) -> Expression:
    if body.module.is_literal(value):
        return as_expression(value)
    return body.module.constant(op.name, value)


# ---- calls of operators --------------------------------------------------------------------------


def path_of(f: Any) -> str:
    """Return the full name of an operator, such as `shims.nn.relu`."""
    while isinstance(f, functools.partial):
        f = f.func
    return f"{f.__module__}.{f.__qualname__}"


def _write_call(body: Any, op: Any) -> None:
    f, args, kwargs = op.attributes["call"]
    path = path_of(f)
    keys = op.outputs

    def make() -> Any:
        given, named = _arguments(body, op, args, kwargs)
        bound = _bound(f, given, named)
        if _is_dynamic(path, given, named, bound):
            return _borrowed(body, path, f, bound)
        rule = RULES.get(path)
        if rule is None:
            return _borrowed(body, path, f, bound, needed=True)
        return rule(_Call(body, op, f), **bound)

    body.produce(op, keys, make)


@dataclasses.dataclass
class _Call:
    """The call that a rule writes, with helpers for its text."""

    body: Any
    op: Any
    f: Any

    def helper(self, name: str) -> str:
        """Return the name of a helper function, which the module then defines."""
        return self.body.module.helper(name)

    def named(self, value: Any) -> str:
        """Return the source of an argument that the expression uses several times."""
        return self.body.named(value)

    def key(self) -> str:
        """Return the source of the random key of this call."""
        return self.body.key_of(self.op)

    def captured(self, name: str) -> Any:
        """Return a value that the operator, a nested function, captured."""
        return inspect.getclosurevars(self.f).nonlocals[name]

    @property
    def result(self) -> Any:
        """The first result of the call, a tensor with dtype and static shape."""
        return self.op.outputs[0]


def _arguments(body: Any, op: Any, args: Any, kwargs: Any) -> tuple[Any, Any]:
    """Return the arguments of a call with expressions in place of tensors."""

    def convert(value: Any) -> Any:
        return body.find(body.step.key(value, op)) if is_tensor(value) else value

    leaf = lambda v: (
        is_tensor(v) or (not isinstance(v, (list, tuple, dict)) and not _is_composite(v))
    )
    return jax.tree.map(convert, args, is_leaf=leaf), jax.tree.map(convert, kwargs, is_leaf=leaf)


def _is_composite(value: Any) -> bool:
    return hasattr(value, "dense_shape") and hasattr(value, "indices")


def _bound(f: Any, args: Any, kwargs: Any) -> dict[str, Any]:
    """Return the arguments of a call by their names in the signature, defaults included."""
    bound = inspect.signature(f).bind(*args, **kwargs)
    bound.apply_defaults()
    found = dict(bound.arguments)
    found.pop("name", None)
    for parameter in bound.signature.parameters.values():
        if parameter.kind is parameter.VAR_KEYWORD:
            found |= found.pop(parameter.name)
    return found


def _is_dynamic(path: str, args: Any, kwargs: Any, bound: dict[str, Any]) -> bool:
    last = path.rpartition(".")[2]
    if last in _DYNAMIC or (last == "where" and bound.get("x") is None):
        return True
    leaves = jax.tree.leaves((args, kwargs), is_leaf=lambda v: isinstance(v, Expression))
    return any(isinstance(v, Expression) and v.dynamic for v in leaves)


def _borrowed(
    body: Any, path: str, f: Any, bound: dict[str, Any], needed: bool = False
) -> Expression:
    """Return a call of the operator of shims itself.

    needed: whether it is called because no rule exists, and not because sizes depend on data.
    """
    if "_src" in path or "<locals>" in path or not path.startswith("shims."):
        raise UnsupportedError(f"there is no rule for {path.rpartition('.')[2].lstrip('_')}")
    body.module.borrowed.setdefault(path)
    body.module.dynamic = body.module.dynamic or not needed
    texts, by_name = [], False
    for name, parameter in inspect.signature(f).parameters.items():
        if name not in bound or _is_default(bound[name], parameter.default):
            by_name = True
            continue
        text = text_of(bound[name])
        texts.append(f"{name}={text}" if by_name else text)
    return Expression(f"{path}({', '.join(texts)})", dynamic=not needed)


def _is_default(value: Any, default: Any) -> bool:
    """Return whether an argument has the default value of its parameter."""
    if isinstance(value, (Expression, np.ndarray, list, tuple)):
        return False
    return value is default or (type(value) is type(default) and value == default)


# ---- assignments ---------------------------------------------------------------------------------


def _write_update(body: Any, op: Any) -> None:
    """Write an operation that assigns a variable: the new value is one more result."""
    if len(op.writes) != 1:
        raise UnsupportedError("the operation assigns several variables at once")
    variable = op.writes[0]
    before = body.step.before_update(op)[0]
    given = [body.step.key(t, op) for t in op.inputs]
    kind = op.type.removesuffix("VariableOp")
    formula = getattr(op.attributes.get("formula"), "__name__", "")

    def make() -> Expression:
        values = [body.find(k) for k in given]
        if kind == "Assign":
            return values[-1]
        old = body.find(before)
        if formula == "_move_average":
            new, momentum = values
            text = f"{old.text} - ({old.text} - {new.at(5)}) * (1 - {momentum.at(5)})"
            return Expression(text, 4)
        if kind in ("AssignAdd", "AssignSub"):
            sign = "+" if kind == "AssignAdd" else "-"
            return Expression(f"{old.at(4)} {sign} {values[0].at(5)}", 4)
        raise UnsupportedError("there is no rule for this kind of assignment")

    body.produce(op, [Version(variable, op)], make)
