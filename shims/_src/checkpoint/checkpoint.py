"""Provide `train.Checkpoint`, which saves the variables of objects by the names of attributes."""

from __future__ import annotations

import os
import weakref
from typing import Any

from shims._src.checkpoint.bundle_writer import write_bundle
from shims._src.checkpoint.graph_view import GraphView
from shims._src.checkpoint.load_status import (
    CheckpointLoadStatus,
    InitializationOnlyStatus,
    NameBasedSaverStatus,
)
from shims._src.checkpoint.opening import open_checkpoint
from shims._src.checkpoint.restoration import Restoration
from shims._src.checkpoint.saved_values import SaveCounter
from shims._src.checkpoint.state_file import relative_to, update_checkpoint_state
from shims._src.checkpoint.tensor_reader import TensorReader
from shims._src.checkpoint.trackable_graph import read_graph
from shims._src.checkpoint.trackables import children_of, is_trackable, unwrapped
from shims._src.errors import errors
from shims._src.recording import state
from shims._src.variables.tracked import AutoTrackable
from shims._src.variables.variable import Variable


class _Saved:
    """The root of a checkpoint and its counter, which are no attributes to save themselves."""

    def __init__(self, root):
        self.root = root
        self.attached: dict[str, Any] = {}
        self.counter: Variable | None = None


