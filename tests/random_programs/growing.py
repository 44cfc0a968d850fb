"""A program while it grows: which values it has, and how a step becomes a call of them."""

from __future__ import annotations

import itertools
import string

import numpy as np
import tensorflow as tf

from tests.table import cases

from .program import Call, Input, Ref, resolved
from .tensorflow_answer import Side

LARGEST_RESULT = 150
LARGEST_COUNT = 6  # of a value that becomes a size
LARGEST_NUMBER = 1_000_000  # of a value of which the largest becomes a size
_NUMBERED_BY = ("segment_ids", "arr", "labels", "predictions")
# Parameters whose plain numbers are part of the program, not data.
STATIC = (
    *("axis", "axes", "batch_dims", "keepdims", "perm", "num", "rank", "nbins", "num_classes"),
    *(
        "seed",
        "num_or_size_splits",
        "num_partitions",
        "block_size",
        "depth_radius",
        "ord",
        "equation",
    ),
    *("strides", "ksize", "dilations", "dilation", "filter_size", "seq_axis", "batch_axis", "dim"),
    *(
        "frame_length",
        "frame_step",
        "fft_length",
        "num_lower",
        "num_upper",
        "name",
        "new_axis_mask",
    ),
    *("begin_mask", "end_mask", "ellipsis_mask", "shrink_axis_mask", "validate_indices", "dtype"),
    *("stride", "ksizes", "sizes", "rates", "type", "num_true", "num_sampled"),
    "rounds",  # TensorFlow looks for an index for ever where there are none
)
# Kernels that end the process when the rank is not theirs.
OF_ONE_RANK = (
    "nn.",
    "image.",
    "linalg.",
    "signal.",
    "raw_ops.",
    "extract_",
    "space_to",
    "batch_to",
)
# 64 bits are 32 with us, so that what TensorFlow says of mixing the two is not for us to repeat.
# TensorFlow 2.21: the shape inference of these ends the process at a wrong rank.
_INFERENCE_ABORTS = ("split",)
WIDE = (tf.int64, tf.float64, tf.uint64, tf.complex128)


class Growing:
    """Calls so far, and the values that TensorFlow has for them.

    Attributes:
      calls: the calls, in order.
      has_raised: the last call raises in TensorFlow.
    """

    def __init__(self, inputs: list[Input]) -> None:
        self.calls: list[Call] = []
        self.has_raised = False
        self._values = {i.name: tf.constant(i.value) for i in inputs}
        self._names = (n for n in _names() if n not in self._values)

    def add(self, call: Call) -> None:
        """Adds a call that TensorFlow answers."""
        found = Side.apply(call, resolved(call, self._values, tf.constant))
        self.calls.append(call)
        self._values.update(zip(call.results, found, strict=True))

    def take(self, step, among: tuple[str, ...] | None = None) -> None:
        """Adds the step's call, if TensorFlow answers it or the step may raise.

        Args:
          step: which operator, and where its arguments come from.
          among: values that it may use; any when left out.
        """
        usable = {n: v for n, v in self._values.items() if among is None or n in among}
        filling = Filling(usable, step)
        filled = filling.arguments()
        if filled is None:
            return
        row = step.operator.row
        call = Call((), row, filled)
        given = resolved(call, self._values, tf.constant)
        # In the order of the call; of a dictionary they would come in that of their names.
        arrays = [v for v in tf.nest.flatten([*given.values()]) if isinstance(v, tf.Tensor)]
        if step.operator.is_documented_difference([a.numpy() for a in arrays]):
            return
        if _fills_the_memory(given):
            return
        if filling.has_other_ranks and not _infers_shapes(row.name, call, given):
            return
        try:
            found = Side.apply(call, given)
        except Exception:  # noqa: BLE001, TensorFlow refuses in many ways
            if step.may_raise and self.calls and not any(a.dtype in WIDE for a in arrays):
                self.calls.append(call)
                self.has_raised = True
            return
        if not _is_as_inferred(call, given, arrays, found):
            return
        if found and all(map(_is_small_array, found)):
            results = tuple(itertools.islice(self._names, len(found)))
            self.calls.append(Call(results, row, filled))
            self._values.update(zip(results, found, strict=True))


def _fills_the_memory(given: dict[str, object]) -> bool:
    """Whether there are so many results, one for each number up to the largest."""
    values = [given[name] for name in _NUMBERED_BY if isinstance(given.get(name), tf.Tensor)]
    return any(
        v.dtype.is_integer and bool(tf.reduce_any(tf.cast(v, tf.int64) > LARGEST_NUMBER))
        for v in values
    )


def _infers_shapes(name: str, call: Call, given: dict[str, object]) -> bool:
    """Whether TensorFlow lets the call into a graph: some kernels end the process at a wrong rank."""
    batch_dims = given.get("batch_dims") or 0
    ranks = [v.shape.rank for v in given.values() if isinstance(v, tf.Tensor)]
    if name in _INFERENCE_ABORTS or batch_dims > min(ranks, default=0):
        return False
    return _inferred(call, given) is not None


def _is_as_inferred(call: Call, given: dict[str, object], arrays, found) -> bool:
    """Whether TensorFlow gives the shapes that it says itself.

    Of nothing some kernels give another: convolutions of an empty image have the image's own, and
    those whose result is empty too.
    """
    if "conv" not in call.row.name and all(a.shape.num_elements() for a in (*arrays, *found)):
        return True
    inferred = _inferred(call, given)
    if inferred is None:  # a graph may refuse more
        return True
    return all(b.shape.is_compatible_with(a.shape) for a, b in zip(inferred, found, strict=True))


