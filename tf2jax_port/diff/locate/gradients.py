"""Locating a difference of gradients: the last operation whose cotangent differs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from shims._src import jax_private as jp
from tf2jax_port.diff import tree
from tf2jax_port.diff.arguments import Arguments
from tf2jax_port.diff.cotangents import Cotangents
from tf2jax_port.diff.locate.cause import Evidence, cause
from tf2jax_port.diff.locate.frontier import before
from tf2jax_port.diff.locate.located import GRADIENT, Located, element, spot
from tf2jax_port.diff.locate.matching import SINGLE, Index, Values, flattened, same, size_of
from tf2jax_port.diff.locate.places import Stack, entered
from tf2jax_port.diff.locate.trail import Step, Trail
from tf2jax_port.diff.locate.watch_jax import JaxWatch
from tf2jax_port.diff.locate.watch_jax import watching as watching_jax
from tf2jax_port.diff.locate.watch_tensorflow import TensorFlowWatch
from tf2jax_port.diff.locate.watch_tensorflow import watching as watching_tensorflow

# Primitives whose rules differ between the two, or that stop a gradient.
_SUSPICIOUS = {
    "abs",
    "max",
    "min",
    "clamp",
    "sign",
    "sqrt",
    "rsqrt",
    "stop_gradient",
    "reduce_max",
    "reduce_min",
    "custom_jvp_call",
    "custom_vjp_call",
    "sort",
    "select_n",
}
_NOISE, _NOISE_IN_SINGLE = 1e-12, 1e-5
_CAUSES = {
    "abs": "the gradient of abs at zero",
    "max": "the gradient of maximum at ties",
    "min": "the gradient of minimum at ties",
    "clamp": "the gradient of clip at its bounds",
    "stop_gradient": "a gradient stopped on one side only",
    "sqrt": "the gradient of a root at zero",
    "rsqrt": "the gradient of a root at zero",
}


@dataclass
class Pulled:
    """A trail and the cotangent of each of its values; zero where there is none."""

    trail: Trail
    cotangents: dict[int, np.ndarray] = field(default_factory=dict)


class JaxNudged(JaxWatch):
    """A trace that adds a number to every result, so that each has a cotangent of its own.

    Functions with a rule of their own are left whole, because the rule is what counts.

    Args:
      parent: the trace that computes.
      stack: finds the user's line.
      nudges: what to add, in the order of the results that are floats; one number for all of them
        in the run that learns their shapes.
    """

    def __init__(self, parent: Any, stack: Stack, nudges: Any) -> None:
        super().__init__(parent, stack)
        self.shapes: list[tuple[tuple[int, ...], Any]] = []
        self._nudges = nudges

    def process_primitive(self, primitive: Any, tracers: Any, params: Any, /) -> Any:
        """Compute below, nudge the results, and write them down."""
        inner = self.program(primitive, params)
        if inner is not None:
            return self.go_through(inner, tracers)
        with jp.under(self.parent):
            out = primitive.bind(*tracers, **params)
            results = list(out) if primitive.multiple_results else [out]
            results = [self._nudge(one) for one in results]
        self.write(primitive.name, tracers, results)
        return results if primitive.multiple_results else results[0]

    def process_custom_jvp_call(
        self, primitive: Any, fun: Any, jvp: Any, tracers: Any, /, **params: Any
    ) -> Any:
        """A function with a rule of its own is one operation."""
        return self._with_rule(primitive, (fun, jvp), tracers, params)

    def process_custom_vjp_call(
        self, primitive: Any, fun: Any, fwd: Any, bwd: Any, tracers: Any, /, **params: Any
    ) -> Any:
        """A function with a rule of its own is one operation."""
        return self._with_rule(primitive, (fun, fwd, bwd), tracers, params)

    def _with_rule(self, primitive: Any, functions: Any, tracers: Any, params: Any) -> list[Any]:
        with jp.under(self.parent):
            results = list(primitive.bind(*tracers, subfuns=functions, **params))
            results = [self._nudge(one) for one in results]
        self.write(primitive.name, tracers, results)
        return results

    def _nudge(self, result: Any) -> Any:
        import jax.numpy as jnp

        if not jnp.issubdtype(result.dtype, jnp.inexact):
            return result
        number = len(self.shapes)
        self.shapes.append((result.shape, result.dtype))
        if isinstance(self._nudges, list):
            return result + self._nudges[number]
        return result + jnp.asarray(self._nudges, result.dtype)

    def held(self, one: Any) -> Any:
        """A value without what differentiation has wrapped around it."""
        return jp.primal_tracer(one)


def pull_jax(
    function: Callable[..., Any], case: Arguments, fed: Cotangents, seed: int, stack: Stack
) -> Pulled:
    """The cotangent of every value of the port."""
    import jax
    import jax.numpy as jnp

    arrays = [a if a.dtype.kind in "OSU" else jnp.asarray(a) for a in case.arrays]
    watches: list[JaxNudged] = []

    def run(nudges: Any, moving: Sequence[Any]) -> list[Any]:
        watch = JaxNudged(jp.current_trace(), stack, nudges)
        watches.append(watch)
        given = list(arrays)
        for position, array in zip(case.differentiable, moving):
            given[position] = array
        for array, name in zip(given, case.paths):
            watch.input(array, name)
        with watching_jax(watch, seed):
            result = entered(lambda: function(*case.fill(given)))
        leaves = dict(tree.walk(result, "output"))
        for path, leaf in leaves.items():
            if isinstance(leaf, jax.Array):
                watch.trail.outputs[path] = watch.number_of(leaf)
        return [leaves[path] for path in fed]

    moving = [arrays[i] for i in case.differentiable]
    jax.vjp(run, jnp.zeros(()), moving)
    zeros = [jnp.zeros(shape, dtype) for shape, dtype in watches[0].shapes]
    outputs, pull = jax.vjp(run, zeros, moving)
    nudges, inputs = pull([jnp.asarray(ct, y.dtype) for ct, y in zip(fed.values(), outputs)])
    found = Pulled(watches[-1].trail)
    floats = [
        number
        for step in found.trail.steps
        for number in step.results
        if jnp.issubdtype(found.trail.values[number].dtype, jnp.inexact)
    ]
    found.cotangents |= {n: np.asarray(ct) for n, ct in zip(floats, nudges, strict=True)}
    named = {name: number for number, name in found.trail.names.items()}
    for position, cotangent in zip(case.differentiable, inputs):
        found.cotangents[named[case.paths[position]]] = np.asarray(cotangent)
    return found


def pull_tensorflow(
    function: Callable[..., Any], case: Arguments, fed: Cotangents, seed: int, stack: Stack
) -> Pulled:
    """The cotangent of every value of the original."""
    import tensorflow as tf

    watch = TensorFlowWatch(stack)
    tensors = [tf.constant(array) for array in case.arrays]
    for tensor, name in zip(tensors, case.paths):
        watch.input(tensor, name)
    with tf.GradientTape() as tape:
        tape.watch([tensors[i] for i in case.differentiable])
        with watching_tensorflow(watch, seed):
            result = entered(lambda: function(*case.fill(tensors)))
    leaves = dict(tree.walk(result, "output"))
    for path, leaf in leaves.items():
        if tf.is_tensor(leaf):
            watch.trail.outputs[path] = watch.number_of(leaf)
    numbers = [
        number
        for number, held in enumerate(watch.trail.values)
        if tf.is_tensor(held) and (held.dtype.is_floating or held.dtype.is_complex)
    ]
    found = tape.gradient(
        [leaves[path] for path in fed],
        [watch.trail.values[number] for number in numbers],
        output_gradients=[tf.cast(ct, leaves[path].dtype) for path, ct in fed.items()],
    )
    pulled = Pulled(watch.trail)
    for number, gradient in zip(numbers, found):
        if gradient is not None:
            pulled.cotangents[number] = tf.convert_to_tensor(gradient).numpy()
    return pulled


class Comparison:
    """The cotangents of values that both runs have.

    Args:
      old: of the original.
      new: of the port.
    """

    def __init__(self, old: Pulled, new: Pulled) -> None:
        self.old, self.new = old, new
        self._old_values, self._new_values = Values(old.trail), Values(new.trail)
        self._index = Index(self._old_values)
        self._states: dict[int, bool | None] = {}
        every = [*old.cotangents.values(), *new.cotangents.values()]
        is_double = any(c.dtype.name in ("float64", "complex128") for c in every)
        largest = max(
            (size_of(flat) for c in every if (flat := flattened(c)) is not None), default=0
        )
        # What cancels leaves the rounding of what cancelled.
        self.noise = (_NOISE if is_double else _NOISE_IN_SINGLE) * largest

    def twins(self, number: int) -> list[int]:
        """The values of the original that equal one of the port."""
        flat = self._new_values.flat(number)
        return list(self._index.equal_to(flat, self._new_values.tolerance(number)))

    def agrees(self, number: int) -> bool | None:
        """Whether a cotangent is the original's; `None` where the original has no such value."""
        if number not in self._states:
            self._states[number] = self._compare(number)
        return self._states[number]

    def _compare(self, number: int) -> bool | None:
        held = self.new.trail.values[number]
        twins = self.twins(number)
        if not twins:
            return None
        mine = _cotangent(self.new, number, np.shape(held))
        tolerance = max(self._new_values.tolerance(number), SINGLE / 30)
        return any(
            same(
                _cotangent(self.old, twin, np.shape(self.old.trail.array(twin))),
                mine,
                max(tolerance, self._old_values.tolerance(twin)),
                self.noise,
            )
            for twin in twins
        )


