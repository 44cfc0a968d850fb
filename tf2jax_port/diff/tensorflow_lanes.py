"""Running the old function: eagerly, as a graph with unknown dimensions, compiled by XLA."""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from tf2jax_port.diff import tree
from tf2jax_port.diff.arguments import Arguments
from tf2jax_port.diff.attempt import Failure, LaneError, attempt
from tf2jax_port.diff.cotangents import Cotangents
from tf2jax_port.diff.observation import Gradients, Outputs
from tf2jax_port.diff.results import as_arrays
from tf2jax_port.diff.substitution import substituted

# How much of the shapes a graph is told; the first that traces is taken.
_SIGNATURES = (
    ("", lambda shape: [None] * len(shape)),
    ("only the first dimension unknown", lambda shape: [None, *shape[1:]] if shape else []),
    ("known dimensions", list),
)


class TensorFlowLanes:
    """The old function in its three lanes.

    Args:
      function: the TensorFlow function; a `tf.function` is run as the Python function in it.
      seed: for `tf.random`, NumPy and Python, set again before every call.
      variables: by name, where the first argument of every case gives their values.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        seed: int,
        variables: Mapping[str, Any] | None = None,
    ) -> None:
        os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
        import tensorflow as tf

        tf.get_logger().setLevel("ERROR")
        self._tf = tf
        self._seed = seed
        self._given = function
        self._python = getattr(function, "python_function", function)
        self._variables = variables or {}
        self._traced: dict[Any, tuple[Callable[..., Any], str] | Failure] = {}

    def device(self) -> str:
        """The devices that TensorFlow has, `CPU` or `CPU, GPU`."""
        found = self._tf.config.list_physical_devices()
        return ", ".join(dict.fromkeys(device.device_type for device in found))

    def eager(self, case: Arguments) -> Outputs:
        """The outputs, operator by operator; in another precision than the variables', as a graph."""
        if self._foreign(case):
            return as_arrays(self._in_other_precision(case, None))
        return self._eagerly(lambda: as_arrays(self._given(*case.fill(self._tensors(case)))))

    def eager_gradients(self, case: Arguments, cotangents: Cotangents) -> Gradients:
        """The gradients, operator by operator, or as `eager` runs it."""
        if self._foreign(case):
            return _named(case, self._in_other_precision(case, cotangents))
        step = self._step(self._given, case, cotangents)
        return self._eagerly(
            lambda: _named(case, step(self._tensors(case), self._feed(cotangents)))
        )

    def graph(self, case: Arguments) -> tuple[Outputs, str]:
        """The outputs of a graph with unknown dimensions, and what had to be known."""
        traced, note = self._graph(case, None)
        self._reseed()
        return as_arrays(traced(self._tensors(case), [])), note

    def graph_gradients(self, case: Arguments, cotangents: Cotangents) -> Gradients:
        """The gradients in a graph with unknown dimensions."""
        traced, _ = self._graph(case, cotangents)
        self._reseed()
        return _named(case, traced(self._tensors(case), self._feed(cotangents)))

    def xla(self, case: Arguments) -> Outputs:
        """The outputs of the program that XLA makes for these shapes."""
        self._reseed()
        return as_arrays(self._compiled(case, None)(self._tensors(case), []))

    def xla_gradients(self, case: Arguments, cotangents: Cotangents) -> Gradients:
        """The gradients of the program that XLA makes for these shapes."""
        self._reseed()
        compiled = self._compiled(case, cotangents)
        return _named(case, compiled(self._tensors(case), self._feed(cotangents)))

    def _tensors(self, case: Arguments) -> list[Any]:
        """The arrays as tensors; variables get their values."""
        foreign = self._foreign(case)
        for index, variable in self._held(case).items():
            if index not in foreign:
                variable.assign(case.arrays[index])
        return [self._tf.constant(array) for array in case.arrays]

    def _held(self, case: Arguments) -> dict[int, Any]:
        """Which of the arrays are values of variables."""
        return {case.template[0][name].index: v for name, v in self._variables.items()}

    def _foreign(self, case: Arguments) -> dict[int, Any]:
        """Those of them whose variables are of another precision."""
        held = self._held(case).items()
        return {i: variable for i, variable in held if variable.dtype != case.arrays[i].dtype}

    def _sources(self, case: Arguments, tensors: Sequence[Any]) -> list[Any]:
        """What gradients are taken with respect to."""
        foreign = self._foreign(case)
        found = dict(enumerate(tensors))
        found |= {i: variable for i, variable in self._held(case).items() if i not in foreign}
        return [found[i] for i in case.differentiable]

    def _in_other_precision(self, case: Arguments, cotangents: Cotangents | None) -> Any:
        """The outputs or gradients of a graph that reads the given values for its variables."""
        self._reseed()
        foreign = self._foreign(case)
        step = self._step(self._python, case, cotangents)

        def run(tensors: Sequence[Any], fed: Sequence[Any]) -> Any:
            pairs = {id(variable): tensors[i] for i, variable in foreign.items()}
            with substituted(self._tf, pairs, type(next(iter(foreign.values())))):
                return step(tensors, fed)

        graph = self._tf.function(run, autograph=False)
        return graph(self._tensors(case), self._feed(cotangents or {}))

    def _feed(self, cotangents: Cotangents) -> list[Any]:
        return [self._tf.constant(array) for array in cotangents.values()]

    def _reseed(self) -> None:
        self._tf.random.set_seed(self._seed)
        np.random.seed(self._seed)
        random.seed(self._seed)

    def _eagerly(self, run: Callable[[], Any]) -> Any:
        self._reseed()
        before = self._tf.config.functions_run_eagerly()
        self._tf.config.run_functions_eagerly(True)
        try:
            return run()
        finally:
            self._tf.config.run_functions_eagerly(before)

    def _step(
        self, function: Callable[..., Any], case: Arguments, cotangents: Cotangents | None
    ) -> Callable[..., Any]:
        """A function of flat lists of tensors; AutoGraph converts it and what it calls."""
        tf = self._tf
        paths = tuple(cotangents or ())
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

        return forward if cotangents is None else backward

    def _compiled(self, case: Arguments, cotangents: Cotangents | None) -> Callable[..., Any]:
        key = ("xla", case.key, tuple(cotangents or ()), cotangents is None)
        if key not in self._traced:
            step = self._step(self._python, case, cotangents)
            self._traced[key] = (self._tf.function(step, jit_compile=True), "")
        return _traced(self._traced[key])[0]

    def _graph(
        self, case: Arguments, cotangents: Cotangents | None
    ) -> tuple[Callable[..., Any], str]:
        shapes = tuple(array.shape for array in case.arrays)
        key = ("graph", case.key, tuple(cotangents or ()), cotangents is None)
        if key not in self._traced and (*key, shapes) not in self._traced:
            traced = self._trace(case, cotangents)
            general = isinstance(traced, tuple) and not traced[1]
            self._traced[key if general else (*key, shapes)] = traced
        return _traced(self._traced.get(key) or self._traced[(*key, shapes)])

    def _trace(
        self, case: Arguments, cotangents: Cotangents | None
    ) -> tuple[Callable[..., Any], str] | Failure:
        first: Failure | None = None
        for note, sizes in _SIGNATURES:
            signature = [
                [self._tf.TensorSpec(sizes(a.shape), a.dtype) for a in case.arrays],
                [self._tf.TensorSpec(sizes(a.shape), a.dtype) for a in (cotangents or {}).values()],
            ]
            step = self._step(self._python, case, cotangents)
            graph = self._tf.function(step, input_signature=signature)
            traced = attempt(graph.get_concrete_function)
            if not isinstance(traced, Failure):
                return graph, f"{note}: {first.reason}" if first else ""
            first = first or traced
        assert first is not None
        return first


def _traced(entry: tuple[Callable[..., Any], str] | Failure) -> tuple[Callable[..., Any], str]:
    if isinstance(entry, Failure):
        raise LaneError(entry.reason, entry.detail)
    return entry


def _named(case: Arguments, found: Sequence[Any]) -> Gradients:
    paths = [case.paths[i] for i in case.differentiable]
    return {p: None if g is None else g.numpy() for p, g in zip(paths, found, strict=True)}
