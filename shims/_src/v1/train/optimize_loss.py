"""Provide `contrib.layers.optimize_loss`: one call that makes an operation of training."""

from __future__ import annotations

from collections.abc import Callable

import shims
from shims._src.recording.indexed_slices import IndexedSlices
from shims._src.v1.graph.conversion import convert_to_tensor
from shims._src.v1.graph.deferred_operators import deferred
from shims._src.v1.graph.grouping import with_dependencies
from shims._src.v1.graph.nodes import Tensor
from shims._src.v1.graph.scope_functions import get_collection
from shims._src.v1.summary import operators as summary
from shims._src.v1.train.adagrad import AdagradOptimizer
from shims._src.v1.train.adam import AdamOptimizer
from shims._src.v1.train.clipping import clip_by_global_norm, global_norm
from shims._src.v1.train.ftrl import FtrlOptimizer
from shims._src.v1.train.global_step import assert_global_step, get_global_step
from shims._src.v1.train.gradient_descent import GradientDescentOptimizer
from shims._src.v1.train.momentum import MomentumOptimizer
from shims._src.v1.train.optimizer import Optimizer
from shims._src.v1.train.rmsprop import RMSPropOptimizer
from shims._src.v1.variables.get_variable import get_variable
from shims._src.v1.variables.initializers import constant_initializer
from shims._src.v1.variables.variable_lists import trainable_variables
from shims._src.v1.variables.variable_scope import variable_scope
from shims._src.v1.variables.variables import GraphKeys

OPTIMIZER_CLS_NAMES: dict[str, Callable] = {
    "Adagrad": AdagradOptimizer,
    "Adam": AdamOptimizer,
    "Ftrl": FtrlOptimizer,
    "Momentum": lambda learning_rate: MomentumOptimizer(learning_rate, momentum=0.9),
    "RMSProp": RMSPropOptimizer,
    "SGD": GradientDescentOptimizer,
}
OPTIMIZER_SUMMARIES = [
    "learning_rate",
    "loss",
    "gradients",
    "gradient_norm",
    "global_gradient_norm",
]
_random_normal = deferred(shims.random.truncated_normal, "random.truncated_normal")
_shape = deferred(shims.shape, "shape")


def optimize_loss(
    loss,
    global_step,
    learning_rate,
    optimizer,
    gradient_noise_scale=None,
    gradient_multipliers=None,
    clip_gradients=None,
    learning_rate_decay_fn=None,
    update_ops=None,
    variables=None,
    name=None,
    summaries=None,
    colocate_gradients_with_ops=False,
    increment_global_step=True,
):
    """Return the loss as a tensor; each evaluation of this tensor runs one training step.

    Args:
      loss: a scalar.
      global_step: the variable that counts steps; the graph's global step when `None`.
      learning_rate: a float or a scalar tensor; `None` if `optimizer` needs none.
      optimizer: a name such as `"Adam"`, an optimizer or its class, or a function of the rate.
      gradient_noise_scale: the standard deviation of noise added to the gradients.
      gradient_multipliers: a dict from variables, or their names, to factors.
      clip_gradients: the largest global norm, or a function of pairs of gradients and variables.
      learning_rate_decay_fn: a function of the rate and the step.
      update_ops: operations to run before the loss; the operations of the collection when `None`.
      variables: the variables to train; all trainable variables when `None`.
      name: the variable scope; `OptimizeLoss` when `None`.
      summaries: names in `OPTIMIZER_SUMMARIES`.
      colocate_gradients_with_ops: accepted and ignored.
      increment_global_step: whether to count the step.

    Raises:
      ValueError: an argument has a different type, or a value outside of its range.
    """
    loss = convert_to_tensor(loss)
    step = get_global_step() if global_step is None else global_step
    if global_step is not None:
        assert_global_step(step)
    shown = ["loss", "learning_rate", "global_gradient_norm"] if summaries is None else summaries
    with variable_scope(name, "OptimizeLoss", [loss, step]):
        updates = get_collection(GraphKeys.UPDATE_OPS) if update_ops is None else update_ops
        if updates:
            loss = with_dependencies(updates, loss)
        rate = _learning_rate(learning_rate)
        _check_summaries(shown)
        if rate is not None and learning_rate_decay_fn is not None:
            if step is None:
                raise ValueError("global_step is required for learning_rate_decay_fn.")
            rate = learning_rate_decay_fn(rate, step)
            if "learning_rate" in shown:
                summary.scalar("learning_rate", rate)
        trained = trainable_variables() if variables is None else variables
        used = _optimizer(optimizer, rate)
        pairs = used.compute_gradients(loss, trained)
        pairs = _changed(pairs, gradient_noise_scale, gradient_multipliers)
        if "global_gradient_norm" in shown or "gradient_norm" in shown:
            summary.scalar("global_norm/gradient_norm", global_norm([g for g, _ in pairs]))
        pairs = _clipped(pairs, clip_gradients)
        _summarize(loss, pairs, shown, clip_gradients is not None)
        counted = step if increment_global_step else None
        return with_dependencies([used.apply_gradients(pairs, counted, name="train")], loss)


