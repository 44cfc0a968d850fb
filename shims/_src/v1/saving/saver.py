"""Provide `Saver`, which saves and restores variables in TensorFlow's checkpoint format."""

from __future__ import annotations

import numbers
import os
from typing import Any

import jax
import jax.numpy as jnp

from shims._src.checkpoint.bundle_writer import write_bundle
from shims._src.checkpoint.file_names import (
    SaverDef,
    checkpoint_exists,
    get_checkpoint_mtimes,
    remove_checkpoint,
)
from shims._src.checkpoint.partitioned import Partitioned
from shims._src.checkpoint.restoring import restore
from shims._src.checkpoint.rotation import Rotation
from shims._src.checkpoint.state_file import relative_to, update_checkpoint_state
from shims._src.errors import errors
from shims._src.gradients.tensor_questions import get_logger
from shims._src.v1.graph.default_graph import get_default_graph
from shims._src.v1.graph.modes import executing_eagerly
from shims._src.v1.saving.graph_files import no_meta_graph
from shims._src.v1.saving.saver_variables import Saved, saved_variables
from shims._src.v1.session.execution_plan import uninitialized
from shims._src.v1.session.session import BaseSession


class Saver:
    """Saves the variables of a session in checkpoints, and restores them.

    Args:
      var_list: variables in nested lists, or a dict from names in the checkpoint to variables; all
        global variables when `None`.
      reshape: whether a variable accepts a saved value of a different shape with the same number of
        elements.
      sharded: accepted and ignored; there is one data file.
      max_to_keep: the maximum number of checkpoints to keep; `None` and 0 keep all.
      keep_checkpoint_every_n_hours: the interval at which a checkpoint is kept forever.
      name: the name scope of the saver.
      restore_sequentially: accepted and ignored.
      saver_def: not supported.
      builder: not supported.
      defer_build: whether to collect the variables only when `build` is called.
      allow_empty: whether the list of variables may be empty; nothing is then saved or restored.
      write_version: must be `SaverDef.V2`; the V1 format is not supported.
      pad_step_number: whether step numbers are written with eight digits.
      save_relative_paths: whether the file `checkpoint` contains paths relative to its folder.
      filename: accepted and ignored.

    Raises:
      TypeError: `var_list` contains an object that is not a variable.
      ValueError: there are no variables, or two variables have the same name.
      RuntimeError: `var_list` is missing in eager execution.
      UnimplementedError: `saver_def`, `builder` or the V1 format is requested.

    Differs from TensorFlow:
      Graphs have no protocol buffer here, so no `.meta` file is written. A saved value of another
      shape is an error for resource variables too, where TensorFlow changes the variable's shape. If one variable
      cannot be restored, no variable is restored.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/train/Saver
    """

    __module__ = "shims.compat.v1.train"

    def __init__(
        self,
        var_list=None,
        reshape=False,
        sharded=False,
        max_to_keep=5,
        keep_checkpoint_every_n_hours=10000.0,
        name=None,
        restore_sequentially=False,
        saver_def=None,
        builder=None,
        defer_build=False,
        allow_empty=False,
        write_version=SaverDef.V2,
        pad_step_number=False,
        save_relative_paths=False,
        filename=None,
    ):
        del restore_sequentially, filename
        _check_supported(saver_def=saver_def, builder=builder, write_version=write_version)
        if defer_build and var_list:
            raise ValueError(
                "If `var_list` is provided then build cannot be deferred. Either set "
                "defer_build=False or var_list=None."
            )
        if var_list is None and executing_eagerly():
            raise RuntimeError(
                "When eager execution is enabled, `var_list` must specify a list or dict of "
                "variables to save"
            )
        self._var_list, self._name, self._allow_empty = var_list, name, allow_empty
        self._reshape, self._sharded = reshape, sharded
        self._pad_step_number, self._save_relative_paths = pad_step_number, save_relative_paths
        self._rotation = Rotation(max_to_keep or 0, keep_checkpoint_every_n_hours)
        self._saved: list[Saved] | None = None
        if not defer_build:
            self.build()

    def build(self) -> None:
        """Collect the variables to save, if the constructor deferred this.

        Raises:
          TypeError, ValueError: see the constructor.
        """
        if self._saved is not None:
            return
        found = saved_variables(self._var_list)
        if not found and not self._allow_empty:
            raise ValueError("No variables to save")
        if found:
            with get_default_graph().name_scope(self._name or "save"):
                self._saved = found
        else:
            self._saved = []

    # ---- saving ----------------------------------------------------------------------------------

    def save(
        self,
        sess,
        save_path,
        global_step=None,
        latest_filename=None,
        meta_graph_suffix="meta",
        write_meta_graph=True,
        write_state=True,
        strip_default_attrs=False,
        save_debug_info=False,
    ) -> str | None:
        """Write the values of the variables in a session to a checkpoint.

        Args:
          sess: the session.
          save_path: the path of the checkpoint, without a suffix.
          global_step: a number, tensor, variable or tensor name whose value is appended to the path.
          latest_filename: the name of the state file that lists the checkpoints; `checkpoint` when
            `None`.
          meta_graph_suffix: the suffix of graph files, which are removed together with old checkpoints.
          write_meta_graph: accepted and ignored; no meta graph is written.
          write_state: whether to write the state file and remove old checkpoints.
          strip_default_attrs: accepted and ignored.
          save_debug_info: accepted and ignored.

        Returns:
          The path for `restore`; `None` if there are no variables.

        Raises:
          FailedPreconditionError: a variable has no value.
          TypeError: `sess` is not a session.
          ValueError: the folder does not exist, or `latest_filename` is a path or collides with
            `save_path`.
          RuntimeError: `build` was not called, or the session is closed.
        """
        del write_meta_graph, strip_default_attrs, save_debug_info
        if self._saved is None:
            raise RuntimeError("`build()` should be called before save if defer_build==True")
        save_path = os.fspath(save_path)
        latest_filename = "checkpoint" if latest_filename is None else latest_filename
        if os.path.split(latest_filename)[0]:
            raise ValueError("'latest_filename' must not contain path components")
        path = self._path_with_step(sess, save_path, global_step, latest_filename)
        if not isinstance(sess, BaseSession):
            raise TypeError(f"'sess' must be a Session; {sess}")
        if not self._saved:
            return None
        folder = os.path.dirname(save_path)
        try:
            write_bundle(path, _values_by_name(self._saved, sess))
        except errors.NotFoundError as error:
            raise ValueError(
                f"Parent directory of {save_path} doesn't exist, can't save."
            ) from error
        if write_state:
            self._rotation.record(path)
            self._write_state(folder, path, latest_filename)
            self._remove_old_checkpoint(meta_graph_suffix)
        return path

    def _path_with_step(self, sess, save_path: str, global_step, latest_filename: str) -> str:
        """Return the path of a checkpoint: `save_path` with the global step appended, if it is given."""
        if global_step is None:
            if os.path.basename(save_path) == latest_filename and not self._sharded:
                raise ValueError(
                    "'latest_filename' collides with 'save_path': "
                    f"'{latest_filename}' and '{save_path}'"
                )
            return save_path
        if not isinstance(global_step, numbers.Integral):
            global_step = sess.run(global_step).item()
        digits = 8 if self._pad_step_number else 1
        return f"{save_path}-{int(global_step):0{digits}d}"

    def _write_state(self, folder: str, path: str, latest_filename: str) -> None:
        paths = self._rotation.paths
        if self._save_relative_paths:
            path, *paths = relative_to(folder, [path, *paths])
        update_checkpoint_state(folder, path, paths, latest_filename)

    def _remove_old_checkpoint(self, meta_graph_suffix: str) -> None:
        path = self._rotation.to_remove()
        if path is None:
            return
        try:
            remove_checkpoint(path, meta_graph_suffix=meta_graph_suffix)
        except OSError as error:
            get_logger().warning("Ignoring: %s", error)

    # ---- restoring -------------------------------------------------------------------------------

    def restore(self, sess, save_path) -> None:
        """Restore variables from a checkpoint; they need not be initialized before.

        Args:
          sess: the session.
          save_path: the path of the checkpoint, as returned by `save` or `latest_checkpoint`.

        Raises:
          ValueError: the checkpoint does not exist.
          NotFoundError: the checkpoint lacks variables; the message names all of them.
          InvalidArgumentError: variables have a different dtype or shape in it; the message names all of them.
          DataLossError: the checkpoint is damaged.
          RuntimeError: `build` was not called, or the session is closed.
        """
        if self._saved == []:
            return
        if save_path is None:
            raise ValueError("Can't load save_path when it is None.")
        save_path = os.fspath(save_path)
        if not checkpoint_exists(save_path):
            raise ValueError(f"The passed save_path is not a valid checkpoint: {save_path}")
        if self._saved is None:
            raise RuntimeError("`build()` should be called before restore if defer_build==True")
        get_logger().info("Restoring parameters from %s", save_path)
        _check_graph(self._saved, sess)
        wanted = [saved.wanted() for saved in self._saved]
        arrays = restore(save_path, wanted, reshape=self._reshape)
        with jax.enable_x64(True):
            values = [a if a.dtype.hasobject else jnp.array(a) for a in arrays]
        sess.values.update(zip((saved.variable for saved in self._saved), values, strict=True))

    # ---- kept checkpoints --------------------------------------------------------------------------

    @property
    def last_checkpoints(self) -> list[str]:
        """The paths of the kept checkpoints, the oldest first."""
        return self._rotation.paths

    def set_last_checkpoints(self, last_checkpoints: list[str]) -> None:
        """Set the list of kept checkpoints to the given paths; these are never removed."""
        assert isinstance(last_checkpoints, list)
        self._rotation.recover(last_checkpoints)

    def set_last_checkpoints_with_time(self, last_checkpoints_with_time: list) -> None:
        """Set the list of kept checkpoints to pairs of a path and a time in seconds since 1970."""
        assert isinstance(last_checkpoints_with_time, list)
        self._rotation.kept = last_checkpoints_with_time

    def recover_last_checkpoints(self, checkpoint_paths) -> None:
        """Set the list of kept checkpoints to those of the given paths that exist."""
        found = [(path, get_checkpoint_mtimes([path])) for path in checkpoint_paths]
        self._rotation.kept = [(path, times[0]) for path, times in found if times]

    # ---- not supported -----------------------------------------------------------------------------

    @property
    def saver_def(self) -> Any:
        """Not supported: savers have no protocol buffer here."""
        raise no_meta_graph("Saver.saver_def")

    def as_saver_def(self) -> Any:
        """Raise an error: savers have no protocol buffer here."""
        raise no_meta_graph("Saver.as_saver_def")

    def to_proto(self, export_scope=None) -> Any:
        """Raise an error: savers have no protocol buffer here."""
        raise no_meta_graph("Saver.to_proto")

    @staticmethod
    def from_proto(saver_def, import_scope=None) -> Any:
        """Raise an error: savers have no protocol buffer here."""
        raise no_meta_graph("Saver.from_proto")

    def export_meta_graph(self, filename=None, *args, **kwargs) -> Any:
        """Raise an error: `shims` does not store graphs as protocol buffers."""
        raise no_meta_graph("Saver.export_meta_graph")


