"""Provide `tf.estimator.Estimator`: loops of monitored sessions around a model function."""

from __future__ import annotations

import contextlib
import copy
import inspect
import os
import tempfile
from collections.abc import Iterator
from typing import Any

import jax
import numpy as np

from shims._src.checkpoint.checkpoint_reader import list_variables, load_variable
from shims._src.checkpoint.state_file import latest_checkpoint
from shims._src.errors import errors
from shims._src.v1.data.datasets import Dataset
from shims._src.v1.estimator.exported_models import write_model
from shims._src.v1.estimator.mode_keys import ModeKeys
from shims._src.v1.estimator.specs import EstimatorSpec, EvalSpec, RunConfig, TrainSpec
from shims._src.v1.graph.graph import Graph
from shims._src.v1.graph.scope_functions import get_collection
from shims._src.v1.metrics.mean_metrics import mean
from shims._src.v1.saving.saver import Saver
from shims._src.v1.summary import operators as summary
from shims._src.v1.train.basic_hooks import LoggingTensorHook, NanTensorHook, StopAtStepHook
from shims._src.v1.train.global_step import create_global_step, get_global_step
from shims._src.v1.train.monitored_session import MonitoredSession, MonitoredTrainingSession
from shims._src.v1.train.saving_hooks import CheckpointSaverHook
from shims._src.v1.train.session_creation import ChiefSessionCreator, Scaffold
from shims._src.v1.train.session_hooks import SessionRunHook
from shims._src.v1.variables.variables import GraphKeys

_STEP = "global_step"


class _Starter(SessionRunHook):
    """A hook that starts the iterator of the input."""

    def __init__(self, iterator):
        self._iterator = iterator

    def after_create_session(self, session, coord):
        """Run the initializer of the iterator."""
        session.run(self._iterator.initializer)