def _inferred(call: Call, given: dict[str, object]) -> list[tf.Tensor] | None:
    """The results of the call in a graph; `None` where TensorFlow lets it into none."""
    is_array = lambda v: isinstance(v, tf.Tensor)
    try:
        with tf.Graph().as_default():
            placed = {
                name: tf.nest.map_structure(lambda v: v.numpy() if is_array(v) else v, value)
                for name, value in given.items()
            }
            return Side.apply(call, placed)
    except Exception:  # noqa: BLE001, TensorFlow refuses in many ways
        return None


def _names():
    letters = string.ascii_lowercase
    yield from letters
    yield from (f"{a}{b}" for a in letters for b in letters)


def _is_small_array(value) -> bool:
    known = isinstance(value, tf.Tensor) and (
        value.dtype.is_floating
        or value.dtype.is_integer
        or value.dtype.is_complex
        or value.dtype.is_bool
    )
    return known and value.shape.num_elements() <= LARGEST_RESULT


class Filling:
    """The arguments of one step: a case's, with values of the program in the place of some."""

    def __init__(self, values: dict[str, tf.Tensor], step) -> None:
        self._values = values
        self._step = step
        self._picks = itertools.cycle(step.picks)
        self._sizes: dict[int, int] = {}  # what the case's sizes have become
        self._uses = 0
        self.has_other_ranks = False

    def arguments(self) -> tuple[tuple[str, object], ...] | None:
        """The arguments, or `None` where none of them is a value of the program."""
        point = cases.Point(self._step.operator.row, self._step.case)
        given = cases.arguments(point)
        arrays = point.case.arrays()
        found = {n: self._replaced(given[n]) for n in arrays}
        for name, value in given.items():
            if name in arrays:
                found[name] = self._completed(found[name])
            else:
                found[name] = value if name in STATIC else self._sized(value)
        if not self._uses:
            return None
        return tuple((name, found[name]) for name in given)

    def _replaced(self, value):
        if isinstance(value, tuple):
            return tuple(self._replaced(v) for v in value)
        if not isinstance(value, np.ndarray):
            return value
        pick = next(self._picks)
        fitting = self._fitting(value)
        if pick % 4 == 3 or not fitting:
            return value
        name = fitting[pick // 4 % len(fitting)]
        self._uses += 1
        shape = self._values[name].shape
        if len(shape) == value.ndim:
            self._sizes.update(zip(value.shape, shape, strict=True))
        else:
            self.has_other_ranks = True
        return Ref(name)

    def _fitting(self, value: np.ndarray) -> list[str]:
        """Names of values of that dtype: of the same shape first, then rank, then any."""
        ranked = []
        for order, (name, have) in enumerate(reversed(self._values.items())):
            if have.dtype.as_numpy_dtype != value.dtype:
                continue
            wanted = tuple(self._sizes.get(s, s) for s in value.shape)
            worth = 0 if tuple(have.shape) == wanted else 1 if have.ndim == value.ndim else 2
            if worth == 1 and any(
                s in self._sizes and self._sizes[s] != t for s, t in zip(value.shape, have.shape)
            ):
                worth = 3
            ranked.append((worth, order, name))
        best = [name for worth, _, name in sorted(ranked) if worth < 2]
        if best or self._step.operator.row.name.startswith(OF_ONE_RANK):
            return best
        return [name for worth, _, name in sorted(ranked) if worth == 2]

    def _completed(self, value):
        """A case's own array, brought to the sizes that its neighbors have now."""
        if isinstance(value, tuple):
            return tuple(self._completed(v) for v in value)
        if not isinstance(value, np.ndarray) or not self._sizes:
            return value
        shape = tuple(self._sizes.get(s, s) for s in value.shape)
        if shape != value.shape:
            source = value if value.size else np.zeros(1, value.dtype)
            value = np.resize(source, shape)
        if value.dtype.kind in "iu" and value.size:
            value = self._in_range(value)
        return value

    def _in_range(self, value: np.ndarray) -> np.ndarray:
        """Positions stay positions where what they point into has become shorter."""
        largest = int(value.max())
        limits = [new for old, new in self._sizes.items() if largest < old and new < old]
        if limits and value.min() >= 0 and min(limits) > 0:
            return (value % min(limits)).astype(value.dtype)
        return value

    def _sized(self, value):
        """A plain number, or one that the program computes."""
        counts = [
            name
            for name, have in self._values.items()
            if have.dtype == tf.int32 and _are_counts(have, value)
        ]
        pick = next(self._picks)
        if counts and pick % 2 == 0:
            self._uses += 1
            return Ref(counts[-1 - pick // 2 % len(counts)])
        return value


def _are_counts(have: tf.Tensor, value) -> bool:
    """Whether an array can stand for a plain number, or for a list of them."""
    if isinstance(value, bool):
        return False
    is_number = isinstance(value, int) and have.ndim == 0
    is_list = (
        isinstance(value, (list, tuple))
        and all(type(v) is int for v in value)
        and have.shape == (len(value),)
    )
    return (is_number or is_list) and bool(
        tf.reduce_all((have >= 0) & (have <= LARGEST_COUNT)).numpy()
    )
