"""Compute the gradients of the port: eager or compiled, in reverse or forward mode."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tf2jax_port.diff.values import tree
from tf2jax_port.diff.values.arguments import Arguments
from tf2jax_port.diff.values.attempt import Failure, attempt
from tf2jax_port.diff.values.cotangents import Cotangents, Tangents
from tf2jax_port.diff.values.observation import Gradients
from tf2jax_port.diff.values.spill import spilled

_MIN_SIZE = 16


@dataclass(frozen=True, slots=True)
class Linear:
    """A function linearized at one point, by `jax.vjp`.

    Attributes:
      outputs: the values of the outputs that have a gradient.
      padded: for each output, whether it has padding.
      pull: the pullback: maps one cotangent per output to the gradients of the inputs.
    """

    outputs: Sequence[Any]
    padded: frozenset[str]
    pull: Callable[..., Any]


class JaxGradients:
    """Computes gradients of one function, eager or compiled, in reverse or forward mode.

    There are three ways to differentiate the function: unchanged; under `shims.dynamic`, for
    data-dependent sizes; or inside a `shims.function`, which is compiled once for many sizes and
    grows the capacities of data-dependent sizes. The first way that works is remembered for calls
    of the same kind.

    Args:
      jax: the module `jax`.
      shims: the module `shims`.
      python: the port as a plain Python function.
      given: the port as the user passed it.
    """

    def __init__(
        self, jax: Any, shims: Any, python: Callable[..., Any], given: Callable[..., Any]
    ) -> None:
        self._jax = jax
        self._shims = shims
        self._given = given
        dynamic = shims.dynamic(python)
        self._eager_forms = [python, dynamic]
        # In the form in which the lane computes the values: a `shims.function` is one program for all
        # sizes, a `jax.jit` is compiled for known sizes.
        forms = [
            functools.partial(self._jit_of_unknown_sizes, dynamic),
            functools.partial(self._jit_of_known_sizes, "given", given),
            functools.partial(self._jit_of_known_sizes, "dynamic", dynamic),
        ]
        self._jit_forms = [*forms[1:], forms[0]] if is_jax_jit(given) else forms
        self._compiled: dict[Any, Callable[..., Any]] = {}
        self._works: dict[tuple[str, str], int] = {}
        self._last: tuple[Arguments, int, Linear] | None = None

    def eager(self, case: Arguments, arrays: Sequence[Any], cotangents: Cotangents) -> Gradients:
        """Compute the gradients eagerly."""
        runs = [
            functools.partial(self._eager_with, number, case, arrays, cotangents)
            for number in range(len(self._eager_forms))
        ]
        return _by_path(case, self._first_that_works(("eager", case.key), runs))

    def jit(self, case: Arguments, arrays: Sequence[Any], cotangents: Cotangents) -> Gradients:
        """Compute the gradients with a compiled program, for unknown sizes if possible."""
        runs = [functools.partial(form, case, arrays, cotangents) for form in self._jit_forms]
        return _by_path(case, self._first_that_works(("jit", case.key), runs))

    def jit_of_known_sizes(
        self, case: Arguments, arrays: Sequence[Any], cotangents: Cotangents
    ) -> Gradients:
        """Compute the gradients with a program compiled for exactly the sizes of the given arrays."""
        forms = (("given", self._given), ("dynamic", self._eager_forms[1]))
        runs = [
            functools.partial(self._jit_of_known_sizes, name, form, case, arrays, cotangents)
            for name, form in forms
        ]
        return _by_path(case, self._first_that_works(("known", case.key), runs))

    def forward(
        self, case: Arguments, arrays: Sequence[Any], tangents: Tangents, *, compiled: bool
    ) -> Gradients:
        """Compute the tangents of the outputs from the tangents of the inputs (forward mode)."""
        jnp = self._jax.numpy
        moving = [jnp.asarray(array) for array in tangents.inputs.values()]
        forms = [self._given, self._eager_forms[1]] if compiled else self._eager_forms
        runs = [
            functools.partial(
                self._run_forward, form, case, arrays, moving, tangents.outputs, compiled
            )
            for form in forms
        ]
        found = self._first_that_works((f"forward {compiled}", case.key), runs)
        return dict(zip(tangents.outputs, found))

    def of_one(
        self, case: Arguments, arrays: Sequence[Any], fed: Sequence[Any], paths: tuple[str, ...]
    ) -> list[Any]:
        """Compute the gradients for one example of a batch, over which the caller uses `vmap`.

        The function is called as the user passed it.
        """
        linear = self._linearize(self._given, case, arrays, paths)
        return self._pull(linear, dict(zip(paths, fed)))

    def of_one_forward(
        self, case: Arguments, arrays: Sequence[Any], moving: Sequence[Any], paths: tuple[str, ...]
    ) -> Any:
        """Compute outputs and tangents for one example of a batch, over which the caller uses `vmap`."""
        return self._make_jvp(self._given, case, paths)(arrays, moving)

    def _run_forward(
        self,
        function: Callable[..., Any],
        case: Arguments,
        arrays: Sequence[Any],
        moving: Sequence[Any],
        paths: tuple[str, ...],
        compiled: bool,
    ) -> list[np.ndarray]:
        push = self._make_jvp(function, case, paths)
        key = ("forward", id(function), case.key, paths)
        program = self._compiled.setdefault(key, self._jax.jit(push)) if compiled else push
        values, moved = program(arrays, moving)
        shapes = [np.shape(v.unpad() if is_padded(v) else v) for v in values]
        found = [np.asarray(m.values if is_padded(m) else m) for m in moved]
        return [array[tuple(map(slice, shape))] for array, shape in zip(found, shapes)]

    def _make_jvp(
        self, function: Callable[..., Any], case: Arguments, paths: tuple[str, ...]
    ) -> Callable[..., Any]:
        def push(arrays: Sequence[Any], moving: Sequence[Any]) -> Any:
            inputs = [arrays[i] for i in case.differentiable]
            along = [m.astype(a.dtype) for m, a in zip(moving, inputs)]
            outputs = functools.partial(self._outputs, function, case, arrays, paths)
            return self._jax.jvp(outputs, (inputs,), (along,))

        return push

    def _first_that_works(
        self, key: tuple[str, str], runs: Sequence[Callable[[], Any]]
    ) -> Sequence[Any]:
        first = self._works.get(key, 0)
        for number, run in enumerate(runs[first:-1], first):
            found = attempt(run)
            if not isinstance(found, Failure):
                self._works[key] = number
                return found
        found = runs[-1]()
        self._works[key] = len(runs) - 1
        return found

    def _eager_with(
        self, number: int, case: Arguments, arrays: Sequence[Any], cotangents: Cotangents
    ) -> list[Any]:
        if self._last is None or self._last[0] is not case or self._last[1] != number:
            form = self._eager_forms[number]
            self._last = (case, number, self._linearize(form, case, arrays, tuple(cotangents)))
        return self._pull(self._last[2], cotangents)

    def _jit_of_known_sizes(
        self,
        name: str,
        function: Callable[..., Any],
        case: Arguments,
        arrays: Sequence[Any],
        cotangents: Cotangents,
    ) -> list[Any]:
        paths = tuple(cotangents)

        def gradients(arrays: Sequence[Any], fed: Sequence[Any]) -> list[Any]:
            linear = self._linearize(function, case, arrays, paths)
            return self._pull(linear, dict(zip(paths, fed)))

        key = (name, case.key, paths)
        program = self._compiled.setdefault(key, self._jax.jit(gradients))
        return program(arrays, [self._jax.numpy.asarray(ct) for ct in cotangents.values()])

    def _jit_of_unknown_sizes(
        self,
        function: Callable[..., Any],
        case: Arguments,
        arrays: Sequence[Any],
        cotangents: Cotangents,
    ) -> list[Any]:
        paths = tuple(cotangents)
        rooms = [_pad_to_bucket(ct) for ct in cotangents.values()]

        def gradients(arrays: Sequence[Any], rooms: Sequence[Any]) -> tuple[list[Any], list[Any]]:
            linear = self._linearize(function, case, arrays, paths)
            fed = [self._cut(room, out.shape) for room, out in zip(rooms, linear.outputs)]
            found = self._pull(linear, dict(zip(paths, fed)))
            return found, [self._shims.shape(out) for out in linear.outputs]

        key = ("unknown", case.key, paths, tuple(room.shape for room in rooms))
        if key not in self._compiled:
            signature = [self._specs(arrays), [self._spec(room.shape, room) for room in rooms]]
            self._compiled[key] = self._shims.function(
                gradients, autograph=False, input_signature=signature
            )
        found, shapes = self._compiled[key](arrays, rooms)
        for (path, ct), shape in zip(cotangents.items(), shapes, strict=True):
            _require_same_shape(path, tuple(np.asarray(shape).tolist()), ct.shape)
        return found

    def _specs(self, arrays: Sequence[Any]) -> list[Any]:
        """Return the port's input signature if the arrays fit it, else one with all sizes unknown."""
        given = self._jax.tree.leaves(
            getattr(self._given, "input_signature", None),
            is_leaf=lambda part: isinstance(part, self._shims.TensorSpec),
        )
        if [len(spec.shape) for spec in given] == [array.ndim for array in arrays]:
            return given
        return [self._spec([None] * array.ndim, array) for array in arrays]

    def _spec(self, sizes: Sequence[int | None], array: Any) -> Any:
        return self._shims.TensorSpec(sizes, array.dtype)

    def _linearize(
        self,
        function: Callable[..., Any],
        case: Arguments,
        arrays: Sequence[Any],
        paths: tuple[str, ...],
    ) -> Linear:
        padded: set[str] = set()

        def outputs(inexact: Sequence[Any]) -> list[Any]:
            found = self._outputs(function, case, arrays, paths, inexact)
            padded.update(path for path, leaf in zip(paths, found) if is_padded(leaf))
            return [leaf.values if is_padded(leaf) else leaf for leaf in found]

        found, pull = self._jax.vjp(outputs, [arrays[i] for i in case.differentiable])
        return Linear(found, frozenset(padded), pull)

    def _outputs(
        self,
        function: Callable[..., Any],
        case: Arguments,
        arrays: Sequence[Any],
        paths: tuple[str, ...],
        inexact: Sequence[Any],
    ) -> list[Any]:
        """Call the function; return the outputs at the given paths, as arrays or `shims.Padded`.

        `inexact` replaces the differentiable arrays among the arguments.
        """
        values = list(arrays)
        for i, value in zip(case.differentiable, inexact, strict=True):
            values[i] = value
        result = function(*case.fill(values))
        leaves = dict(tree.walk(result, "output", stop=is_padded))
        missing = [path for path in paths if path not in leaves]
        if missing:
            raise ValueError(f"the results contain no {missing[0]} to differentiate")
        found = [leaves[path] for path in paths]
        return [x if is_padded(x) else self._jax.numpy.asarray(x) for x in found]

    def _pull(self, linear: Linear, cotangents: Cotangents) -> list[Any]:
        """Compute the gradients from cotangents, with TensorFlow's convention for complex numbers.

        JAX applies the transpose, TensorFlow the adjoint; therefore cotangents and gradients are
        conjugated.
        """
        conj = self._jax.numpy.conj
        fed = [
            self._fit_cotangent(path, ct, out, path in linear.padded)
            for (path, ct), out in zip(cotangents.items(), linear.outputs)
        ]
        (gradients,) = linear.pull([conj(ct) for ct in fed])
        return [conj(g) for g in gradients]

    def _fit_cotangent(self, path: str, cotangent: Any, output: Any, padded: bool) -> Any:
        """Cast the cotangent to the type of the output, and pad it with zeros if needed."""
        jnp = self._jax.numpy
        cotangent = jnp.asarray(cotangent).astype(output.dtype)
        if any(not isinstance(size, int) for size in (*output.shape, *cotangent.shape)):
            return cotangent  # already cut to fit
        missing = [have - want for have, want in zip(output.shape, cotangent.shape)]
        fits = padded and output.ndim == cotangent.ndim and all(n >= 0 for n in missing)
        if not fits:
            _require_same_shape(path, output.shape, cotangent.shape)
        return jnp.pad(cotangent, [(0, n) for n in missing]) if any(missing) else cotangent

    def _cut(self, roomy: Any, shape: Sequence[Any]) -> Any:
        """Cut a cotangent, which `_pad_to_bucket` padded, to a shape that is known only at run time."""
        if roomy.ndim != len(shape):
            raise ValueError(f"an output has {len(shape)} axes, not {roomy.ndim}")
        for axis, size in enumerate(shape):
            roomy = self._jax.numpy.take(roomy, self._shims.range(size), axis=axis)
        return roomy


