"""Interrupt programs at the n-th call of a Python function, as Ctrl-C may, and run them again.

Python looks for signals whenever it enters a function, so each of these moments is one at which a
`KeyboardInterrupt` may come.
"""

from __future__ import annotations

import collections
import random
import sys
import warnings
from collections.abc import Callable
from typing import Any

import jax
import numpy as np

import shims as tf
from shims._src.platform import jax_private as jp
from shims._src.platform import thread_state
from shims._src.recording import recording, state
from shims._src.sizes import trace

X = np.array([1.0, -2.0, 3.0, 0.5], np.float32)
INTERRUPTED, OTHER, COMPLETE = "interrupted", "another error", "complete"


def _selection():
    f = tf.function(lambda x: tf.boolean_mask(x, x > 0) * 2, [tf.TensorSpec([None])])
    return lambda: f(X).tolist(), [2.0, 6.0, 1.0]


def _loop():
    def f(x):
        s = tf.constant(0.0)
        while s < 10.0:
            s = s + tf.reduce_sum(tf.boolean_mask(x, x > 0))
        return s

    f = tf.function(f)
    return lambda: float(f(X)), 13.5


def _gradient_under_jit():
    f = jax.jit(jax.grad(tf.dynamic(lambda x: (tf.boolean_mask(x, x > 0) ** 2).sum())))
    return lambda: f(X).tolist(), [2.0, 0.0, 6.0, 1.0]


def _tape():
    def step():
        v = tf.Variable(X)
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(tf.boolean_mask(v, v > 0) ** 2)
        return tape.gradient(y, v).tolist()

    return step, [2.0, 0.0, 6.0, 1.0]


def _tape_around_function():
    f = tf.function(lambda x: tf.reduce_sum(tf.boolean_mask(x, x > 0) ** 2))

    def step():
        v = tf.Variable(X)
        with tf.GradientTape() as tape:
            y = f(v)
        return tape.gradient(y, v).tolist()

    return step, [2.0, 0.0, 6.0, 1.0]


def _grown_bucket():
    f = tf.function(lambda x: tf.reduce_sum(tf.range(tf.cast(x[0], tf.int32))))
    return lambda: int(f(np.float32([100]))), 4950


def _question(x):
    y = tf.boolean_mask(x, x > 0)
    return y.sum() if y.shape[0] > 2 else y.sum() * 100


def _answered():
    f = tf.function(_question, autograph=False)
    return lambda: float(f(X)), 4.5


def _both_answers():
    f = jax.jit(tf.dynamic(_question))
    return lambda: float(f(X)), 4.5


def _map():
    def row_sum(row):
        return tf.reduce_sum(tf.boolean_mask(row, row > 0))

    f = tf.function(lambda x: tf.map_fn(row_sum, tf.stack([x, x * 2])))
    return lambda: f(X).tolist(), [4.5, 9.0]


def _assigned():
    """The sum of two variables that change together: an interrupt must not change one of them."""
    first, second = tf.Variable(X.copy()), tf.Variable(-X)

    @tf.function
    def f(x):
        first.assign_add(x)
        second.assign_sub(x)
        return first + second

    def step():
        f(X)
        return (first.numpy() + second.numpy()).tolist()

    return step, [0.0] * 4


def _random():
    def f():
        generator = tf.random.Generator.from_seed(1)
        return tf.function(lambda: generator.uniform([2]), autograph=False)()

    want = f().tolist()
    return lambda: f().tolist(), want


PROGRAMS: dict[str, Callable[[], tuple[Callable[[], Any], Any]]] = {
    "a selection": _selection,
    "a loop": _loop,
    "a gradient under jit": _gradient_under_jit,
    "a tape": _tape,
    "a tape around a function": _tape_around_function,
    "a bucket that grows": _grown_bucket,
    "a question about a size": _answered,
    "both answers to it": _both_answers,
    "a map": _map,
    "variables": _assigned,
    "random numbers": _random,
}


