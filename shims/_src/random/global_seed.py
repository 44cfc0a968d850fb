"""Provide `set_seed` and the streams of random numbers that stateful operators use.

TensorFlow gives every stateful operator two seeds. The second one is random for each eager call; in a
graph it is the number of the operator. The two seeds determine a stream, which the operator continues
from call to call. Here the position of an eager operator in its stream is kept in a dictionary; that of
an operator in a `shims.function` is a variable that the function reads and assigns.
"""

from __future__ import annotations

import contextlib
import os
import random
import sys
import types
import weakref
from collections.abc import Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import io_callback

from shims._src.platform import jax_private as jp
from shims._src.platform import user_frames
from shims._src.platform.thread_state import ThreadSlot
from shims._src.platform.weak_keys import drop_dead
from shims._src.random import enclosing_traces, streams
from shims._src.random.words import advanced, split_number
from shims._src.recording import state
from shims._src.tracing import graph_operands
from shims._src.variables.variable import Variable

_DEFAULT_GRAPH_SEED = 87654321
_MAX_SEED = 2**31 - 1


class _Program:
    """The program's seed, and the number of random blocks used since it was set.

    Attributes:
      seed: the argument of `set_seed`.
      source: generates the second seeds of eager operators.
      skipped: the number of blocks that each eager kernel has used.
    """

    def __init__(self):
        self.seed: int | None = None
        self.source = random.Random()
        self.skipped: dict[tuple, int] = {}


_PROGRAM = _Program()


class _Numbers:
    """The numbers of the operators in a program that Keras traces or builds, as in a graph of TensorFlow."""

    def __init__(self):
        self._program: weakref.ReferenceType[Any] | None = None
        self._next = 0

    def next(self, program: Any) -> int:
        """Return the number of the next operator of a program; a new program starts at 0."""
        if self._program is None or self._program() is not program:
            self._program, self._next = weakref.ref(program), 0
        self._next += 1
        return self._next - 1


_KERAS_STEP, _KERAS_BUILD = _Numbers(), _Numbers()


class UsedBlocks(Variable):
    """The number of random blocks that an operator has used.

    An assignment in an enclosing JAX trace has no effect; to other variables it is an error.
    """

    is_kept_by_traces = False


class FunctionStreams:
    """The random streams of the operators in one traced function.

    Attributes:
      seed: the program's seed when the function was first traced.
      kernels: the two seeds of each operator, and a variable that counts its used blocks.
      unrepeatable: the seeds of operators that ignore the program's seed.
      inner: the streams of functions created while this one is traced, by call site and signature.
    """

    def __init__(self):
        self.seed = _PROGRAM.seed
        self.kernels: dict[tuple, tuple[np.ndarray, Variable]] = {}
        self.unrepeatable: dict[tuple, int] = {}
        self.inner: dict[tuple, dict[object, FunctionStreams]] = {}
        _GRAPHS.add(self)

    def reset(self) -> None:
        """Restart all streams at their beginning."""
        for _, used in self.kernels.values():
            used.stored_value = jnp.zeros((2,), jnp.uint32)


class _Trace:
    """The counts of operators and call sites that one trace of a function has reached so far."""

    def __init__(self, graph: FunctionStreams):
        self.graph = graph
        self.seeds: dict[Any, int] = {}
        self.places: dict[tuple, int] = {}


_RUN: ThreadSlot[_Trace | None] = ThreadSlot(None)
_GRAPHS: weakref.WeakSet[FunctionStreams] = weakref.WeakSet()
_OF_FUNCTION: weakref.WeakKeyDictionary[Any, dict[object, FunctionStreams]] = (
    weakref.WeakKeyDictionary()
)


def set_seed(seed):
    """Set the seed for operators that have no seed of their own.

    Args:
      seed: an integer.

    Differs from TensorFlow:
      Nothing. Eager operators draw the same numbers as TensorFlow's eager operators. Operators
      inside `shims.function` draw the same numbers as TensorFlow's operators inside `tf.function`.

    Under jit:
      Inside a function, `set_seed` acts at trace time: it affects functions that are traced
      afterwards. Numbers drawn in an enclosing `jax.jit` are constants of the compiled program; a
      `FrozenRandomWarning` says so. Numbers drawn in a step of Keras' `fit` are new in every step.

    Example:
      >>> import shims
      >>> shims.random.set_seed(1)
      >>> a = shims.random.uniform([2])
      >>> shims.random.set_seed(1)
      >>> bool((shims.random.uniform([2]) == a).all())
      True

    https://www.tensorflow.org/api_docs/python/tf/random/set_seed
    """
    seed = int(np.asarray(seed))
    _PROGRAM.seed = seed
    _PROGRAM.source = random.Random(seed)
    _PROGRAM.skipped = {}
    if state.current_scope() is None and jp.ambient_is_eager():
        for graph in list(_GRAPHS):
            graph.reset()


