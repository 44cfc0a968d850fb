"""Provide `create_train_op` and its parts, of `contrib.training` and `slim.learning`."""

from __future__ import annotations

from typing import Any

import shims
from shims._src.recording.indexed_slices import IndexedSlices
from shims._src.v1.graph.deferred_operators import deferred
from shims._src.v1.graph.grouping import no_op, with_dependencies
from shims._src.v1.graph.scope_functions import (
    control_dependencies,
    get_collection,
    get_collection_ref,
    name_scope,
)
from shims._src.v1.summary import operators as summary
from shims._src.v1.train.clipping import clip_by_norm, global_norm
from shims._src.v1.train.global_step import get_or_create_global_step
from shims._src.v1.train.monitored_session import MonitoredTrainingSession
from shims._src.v1.variables.variable_lists import trainable_variables
from shims._src.v1.variables.variables import GraphKeys

_check_numerics = deferred(shims.debugging.check_numerics, "check_numerics")
_GLOBAL: Any = object()


def create_train_op(
    total_loss,
    optimizer,
    global_step=_GLOBAL,
    update_ops=None,
    variables_to_train=None,
    transform_grads_fn=None,
    summarize_gradients=False,
    gate_gradients=1,
    aggregation_method=None,
    colocate_gradients_with_ops=False,
    check_numerics=True,
):
    """Return the loss as a tensor; each evaluation of this tensor runs one training step.

    Args:
      total_loss: the loss.
      optimizer: the optimizer.
      global_step: the counter of steps; by default the global step, `None` for no counter.
      update_ops: operations to run before the loss is computed; by default the operations of
        `UPDATE_OPS`.
      variables_to_train: the variables; all trainable variables by default.
      transform_grads_fn: a function of the pairs of gradients and variables that returns such pairs.
      summarize_gradients: whether to write a summary of each gradient.
      gate_gradients: as for the optimizer.
      aggregation_method: as for the optimizer.
      colocate_gradients_with_ops: as for the optimizer.
      check_numerics: whether a loss that is not finite is an error.
    """
    if global_step is _GLOBAL:
        global_step = get_or_create_global_step()
    updates = get_collection(GraphKeys.UPDATE_OPS) if update_ops is None else list(update_ops)
    if updates:
        with control_dependencies(updates):
            barrier = no_op(name="update_barrier")
        total_loss = with_dependencies([barrier], total_loss)
    variables = trainable_variables() if variables_to_train is None else variables_to_train
    pairs = optimizer.compute_gradients(
        total_loss,
        variables,
        gate_gradients=gate_gradients,
        aggregation_method=aggregation_method,
        colocate_gradients_with_ops=colocate_gradients_with_ops,
    )
    pairs = transform_grads_fn(pairs) if transform_grads_fn else pairs
    if summarize_gradients:
        with name_scope("summarize_grads"):
            add_gradients_summaries(pairs)
    step = optimizer.apply_gradients(pairs, global_step=global_step)
    with name_scope("train_op"):
        if check_numerics:
            total_loss = _check_numerics(total_loss, "LossTensor is inf or nan")
        found = with_dependencies([step], total_loss)
    get_collection_ref(GraphKeys.TRAIN_OP).append(found)
    return found


def create_slim_train_op(
    total_loss,
    optimizer,
    global_step=_GLOBAL,
    update_ops=None,
    variables_to_train=None,
    clip_gradient_norm=0,
    summarize_gradients=False,
    gate_gradients=1,
    aggregation_method=None,
    colocate_gradients_with_ops=False,
    gradient_multipliers=None,
    check_numerics=True,
):
    """Return what `create_train_op` returns, with gradients multiplied and clipped.

    Args:
      total_loss: the loss.
      optimizer: the optimizer.
      global_step: the counter of steps; by default the global step, `None` for no counter.
      update_ops: operations to run before the loss is computed; by default the operations of
        `UPDATE_OPS`.
      variables_to_train: the variables; all trainable variables by default.
      clip_gradient_norm: the largest norm of a gradient; 0 for no limit.
      summarize_gradients: whether to write a summary of each gradient.
      gate_gradients: as for the optimizer.
      aggregation_method: as for the optimizer.
      colocate_gradients_with_ops: as for the optimizer.
      gradient_multipliers: factors by variables or their names.
      check_numerics: whether a loss that is not finite is an error.
    """

    def transform(pairs):
        if gradient_multipliers:
            with name_scope("multiply_grads"):
                pairs = multiply_gradients(pairs, gradient_multipliers)
        if clip_gradient_norm > 0:
            with name_scope("clip_grads"):
                pairs = clip_gradient_norms(pairs, clip_gradient_norm)
        return pairs

    return create_train_op(
        total_loss,
        optimizer,
        global_step,
        update_ops,
        variables_to_train,
        transform,
        summarize_gradients,
        gate_gradients,
        aggregation_method,
        colocate_gradients_with_ops,
        check_numerics,
    )