# Programs in which the outermost function is JAX's.
_JAX_IS_OUTERMOST = (
    "a gradient under jit",
    "a tape",
    "a tape around a function",
    "both answers to it",
)
_JAX_ENDS_A_TRACE = (
    "core.py:TracingContext.set_trace",
    "core.py:SetCurrentTraceContextManager.__exit__",
    "core.py:TakeCurrentTraceContextManager.__exit__",
)
# The block of a tape that Python has not begun to leave cannot be left.
_NOT_LEFT = ("GradientTape.__exit__", "Recorder.stop")


class Interrupt:
    """A profiler that interrupts the n-th call of a Python function; with 0 it only counts them."""

    def __init__(self, at: int):
        self.at, self.count, self.place = at, 0, ""

    def __call__(self, frame, event, argument) -> None:
        if event == "call":
            self.count += 1
            if self.count == self.at and frame.f_code.co_qualname not in _NOT_LEFT:
                sys.setprofile(None)
                self.place = f"{frame.f_code.co_filename}:{frame.f_code.co_qualname}"
                raise KeyboardInterrupt

    def run(self, f: Callable[[], Any]) -> tuple[str, BaseException | None]:
        """Run a function, and return how it ended, with the error, which keeps frames alive as a shell does."""
        sys.setprofile(self)
        try:
            f()
        except KeyboardInterrupt as error:
            return INTERRUPTED, error
        except Exception as error:  # noqa: BLE001 - JAX's caches wrap the interrupt
            return OTHER, error
        finally:
            sys.setprofile(None)
        return COMPLETE, None


def length_of(name: str) -> int:
    """Return how many Python functions a program calls that runs for the first time."""
    PROGRAMS[name]()[0]()  # imports, and what JAX traces once

    def counted() -> int:
        counting = Interrupt(0)
        counting.run(PROGRAMS[name]()[0])
        return counting.count

    # What other tests have left, such as garbage, adds calls to a run.
    return min(counted() for _ in range(3))


def check(name: str, at: int) -> str:
    """Interrupt a program, and check that it and a new one give the right results afterwards.

    Returns:
      How the interrupted call ended.

    Raises:
      AssertionError: a result is wrong, or something of the interrupted call is left.
    """
    outer = jp.current_trace()
    run, want = PROGRAMS[name]()
    interrupt = Interrupt(at)
    with warnings.catch_warnings():
        # A size that an interrupted trace could not keep open is a constant.
        warnings.simplefilter("ignore", tf.errors.SpecializationWarning)
        outcome, kept = interrupt.run(run)
    about = f"{name}, interrupted at call {at}, {interrupt.place}"
    if name in _JAX_IS_OUTERMOST and interrupt.place.endswith(_JAX_ENDS_A_TRACE):
        jp.set_trace(outer)  # as in programs without `shims`, JAX does not put it back
    assert jp.current_trace() is outer, f"{about}: a trace is left"
    assert trace.current() is None, f"{about}: a dynamic trace is left"
    assert state.current_scope() is None, f"{about}: a scope is left"
    assert recording._RECORDERS.items == [], f"{about}: a tape is left"
    try:
        assert run() == want, f"{about}: the next call"
        again, _ = PROGRAMS[name]()
        assert again() == want, f"{about}: a new program"
        _check_hooks_are_silent()
    except Exception as error:
        error.add_note(about)
        raise
    del kept
    return outcome


def _check_hooks_are_silent() -> None:
    try:
        jax.jit(lambda x: x[x > 0])(X)
    except jax.errors.NonConcreteBooleanIndexError:
        return
    raise AssertionError("plain JAX selects")


def counts(name: str, count: int, seed: int = 0) -> collections.Counter[str]:
    """Interrupt a program at random moments, and count how the calls ended."""
    rng, length = random.Random(seed), length_of(name)
    return collections.Counter(check(name, rng.randint(1, length)) for _ in range(count))


def slots() -> int:
    """Return how many places hold state of a thread."""
    return len(thread_state._ALL)