@contextlib.contextmanager
def graph_of(function, signature: object) -> Iterator[None]:
    """Open a block that traces a function; its random streams are kept per function and signature."""
    graphs = _graphs_of(function)
    if signature not in graphs:
        drop_dead(graphs)
        graphs[signature] = FunctionStreams()
    with _RUN.holding(_Trace(graphs[signature])):
        yield


def _graphs_of(function) -> dict[object, FunctionStreams]:
    """Return the random streams of a function, a dict with one entry per signature.

    An inner function is a new object whenever the outer function is traced; its streams are therefore found
    by the place of the call that created it.
    """
    outer = _RUN.value
    if outer is None:
        return _OF_FUNCTION.setdefault(function, {})
    line = (getattr(function.python_function, "__code__", None), _call_sites())
    turn = outer.places.get(line, 0)
    outer.places[line] = turn + 1
    inner = outer.graph.inner.setdefault((*line, turn), {})
    return _OF_FUNCTION.setdefault(function, inner)


def stream(operator: str, seed, blocks, *attributes: object):
    """Return the position at which a stateful operator continues its stream; advance the stream.

    Args:
      operator: the name of the operator.
      seed: the caller's seed, or `None`.
      blocks: the number of blocks that the call uses, as two words; see `words.blocks_of`.
      *attributes: further attributes that select the kernel in TensorFlow, such as dtypes.

    Returns:
      The words that `draw` expects: key and counter.
    """
    kernel = (operator, *attributes)
    source = streams.current()
    if source is not None:
        return source(kernel, seed, blocks)
    if streams.builds_graph():
        graph_operands.draw_in_every_run()
        enclosing_traces.warn_of_graph(operator)
    frozen = enclosing_traces.is_frozen()
    if frozen and enclosing_traces.in_keras_step():
        if enclosing_traces.in_build():
            return _stream_at_run_time(kernel, _eager_seeds(seed), blocks)
        seeds = pair(seed, _PROGRAM.seed, lambda: _KERAS_STEP.next(jp.current_trace()))
        return _stream_at_run_time((*kernel, "step"), seeds, blocks)
    if frozen:
        enclosing_traces.warn(operator)
    if state.current_scope() is None:
        building = enclosing_traces.built_by_training()
        if building is not None:
            # Keras reads a variable that it has not made yet by calling the initializer, too.
            discarded = enclosing_traces.in_keras_step()
            number = (lambda: 0) if discarded else lambda: _KERAS_BUILD.next(building)
            return _position(pair(seed, _PROGRAM.seed, number), 0)
        return _eager_stream(kernel, _eager_seeds(seed), blocks)
    with enclosing_traces.outside_of_inner_programs(blocks):
        seeds, used = _seeds_and_counter(kernel, seed)
        before = state.read(used)
        counter = jnp.concatenate([before, jnp.zeros((2,), jnp.uint32)])
        state.write(used, advanced(counter, jnp.asarray(blocks))[:2])
        return jnp.concatenate([jnp.asarray(seeds[:2]), before, jnp.asarray(seeds[2:])])


def _stream_at_run_time(kernel, seeds, blocks):
    """Return a position in a stream that the host supplies whenever the compiled program runs."""

    def words(blocks):
        return np.asarray(_eager_stream(kernel, seeds, np.asarray(blocks)), np.uint32)

    return io_callback(words, jax.ShapeDtypeStruct((6,), np.uint32), jnp.asarray(blocks))


def unrepeatable_stream(operator: str, blocks, *attributes: object):
    """Return the start of a random stream for an operator that ignores `set_seed`.

    The call does not change the seeds of later operators.
    """
    source = streams.current()
    if source is not None:
        return source((operator, *attributes), None, blocks)
    frozen = enclosing_traces.is_frozen()
    if frozen and enclosing_traces.in_keras_step():
        return _stream_at_run_time((operator, *attributes), None, blocks)
    if frozen:
        enclosing_traces.warn(operator)
    if frozen or state.current_scope() is None:
        return np.frombuffer(os.urandom(24), np.uint32)
    trace = _current_trace()
    place = (operator, *attributes, state.current_scope(), _call_sites())
    turn = (place[:-2], place[-1], trace.places.get(place, 0))
    drawn = int.from_bytes(os.urandom(4), "little")
    # When the function is traced again, it must find the same counter.
    return stream(operator, trace.graph.unrepeatable.setdefault(turn, drawn), blocks, *attributes)


def host_seeds(seed) -> tuple[int, int]:
    """Return the two seeds of random decisions on the host, such as the order of a dataset."""
    found = _eager_seeds(seed)
    if found is None:
        first, second = np.frombuffer(os.urandom(16), np.uint64).tolist()
        return first, second
    return found


