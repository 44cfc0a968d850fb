"""Run the original program eagerly, as a graph with unknown dimensions, and compiled by XLA."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from tf2jax_port.diff.lanes.seeds import Seeds, host_state
from tf2jax_port.diff.lanes.substitution import substituted
from tf2jax_port.diff.values import tree
from tf2jax_port.diff.values.arguments import Arguments
from tf2jax_port.diff.values.attempt import Failure, LaneError, attempt
from tf2jax_port.diff.values.cotangents import Cotangents, Feed, Steps, Tangents, trained
from tf2jax_port.diff.values.observation import FROZEN, Gradients, Outputs
from tf2jax_port.diff.values.precision import COARSE
from tf2jax_port.diff.values.results import as_arrays
from tf2jax_port.diff.values.spill import spilled

# Two frameworks share one accelerator: neither may reserve all of its memory at the start.
SHARING = {"XLA_PYTHON_CLIENT_PREALLOCATE": "false", "TF_FORCE_GPU_ALLOW_GROWTH": "true"}

# Signatures with more and more known sizes; the first that traces is used.
_SIGNATURES = (
    ("", lambda shape: [None] * len(shape)),
    ("only the first dimension unknown", lambda shape: [None, *shape[1:]] if shape else []),
    ("known dimensions", list),
)


class TensorFlowLanes:
    """The three lanes of the original program.

    Args:
      function: the TensorFlow function; a `tf.function` is run as its Python function.
      seed: for `tf.random`, NumPy and Python, set again before every call.
      variables: a dict from names to variables, if the first argument of every case gives their
        values.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        seed: int,
        variables: Mapping[str, Any] | None = None,
    ) -> None:
        os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
        for name, value in SHARING.items():
            os.environ.setdefault(name, value)
        import tensorflow as tf

        tf.get_logger().setLevel("ERROR")
        self._tf = tf
        self._seeds = Seeds(tf, seed)
        # Between the draws of a distribution no seed is set.
        self.drawing = False
        self._given = function
        self._python = getattr(function, "python_function", function)
        self._variables = variables or {}
        self._traced: dict[Any, tuple[Callable[..., Any], str] | Failure] = {}

    def device(self) -> str:
        """Return the types of the devices that TensorFlow has: `CPU` or `CPU, GPU`."""
        found = self._tf.config.list_physical_devices()
        return ", ".join(dict.fromkeys(device.device_type for device in found))

    def eager(self, case: Arguments) -> Outputs:
        """Compute the outputs eagerly.

        If the precision of the case differs from that of the variables, a graph is run instead, in
        which tensors replace the variables.
        """
        if self._inputs_in_other_precision(case):
            return as_arrays(self._in_other_precision(case, None))
        return self._eagerly(lambda: as_arrays(self._given(*case.fill(self._tensors(case)))))

    def eager_gradients(self, case: Arguments, fed: Feed) -> Gradients:
        """Compute the gradients eagerly.

        If the precision of the case differs from that of the variables, a graph is run instead, in
        which tensors replace the variables.
        """
        if isinstance(fed, Steps):
            return trained(self.eager_gradients, case, fed)
        if self._inputs_in_other_precision(case):
            return _by_path(case, fed, self._in_other_precision(case, fed))
        step = self._make_step(self._given, case, fed)
        return self._eagerly(
            lambda: _by_path(case, fed, step(self._tensors(case), self._feed(fed)))
        )

    def graph(self, case: Arguments) -> tuple[Outputs, str]:
        """Compute the outputs with a graph of unknown dimensions.

        Returns:
          The outputs, and a note on dimensions that could not be left unknown.
        """
        traced, note = self._graph(case, None)
        with self._seeded():
            return as_arrays(traced(self._tensors(case), [])), note

    def graph_gradients(self, case: Arguments, fed: Feed) -> Gradients:
        """Compute the gradients in a graph with unknown dimensions."""
        if isinstance(fed, Steps):
            return trained(self.graph_gradients, case, fed)
        traced, _ = self._graph(case, fed)
        with self._seeded():
            return _by_path(case, fed, traced(self._tensors(case), self._feed(fed)))

    def xla(self, case: Arguments) -> Outputs:
        """Compute the outputs with the program that XLA compiles for the shapes of the case."""
        with self._seeded():
            return as_arrays(self._compiled(case, None)(self._tensors(case), []))

    def xla_gradients(self, case: Arguments, fed: Feed) -> Gradients:
        """Compute the gradients with the program that XLA compiles for the shapes of the case."""
        if isinstance(fed, Steps):
            return trained(self.xla_gradients, case, fed)
        with self._seeded():
            compiled = self._compiled(case, fed)
            return _by_path(case, fed, compiled(self._tensors(case), self._feed(fed)))

    def _tensors(self, case: Arguments) -> list[Any]:
        """Convert the arrays of a case to tensors, and assign the arrays that belong to variables."""
        foreign = self._inputs_in_other_precision(case)
        for index, variable in self._variable_inputs(case).items():
            if index not in foreign:
                variable.assign(case.arrays[index])
        return [self._tf.constant(array) for array in case.arrays]

    def _variable_inputs(self, case: Arguments) -> dict[int, Any]:
        """Return a dict from the indices of arrays to the variables to which they are assigned."""
        return {case.template[0][name].index: v for name, v in self._variables.items()}

    def _inputs_in_other_precision(self, case: Arguments) -> dict[int, Any]:
        """Return the part of `_variable_inputs` in which array and variable have different dtypes."""
        held = self._variable_inputs(case).items()
        return {i: variable for i, variable in held if variable.dtype != case.arrays[i].dtype}

    def _sources(self, case: Arguments, tensors: Sequence[Any]) -> list[Any]:
        """Return the tensors and variables with respect to which gradients are computed."""
        foreign = self._inputs_in_other_precision(case)
        found = dict(enumerate(tensors))
        found |= {
            i: variable for i, variable in self._variable_inputs(case).items() if i not in foreign
        }
        return [found[i] for i in case.differentiable]

    def _in_other_precision(self, case: Arguments, fed: Cotangents | Tangents | None) -> Any:
        """Compute outputs or gradients in a graph in which tensors replace the variables."""
        foreign = self._inputs_in_other_precision(case)
        step = self._make_step(self._python, case, fed)

        def run(tensors: Sequence[Any], fed: Sequence[Any]) -> Any:
            pairs = {id(variable): tensors[i] for i, variable in foreign.items()}
            with substituted(self._tf, pairs, type(next(iter(foreign.values())))):
                return step(tensors, fed)

        graph = self._tf.function(run, autograph=False)
        with self._seeded():
            return graph(self._tensors(case), self._feed(fed))

    def _feed(self, fed: Cotangents | Tangents | None) -> list[Any]:
        return [self._tf.constant(array) for array in _fed_arrays(fed)]

    def _seeded(self) -> contextlib.AbstractContextManager[None]:
        """Set the seeds and run the block; no seeds are set while distributions are sampled."""
        return contextlib.nullcontext() if self.drawing else self._seeds.fresh()

    def _eagerly(self, run: Callable[[], Any]) -> Any:
        before = self._tf.config.functions_run_eagerly()
        self._tf.config.run_functions_eagerly(True)
        try:
            with self._seeded():
                return run()
        finally:
            self._tf.config.run_functions_eagerly(before)

    def _make_step(
        self, function: Callable[..., Any], case: Arguments, fed: Cotangents | Tangents | None
    ) -> Callable[..., Any]:
        """Return a function that computes outputs or gradients from two lists of tensors.

        AutoGraph converts the function and its callees.
        """
        if isinstance(fed, Tangents):
            return self._make_forward_step(function, case, fed)
        tf = self._tf
        paths = tuple(fed or ())
        fill = tf.autograph.experimental.do_not_convert(case.fill)

        @tf.autograph.experimental.do_not_convert
        def watch(tape: Any, tensors: Sequence[Any]) -> None:
            for source in self._sources(case, tensors):
                tape.watch(source)

        @tf.autograph.experimental.do_not_convert
        def pull(tape: Any, result: Any, tensors: Sequence[Any], fed: Sequence[Any]) -> Any:
            leaves = dict(tree.walk(result, "output"))
            asked = [(leaves[p], ct) for p, ct in zip(paths, fed) if tf.is_tensor(leaves[p])]
            if not asked:
                return [None for _ in case.differentiable]
            found = tape.gradient(
                [target for target, _ in asked],
                self._sources(case, tensors),
                output_gradients=[tf.cast(ct, target.dtype) for target, ct in asked],
            )
            return [None if g is None else tf.convert_to_tensor(g) for g in found]

        def forward(tensors: Sequence[Any], fed: Sequence[Any]) -> Any:
            return function(*fill(tensors))

        def backward(tensors: Sequence[Any], fed: Sequence[Any]) -> Any:
            with tf.GradientTape() as tape:
                watch(tape, tensors)
                result = function(*fill(tensors))
            return pull(tape, result, tensors, fed)

        return forward if fed is None else backward

    def _make_forward_step(
        self, function: Callable[..., Any], case: Arguments, fed: Tangents
    ) -> Callable[..., Any]:
        """Return a function that computes the tangents of the outputs."""
        tf = self._tf
        fill = tf.autograph.experimental.do_not_convert(case.fill)

        @tf.autograph.experimental.do_not_convert
        def watch(tensors: Sequence[Any], moving: Sequence[Any]) -> Any:
            sources = self._sources(case, tensors)
            along = [tf.cast(move, source.dtype) for move, source in zip(moving, sources)]
            return tf.autodiff.ForwardAccumulator(sources, along)

        @tf.autograph.experimental.do_not_convert
        def push(forwards: Any, result: Any) -> Any:
            leaves = dict(tree.walk(result, "output"))
            return [
                forwards.jvp(leaves[path]) if tf.is_tensor(leaves[path]) else None
                for path in fed.outputs
            ]

        def run(tensors: Sequence[Any], moving: Sequence[Any]) -> Any:
            with watch(tensors, moving) as forwards:
                result = function(*fill(tensors))
            return push(forwards, result)

        return run

    def _compiled(self, case: Arguments, fed: Cotangents | Tangents | None) -> Callable[..., Any]:
        key = ("xla", case.key, _program_key(fed))
        if key not in self._traced:
            step = self._make_step(self._python, case, fed)
            self._traced[key] = (self._tf.function(step, jit_compile=True), "")
        return _traced(self._traced[key])[0]

    def _graph(
        self, case: Arguments, fed: Cotangents | Tangents | None
    ) -> tuple[Callable[..., Any], str]:
        shapes = tuple(array.shape for array in case.arrays)
        key = ("graph", case.key, _program_key(fed))
        if key not in self._traced and (*key, shapes) not in self._traced:
            traced = self._trace(case, fed)
            general = isinstance(traced, tuple) and not traced[1]
            self._traced[key if general else (*key, shapes)] = traced
        return _traced(self._traced.get(key) or self._traced[(*key, shapes)])

    def coarsest(self, case: Arguments) -> str:
        """Return the floating-point type with the fewest digits in the traced program, empty if it is not known."""
        shapes = tuple(array.shape for array in case.arrays)
        key = ("graph", case.key, _program_key(None))
        entry = self._traced.get(key) or self._traced.get((*key, shapes))
        if entry is None or isinstance(entry, Failure):
            return ""
        graph: Any = entry[0]
        found = attempt(lambda: _floats_of(graph.get_concrete_function().graph))
        narrow = [] if isinstance(found, Failure) else [n for n in COARSE if n in found]
        return narrow[0] if narrow else ""

    def _trace(
        self, case: Arguments, fed: Cotangents | Tangents | None
    ) -> tuple[Callable[..., Any], str] | Failure:
        first: Failure | None = None
        for note, sizes in _SIGNATURES:
            signature = [
                [self._tf.TensorSpec(sizes(a.shape), a.dtype) for a in case.arrays],
                [self._tf.TensorSpec(sizes(a.shape), a.dtype) for a in _fed_arrays(fed)],
            ]
            step = self._make_step(self._python, case, fed)
            graph = self._tf.function(step, input_signature=signature)
            before = host_state()
            with self._seeds.watched():
                traced = attempt(graph.get_concrete_function)
            if not isinstance(traced, Failure):
                self._seeds.saw(traced.graph)
                note = f"{note}: {first.reason}" if first else ""
                frozen = FROZEN if host_state() != before else ""
                return graph, "; ".join(filter(None, (note, frozen)))
            first = first or traced
        assert first is not None
        return first