def locate_gradients(old: Pulled, new: Pulled, case: Arguments) -> Located | None:
    """The last operation whose cotangent differs, going back from the outputs."""
    compared = Comparison(old, new)
    named = {name: number for number, name in new.trail.names.items()}
    theirs = {name: number for number, name in old.trail.names.items()}
    reached = before(new.trail, new.trail.outputs.values())
    waiting = []
    for position in case.differentiable:
        path = case.paths[position]
        shape = np.shape(case.arrays[position])
        a, b = _cotangent(old, theirs[path], shape), _cotangent(new, named[path], shape)
        if not same(a, b, SINGLE, compared.noise):
            waiting.append(named[path])
    wrong: set[int] = set()
    users = _users(new.trail)
    while waiting:
        number = waiting.pop()
        if number in wrong:
            continue
        wrong.add(number)
        for step in users.get(number, ()):
            waiting += [r for r in step.results if r in reached and not compared.agrees(r)]
    known = [n for n in wrong if compared.agrees(n) is False]
    if not known:
        return None
    last = max(known, key=lambda number: _position(new.trail, number))
    return _located(compared, last, list(users.get(last, ())), case)


def _located(
    compared: Comparison, number: int, users: list[Step], case: Arguments
) -> Located | None:
    old, new = compared.old, compared.new
    if not users:
        return None
    suspicious = [s for s in users if s.name in _SUSPICIOUS]
    mine = (suspicious or users)[0]
    twins = compared.twins(number)
    theirs = [s for s in old.trail.steps if not set(twins).isdisjoint(s.operands)]
    theirs.sort(key=lambda step: old.cotangents.keys().isdisjoint(step.results))
    shape = np.shape(new.trail.array(number))
    a, b = (_shaped(_cotangent(*of, shape), shape) for of in ((old, twins[0]), (new, number)))
    there = theirs[0] if theirs else None
    words = _CAUSES.get(mine.name)
    lines = mine.place.text + (there.place.text if there else "")
    if words is None and "stop_gradient" in lines:
        words = _CAUSES["stop_gradient"]
    if words is None and there is not None:
        words = cause(Evidence(None, None, there.place, mine.place, (), ()))
    return Located(
        GRADIENT,
        case.index,
        spot(there),
        spot(mine),
        new.trail.iteration(mine),
        words,
        False,
        element(a, b),
    )


def _position(trail: Trail, number: int) -> int:
    maker = trail.makers[number]
    return -1 if maker is None else maker


def _users(trail: Trail) -> Mapping[int, list[Step]]:
    found: dict[int, list[Step]] = {}
    for step in trail.steps:
        for operand in dict.fromkeys(step.operands):
            found.setdefault(operand, []).append(step)
    return found


def _shaped(flat: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    return flat.reshape(shape) if flat.size == int(np.prod(shape)) else flat


def _cotangent(pulled: Pulled, number: int, shape: tuple[int, ...]) -> np.ndarray:
    """The cotangent of a value in one row; zeros where there is none."""
    found = pulled.cotangents.get(number)
    flat = None if found is None else flattened(found)
    return np.zeros(int(np.prod(shape))) if flat is None else flat
