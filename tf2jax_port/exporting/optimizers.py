"""Recognize the optimizer of a training step, and spell it with Optax."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np

from tf2jax_port.exporting.calls import path_of
from tf2jax_port.exporting.step import Step
from tf2jax_port.importing.rule import UnsupportedError

# Optimizers whose steps for gathered rows are those for the whole variable with zero gradients.
_ROWS_ARE_WHOLE = ("GradientDescentOptimizer", "AdamOptimizer", "AdagradOptimizer")


@dataclasses.dataclass
class Optimizer:
    """The optimizer of a step.

    Args:
      name: the name of its class.
      numbers: its hyperparameters: numbers, or tensors that are computed at each step.
      options: arguments of the Optax function that are no numbers.
      clipping: the source of the Optax transformation that precedes it; empty if there is none.
      why_not: why the program's own optimizer is not recognized; empty if it can.
    """

    name: str
    numbers: dict[str, Any] = dataclasses.field(default_factory=dict)
    options: dict[str, Any] = dataclasses.field(default_factory=dict)
    clipping: str = ""
    why_not: str = ""


def recognized(step: Step) -> Optimizer:
    """Return the optimizer of a step, or plain gradient descent if it is not recognized."""
    made = [op.attributes["optimizer"] for op in step.after if "optimizer" in op.attributes]
    own = {id(o): o for o, _, _ in made}
    trained = set(step.trained)
    if not made:
        return _unknown("the program assigns the variables itself")
    if len(own) > 1 or {v for _, _, v in made} != trained:
        return _unknown(
            "several optimizers update the variables, or an optimizer updates only some of the variables"
        )
    optimizer = made[0][0]
    name = type(optimizer).__name__
    if name not in _KNOWN or type(optimizer).__module__.partition(".")[0] != "shims":
        return _unknown(f"{name} has no counterpart in Optax")
    rows = any(hasattr(g, "indices") for _, g, _ in made)
    if rows and name not in _ROWS_ARE_WHOLE:
        return _unknown(
            f"{name} does not change rows without a gradient, but optimizers of Optax change these rows"
        )
    if any(v.constraint is not None for v in trained):
        return _unknown("a variable has a constraint")
    clipping, why_not = _clipping(step, [g for _, g, _ in made], rows)
    if why_not:
        return _unknown(why_not)
    try:
        numbers, options = _KNOWN[name](optimizer)
    except UnsupportedError as error:
        return _unknown(str(error))
    return Optimizer(name, numbers, options, clipping)


def _unknown(why: str) -> Optimizer:
    return Optimizer("GradientDescentOptimizer", {"learning_rate": 0.01}, why_not=why)


def _clipping(step: Step, gradients: list[Any], rows: bool) -> tuple[str, str]:
    """Return what happens to the gradients before the optimizer gets them, or why that is unknown."""
    values = [getattr(g, "values", g) if hasattr(g, "indices") else g for g in gradients]
    if all(v.op is step.gradients for v in values):
        return "", ""
    kinds = {
        path_of(v.op.attributes["call"][0]) if "call" in v.op.attributes else "" for v in values
    }
    if len(kinds) != 1:
        return "", "the gradients are not all changed in the same way"
    kind = kinds.pop().rpartition(".")[2]
    if any(v.op.inputs[0].op is not step.gradients for v in values if v.op.inputs):
        return "", "the gradients are changed in several steps"
    arguments = [v.op.attributes["call"][1] for v in values]
    if kind == "_scale":
        if rows:
            return "", "the global norm of gathered rows counts each occurrence of a row separately"
        norms = {a[1] for a in arguments}
        norm = norms.pop()
        if norms or len(set(norm.op.inputs)) != len(values) or not _is_number(arguments[0][2]):
            return "", "the gradients are scaled by a norm of other values"
        return f"optax.clip_by_global_norm({_number(arguments[0][2])})", ""
    if kind == "clip_by_value":
        limits = {
            (_number(a[1]), _number(a[2]))
            for a in arguments
            if _is_number(a[1]) and _is_number(a[2])
        }
        if len(limits) == 1:
            low, high = limits.pop()
            if low == -high:
                return f"optax.clip({high})", ""
    return "", f"the program first applies {kind.lstrip('_') or 'an operation'} to the gradients"


def _is_number(value: Any) -> bool:
    if getattr(getattr(value, "op", None), "type", "") == "Const":
        return True
    return isinstance(value, (int, float, np.generic))


def _number(value: Any) -> float:
    if hasattr(value, "op"):
        value = value.op.attributes["value"]
    return float(str(np.float32(value)))


# ---- the known ones ------------------------------------------------------------------------------


def _fields(**names: str) -> Callable[[Any], tuple[dict[str, Any], dict[str, Any]]]:
    """Return a function that reads hyperparameters: attributes of the optimizer by Optax' names."""

    def read(optimizer: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        given = dict(optimizer._hyperparameters()) if hasattr(optimizer, "_hyperparameters") else {}
        numbers = {}
        for name, source in names.items():
            value = given[source] if source in given else getattr(optimizer, source)
            numbers[name] = value() if callable(value) else value
        return numbers, {}

    return read


def _momentum(optimizer: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    numbers, _ = _fields(learning_rate="learning_rate", momentum="momentum")(optimizer)
    return numbers, {"nesterov": True} if optimizer._use_nesterov else {}


def _rmsprop(optimizer: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    numbers, _ = _fields(
        learning_rate="learning_rate", decay="decay", eps="epsilon", momentum="momentum"
    )(optimizer)
    if not numbers["momentum"]:
        del numbers["momentum"]
    return numbers, {"initial_scale": 1.0} | ({"centered": True} if optimizer._centered else {})


def _ftrl(optimizer: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    names = ("learning_rate", "learning_rate_power", "initial_accumulator_value")
    numbers = {name: getattr(optimizer, f"_{name}") for name in names}
    numbers["l1"] = optimizer._l1_regularization_strength
    numbers["l2"] = optimizer._l2_regularization_strength
    if optimizer._l2_shrinkage_regularization_strength or optimizer._beta:
        raise UnsupportedError("FtrlOptimizer with shrinkage or `beta` has no counterpart in Optax")
    return numbers, {}


_KNOWN: dict[str, Callable[[Any], tuple[dict[str, Any], dict[str, Any]]]] = {
    "GradientDescentOptimizer": _fields(learning_rate="learning_rate"),
    "MomentumOptimizer": _momentum,
    "AdamOptimizer": _fields(learning_rate="_lr", b1="_beta1", b2="_beta2", eps="_epsilon"),
    "AdagradOptimizer": _fields(
        learning_rate="learning_rate", initial_accumulator_value="_initial_accumulator_value"
    ),
    "RMSPropOptimizer": _rmsprop,
    "FtrlOptimizer": _ftrl,
    "AdadeltaOptimizer": _fields(learning_rate="_lr", rho="_rho", eps="_epsilon"),
}
OPTAX = {
    "GradientDescentOptimizer": "optax.sgd",
    "MomentumOptimizer": "optax.sgd",
    "AdamOptimizer": "adam",
    "AdagradOptimizer": "optax.adagrad",
    "RMSPropOptimizer": "optax.rmsprop",
    "FtrlOptimizer": "ftrl",
    "AdadeltaOptimizer": "optax.adadelta",
}
# Optimizers that the module has to define, since those of Optax take different steps.
OWN = {"AdamOptimizer": "adam", "FtrlOptimizer": "ftrl"}
DEFAULTS = {
    "AdamOptimizer": {"b1": 0.9, "b2": 0.999, "eps": 1e-8},
    "FtrlOptimizer": {
        "learning_rate_power": -0.5,
        "initial_accumulator_value": 0.1,
        "l1": 0.0,
        "l2": 0.0,
    },
}