class Estimator:
    """Trains, evaluates and applies the model that a function builds.

    Args:
      model_fn: a function of `features`, `labels`, and, if it has such parameters, `mode`, `params` and
        `config`, which returns an `EstimatorSpec`.
      model_dir: the folder of checkpoints and summaries; a new temporary folder if neither this
        argument nor `config` names one.
      config: a `RunConfig`.
      params: the parameters of the model.
      warm_start_from: must be `None`.

    Raises:
      ValueError: `model_fn` has no parameter `features`.
      UnimplementedError: `warm_start_from` is given.

    Differs from TensorFlow:
      There is one process. `export_saved_model` writes a SavedModel for `shims.saved_model.load`.
    """

    __module__ = "shims.compat.v1.estimator"

    def __init__(self, model_fn, model_dir=None, config=None, params=None, warm_start_from=None):
        if model_fn is None:
            raise ValueError("model_fn must be provided to Estimator.")
        names = inspect.signature(model_fn).parameters
        if "features" not in names:
            raise ValueError(f"model_fn ({model_fn}) must include features argument.")
        if params is not None and "params" not in names:
            raise ValueError(f"model_fn ({model_fn}) does not include params argument.")
        if warm_start_from is not None:
            raise errors.UnimplementedError(
                errors.message(
                    "Estimator",
                    "`warm_start_from` is not supported.",
                    do="call `tf.train.init_from_checkpoint` in the model function",
                )
            )
        self._names, self._model_fn = names, model_fn
        self._config = copy.copy(config) if config is not None else RunConfig()
        folder = model_dir or self._config.model_dir or tempfile.mkdtemp()
        self._config.model_dir = os.fspath(folder)
        self._params = copy.deepcopy(params)

    @property
    def model_dir(self) -> str:
        """The folder of checkpoints and summaries."""
        return self._config.model_dir

    @property
    def config(self) -> RunConfig:
        """The settings."""
        return copy.copy(self._config)

    @property
    def params(self) -> Any:
        """A copy of the parameters of the model."""
        return copy.deepcopy(self._params)

    @property
    def model_fn(self):
        """The model function."""
        return self._model_fn

    def eval_dir(self, name=None) -> str:
        """Return the folder of an evaluation with this name, in which nothing is written yet."""
        return os.path.join(self.model_dir, f"eval_{name}" if name else "eval")

    def get_variable_names(self) -> list[str]:
        """Return the names of the variables in the last checkpoint."""
        return [name for name, _ in list_variables(self.model_dir)]

    def latest_checkpoint(self) -> str | None:
        """Return the path of the last checkpoint."""
        return latest_checkpoint(self.model_dir)

    def get_variable_value(self, name) -> np.ndarray:
        """Return the value of a variable in the last checkpoint."""
        return load_variable(self.model_dir, name)

    def _params_of(self, mode: str) -> Any:
        """Return the parameters that the functions of a mode get."""
        return self.params

    def _spec_of(self, found) -> Any:
        """Return the `EstimatorSpec` of the result of a model function."""
        return found

    # ---- building --------------------------------------------------------------------------------

    @contextlib.contextmanager
    def _graph(self) -> Iterator[Graph]:
        with Graph().as_default() as graph:
            graph.seed = self._config.tf_random_seed
            create_global_step(graph)
            yield graph

    def _input(self, input_fn, mode: str) -> tuple[Any, Any, list]:
        """Return the features and labels of an input function, and the hooks that start it."""
        names = inspect.signature(input_fn).parameters
        known = {"mode": mode, "params": self._params_of(mode), "config": self.config}
        found = input_fn(**{k: v for k, v in known.items() if k in names})
        hooks = []
        if isinstance(found, Dataset):
            iterator = found.make_initializable_iterator()
            found, hooks = iterator.get_next(), [_Starter(iterator)]
        if isinstance(found, (tuple, list)) and mode == ModeKeys.PREDICT:
            return found[0], None, hooks
        if isinstance(found, (tuple, list)):
            if len(found) != 2:
                raise ValueError("input_fn should return (features, labels) as a len 2 tuple.")
            return found[0], found[1], hooks
        return found, None, hooks

    def _model(self, features, labels, mode: str) -> EstimatorSpec:
        params = self._params_of(mode)
        known = {"labels": labels, "mode": mode, "params": params, "config": self.config}
        if "labels" not in self._names and labels is not None:
            raise ValueError("model_fn does not take labels, but input_fn returns labels.")
        given = {k: v for k, v in known.items() if k in self._names}
        spec = self._spec_of(self._model_fn(features=features, **given))
        if not isinstance(spec, EstimatorSpec):
            raise ValueError("model_fn should return an EstimatorSpec.")
        return spec

    # ---- running ---------------------------------------------------------------------------------

    def train(self, input_fn, hooks=None, steps=None, max_steps=None, saving_listeners=None):
        """Train from the last checkpoint on, and return the estimator.

        Args:
          input_fn: a function that returns a dataset, or features and labels.
          hooks: `SessionRunHook`s.
          steps: the number of steps; by default, training continues until the input ends.
          max_steps: the step at which training ends, counted over all calls.
          saving_listeners: listeners of the checkpoints.

        Raises:
          ValueError: both numbers of steps are given, or one is not positive.
        """
        if steps is not None and max_steps is not None:
            raise ValueError("Can not provide both steps and max_steps.")
        for name, count in (("steps", steps), ("max_steps", max_steps)):
            if count is not None and count <= 0:
                raise ValueError(f"Must specify {name} > 0, given: {count}")
        path = self.latest_checkpoint()
        if max_steps is not None and path and load_variable(path, _STEP) >= max_steps:
            return self
        with self._graph():
            features, labels, started = self._input(input_fn, ModeKeys.TRAIN)
            spec = self._model(features, labels, ModeKeys.TRAIN)
            every = self._config.log_step_count_steps
            shown = {"loss": spec.loss, "step": get_global_step()}
            used = [*started, NanTensorHook(spec.loss)]
            used += [LoggingTensorHook(shown, every_n_iter=every)] if every else []
            used += [*(hooks or ()), *spec.training_hooks, *spec.training_chief_hooks]
            if steps is not None or max_steps is not None:
                used.append(StopAtStepHook(steps, max_steps))
            if not any(t.op.name == "loss" for t in get_collection(GraphKeys.SUMMARIES)):
                summary.scalar("loss", spec.loss)
            self._run_training(spec, used, saving_listeners)
        return self

    def _run_training(self, spec: EstimatorSpec, hooks: list, listeners) -> None:
        config = self._config
        scaffold = spec.scaffold or Scaffold()
        if scaffold.saver is None:
            scaffold.saver = Saver(
                max_to_keep=config.keep_checkpoint_max,
                keep_checkpoint_every_n_hours=config.keep_checkpoint_every_n_hours,
                sharded=False,
                defer_build=True,
            )
        saver = CheckpointSaverHook(
            self.model_dir,
            save_secs=config.save_checkpoints_secs,
            save_steps=config.save_checkpoints_steps,
            scaffold=scaffold,
            listeners=listeners,
        )
        with MonitoredTrainingSession(
            checkpoint_dir=self.model_dir,
            scaffold=scaffold,
            hooks=[*hooks, saver],
            save_checkpoint_secs=None,
            save_checkpoint_steps=None,
            save_summaries_steps=config.save_summary_steps,
            config=config.session_config,
            log_step_count_steps=config.log_step_count_steps,
        ) as session:
            while not session.should_stop():
                session.run([spec.train_op, spec.loss])

    def _restored(self, spec: EstimatorSpec, path, hooks: list) -> MonitoredSession:
        """Return a session with the variables of a checkpoint."""
        path = path or self.latest_checkpoint()
        if not path:
            raise ValueError(f"Could not find trained model in model_dir: {self.model_dir}.")
        creator = ChiefSessionCreator(
            spec.scaffold or Scaffold(),
            config=self._config.session_config,
            checkpoint_filename_with_path=path,
        )
        return MonitoredSession(creator, hooks)

    def evaluate(self, input_fn, steps=None, hooks=None, checkpoint_path=None, name=None) -> dict:
        """Return the metrics, the mean `loss` and the `global_step` of a checkpoint.

        Args:
          input_fn: a function that returns a dataset, or features and labels.
          steps: the number of steps; by default, training continues until the input ends.
          hooks: `SessionRunHook`s.
          checkpoint_path: the checkpoint; the last one by default.
          name: accepted and ignored, because summaries of evaluations are not written.

        Raises:
          ValueError: there is no checkpoint, or a metric has a reserved name.
        """
        if steps is not None and steps <= 0:
            raise ValueError(f"Must specify steps > 0, given: {steps}")
        with self._graph():
            features, labels, started = self._input(input_fn, ModeKeys.EVAL)
            spec = self._model(features, labels, ModeKeys.EVAL)
            metrics = dict(spec.eval_metric_ops)
            if "loss" in metrics:
                raise ValueError('Metric with name "loss" is not allowed.')
            metrics["loss"] = mean(spec.loss)
            values = {key: value for key, (value, _) in metrics.items()}
            updates = [update for _, update in metrics.values()]
            used = [*started, *(hooks or ()), *spec.evaluation_hooks]
            session = self._restored(spec, checkpoint_path, used)
            with session:
                count = 0
                with contextlib.suppress(errors.OutOfRangeError):
                    while steps is None or count < steps:
                        session.run(updates)
                        count += 1
                found = session._tf_sess().run({**values, _STEP: get_global_step()})
        return dict(sorted(found.items()))

    def predict(
        self,
        input_fn,
        predict_keys=None,
        hooks=None,
        checkpoint_path=None,
        yield_single_examples=True,
    ) -> Iterator[Any]:
        """Yield the predictions for each example of the input, or for each batch.

        Args:
          input_fn: a function that returns a dataset or features; labels are left out.
          predict_keys: the predictions to compute; all by default.
          hooks: `SessionRunHook`s.
          checkpoint_path: the checkpoint; the last one by default.
          yield_single_examples: whether to yield each row of a batch by itself.

        Raises:
          ValueError: there is no checkpoint, or the rows of predictions differ in number.
        """
        with self._graph():
            features, _, started = self._input(input_fn, ModeKeys.PREDICT)
            spec = self._model(features, None, ModeKeys.PREDICT)
            predictions = _chosen(spec.predictions, predict_keys)
            used = [*started, *(hooks or ()), *spec.prediction_hooks]
            session = self._restored(spec, checkpoint_path, used)
        with session:
            while not session.should_stop():
                found = session.run(predictions)
                if yield_single_examples:
                    yield from _rows(found)
                else:
                    yield found

    def export_saved_model(
        self,
        export_dir_base,
        serving_input_receiver_fn,
        assets_extra=None,
        as_text=False,
        checkpoint_path=None,
        experimental_mode=ModeKeys.PREDICT,
    ) -> bytes:
        """Write the model of a checkpoint to a new folder, and return the path of the folder.

        Args:
          export_dir_base: the folder in which the new folder is created.
          serving_input_receiver_fn: a function that returns a `ServingInputReceiver` of placeholders.
          assets_extra: must be `None`.
          as_text: accepted and ignored.
          checkpoint_path: the checkpoint; the last one by default.
          experimental_mode: must be `ModeKeys.PREDICT`.

        Raises:
          ValueError: there is no checkpoint, `assets_extra` is not `None`, or `experimental_mode`
            is not `ModeKeys.PREDICT`.
          UnimplementedError: the outputs need operations that run in Python, such as `parse_example`.

        Differs from TensorFlow:
          `shims.saved_model.load` reads the folder; TensorFlow reads only the variables, as a checkpoint. Numbers
          have 32 bits unless `jax_enable_x64` is on.
        """
        del as_text
        if assets_extra is not None or experimental_mode != ModeKeys.PREDICT:
            raise ValueError(
                "export_saved_model supports only `assets_extra=None` and `experimental_mode=ModeKeys.PREDICT`."
            )
        with self._graph() as graph:
            receiver = serving_input_receiver_fn()
            spec = self._model(receiver.features, None, ModeKeys.PREDICT)
            session = self._restored(spec, checkpoint_path, [])
            with session:
                folder = write_model(graph, session._tf_sess(), spec, receiver, export_dir_base)
        return folder

    def export_savedmodel(
        self,
        export_dir_base,
        serving_input_receiver_fn,
        assets_extra=None,
        as_text=False,
        checkpoint_path=None,
        strip_default_attrs=False,
    ) -> bytes:
        """Write the model of a checkpoint; the older name of `export_saved_model`."""
        del strip_default_attrs
        return self.export_saved_model(
            export_dir_base, serving_input_receiver_fn, assets_extra, as_text, checkpoint_path
        )


