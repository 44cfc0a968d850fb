"""Provide `contrib.tpu.TPUEstimator` and related names for `use_tpu=False`, as an ordinary estimator."""

from __future__ import annotations

import enum
from typing import Any, NamedTuple

from shims._src.errors import errors
from shims._src.v1.estimator.estimator import Estimator
from shims._src.v1.estimator.mode_keys import ModeKeys
from shims._src.v1.estimator.specs import EstimatorSpec, RunConfig


class InputPipelineConfig(enum.IntEnum):
    """The ways to distribute the input of a TPU; accepted and ignored."""

    PER_SHARD_V1 = 1
    PER_HOST_V1 = 2
    PER_HOST_V2 = 3
    BROADCAST = 4
    SLICED = 5


class TPUConfig:
    """The settings of a TPU, which are kept and not used.

    Args:
      iterations_per_loop: the steps of a loop on the TPU.
      num_shards: the number of replicas.
      **others: further settings.
    """

    __module__ = "shims.compat.v1.contrib.tpu"

    def __init__(self, iterations_per_loop=2, num_shards=None, **others):
        vars(self).update(iterations_per_loop=iterations_per_loop, num_shards=num_shards, **others)


class TPURunConfig(RunConfig):
    """The settings of a `TPUEstimator`: those of an estimator, and those of a TPU.

    Args:
      tpu_config: a `TPUConfig`.
      evaluation_master: must be empty.
      master: must be empty.
      cluster: must be `None`.
      **options: the arguments of `RunConfig`.

    Raises:
      UnimplementedError: a TPU is given.
    """

    __module__ = "shims.compat.v1.contrib.tpu"

    def __init__(
        self, tpu_config=None, evaluation_master=None, master=None, cluster=None, **options
    ):
        if cluster is not None or master or evaluation_master:
            raise _no_tpu("RunConfig", f"master={master!r}, cluster={cluster!r}")
        super().__init__(**options)
        self.tpu_config = tpu_config or TPUConfig()
        self.master, self.evaluation_master, self.cluster = "", "", None


def _no_tpu(name: str, received: str) -> errors.UnimplementedError:
    return errors.UnimplementedError(
        errors.message(
            f"contrib.tpu.{name}",
            "training on a TPU through `TPUEstimator` is not supported.",
            received=received,
            do="pass `use_tpu=False` and no `cluster` or `master`, or export the step to JAX, which runs on "
            "TPUs",
        )
    )


class _Fields(NamedTuple):
    mode: str
    predictions: Any = None
    loss: Any = None
    train_op: Any = None
    eval_metrics: Any = None
    export_outputs: Any = None
    scaffold_fn: Any = None
    host_call: Any = None
    training_hooks: Any = None
    evaluation_hooks: Any = None
    prediction_hooks: Any = None


class TPUEstimatorSpec(_Fields):
    """The result of a model function of a `TPUEstimator`.

    The metrics are a pair of a function and its arguments, and the scaffold is a function.
    """

    __module__ = "shims.compat.v1.contrib.tpu"
    __slots__ = ()

    def as_estimator_spec(self) -> EstimatorSpec:
        """Return the result that an estimator uses."""
        metrics = None
        if self.eval_metrics is not None and self.mode == ModeKeys.EVAL:
            f, given = self.eval_metrics
            metrics = f(**given) if isinstance(given, dict) else f(*given)
        return EstimatorSpec(
            self.mode,
            self.predictions,
            self.loss,
            self.train_op,
            metrics,
            self.export_outputs,
            training_hooks=self.training_hooks,
            scaffold=self.scaffold_fn() if self.scaffold_fn else None,
            evaluation_hooks=self.evaluation_hooks,
            prediction_hooks=self.prediction_hooks,
        )


class TPUEstimator(Estimator):
    """An estimator whose functions get the size of a batch as `params["batch_size"]`.

    Args:
      model_fn: a function that returns a `TPUEstimatorSpec`, or an `EstimatorSpec`.
      model_dir: the folder of checkpoints and summaries.
      config: a `contrib.tpu.RunConfig`.
      params: the parameters of the model, without a batch size.
      use_tpu: must be false.
      train_batch_size: the size of a batch in training.
      eval_batch_size: the size of a batch in evaluation.
      predict_batch_size: the size of a batch in prediction.
      **others: settings of TPUs, which are accepted and ignored.

    Raises:
      UnimplementedError: `use_tpu` is true.
      ValueError: `params` has a batch size.
    """

    __module__ = "shims.compat.v1.contrib.tpu"

    def __init__(
        self,
        model_fn=None,
        model_dir=None,
        config=None,
        params=None,
        use_tpu=True,
        train_batch_size=None,
        eval_batch_size=None,
        predict_batch_size=None,
        **others,
    ):
        if use_tpu:
            raise _no_tpu("TPUEstimator", "use_tpu=True")
        if params is not None and "batch_size" in params:
            raise ValueError("batch_size are reserved keys but existed in params.")
        warm = others.get("warm_start_from")
        super().__init__(model_fn, model_dir, config, params or {}, warm)
        self._sizes = {
            ModeKeys.TRAIN: train_batch_size,
            ModeKeys.EVAL: eval_batch_size,
            ModeKeys.PREDICT: predict_batch_size,
        }

    def _params_of(self, mode: str) -> Any:
        """Return the parameters of the model, and the size of a batch."""
        size = self._sizes[mode]
        return self.params if size is None else {**self.params, "batch_size": size}

    def _spec_of(self, found) -> Any:
        """Return the `EstimatorSpec` of the result of a model function."""
        return found.as_estimator_spec() if isinstance(found, TPUEstimatorSpec) else found