class HostStreams:
    """The random streams of the operators in a function that the host calls again and again.

    As in a graph, the second seed of an operator is its number within a call, and its stream goes on
    from call to call.
    """

    def __init__(self):
        self._seed = _PROGRAM.seed
        self._used: dict[tuple, tuple[np.ndarray, int]] = {}

    def start(self) -> streams.Source:
        """Return the source of random streams for one call of the function."""
        numbers = {"seeds": 0, "operators": 0}

        def counted() -> int:
            numbers["seeds"] += 1
            return numbers["seeds"] - 1

        def source(kernel, seed, blocks):
            place = (kernel, numbers["operators"])
            numbers["operators"] += 1
            seeds = pair(seed, self._seed, counted)
            if place not in self._used:
                words = np.frombuffer(os.urandom(16), np.uint32)
                if seeds is not None:
                    words = np.concatenate([split_number(s) for s in seeds])
                self._used[place] = words, 0
            words, before = self._used[place]
            self._used[place] = words, before + int(blocks[0]) + (int(blocks[1]) << 32)
            return np.concatenate([words[:2], split_number(before), words[2:]])

        return source


def consume_seed(seed) -> None:
    """Consume the seed of a random operator without generating numbers."""
    if seed is not None:
        return
    if streams.current() is None:
        pair(None, *_sources())
    else:
        streams.note_consumed()


def _eager_seeds(seed):
    return pair(seed, _PROGRAM.seed, _next_eager_seed)


def _eager_stream(kernel, seeds, blocks):
    if seeds is None:
        return _position(None, 0)
    key, used = (*kernel, *seeds), int(blocks[0]) + (int(blocks[1]) << 32)
    with state.changing():
        before = _PROGRAM.skipped.get(key, 0)
        _PROGRAM.skipped[key] = before + used
    return _position(seeds, before)


def _position(seeds, before: int):
    """Return the words of a position in the stream of two seeds, of any stream without seeds."""
    if seeds is None:
        return np.frombuffer(os.urandom(24), np.uint32)
    return np.concatenate([split_number(seeds[0]), split_number(before), split_number(seeds[1])])


def _next_eager_seed() -> int:
    return _PROGRAM.source.randint(0, _MAX_SEED)


def pair(seed, global_seed, next_seed) -> tuple[int, int] | None:
    """Compute the two seeds of an operator; return `None` if no seed is set."""
    if seed is not None:
        seed = int(np.asarray(seed))
    if global_seed is None and seed is None:
        return None
    first = _DEFAULT_GRAPH_SEED if global_seed is None else global_seed % _MAX_SEED
    second = (next_seed() if seed is None else seed) % _MAX_SEED
    return (0, _MAX_SEED) if (first, second) == (0, 0) else (first, second)


# ---- operators in a graph ------------------------------------------------------------------------


def _sources():
    """Return the seed of the program or function, and a function that gives the next operator seed."""
    scope, trace = state.current_scope(), _RUN.value
    if scope is None or trace is None:
        return _PROGRAM.seed, _next_eager_seed

    def counted() -> int:
        number = trace.seeds.get(scope, 0)
        trace.seeds[scope] = number + 1
        return number

    return trace.graph.seed, counted


def _current_trace() -> _Trace:
    if _RUN.value is None:
        # A loop or a branch outside of every function: one graph for all of them.
        _RUN.value = _Trace(FunctionStreams())
    return _RUN.value


def _seeds_and_counter(kernel, seed):
    """Return the two seeds of an operator in a trace, and the variable that counts its used blocks."""
    trace = _current_trace()
    line = (*kernel, state.current_scope(), _call_sites())
    turn = trace.places.get(line, 0)
    trace.places[line] = turn + 1
    seeds = pair(seed, *_sources())
    place = (*kernel, seeds, _call_sites(), turn)
    if place not in trace.graph.kernels:
        words = (
            np.frombuffer(os.urandom(16), np.uint32)
            if seeds is None
            else np.concatenate([split_number(s) for s in seeds])
        )
        with state.state_scope(None), jax.ensure_compile_time_eval():
            used = UsedBlocks(np.zeros(2, np.uint32), trainable=False, name="random_blocks")
        trace.graph.kernels[place] = words, used
    return trace.graph.kernels[place]


def _call_sites() -> tuple:
    """Return the user's stack frames as pairs of code object and instruction, innermost first."""
    frame: types.FrameType | None = sys._getframe(1)
    found = []
    while frame is not None:
        if not user_frames.is_library_file(frame.f_code.co_filename):
            found.append((frame.f_code, frame.f_lasti))
        frame = frame.f_back
    return tuple(found)