def _on_values(gradient, f):
    if isinstance(gradient, IndexedSlices):
        return IndexedSlices(f(gradient.values), gradient.indices, gradient.dense_shape)
    return f(gradient)


def clip_gradient_norms(gradients_to_variables, max_norm) -> list:
    """Return pairs of gradients and variables with each gradient clipped to a norm."""
    return [
        (g if g is None else _on_values(g, lambda x: clip_by_norm(x, max_norm)), v)
        for g, v in gradients_to_variables
    ]


def multiply_gradients(grads_and_vars, gradient_multipliers) -> list:
    """Return pairs of gradients and variables with gradients multiplied by factors.

    Args:
      grads_and_vars: the pairs.
      gradient_multipliers: factors by variables or their names.

    Raises:
      ValueError: there are no factors, or a variable with a factor has no gradient.
    """
    if not isinstance(gradient_multipliers, dict) or not gradient_multipliers:
        raise ValueError("`gradient_multipliers` is empty.")
    found = []
    for gradient, variable in grads_and_vars:
        key = next((k for k in (variable, variable.op.name) if k in gradient_multipliers), None)
        if key is not None and gradient is None:
            raise ValueError(f"Requested multiple of `None` gradient: {variable.op.name}.")
        if key is not None:
            factor = gradient_multipliers[key]
            gradient = _on_values(gradient, lambda x, factor=factor: x * factor)
        found.append((gradient, variable))
    return found


def add_gradients_summaries(grads_and_vars) -> list:
    """Add a histogram and the norm of each gradient to the summaries, and return them."""
    found = []
    for gradient, variable in grads_and_vars:
        if gradient is None:
            continue
        values = gradient.values if isinstance(gradient, IndexedSlices) else gradient
        name = variable.op.name
        found.append(summary.histogram(f"{name}/gradient", values))
        found.append(summary.scalar(f"{name}/gradient_norm", global_norm([values])))
    return found


def train(
    train_op,
    logdir,
    master="",
    is_chief=True,
    scaffold=None,
    hooks=None,
    chief_only_hooks=None,
    save_checkpoint_secs=600,
    save_summaries_steps=100,
    config=None,
    max_wait_secs=7200,
    run_metadata=None,
):
    """Run a step of training until a hook asks to stop, and return its last value.

    Args:
      train_op: what `create_train_op` returns.
      logdir: the folder of checkpoints and summaries; `None` if none are written.
      master: must be empty.
      is_chief: must be true.
      scaffold: a `tf.train.Scaffold`.
      hooks: `SessionRunHook`s, one of which must ask the session to stop.
      chief_only_hooks: further hooks.
      save_checkpoint_secs: the seconds between checkpoints.
      save_summaries_steps: the steps between summaries.
      config: accepted, as sessions accept it.
      max_wait_secs: accepted and ignored.
      run_metadata: accepted and ignored.

    Raises:
      ValueError: other arguments ask for checkpoints or summaries, but there is no `logdir`.
    """
    if logdir is None and is_chief and save_summaries_steps:
        raise ValueError("logdir cannot be None when save_summaries_steps is not None")
    if logdir is None and is_chief and save_checkpoint_secs:
        raise ValueError("logdir cannot be None when save_checkpoint_secs is not None")
    with MonitoredTrainingSession(
        master=master,
        is_chief=is_chief,
        checkpoint_dir=logdir,
        scaffold=scaffold,
        hooks=hooks,
        chief_only_hooks=chief_only_hooks,
        save_checkpoint_secs=save_checkpoint_secs,
        save_summaries_steps=save_summaries_steps,
        config=config,
    ) as session:
        loss = None
        while not session.should_stop():
            loss = session.run(train_op)
    return loss