def _check_supported(saver_def, builder, write_version) -> None:
    problems = {
        "`saver_def`": saver_def is not None,
        "`builder`": builder is not None,
        "`write_version=SaverDef.V1`": write_version != SaverDef.V2,
    }
    for what, is_asked in problems.items():
        if is_asked:
            raise errors.UnimplementedError(
                errors.message(
                    "Saver",
                    f"{what} is not supported.",
                    do="remove this argument: every TensorFlow version since 0.12 reads checkpoints of the V2 "
                    "format",
                )
            )


def _check_graph(saved: list[Saved], session) -> None:
    if session._closed:
        raise RuntimeError("Attempted to use a closed Session.")
    graph = saved[0].variable.graph
    if session.graph is not graph:
        raise ValueError("The session's graph is not the graph of the saver's variables.")


def _values_by_name(saved: list[Saved], session) -> dict[str, Any]:
    """Return the values to write to a checkpoint, by name; the parts of a variable are combined."""
    _check_graph(saved, session)
    values: dict[str, Any] = {}
    for item in saved:
        if item.variable not in session.values:
            raise uninitialized(item.variable)
        value = session.values[item.variable]
        if not item.is_piece:
            values[item.name] = value
            continue
        pieces = values[item.name].pieces if item.name in values else ()
        pieces = (*pieces, (item.starts, value))
        values[item.name] = Partitioned(item.full_shape, pieces)
    return values