def _pad_to_bucket(cotangent: np.ndarray) -> np.ndarray:
    """Pad a cotangent with zeros to the next bucket of sizes.

    The size of an output may be data-dependent, and a program is compiled once for the sizes of one
    bucket and again for sizes 0 and 1. The cotangent is padded here and cut where it is used, so that
    the program is not compiled again for each size of an output.
    """
    sizes = [max(_MIN_SIZE, 1 << (n - 1).bit_length()) - n for n in cotangent.shape]
    return np.pad(cotangent, [(0, n) for n in sizes]) if sizes else cotangent


def _require_same_shape(path: str, port: tuple[int, ...], original: tuple[int, ...]) -> None:
    if port != original:
        raise ValueError(f"{path} has shape {port} where the original has {original}")


def is_jax_jit(function: Any) -> bool:
    """Return whether a function was made by `jax.jit`."""
    return hasattr(function, "lower") and hasattr(function, "__wrapped__")


def is_padded(value: Any) -> bool:
    """Return whether a value is a `shims.Padded`."""
    return hasattr(value, "unpad") and hasattr(value, "sizes")


def _by_path(case: Arguments, found: Sequence[Any]) -> Gradients:
    paths = [case.paths[i] for i in case.differentiable]
    return {path: spilled(np.asarray(g)) for path, g in zip(paths, found, strict=True)}
