"""What TensorFlow gives for a case: once per case, for all lanes."""

from __future__ import annotations

import functools
import re
import warnings

import numpy as np
import tensorflow as tf

from .case import Case

_UNKNOWN_SIZE = "a size that only the data know"


def parts(value) -> list:
    """The tensors behind a result: values before splits, coordinates before values."""
    if value is None:
        return []
    if isinstance(value, (tuple, list)):
        return [part for each in value for part in parts(each)]
    if isinstance(value, dict):
        return [part for key in sorted(value) for part in parts(value[key])]
    if isinstance(value, tf.RaggedTensor):
        return [value.flat_values, *value.nested_row_splits]
    if isinstance(value, tf.SparseTensor):
        return [value.indices, value.values, value.dense_shape]
    if isinstance(value, tf.IndexedSlices):
        return [value.indices, value.values]
    return [tf.convert_to_tensor(value)]


def _outputs(case: Case, arrays) -> list:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what TensorFlow warns of itself
        return parts(case.program(tf, *arrays))


def _arrays(tensors) -> list[np.ndarray]:
    return [tensor.numpy() for tensor in tensors]


@functools.cache
def eager(case: Case) -> list[list[np.ndarray]]:
    """The results of every call."""
    return [of(case, arrays) for arrays in case.calls()]


def of(case: Case, arrays) -> list[np.ndarray]:
    """The results for some arrays."""
    run = _graph(case) if case.graph_only else functools.partial(_called, case)
    return _arrays(run(*map(tf.constant, arrays)))


def _called(case: Case, *arrays) -> list:
    return _outputs(case, arrays)


@functools.cache
def _graph(case: Case):
    arrays = case.calls()[0]
    specs = [tf.TensorSpec(s, a.dtype) for s, a in zip(case.signature(), arrays, strict=True)]
    return tf.function(functools.partial(_called, case), specs, autograph=False)


@functools.cache
def graph(case: Case) -> list[list[np.ndarray]]:
    """The results of every call of one graph, which does not know the sizes."""
    return [_arrays(_graph(case)(*map(tf.constant, arrays))) for arrays in case.calls()]


def loss(library, results):
    """One number of all floating-point results; every element has a slope of its own."""
    terms = [
        library.reduce_sum(x * (0.5 * x + (1 + i / 4)))
        for i, x in enumerate(results)
        if library.as_dtype(x.dtype).is_floating
    ]
    return sum(terms[1:], terms[0]) if terms else None


@functools.cache
def gradients(case: Case) -> list[list[np.ndarray | None]]:
    """The derivatives of `loss` in the floating-point arrays, for every call.

    Raises:
      LookupError: TensorFlow does not differentiate the program.
    """
    return [_gradients(case, arrays) for arrays in case.calls()]


def _gradients(case, arrays):
    tensors = list(map(tf.constant, arrays))
    sources = [tensors[i] for i in case.floats()]
    with tf.GradientTape() as tape:
        tape.watch(sources)
        run = _graph(case) if case.graph_only else functools.partial(_called, case)
        target = loss(tf, run(*tensors))
    if target is None:
        return [None] * len(sources)
    found = tape.gradient(target, sources)
    return [None if g is None else tf.convert_to_tensor(g).numpy() for g in found]


def compiled(case: Case) -> list[np.ndarray]:
    """The results under `jit_compile=True`."""
    run = tf.function(functools.partial(_called, case), autograph=False, jit_compile=True)
    return _arrays(run(*map(tf.constant, case.calls()[0])))


def refusal(error: Exception) -> str:
    """Why XLA did not compile a program, by its message."""
    kernels = sorted(set(re.findall(r"No registered '(\w+)' OpKernel", str(error))))
    if kernels:
        return f"no kernel for {', '.join(kernels)}"
    text = str(error)
    return _UNKNOWN_SIZE if "compile-time constant" in text else text.partition("\n")[0]
