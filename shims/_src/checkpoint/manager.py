"""Provide `train.CheckpointManager`, which keeps the newest checkpoints of a folder."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import Any

from shims._src.checkpoint.checkpoint import Checkpoint, record_newest
from shims._src.checkpoint.file_names import data_paths, index_path
from shims._src.checkpoint.state_file import get_checkpoint_state
from shims._src.gradients.tensor_questions import get_logger


class CheckpointManager:
    """Saves checkpoints in a folder, and removes the oldest ones.

    Args:
      checkpoint: the checkpoint to save.
      directory: the folder; a manager continues with the checkpoints that its file `checkpoint` lists.
      max_to_keep: the number of checkpoints to keep; `None` keeps all.
      keep_checkpoint_every_n_hours: keep one checkpoint per this many hours permanently.
      checkpoint_name: the beginning of the file names, before the number.
      step_counter: a variable with the current step; needed for `checkpoint_interval`.
      checkpoint_interval: the smallest number of steps between two checkpoints.
      init_fn: a function that `restore_or_initialize` calls if there is no checkpoint.
      last_checkpoint_step: the step of the last checkpoint.

    Raises:
      ValueError: `max_to_keep` is not positive, or `step_counter` is missing.

    Example:
      >>> import tempfile
      >>> import shims
      >>> checkpoint = shims.train.Checkpoint(step=shims.Variable(0))
      >>> manager = CheckpointManager(checkpoint, tempfile.mkdtemp(), max_to_keep=2)
      >>> _ = [manager.save() for _ in range(3)]
      >>> [path[-6:] for path in manager.checkpoints]
      ['ckpt-2', 'ckpt-3']

    https://www.tensorflow.org/api_docs/python/tf/train/CheckpointManager
    """

    __module__ = "shims.train"

    def __init__(
        self,
        checkpoint: Checkpoint,
        directory,
        max_to_keep,
        keep_checkpoint_every_n_hours=None,
        checkpoint_name="ckpt",
        step_counter=None,
        checkpoint_interval=None,
        init_fn: Callable[[], Any] | None = None,
        last_checkpoint_step=None,
    ):
        if max_to_keep is not None and max_to_keep <= 0:
            raise ValueError(
                f"Expected a positive integer or `None` for `max_to_keep`, got {max_to_keep}."
            )
        if checkpoint_interval is not None and step_counter is None:
            raise ValueError(
                "`step_counter` should be passed if `checkpoint_interval` is not None."
            )
        self._checkpoint, self._max_to_keep = checkpoint, max_to_keep
        self._every_n_hours = keep_checkpoint_every_n_hours
        self._directory = os.fspath(directory)
        self._prefix = os.path.join(self._directory, checkpoint_name)
        self._init_fn, self._step_counter = init_fn, step_counter
        self._interval, self._last_step = checkpoint_interval, last_checkpoint_step
        self._times: dict[str, float] = {}
        self._latest: str | None = None
        self._last_preserved = time.time() - 1  # as TensorFlow, for managers that follow each other
        self._recover()

    def _recover(self) -> None:
        """Take over the checkpoints that an earlier manager listed."""
        found, now = get_checkpoint_state(self._directory), time.time()
        if found is None:
            return
        self._latest = found.model_checkpoint_path
        self._last_preserved = min(found.last_preserved_timestamp, now)
        paths = found.all_model_checkpoint_paths
        times = found.all_model_checkpoint_timestamps or [self._last_preserved] * len(paths)
        for path, written in zip(paths, times):
            if min(written, now) > self._last_preserved:
                self._times[path] = min(written, now)

    @property
    def directory(self) -> str:
        """The folder."""
        return self._directory

    @property
    def checkpoint_interval(self):
        """The smallest number of steps between two checkpoints, or `None`."""
        return self._interval

    @property
    def checkpoint(self) -> Checkpoint:
        """The checkpoint that is saved."""
        return self._checkpoint

    @property
    def latest_checkpoint(self) -> str | None:
        """The path of the newest checkpoint, or `None`."""
        return self._latest

    @property
    def checkpoints(self) -> list[str]:
        """The paths of the checkpoints that may still be removed, oldest first."""
        return list(self._times)

    def save(self, checkpoint_number=None, check_interval=True, options=None) -> str | None:
        """Write a checkpoint, and remove old checkpoints in excess of `max_to_keep`.

        Args:
          checkpoint_number: the number at the end of the name; `save_counter` when `None`.
          check_interval: whether to save only if `checkpoint_interval` steps have passed.
          options: ignored.

        Returns:
          The path; `None` if `checkpoint_interval` has not passed since the last checkpoint.

        Raises:
          ValueError, NotImplementedError: see `Checkpoint.write`.
        """
        if self._is_too_early(check_interval):
            return None
        counter = self._checkpoint.save_counter
        counter.assign_add(1)
        number = int(counter if checkpoint_number is None else checkpoint_number)
        path = self._checkpoint.write(f"{self._prefix}-{number}", options)
        self._times.pop(path, None)
        self._times[path] = time.time()
        self._latest = path
        self._record()  # before old files are removed, and once more after that
        self._sweep()
        self._record()
        return path

    def _is_too_early(self, check_interval: bool) -> bool:
        if self._interval is None:
            return False
        step = int(self._step_counter)
        last = self._last_step
        if last is not None and (step == last or (check_interval and step < last + self._interval)):
            return True
        self._last_step = step
        return False

    def _record(self) -> None:
        assert self._latest is not None
        times = list(self._times.values())
        record_newest(self._latest, list(self._times), times, self._last_preserved)

    def _sweep(self) -> None:
        """Remove the oldest checkpoints, or keep them for good."""
        while self._max_to_keep and len(self._times) > self._max_to_keep:
            path = next(iter(self._times))
            written = self._times.pop(path)
            hours = self._every_n_hours
            if hours and written - hours * 3600 >= self._last_preserved:
                self._last_preserved = written
                continue
            for file in [index_path(path), *data_paths(path)]:
                if os.path.exists(file):
                    os.remove(file)

    def restore_or_initialize(self) -> str | None:
        """Restore the newest checkpoint, or call `init_fn` if there is none.

        Returns:
          The path of the restored checkpoint, or `None`.

        Raises:
          NotFoundError, ValueError, InvalidArgumentError, DataLossError: see `Checkpoint.restore`.
        """
        if self._latest is not None:
            self._checkpoint.restore(self._latest)
            if self._interval is not None:
                self._last_step = int(self._step_counter)
            return self._latest
        if self._init_fn is not None:
            self._init_fn()
            get_logger().info("Customized initialization is done through the passed `init_fn`.")
        return None

    def sync(self) -> None:
        """Return at once: files are complete when `save` returns."""