def _learning_rate(value):
    """Return the tensor of a learning rate, which is a variable for a number."""
    if value is None or (isinstance(value, Tensor) and value.shape.rank == 0):
        return value
    if not isinstance(value, float):
        raise ValueError(
            f"Learning rate should be 0d Tensor or float. Got {value} of type {type(value)}"
        )
    if value < 0.0:
        raise ValueError(f"Invalid learning_rate {value}.")
    initializer = constant_initializer(value)
    return get_variable("learning_rate", [], trainable=False, initializer=initializer)


def _check_summaries(names) -> None:
    for name in names:
        if name not in OPTIMIZER_SUMMARIES:
            raise ValueError(
                f"Summaries should be one of [{', '.join(OPTIMIZER_SUMMARIES)}], you provided {name}."
            )


def _optimizer(given, rate) -> Optimizer:
    """Return the optimizer for a name, a class, an optimizer or a function."""
    if isinstance(given, Optimizer):
        return given
    is_class = isinstance(given, type) and issubclass(given, Optimizer)
    if (isinstance(given, str) or is_class) and rate is None:
        raise ValueError(
            f"Learning rate is None, but should be specified if optimizer is "
            f"{'class' if is_class else 'string'} ({given})."
        )
    if isinstance(given, str):
        if given not in OPTIMIZER_CLS_NAMES:
            known = ", ".join(OPTIMIZER_CLS_NAMES)
            raise ValueError(f"Optimizer name should be one of [{known}], you provided {given}.")
        return OPTIMIZER_CLS_NAMES[given](learning_rate=rate)
    if is_class:
        return given(learning_rate=rate)
    found = None
    if callable(given):
        found = given() if rate is None else given(rate)
    if not isinstance(found, Optimizer):
        raise ValueError(
            "Unrecognized optimizer: should be string, subclass of Optimizer, instance of subclass "
            f"of Optimizer or function with one argument. Got {given}."
        )
    return found


def _changed(pairs, noise_scale, multipliers) -> list:
    """Add noise to gradients, and multiply them."""
    found = []
    for gradient, variable in pairs:
        if noise_scale is not None and gradient is not None:
            dense = gradient.to_dense() if isinstance(gradient, IndexedSlices) else gradient
            gradient = dense + _random_normal(_shape(dense)) * noise_scale
        factor = None
        if multipliers is not None and gradient is not None:
            factor = multipliers.get(variable, multipliers.get(variable.name))
        if factor is not None and isinstance(gradient, IndexedSlices):
            scaled = gradient.values * factor
            gradient = IndexedSlices(scaled, gradient.indices, gradient.dense_shape)
        elif factor is not None:
            gradient = gradient * factor
        found.append((gradient, variable))
    return found


def _clipped(pairs, limit) -> list:
    if limit is None:
        return pairs
    if callable(limit):
        return limit(pairs)
    if not isinstance(limit, float):
        raise ValueError(f"Unknown type {type(limit)} for clip_gradients")
    clipped, _ = clip_by_global_norm([g for g, _ in pairs], limit)
    return list(zip(clipped, [v for _, v in pairs], strict=True))


def _summarize(loss, pairs, shown, is_clipped: bool) -> None:
    if "loss" in shown:
        summary.scalar("loss", loss)
    for gradient, variable in pairs:
        values = gradient.values if isinstance(gradient, IndexedSlices) else gradient
        if values is None:
            continue
        name = variable.name.replace(":", "_")
        if "gradients" in shown:
            summary.histogram(f"gradients/{name}", values)
        if "gradient_norm" in shown:
            summary.scalar(f"gradient_norm/{name}", global_norm([values]))
    norms = "global_gradient_norm" in shown or "gradient_norm" in shown
    if is_clipped and norms:
        clipped = global_norm([g for g, _ in pairs])
        summary.scalar("global_norm/clipped_gradient_norm", clipped)