class Checkpoint(AutoTrackable):
    """Saves the variables of objects to a file, and restores the variables, even those that are created later.

    Args:
      root: the object to save. Its attributes are saved as if they were attributes of the
        checkpoint, so their names have no prefix.
      **kwargs: objects to save, by name. They may be variables, modules, Keras layers, models and
        optimizers (with the JAX back end), optimizers of `shims`, random generators, other
        checkpoints, and lists, tuples and dictionaries of these objects.

    Raises:
      ValueError: an object cannot be saved, or `root` already has a different attribute with the
        name of a keyword argument.

    Differs from TensorFlow:
      Lists and dictionaries are not wrapped: an element that is added to a list or dictionary after
        `restore` keeps its value, and a warning says so. A mismatch leaves all objects unchanged.
        Without `jax_enable_x64`, a 64-bit value is restored only if it fits into 32 bits without loss.
        The state of `shims` optimizers has names that TensorFlow does not know; the state of Keras
        optimizers has TensorFlow's names. `options` are ignored.

    Under jit:
      Do not save or restore inside a trace: a file is read or written when Python runs the call.

    Example:
      >>> import os, tempfile
      >>> import shims
      >>> step = shims.Variable(3)
      >>> path = Checkpoint(step=step).save(os.path.join(tempfile.mkdtemp(), "ckpt"))
      >>> new = shims.Variable(0)
      >>> _ = Checkpoint(step=new).restore(path).assert_consumed()
      >>> int(new)
      3

    https://www.tensorflow.org/api_docs/python/tf/train/Checkpoint
    """

    __module__ = "shims.train"
    _saved: _Saved

    def __init__(self, root=None, **kwargs):
        target = root() if isinstance(root, weakref.ref) else root
        object.__setattr__(self, "_saved", _Saved(target))
        if target is not None:
            _check_trackable(target, "root")
            kwargs["root"] = target
        present = {} if target is None else children_of(target)
        for name, value in sorted(kwargs.items()):
            value = value() if isinstance(value, weakref.ref) else value
            setattr(self, name, value)
            _check_trackable(value, name)
            if target is not None and name not in present:
                self._saved.attached[name] = unwrapped(value)
            elif target is not None and present[name] is not unwrapped(value):
                raise ValueError(
                    f"Cannot create a Checkpoint with keyword argument {name} if root.{name} already "
                    "exists."
                )
        if isinstance(present.get("save_counter"), Variable):
            self._saved.counter = present["save_counter"]

    @property
    def save_counter(self) -> Variable:
        """The number of calls of `save`; file names end with it."""
        if self._saved.counter is None:
            self._saved.counter = SaveCounter()
        return self._saved.counter

    def _other_children(self) -> dict[str, Any]:
        counter = self._saved.counter
        return {} if counter is None else {"save_counter": counter}

    @property
    def _root(self):
        return self if self._saved.root is None else unwrapped(self._saved.root)

    def _children(self, owner) -> dict[str, Any]:
        """Return what an object refers to; the root also to what this checkpoint adds to it."""
        children = children_of(owner)
        if owner is not self and owner is self._root:
            children |= self._saved.attached | self._other_children()
        return children

    # ---- files -----------------------------------------------------------------------------------

    def write(self, file_prefix, options=None) -> str:
        """Write the values to a file; neither the counter nor the file `checkpoint` changes.

        Args:
          file_prefix: the path of the checkpoint, whose folders are created.
          options: ignored.

        Returns:
          The path, for `read`.

        Raises:
          ValueError: a dictionary has keys other than strings.
          NotImplementedError: it is called while a function is traced.
        """
        del options
        _refuse_in_traces("write")
        path = os.fspath(file_prefix)
        tensors = GraphView(self._root, self._children).tensors()
        os.makedirs(os.path.dirname(path) or os.curdir, exist_ok=True)
        write_bundle(path, tensors)
        return path

    def save(self, file_prefix, options=None) -> str:
        """Add 1 to `save_counter`, and write the values to a file whose name ends with it.

        Args:
          file_prefix: the path of the checkpoint without the number.
          options: ignored.

        Returns:
          The path, for `restore`; the file `checkpoint` of the folder names it as the newest.

        Raises:
          ValueError, NotImplementedError: see `write`.
        """
        _refuse_in_traces("save")
        self.save_counter.assign_add(1)
        path = self.write(f"{os.fspath(file_prefix)}-{int(self.save_counter)}", options)
        record_newest(path, [path])
        return path

    def read(self, save_path, options=None):
        """Restore the values of a file that `write` wrote; see `restore`."""
        del options
        return self._restore(save_path, with_counter=False)

    def restore(self, save_path, options=None):
        """Restore the values of a file that `save` wrote, also into objects that are created later.

        Args:
          save_path: the path of the checkpoint, or of a SavedModel's folder; `None` restores nothing. The
            variables of a TensorFlow 1 checkpoint are found by their names.
          options: ignored.

        Returns:
          A status, whose methods `assert_consumed`, `assert_existing_objects_matched` and
          `assert_nontrivial_match` check what was restored.

        Raises:
          NotFoundError: there is no such checkpoint.
          ValueError, InvalidArgumentError: a shape or a dtype differs.
          DataLossError: the file is damaged.
        """
        del options
        path = save_path if save_path is None else os.fspath(save_path)
        inside = os.path.join(path or "", "variables", "variables")
        if path is not None and os.path.isfile(f"{inside}.index"):
            path = inside
        try:
            return self._restore(path, with_counter=True)
        except errors.NotFoundError as error:
            raise errors.NotFoundError(
                f"Error when restoring from checkpoint or SavedModel at {save_path}: {error}\n"
                "Please double-check that the path is correct. You may be missing the checkpoint suffix "
                "(e.g. the '-1' in 'path/to/ckpt-1')."
            ) from None

    def sync(self) -> None:
        """Return at once: files are complete when `save` returns."""

    def _restore(self, save_path, with_counter: bool):
        _refuse_in_traces("restore" if with_counter else "read")
        bundle = None if save_path is None else open_checkpoint(os.fspath(save_path))
        if with_counter:
            _ = self.save_counter
        if bundle is None:
            return InitializationOnlyStatus()
        nodes = read_graph(bundle)
        if nodes is None:
            return self._restore_by_name(bundle)
        restoration = Restoration(bundle, nodes, self._root, self._children)
        return CheckpointLoadStatus(restoration, self._root)

    def _restore_by_name(self, bundle: TensorReader) -> NameBasedSaverStatus:
        objects = GraphView(self._root, self._children).objects
        counter = self._saved.counter
        values = [v for f in objects if f.owner is not counter for v in f.values.values()]
        named = [(v, v.full_name) for v in values]
        pairs = [(v, v.checked(bundle.read(n), n)) for v, n in named if n in bundle]
        for value, array in pairs:
            value.assign(array)
        unused = sorted(set(bundle.names) - {n for _, n in named})
        return NameBasedSaverStatus(unused, [v.owner for v, n in named if n not in bundle])


def record_newest(
    path: str, paths: list[str], times=None, last_preserved: float | None = None
) -> None:
    """Write the file `checkpoint` of a folder, with paths relative to the folder."""
    folder = os.path.dirname(path)
    (newest,) = relative_to(folder, [path])
    update_checkpoint_state(
        folder,
        newest,
        relative_to(folder, paths),
        all_model_checkpoint_timestamps=times,
        last_preserved_timestamp=last_preserved,
    )


def _check_trackable(value, name: str) -> None:
    if not is_trackable(unwrapped(value)):
        raise ValueError(
            f"`Checkpoint` was expecting {name} to be a trackable object (an object derived from "
            f"`Trackable`), got {value}. If you believe this object should be trackable (i.e. it is part "
            "of the TensorFlow Python API and manages state), please open an issue."
        )


def _refuse_in_traces(method: str) -> None:
    if state.current_scope() is not None:
        raise NotImplementedError(
            errors.message(
                f"Checkpoint.{method}",
                "the method cannot be called inside a traced function, because variables have no values while tracing.",
                do="call the method outside of the traced function",
            )
        )
