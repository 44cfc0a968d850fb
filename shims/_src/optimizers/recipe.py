"""What every optimizer has in common: its state, its learning rate, clipping and decay of weights."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypedDict

import jax
import jax.numpy as jnp

from shims._src.optimizers.gradient import Gradient, clipping, is_rows
from shims._src.optimizers.library import optax
from shims._src.variables.variable import Variable


class Steps(NamedTuple):
    """The state of an optimizer.

    Attributes:
      count: how many steps were made, an integer.
      learning_rate: a number that may be changed; `None` where a function gives it.
      shared: numbers that all parameters have in common, by name.
      slots: what is kept of each parameter, by name: trees like the parameters.
    """

    count: jax.Array  # type: ignore[assignment]  # as Optax calls it
    learning_rate: jax.Array | None
    shared: dict[str, jax.Array]
    slots: dict[str, Any]


class Now(NamedTuple):
    """What one step of one parameter is made with, in the dtype of the parameter.

    Attributes:
      rate: the learning rate.
      number: of the step, from 1 on.
      shared: the numbers that all parameters have in common.
    """

    rate: jax.Array
    number: jax.Array
    shared: dict[str, jax.Array]


class Recipe(optax.GradientTransformation):
    """A transformation that makes TensorFlow's steps, and keeps the learning rate in its state.

    Attributes:
      rate: the learning rate as a function of the count, `None` where it is in the state.
      version_1: it is one of TensorFlow 1, which takes more variables at any time.
    """

    rate: Callable[[Any], Any] | None = None
    version_1: bool = False


Step = Callable[[Gradient, Any, dict[str, Any], Now], tuple[Any, dict[str, Any]]]


class Design(NamedTuple):
    """How an optimizer steps.

    Attributes:
      step: `(gradient, parameter, slots, now) -> (change, slots)` of one parameter.
      slots: their names and first values.
      shared: names and first values of the numbers that all parameters have in common.
      advance: `(shared, number) -> (for this step, for the next one)`.
      needs_parameters: the change depends on the value of the parameter.
      touched_rows: of a gradient of rows, only these rows change.
      version_1: it is one of TensorFlow 1.
    """

    step: Step
    slots: Mapping[str, float] = {}
    shared: Mapping[str, float] = {}
    advance: Callable[[dict, Any], tuple[dict, dict]] = lambda shared, _: (shared, shared)
    needs_parameters: bool = False
    touched_rows: bool = False
    version_1: bool = False


class Clips(TypedDict, total=False):
    """How gradients are clipped; one of them.

    Attributes:
      clipnorm: the largest norm of one gradient.
      clipvalue: the largest absolute value in a gradient.
      global_clipnorm: the largest norm of all gradients together.
    """

    clipnorm: float | None
    clipvalue: float | None
    global_clipnorm: float | None


class Common(Clips, total=False):
    """What all optimizers of Keras take.

    Attributes:
      weight_decay: which part of a parameter, times the learning rate, is taken away before a step.
    """

    weight_decay: float | None


def make(design: Design, learning_rate, *, weight_decay=None, **clips) -> Recipe:
    """The transformation of a design.

    Args:
      design: how it steps.
      learning_rate: a number, a schedule, a variable, or a function of no arguments.
      weight_decay: as in `Common`.
      clips: those of `Clips`.
    """
    clip = clipping(**clips)
    rate = _as_function(learning_rate)
    needs_parameters = design.needs_parameters or weight_decay is not None

    def init(params) -> Steps:
        first = jax.tree.leaves(params)
        dtype = jnp.float32 if design.version_1 or not first else first[0].dtype
        return Steps(
            jnp.zeros([], jnp.int32),
            None if rate else jnp.asarray(learning_rate, jnp.float32),
            {name: jnp.asarray(value, dtype) for name, value in design.shared.items()},
            {name: _filled(params, value) for name, value in design.slots.items()},
        )

    def update(gradients, state: Steps, params=None):
        if params is None and needs_parameters:
            raise ValueError(
                "This optimizer needs the values of the parameters: `update(gradients, state, params)`."
            )
        number = state.count + 1
        now = jnp.asarray(rate(state.count) if rate else state.learning_rate)
        used, kept = design.advance(state.shared, number)
        tree: Any
        leaves, tree = jax.tree.flatten(gradients, is_leaf=is_rows)
        given = [None] * len(leaves) if params is None else tree.flatten_up_to(params)
        slots = {name: tree.flatten_up_to(slot) for name, slot in state.slots.items()}
        changes = []
        for i, gradient in enumerate(clip(leaves)):
            own = {name: slot[i] for name, slot in slots.items()}
            change, after = _one(design, weight_decay, gradient, given[i], own, now, number, used)
            changes.append(change)
            for name, value in after.items():
                slots[name][i] = value
        kept_slots = {name: tree.unflatten(slot) for name, slot in slots.items()}
        return tree.unflatten(changes), Steps(number, state.learning_rate, kept, kept_slots)

    recipe = Recipe(init, update)
    recipe.rate, recipe.version_1 = rate, design.version_1
    return recipe


def _one(design: Design, weight_decay, gradient, parameter, slots, rate, number, shared):
    """The change of one parameter, and its slots after it."""
    parameter = None if parameter is None else jnp.asarray(parameter)
    dtype = gradient.dtype if parameter is None else parameter.dtype
    whole = Gradient(gradient, dtype, design.version_1)
    numbers = {name: value.astype(dtype) for name, value in shared.items()}
    now = Now(rate.astype(dtype), number.astype(dtype), numbers)
    decayed = None
    if weight_decay is not None:
        decayed = parameter * jnp.asarray(weight_decay, dtype) * now.rate
        parameter = parameter - decayed
    change, after = design.step(whole, parameter, slots, now)
    if design.touched_rows and is_rows(gradient):
        touched = _is_touched(gradient, change)
        change = jnp.where(touched, change, 0)
        after = {name: jnp.where(touched, x, slots[name]) for name, x in after.items()}
    return change if decayed is None else change - decayed, after


def _is_touched(gradient, change):
    """Which rows of a parameter a gradient of rows is about."""
    touched = jnp.zeros(change.shape[:1], bool).at[gradient.indices].set(True)
    return touched.reshape(-1, *[1] * (change.ndim - 1))


def _filled(params, value: float):
    return jax.tree.map(lambda p: jnp.full(p.shape, value, p.dtype), params)


def _as_function(learning_rate) -> Callable[[Any], Any] | None:
    """A function of the count, `None` for a number.

    A schedule takes the count. A function of no arguments is one of TensorFlow's learning rates.
    """
    if isinstance(learning_rate, Variable):
        return lambda count: learning_rate.read_value()
    if not callable(learning_rate):
        return None
    return learning_rate if _takes_count(learning_rate) else lambda count: learning_rate()


def _takes_count(function: Callable[..., Any]) -> bool:
    try:
        parameters = inspect.signature(function).parameters.values()
    except ValueError:
        return True
    return any(p.default is p.empty and p.kind <= p.POSITIONAL_OR_KEYWORD for p in parameters)