def _floats_of(graph: Any) -> set[str]:
    """Return the floating-point types in a `FuncGraph` and in the functions that it calls."""
    graphs = [graph, *(f.graph for f in graph._functions.values() if hasattr(f, "graph"))]
    outputs = (out for g in graphs for operation in g.get_operations() for out in operation.outputs)
    return {out.dtype.name for out in outputs if out.dtype.is_floating}


def _traced(entry: tuple[Callable[..., Any], str] | Failure) -> tuple[Callable[..., Any], str]:
    if isinstance(entry, Failure):
        raise LaneError(entry.reason, entry.detail)
    return entry


def _fed_arrays(fed: Cotangents | Tangents | None) -> list[np.ndarray]:
    """Return the cotangents, or in forward mode the tangents, as a list of arrays."""
    return list((fed.inputs if isinstance(fed, Tangents) else fed or {}).values())


def _program_key(fed: Cotangents | Tangents | None) -> tuple[Any, ...]:
    """Return the cache key of the program that computes the outputs, or the gradients for this feed."""
    if isinstance(fed, Tangents):
        return ("forward", *fed.outputs)
    return (fed is None, *(fed or ()))


def _by_path(case: Arguments, fed: Cotangents | Tangents, found: Sequence[Any]) -> Gradients:
    """Return the gradients by input path, or in forward mode the tangents by output path."""
    inputs = tuple(case.paths[i] for i in case.differentiable)
    paths = fed.outputs if isinstance(fed, Tangents) else inputs
    pairs = zip(paths, found, strict=True)
    return {path: None if g is None else spilled(g.numpy()) for path, g in pairs}