def _chosen(predictions, keys) -> Any:
    if keys is None:
        return predictions
    if not isinstance(predictions, dict):
        raise ValueError("predict_keys argument is not valid in case of non-dict predictions.")
    found = {key: value for key, value in predictions.items() if key in keys}
    if not found:
        raise ValueError(f"Expected to run at least one output from {sorted(predictions)}.")
    return found


def _rows(found) -> Iterator[Any]:
    """Yield the rows of a structure of batches."""
    sizes = {len(x) for x in jax.tree.leaves(found)}
    if len(sizes) != 1:
        raise ValueError("Batch length of predictions should be same.")
    for i in range(sizes.pop()):
        yield jax.tree.map(lambda x, i=i: x[i], found)


def train_and_evaluate(estimator: Estimator, train_spec: TrainSpec, eval_spec: EvalSpec):
    """Train to `max_steps`, and evaluate the last checkpoint; return the metrics and `[]`.

    Differs from TensorFlow:
      There is one evaluation, after training, and nothing is exported.
    """
    listeners = list(train_spec.saving_listeners or ())
    hooks = list(train_spec.hooks or ())
    estimator.train(
        train_spec.input_fn, hooks, max_steps=train_spec.max_steps, saving_listeners=listeners
    )
    evaluated = estimator.evaluate(
        eval_spec.input_fn, eval_spec.steps, list(eval_spec.hooks or ()), name=eval_spec.name
    )
    return evaluated, []
