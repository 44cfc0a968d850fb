"""Provide the common parts of optimizers: state, learning rate, clipping and weight decay."""

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
      count: the number of steps taken, an integer.
      learning_rate: a number that may be changed; `None` if a function computes it.
      shared: a dict of the values shared by all parameters.
      slots: a dict from slot names to trees with the structure of the parameters.
    """

    count: jax.Array  # type: ignore[assignment]  # as Optax calls it
    learning_rate: jax.Array | None
    shared: dict[str, jax.Array]
    slots: dict[str, Any]


class Now(NamedTuple):
    """The inputs of one step of one parameter, in the dtype of the parameter.

    Attributes:
      rate: the learning rate.
      number: the step number, starting at 1.
      shared: the values shared by all parameters.
    """

    rate: jax.Array
    number: jax.Array
    shared: dict[str, jax.Array]


class Recipe(optax.GradientTransformation):
    """An Optax transformation that takes the same steps as TensorFlow; its state holds the learning rate.

    Attributes:
      rate: the learning rate as a function of the count, `None` if it is in the state.
      version_1: whether it is a TensorFlow 1 optimizer, which accepts new variables at any time.
    """

    rate: Callable[[Any], Any] | None = None
    version_1: bool = False


Step = Callable[[Gradient, Any, dict[str, Any], Now], tuple[Any, dict[str, Any]]]


class Design(NamedTuple):
    """The definition of an optimizer's step.

    Attributes:
      step: `(gradient, parameter, slots, now) -> (change, slots)` of one parameter.
      slots: the names and initial values of the slots.
      shared: the names and initial values of the values shared by all parameters.
      advance: `(shared, number) -> (values for this step, values for the next step)`.
      needs_parameters: whether the change depends on the value of the parameter.
      touched_rows: whether an `IndexedSlices` gradient changes only its rows.
      version_1: whether it is a TensorFlow 1 optimizer.
    """

    step: Step
    slots: Mapping[str, float] = {}
    shared: Mapping[str, float] = {}
    advance: Callable[[dict, Any], tuple[dict, dict]] = lambda shared, _: (shared, shared)
    needs_parameters: bool = False
    touched_rows: bool = False
    version_1: bool = False


class Clips(TypedDict, total=False):
    """Keras' gradient clipping arguments; at most one may be given.

    Attributes:
      clipnorm: the maximum norm of each gradient.
      clipvalue: the maximum absolute value of a gradient's elements.
      global_clipnorm: the maximum global norm of all gradients.
    """

    clipnorm: float | None
    clipvalue: float | None
    global_clipnorm: float | None


class Common(Clips, total=False):
    """The arguments common to all Keras optimizers.

    Attributes:
      weight_decay: the fraction of a parameter, times the learning rate, to subtract before a step.
    """

    weight_decay: float | None


def make(design: Design, learning_rate, *, weight_decay=None, **clips) -> Recipe:
    """Build the Optax transformation of a design.

    Args:
      design: the definition of the step.
      learning_rate: a number, a schedule, a variable, or a function without arguments.
      weight_decay: see `Common`.
      clips: see `Clips`.
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
            {name: _full_like(params, value) for name, value in design.slots.items()},
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
            change, after = _update_parameter(
                design, weight_decay, gradient, given[i], own, now, number, used
            )
            changes.append(change)
            for name, value in after.items():
                slots[name][i] = value
        kept_slots = {name: tree.unflatten(slot) for name, slot in slots.items()}
        return tree.unflatten(changes), Steps(number, state.learning_rate, kept, kept_slots)

    recipe = Recipe(init, update)
    recipe.rate, recipe.version_1 = rate, design.version_1
    return recipe


def _update_parameter(
    design: Design, weight_decay, gradient, parameter, slots, rate, number, shared
):
    """Compute the update of one parameter and its new slots."""
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
        touched = _touched_rows(gradient, change)
        change = jnp.where(touched, change, 0)
        after = {name: jnp.where(touched, x, slots[name]) for name, x in after.items()}
    return change if decayed is None else change - decayed, after


def _touched_rows(gradient, change):
    """Return a mask of the parameter rows that an `IndexedSlices` gradient contains."""
    touched = jnp.zeros(change.shape[:1], bool).at[gradient.indices].set(True)
    return touched.reshape(-1, *[1] * (change.ndim - 1))


def _full_like(params, value: float):
    return jax.tree.map(lambda p: jnp.full(p.shape, value, p.dtype), params)


def _as_function(learning_rate) -> Callable[[Any], Any] | None:
    """Convert a learning rate to a function of the step count; return `None` for a number.

    A schedule is called with the count; a function without parameters is called with nothing.
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
