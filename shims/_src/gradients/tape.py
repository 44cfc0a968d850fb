"""Define `GradientTape`, which computes derivatives of the operations in a `with` block."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import jax
import jax.numpy as jnp

from shims._src.arguments.conversion import as_array
from shims._src.errors import errors
from shims._src.gradients import structures
from shims._src.gradients.backpropagation import Backpropagation, initial_cotangents
from shims._src.gradients.basis import basis_of, check_rows, pull_basis
from shims._src.gradients.unconnected_gradients import (
    UnconnectedGradients,
    check_unconnected,
    filled,
)
from shims._src.platform import jax_private as jp
from shims._src.recording import state
from shims._src.recording.connectivity import is_differentiable
from shims._src.recording.indexed_slices import IndexedSlices
from shims._src.recording.operation import conjugate
from shims._src.recording.recording import Recorder
from shims._src.types.host_tensor import HostTensor
from shims._src.variables.keras_state import OfKeras, standing_for
from shims._src.variables.variable import Variable


class GradientTape(Recorder):
    """Records operations on watched arrays and variables, to differentiate them.

    Args:
      persistent: whether several gradients can be computed.
      watch_accessed_variables: whether trainable variables are watched when they are read.

    Differs from TensorFlow:
      An operation that computes nothing (`x.reshape(x.shape)`, `shims.identity(x)`) returns `x`
      itself, so both have one gradient.

    Under jit:
      Inside `shims.function` and `jax.jit`, the tape differentiates the traced operations. A call
      of a `shims.function` is recorded as one operation.

    Example:
      >>> x = jnp.float32(3.0)
      >>> with GradientTape() as tape:
      ...     tape.watch(x)
      ...     y = x * x
      >>> tape.gradient(y, x).item()
      6.0

    https://www.tensorflow.org/api_docs/python/tf/GradientTape
    """

    __module__ = "shims"

    def __init__(self, persistent=False, watch_accessed_variables=True):
        super().__init__()
        self._persistent = persistent
        self._watch_accessed_variables = watch_accessed_variables
        self._used = True  # nothing has been recorded yet
        self._sees_keras = False
        self._clear()

    def _clear(self) -> None:
        self._arrays: dict[int, object] = {}
        self._operations: list = []
        self._variables: dict[int, Variable] = {}
        self._reads: dict[int, list] = {}

    # ---- recording -------------------------------------------------------------------------------

    def __enter__(self) -> GradientTape:
        self._push()
        return self

    def __exit__(self, *exception) -> None:
        if self.recording:
            self.stop()

    def _push(self) -> None:
        if self.recording:
            raise ValueError(
                "GradientTape: the tape is still recording.\n  Do:       leave the `with` block of the tape before "
                "you enter the tape again."
            )
        if self._used:
            self._clear()
            self._used = False
        try:
            self.start()
            self._sees_keras = state.sees_keras()
        except KeyboardInterrupt:
            if self.recording:
                self.stop()  # the block is not entered
            raise

    def follows(self, x) -> bool:
        """Return whether an array is watched, or was computed from a watched one."""
        return jp.key_of(x) in self._arrays

    def record(self, operation) -> None:
        """Record an operation that depends on watched arrays; its results are then watched, too."""
        inputs = {i for i, x in enumerate(operation.inputs) if self.follows(x)}
        results = [
            y for y, link in zip(operation.outputs, operation.links, strict=True) if link & inputs
        ]
        if results:
            self._operations.append(operation)
            self._arrays.update((jp.key_of(y), y) for y in results)

    def read(self, variable, value) -> None:
        """Record the read of a variable; if the variable is watched, so is the value that was read."""
        self._access(variable)
        if id(variable) in self._variables:
            self._arrays[jp.key_of(value)] = value
            self._reads.setdefault(id(variable), []).append(value)

    def watch(self, tensor) -> None:
        """Watch an array or variable, or a structure of them.

        Args:
          tensor: arrays and variables.

        Raises:
          ValueError: a leaf of `tensor` is neither an array nor a variable.
          RuntimeError: the tape was never entered, or has been used.
        """
        for x in map(self._seen, structures.flat_leaves(tensor)):
            if not isinstance(x, (jax.Array, Variable)):
                remedy = (
                    ": write `x = shims.convert_to_tensor(x)` first"
                    if isinstance(x, HostTensor)
                    else ""
                )
                raise ValueError(
                    f"GradientTape.watch: {x!r} of type {type(x).__name__} is neither an array nor "
                    f"a `Variable`{remedy}."
                )
            if self._used:
                raise RuntimeError("GradientTape.watch: the tape has not been entered.")
            if isinstance(x, Variable):
                self._variables.setdefault(id(x), x)
            else:
                self._arrays[jp.key_of(x)] = x

    @contextlib.contextmanager
    def stop_recording(self) -> Iterator[None]:
        """Return a context manager in which nothing is recorded.

        Raises:
          RuntimeError: the tape was never entered, or has been used.
          ValueError: the tape is not recording.
        """
        if self._used:
            raise RuntimeError("GradientTape.stop_recording: the tape has not been entered.")
        if not self.recording:
            raise ValueError("GradientTape.stop_recording: the tape is not recording.")
        self.recording = False
        try:
            yield
        finally:
            self.recording = True

    def reset(self) -> None:
        """Forget all recorded operations, and continue recording.

        Raises:
          ValueError: the tape is not recording.
        """
        if not self.recording:
            raise ValueError("GradientTape.reset: the tape is not recording.")
        self._clear()

    def watched_variables(self) -> tuple[Variable, ...]:
        """Return the variables watched so far, in the order of their first reads."""
        return tuple(v.keras if isinstance(v, OfKeras) else v for v in self._variables.values())

    # ---- derivatives -----------------------------------------------------------------------------

    def gradient(
        self,
        target,
        sources,
        output_gradients=None,
        unconnected_gradients=UnconnectedGradients.NONE,
    ):
        """Compute the gradient of the sum of `target` with respect to each of `sources`.

        Args:
          target: arrays and variables, in a structure.
          sources: arrays and variables, in a structure.
          output_gradients: weights of the elements, an array for each target or `None`.
          unconnected_gradients: the result for a source that `target` does not depend on.

        Returns:
          For each source an array of its shape, an `IndexedSlices` (if rows of the source were gathered) or
          `None`. The result has the structure of `sources`.

        Raises:
          RuntimeError: a tape that is not persistent is used again.
          TypeError: `target` is `None`, or a source is a variable of Keras.
          ValueError: the number or shapes of `output_gradients` differ from `target`, or `unconnected_gradients` is unknown.
        """
        unconnected = check_unconnected(unconnected_gradients)
        self._check_usable()
        self._pause_inside()
        if target is None:
            raise TypeError(
                "GradientTape.gradient: `target` is None; pass arrays, variables, or a structure of arrays and "
                "variables."
            )
        targets = [self._target(y) for y in structures.flat_leaves(target)]
        flat, tree = self._sources(sources)
        if output_gradients is not None:
            output_gradients = jax.tree.leaves(output_gradients, is_leaf=structures.is_leaf_or_none)
        same = self._targets_among(targets, flat)
        kept = [i for i, y in enumerate(targets) if is_differentiable(y) or jp.key_of(y) in same]
        cotangents = initial_cotangents(targets, output_gradients) if kept else []
        way = Backpropagation(list(self._operations), self._keys(flat, same))
        pulled = way.pull([targets[i] for i in kept], [cotangents[i] for i in kept])
        self._finish()
        results = [filled(conjugate(g), x, unconnected) for g, x in zip(pulled, flat, strict=True)]
        results = [
            as_array(g) if isinstance(x, OfKeras) and g is not None else g
            for g, x in zip(results, flat, strict=True)
        ]
        return structures.packed(sources, tree, results)

    def jacobian(
        self,
        target,
        sources,
        unconnected_gradients=UnconnectedGradients.NONE,
        parallel_iterations=None,
        experimental_use_pfor=True,
    ):
        """Compute the derivatives of each element of `target` by each element of `sources`.

        Args:
          target: an array.
          sources: arrays and variables, in a structure.
          unconnected_gradients: the result for a source that `target` does not depend on.
          parallel_iterations: accepted and ignored.
          experimental_use_pfor: accepted and ignored, because the rows are always computed together.

        Returns:
          For each source an array `target.shape + source.shape`, or `None`.

        Raises:
          RuntimeError: a tape that is not persistent is used again.
          ValueError: `unconnected_gradients` is unknown.
        """
        del parallel_iterations, experimental_use_pfor
        unconnected = check_unconnected(unconnected_gradients)
        self._check_usable()
        self._pause_inside()
        recorded = self._read_target(target)
        target = as_array(recorded)
        flat, tree = self._sources(sources)
        way = Backpropagation(list(self._operations), self._keys(flat))
        pulled = pull_basis(lambda ct: way.pull([recorded], [ct]), basis_of(target), len(flat))
        self._finish()
        results = []
        for x, g in zip(flat, pulled, strict=True):
            if g is not None:
                g = conjugate(jnp.reshape(g, (*target.shape, *g.shape[1:])))
            elif unconnected is UnconnectedGradients.ZERO:
                g = jnp.zeros((*target.shape, *as_array(x).shape), as_array(x).dtype)
            results.append(g)
        return structures.packed(sources, tree, results)

    def batch_jacobian(
        self,
        target,
        source,
        unconnected_gradients=UnconnectedGradients.NONE,
        parallel_iterations=None,
        experimental_use_pfor=True,
    ):
        """Compute the derivatives of each row of `target` by the same row of `source`.

        Args:
          target: array `[b, ...]`, of which row `i` depends on row `i` of `source` only.
          source: array `[b, ...]`.
          unconnected_gradients: accepted and ignored, because without a connection the result is zeros, as in TensorFlow.
          parallel_iterations: accepted and ignored.
          experimental_use_pfor: accepted and ignored, because the rows are always computed together.

        Returns:
          An array `[b, *target.shape[1:], *source.shape[1:]]`.

        Raises:
          ValueError: the leading axes of `target` and `source` differ in size.
          RuntimeError: a tape that is not persistent is used again.
        """
        del parallel_iterations, experimental_use_pfor
        check_unconnected(unconnected_gradients)
        self._check_usable()
        source = self._seen(source)
        recorded = self._read_target(target)
        target, source_array = as_array(recorded), as_array(source)
        check_rows(target, source_array)
        self._pause_inside()
        way = Backpropagation(list(self._operations), self._keys([source]))

        def of_column(column):
            return way.pull([recorded], [jnp.broadcast_to(column, target.shape)])

        (pulled,) = pull_basis(of_column, basis_of(target[0]), 1)
        self._finish()
        shape = (target.shape[0], *target.shape[1:], *source_array.shape[1:])
        if pulled is None:
            return jnp.zeros(shape, target.dtype)
        return conjugate(jnp.reshape(jnp.moveaxis(pulled, 0, 1), shape))

    def _target(self, target):
        """Return the object under which the tape has recorded a target: an array or a variable.

        A variable as a target stands for itself, not for the value that was last assigned to it.
        """
        target = standing_for(target) if self._sees_keras else target
        return target if isinstance(target, Variable) else _as_recorded(target)

    def _read_target(self, target):
        """Return a target like `_target`; if the target is a variable, the tape also watches it."""
        target = self._target(target)
        if isinstance(target, Variable):
            self._access(target)
        return target

    def _access(self, variable) -> None:
        """Watch a variable that is read, if the tape watches accessed variables."""
        if self._watch_accessed_variables and variable.trainable:
            self._variables.setdefault(id(variable), variable)

    def _targets_among(self, targets, sources) -> set[int]:
        """Return the keys of targets that are also sources; the gradient of such a target is 1.

        As in TensorFlow, that is so whether the source is watched or not, but not for an operand of a
        recorded operation.
        """
        same = {*map(jp.key_of, targets)} & {*map(jp.key_of, sources)}
        if not same:
            return same
        return same - {jp.key_of(x) for operation in self._operations for x in operation.inputs}

    def _sources(self, structure):
        """Flatten `sources`; return the objects under which they are recorded, and the structure."""
        flat, tree = structures.flattened(structure)
        return [self._seen(x) for x in flat], tree

    def _seen(self, source):
        """Return the object under which a source is recorded: itself, or the `Variable` of a Keras variable.

        Raises:
          TypeError: the source is a Keras variable whose reads the tape does not see.
        """
        source = standing_for(source) if self._sees_keras else source
        if type(source).__module__.partition(".")[0] == "keras":
            raise TypeError(
                errors.message(
                    "GradientTape",
                    "a source is a Keras variable, and this tape does not record reads of the variable.",
                    required="Keras on its JAX back end, imported before the `with` block",
                    received=type(source).__name__,
                    do="set KERAS_BACKEND=jax (see docs/keras.md)",
                )
            )
        return source

    def _keys(self, sources, same=frozenset()) -> list[tuple[int, ...]]:
        """Return, for each source, the keys of the values through which gradients reach it.

        Those are the watched array itself or, for a variable, every value that was read from it. A source whose key
        is in `same`, since it is also a target, has its own key even if it is not watched.
        """
        keys = []
        for x in sources:
            values = [x]
            if isinstance(x, Variable):
                values = [x, *self._reads.get(id(x), [])] if id(x) in self._variables else []
            own = [jp.key_of(v) for v in values if self._is_source(v)]
            if jp.key_of(x) in same and jp.key_of(x) not in own:
                own.append(jp.key_of(x))
            keys.append(tuple(own))
        return keys

    def _is_source(self, x) -> bool:
        return is_differentiable(x) and (isinstance(x, Variable) or self.follows(x))

    def _check_usable(self) -> None:
        if self._used:
            raise RuntimeError(
                "GradientTape: a tape that is not persistent computes gradients (or jacobians) only once.\n  "
                "Do:       write `GradientTape(persistent=True)`."
            )

    def _pause_inside(self) -> None:
        """Stop recording if a tape that is not persistent is used inside its own block."""
        if self.recording and not self._persistent:
            self.stop()

    def _finish(self) -> None:
        if not self._persistent:
            self._used = True
            self._arrays, self._operations, self._reads = {}, [], {}


def _as_recorded(x):
    """Return the array object under which a target was recorded."""
    if isinstance(x, IndexedSlices):
        return x.values
    return x if isinstance(x, jax.Array) else as_array(x)
