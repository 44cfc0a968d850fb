"""Provide `tf.estimator.inputs`: functions that give estimators arrays and data frames."""

from __future__ import annotations

from typing import Any

import numpy as np

from shims._src.v1.data.datasets import Dataset


def numpy_input_fn(
    x,
    y=None,
    batch_size=128,
    num_epochs=1,
    shuffle=None,
    queue_capacity=1000,
    num_threads=1,
):
    """Return an input function of arrays.

    Args:
      x: an array, or a dict of arrays, of features.
      y: an array, or a dict of arrays, of labels; `None` for none.
      batch_size: the number of examples of a step.
      num_epochs: how often to repeat the examples; `None` repeats them without end.
      shuffle: whether to shuffle the examples; the argument is required.
      queue_capacity: the size of the shuffle buffer, in examples.
      num_threads: accepted and ignored.

    Raises:
      ValueError: `shuffle` is not given, there are no features, or the arrays differ in length.

    Differs from TensorFlow:
      The order of shuffled examples differs; in TensorFlow, the order depends on the speed of
      threads.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/estimator/inputs/numpy_input_fn
    """
    _check_shuffle(shuffle)
    if isinstance(x, dict) and not x:
        raise ValueError("x cannot be an empty dict")
    if not isinstance(x, (dict, np.ndarray)):
        raise TypeError(f"x must be a dict or array; got {type(x).__name__}")
    features = {k: np.asarray(v) for k, v in x.items()} if isinstance(x, dict) else x
    labels = {k: np.asarray(v) for k, v in y.items()} if isinstance(y, dict) else y
    _check_lengths([*_arrays(features), *_arrays(labels)])
    return _input_fn(features, labels, batch_size, num_epochs, shuffle, queue_capacity)


def pandas_input_fn(
    x,
    y=None,
    batch_size=128,
    num_epochs=1,
    shuffle=None,
    queue_capacity=1000,
    num_threads=1,
    target_column="target",
):
    """Return an input function of a data frame; see `numpy_input_fn`.

    Args:
      x: a data frame of features.
      y: a series of labels, or a data frame of them.
      batch_size: the number of examples of a step.
      num_epochs: how often to repeat the examples; `None` repeats them without end.
      shuffle: whether to shuffle the examples; the argument is required.
      queue_capacity: the size of the shuffle buffer, in examples.
      num_threads: accepted and ignored.
      target_column: accepted and ignored, because the labels are not part of the features.

    Raises:
      ValueError: `shuffle` is not given, or the indices of features and labels differ.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/estimator/inputs/pandas_input_fn
    """
    _check_shuffle(shuffle)
    if y is not None and not np.array_equal(x.index, y.index):
        raise ValueError(f"Index for x and y are mismatched.\nIndex for x: {x.index}\n")
    features = {name: np.asarray(x[name]) for name in x.columns}
    labels = y
    if y is not None:
        is_frame = hasattr(y, "columns")
        labels = {name: np.asarray(y[name]) for name in y.columns} if is_frame else np.asarray(y)
    return _input_fn(features, labels, batch_size, num_epochs, shuffle, queue_capacity)


def _check_shuffle(shuffle) -> None:
    if not isinstance(shuffle, bool):
        raise ValueError(
            "shuffle must be provided and explicitly set as boolean (it is recommended to set it as True "
            f"for training); got {shuffle}"
        )


def _arrays(value) -> list[Any]:
    if value is None:
        return []
    return list(value.values()) if isinstance(value, dict) else [value]


def _check_lengths(arrays) -> None:
    lengths = sorted({len(a) for a in arrays})
    if len(lengths) > 1:
        raise ValueError(f"Length of tensors in x and y is mismatched: {lengths}.")


def _input_fn(features, labels, batch_size, num_epochs, shuffle, capacity):
    def input_fn() -> Any:
        data = features if labels is None else (features, labels)
        make: Any = Dataset
        found = make.from_tensor_slices(data)
        if shuffle:
            found = found.shuffle(capacity)
        return found.repeat(num_epochs).batch(batch_size)

    return input_fn
