"""Record the operations of a TensorFlow function, which runs eagerly."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from typing import Any

import numpy as np

from tf2jax_port.diff.locate.watch.places import Stack
from tf2jax_port.diff.locate.watch.trail import Trail, endured
from tf2jax_port.diff.locate.watch.wide_tensorflow import is_wide, widening
from tf2jax_port.diff.values import tree
from tf2jax_port.diff.values.arguments import Arguments


class TensorFlowWatch:
    """A TensorFlow operation callback that records each operation.

    Args:
      stack: finds the user's lines.
    """

    def __init__(self, stack: Stack) -> None:
        self.trail = Trail()
        self._stack = stack
        self._numbers: dict[int, int] = {}
        self._written: dict[int, int] = {}
        self._seen: dict[bytes, int] = {}

    def input(self, tensor: Any, name: str) -> None:
        """Add a tensor to the trail as the argument with the given name."""
        number = self._number(tensor)
        self.trail.names[number] = name

    def number_of(self, tensor: Any) -> int:
        """Return the number of a tensor in the trail, adding it if necessary."""
        return self._number(tensor)

    def __call__(
        self,
        op_type: str | bytes,
        inputs: Sequence[Any],
        attrs: Any,
        outputs: Sequence[Any],
        op_name: str | None = None,
        graph: Any = None,
    ) -> None:
        """Record an operation; TensorFlow calls this after each operation."""
        if graph is not None:
            return
        name = op_type.decode() if isinstance(op_type, bytes) else op_type
        operands = [self._number(tensor) for tensor in inputs]
        # A variable's value comes from its last assignment.
        operands += [self._written[n] for n in operands if n in self._written]
        where = self._stack.here(sys._getframe(1))
        step = self.trail.step(name, operands, outputs, where)
        for tensor, number in zip(outputs, step.results):
            self._numbers[_identity(tensor)] = number
            self._remember(number)
        if "Assign" in name and operands:
            self._written[operands[0]] = self.trail.value(None, step.number)

    def _number(self, tensor: Any) -> int:
        identity = _identity(tensor)
        if identity not in self._numbers:
            number = self.trail.value(tensor)
            # An array that went through NumPy is identified with the tensor of equal content.
            self._numbers[identity] = self._seen.get(self._content(number), number)
        return self._numbers[identity]

    def _remember(self, number: int) -> None:
        content = self._content(number)
        if content:
            self._seen[content] = number

    def _content(self, number: int) -> bytes:
        array = self.trail.array(number)
        return content_of(array)


def content_of(array: np.ndarray | None) -> bytes:
    """Return the bytes of a float array as a key for finding equal arrays.

    The key is empty for single numbers, zeros, other types and very large arrays.
    """
    if array is None or array.size < 2 or array.dtype.kind not in "fc" or not array.any():
        return b""
    return array.tobytes() if array.nbytes <= 1 << 20 else b""


def _identity(tensor: Any) -> int:
    return getattr(tensor, "_id", None) or -id(tensor)


@contextmanager
def watching(watch: TensorFlowWatch, seed: int, wide: bool) -> Iterator[None]:
    """Record the TensorFlow operations that run eagerly inside the `with` block.

    Args:
      watch: records the operations.
      seed: the seed of all random number generators.
      wide: whether to use double precision even where the program requests `float32`.
    """
    import tensorflow as tf
    from tensorflow.python.framework import op_callbacks

    tf.random.set_seed(seed)
    np.random.seed(seed)
    random.seed(seed)
    before = tf.config.functions_run_eagerly()
    tf.config.run_functions_eagerly(True)
    op_callbacks.add_op_callback(watch)
    try:
        with widening() if wide else nullcontext():
            yield
    finally:
        op_callbacks.remove_op_callback(watch)
        tf.config.run_functions_eagerly(before)


def watch_tensorflow(
    function: Callable[..., Any], case: Arguments, seed: int, stack: Stack
) -> Trail:
    """Call a TensorFlow function on a case and return the recorded trail."""
    import tensorflow as tf

    watch = TensorFlowWatch(stack)
    tensors = [tf.constant(array) for array in case.arrays]
    for tensor, name in zip(tensors, case.paths):
        watch.input(tensor, name)
    with watching(watch, seed, is_wide(case.arrays)):
        result = endured(watch.trail, stack, lambda: function(*case.fill(tensors)))
    if watch.trail.error is not None:
        return watch.trail
    for path, leaf in tree.walk(result, "output"):
        if tf.is_tensor(leaf) or isinstance(leaf, tf.Variable):
            watch.trail.outputs[path] = watch.number_of(tf.convert_to_tensor(leaf))
    return watch.trail
