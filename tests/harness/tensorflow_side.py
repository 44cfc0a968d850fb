"""What does TensorFlow give for a program: eagerly, as a graph of unknown sizes, under XLA, by a tape?"""

from __future__ import annotations

import contextlib
import functools
import re
import warnings

import numpy as np
import tensorflow as tf

from .flatten import arrays

_UNKNOWN_SIZE = "a size that only the data know"


@contextlib.contextmanager
def quiet():
    """Ignore what TensorFlow warns of itself."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def call(program, *tensors):
    """Call `program(tf, *tensors)` quietly."""
    with quiet():
        return program(tf, *tensors)


def eager(program, given):
    """Run a program of arrays operator by operator."""
    return call(program, *map(tf.constant, given))


def specs(shapes, given) -> list[tf.TensorSpec]:
    """Describe arrays of which the shapes are known as far as they are given."""
    return [tf.TensorSpec(s, np.asarray(a).dtype) for s, a in zip(shapes, given, strict=True)]


def graph(program, signature=None, *, jit_compile=None):
    """Make a program of arrays a graph, which knows no more than its signature says."""
    run = tf.function(
        functools.partial(call, program), signature, autograph=False, jit_compile=jit_compile
    )
    return lambda *given: run(*map(tf.constant, given))


def with_slopes(run, given, places, loss, unconnected: str = "none"):
    """Run a function of tensors under a tape.

    Args:
      run: gives any result.
      given: the arrays.
      places: the positions of those by which it is differentiated.
      loss: makes one number of the result, or `None`.
      unconnected: what the tape gives where there is no slope.

    Returns:
      The result, and a list of slopes, dense ones.

    Raises:
      LookupError: TensorFlow does not differentiate the program.
    """
    tensors = list(map(tf.constant, given))
    sources = [tensors[i] for i in places]
    with tf.GradientTape() as tape:
        tape.watch(sources)
        results = run(*tensors)
        target = loss(results)
    if target is None:
        return results, [None] * len(sources)
    found = tape.gradient(target, sources, unconnected_gradients=unconnected)
    return results, [None if g is None else tf.convert_to_tensor(g) for g in found]


def tensorflow_loss(results):
    """Sum the sines of all floating-point tensors of a result, as `weights.jax_loss` does."""
    total = tf.zeros([])
    for leaf in tf.nest.flatten(results):
        if leaf.dtype.is_floating:
            total = total + tf.reduce_sum(tf.sin(leaf))
    return total


def as_numpy(result) -> list[np.ndarray]:
    """List the arrays behind a result."""
    return [tf.convert_to_tensor(tensor).numpy() for tensor in arrays(result)]


def refusal(error: Exception) -> str:
    """Read from XLA's message why it did not compile a program."""
    kernels = sorted(set(re.findall(r"No registered '(\w+)' OpKernel", str(error))))
    if kernels:
        return f"no kernel for {', '.join(kernels)}"
    text = str(error)
    return _UNKNOWN_SIZE if "compile-time constant" in text else text.partition("\n")[0]
