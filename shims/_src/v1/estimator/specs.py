"""Define the results of model functions, and the settings of estimators."""

from __future__ import annotations

import copy
from typing import Any, NamedTuple

from shims._src.v1.estimator.mode_keys import ModeKeys


class _Fields(NamedTuple):
    mode: str
    predictions: Any
    loss: Any
    train_op: Any
    eval_metric_ops: Any
    export_outputs: Any
    training_chief_hooks: tuple
    training_hooks: tuple
    scaffold: Any
    evaluation_hooks: tuple
    prediction_hooks: tuple


class EstimatorSpec(_Fields):
    """The result of a model function.

    Args:
      mode: a `ModeKeys`.
      predictions: a tensor or a dict of tensors.
      loss: a scalar, for training and evaluation.
      train_op: the operation of a step of training.
      eval_metric_ops: a dict from names to pairs of a value and an update operation.
      export_outputs: a dict of `ExportOutput`s, the outputs of an exported model.
      training_chief_hooks: hooks of training.
      training_hooks: further hooks of training.
      scaffold: a `tf.train.Scaffold`.
      evaluation_hooks: hooks of evaluation.
      prediction_hooks: hooks of prediction.

    Raises:
      ValueError: an argument that the mode needs is missing.
    """

    __module__ = "shims.compat.v1.estimator"
    __slots__ = ()

    def __new__(
        cls,
        mode,
        predictions=None,
        loss=None,
        train_op=None,
        eval_metric_ops=None,
        export_outputs=None,
        training_chief_hooks=None,
        training_hooks=None,
        scaffold=None,
        evaluation_hooks=None,
        prediction_hooks=None,
    ):
        """Check the arguments."""
        if mode == ModeKeys.TRAIN and train_op is None:
            raise ValueError("Missing train_op.")
        if mode in (ModeKeys.TRAIN, ModeKeys.EVAL) and loss is None:
            raise ValueError("Missing loss.")
        if mode == ModeKeys.PREDICT and predictions is None:
            raise ValueError("Missing predictions.")
        hooks = (training_chief_hooks, training_hooks, evaluation_hooks, prediction_hooks)
        chief, training, evaluation, prediction = (tuple(h or ()) for h in hooks)
        return super().__new__(
            cls,
            mode,
            {} if predictions is None else predictions,
            loss,
            train_op,
            eval_metric_ops or {},
            export_outputs,
            chief,
            training,
            scaffold,
            evaluation,
            prediction,
        )


class RunConfig:
    """The settings of an estimator.

    Args:
      model_dir: the folder of checkpoints and summaries.
      tf_random_seed: the seed of the graph.
      save_summary_steps: the steps between summaries.
      save_checkpoints_steps: the steps between checkpoints.
      save_checkpoints_secs: the seconds between checkpoints; 600 by default.
      session_config: accepted, as sessions accept it.
      keep_checkpoint_max: the number of checkpoints to keep.
      keep_checkpoint_every_n_hours: the hours between checkpoints that are kept permanently.
      log_step_count_steps: the steps between messages.
      **others: settings of clusters and devices, which are accepted and ignored.

    Raises:
      ValueError: both intervals of checkpoints are given.
    """

    __module__ = "shims.compat.v1.estimator"
    is_chief, num_worker_replicas, num_ps_replicas, task_id, task_type = True, 1, 0, 0, "worker"

    def __init__(
        self,
        model_dir=None,
        tf_random_seed=None,
        save_summary_steps=100,
        save_checkpoints_steps=None,
        save_checkpoints_secs=None,
        session_config=None,
        keep_checkpoint_max=5,
        keep_checkpoint_every_n_hours=10000,
        log_step_count_steps=100,
        **others,
    ):
        if save_checkpoints_steps is not None and save_checkpoints_secs is not None:
            raise ValueError(
                "Can not provide both save_checkpoints_steps and save_checkpoints_secs."
            )
        if save_checkpoints_steps is None and save_checkpoints_secs is None:
            save_checkpoints_secs = 600
        given = locals()
        for name in ("self", "others", "given"):
            given.pop(name, None)
        vars(self).update(given)

    def replace(self, **changes) -> RunConfig:
        """Return a copy with other settings."""
        found = copy.copy(self)
        vars(found).update(changes)
        return found


class TrainSpec(NamedTuple):
    """The input, the last step and the hooks of training in `train_and_evaluate`."""

    input_fn: Any
    max_steps: Any = None
    hooks: Any = ()
    saving_listeners: Any = ()


class EvalSpec(NamedTuple):
    """The input, the number of steps and the hooks of evaluation in `train_and_evaluate`."""

    input_fn: Any
    steps: Any = 100
    name: Any = None
    hooks: Any = ()
    exporters: Any = None
    start_delay_secs: Any = 120
    throttle_secs: Any = 600
