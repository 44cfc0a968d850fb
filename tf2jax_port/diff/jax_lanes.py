"""Running the new function: eagerly, and as one compiled program."""

from __future__ import annotations

import functools
import random
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from tf2jax_port.diff import tree
from tf2jax_port.diff.arguments import Arguments
from tf2jax_port.diff.attempt import Failure, LaneError, attempt
from tf2jax_port.diff.cotangents import Cotangents
from tf2jax_port.diff.observation import Gradients, Outputs
from tf2jax_port.diff.results import as_arrays

# What a program says about its inputs; compiling it otherwise would only silence it.
_REFUSALS = (
    "InvalidArgumentError",
    "OutOfRangeError",
    "FailedPreconditionError",
    "NotFoundError",
)


# A function, and what compiles its gradient.
Form = tuple[Callable[..., Any], Callable[..., Any]]


class JaxLanes:
    """The port in its two lanes.

    Args:
      function: the port; a `shims.function` or a `jax.jit` is run eagerly as what it was made of.
      seed: for `shims.random`, NumPy and Python, set again before every call.
    """

    def __init__(self, function: Callable[..., Any], seed: int) -> None:
        import jax

        import shims

        self._jax = jax
        self._shims: Any = shims
        self._seed = seed
        self._given = function
        self._staged = _is_staged(function)
        self._python = _python_function(function) if self._staged else function
        self._compiled: dict[Any, Callable[..., Any]] = {}
        self._forms: dict[str, tuple[Callable[..., Any], str]] = {}

    def eager(self, case: Arguments) -> Outputs:
        """The outputs, operator by operator."""
        self._reseed()
        return self._plain(self._python(*case.fill(self._arrays(case))))

    def eager_gradients(self, case: Arguments, cotangents: Cotangents) -> Gradients:
        """The gradients, operator by operator."""
        self._reseed()
        forms = self._differentiable(self._python)
        arrays = self._arrays(case)
        runs = [functools.partial(self._pull, f, case, arrays, cotangents) for f in forms]
        return self._first_that_works(runs, case)

    def in_double(self, case: Arguments, cotangents: Sequence[Cotangents]) -> Iterator[Any]:
        """The outputs and then the gradients for each set of cotangents, in double precision.

        Args:
          case: with floats of 64 bits.
          cotangents: what is fed in at the outputs.
        """
        with self._jax.enable_x64(True):
            yield self.eager(case)
            for fed in cotangents:
                yield self.eager_gradients(case, fed)

    def jit(self, case: Arguments) -> tuple[Outputs, str]:
        """The outputs of the compiled program, and how much of the shapes it was told."""
        self._reseed()
        arrays = self._arrays(case)
        form = self._forms.get(case.key)
        if form is not None:
            return self._plain(form[0](arrays)), form[1]
        first: Failure | None = None
        for note, compiled in self._compile(case):
            found = attempt(lambda compiled=compiled: self._plain(compiled(arrays)))
            if not isinstance(found, Failure):
                note = f"{note}: {first.reason}" if first else ""
                self._forms[case.key] = (compiled, note)
                return found, note
            first = first or found
            if found.kind in _REFUSALS:
                break
        assert first is not None
        raise LaneError(first.reason, first.detail)

    def jit_gradients(self, case: Arguments, cotangents: Cotangents) -> Gradients:
        """The gradients of the compiled program."""
        self._reseed()
        fed = [self._jax.numpy.asarray(ct) for ct in cotangents.values()]
        forms: list[Form] = [(f, self._jax.jit) for f in self._differentiable(self._given)]
        if hasattr(self._shims, "function") and not hasattr(self._given, "lower"):
            # Where nothing bounds a size, only a function of its own can find out how large it is.
            forms.append((forms[-1][0], self._with_unknown_sizes))
        runs = [
            functools.partial(
                self._compiled_pull(number, form, case, tuple(cotangents)),
                self._arrays(case),
                fed,
            )
            for number, form in enumerate(forms)
        ]
        return self._first_that_works(runs, case)

    def _with_unknown_sizes(self, function: Callable[..., Any]) -> Callable[..., Any]:
        return self._shims.function(function, autograph=False, reduce_retracing=True)

    def _compiled_pull(
        self, number: int, form: Form, case: Arguments, paths: tuple[str, ...]
    ) -> Callable[..., Any]:
        function, compiler = form
        key = (number, case.key, paths)
        if key not in self._compiled:

            def pull(arrays: Sequence[Any], fed: Sequence[Any]) -> list[Any]:
                return self._pull(function, case, arrays, dict(zip(paths, fed)))

            self._compiled[key] = compiler(pull)
        return self._compiled[key]

    def _arrays(self, case: Arguments) -> list[Any]:
        jnp = self._jax.numpy
        return [a if a.dtype.kind in "OSU" else jnp.asarray(a) for a in case.arrays]

    def _reseed(self) -> None:
        shims_random: Any = getattr(self._shims, "random", None)
        if hasattr(shims_random, "set_seed"):
            shims_random.set_seed(self._seed)
        np.random.seed(self._seed)
        random.seed(self._seed)

    def _compile(self, case: Arguments) -> Iterator[tuple[str, Callable[..., Any]]]:
        """Functions of the list of arrays, the most general first, and what each of them knows."""
        if self._staged:
            yield "", lambda arrays: self._given(*case.fill(arrays))
            return
        if hasattr(self._shims, "function"):
            for note, unknown in (("", True), ("known dimensions", False)):
                staged = self._shims.function(self._given, reduce_retracing=unknown)
                yield note, lambda arrays, staged=staged: staged(*case.fill(arrays))
        plain = self._jax.jit(lambda arrays: self._given(*case.fill(arrays)))
        yield "plain jax.jit", plain

    def _differentiable(self, function: Callable[..., Any]) -> list[Callable[..., Any]]:
        """The forms in which a gradient may be taken, the plain one first."""
        if self._staged or not hasattr(self._shims, "dynamic"):
            return [function]
        return [function, self._shims.dynamic(function)]

    def _first_that_works(self, runs: Sequence[Callable[[], Any]], case: Arguments) -> Gradients:
        for run in runs[:-1]:
            found = attempt(run)
            if not isinstance(found, Failure):
                return _named(case, found)
        return _named(case, runs[-1]())

    def _pull(
        self,
        function: Callable[..., Any],
        case: Arguments,
        arrays: Sequence[Any],
        cotangents: Cotangents,
    ) -> list[Any]:
        """The cotangents pulled back to every array that has a gradient, as TensorFlow has them."""
        jnp = self._jax.numpy
        paths = tuple(cotangents)
        padded: set[str] = set()

        def outputs(inexact: Sequence[Any]) -> list[Any]:
            values = list(arrays)
            for i, value in zip(case.differentiable, inexact, strict=True):
                values[i] = value
            result = function(*case.fill(values))
            leaves = dict(tree.walk(result, "output", stop=_is_padded))
            missing = [path for path in paths if path not in leaves]
            if missing:
                raise ValueError(f"there is no {missing[0]} to take a gradient of")
            padded.update(path for path in paths if _is_padded(leaves[path]))
            return [jnp.asarray(_values(leaves[path])) for path in paths]

        found, pullback = self._jax.vjp(outputs, [arrays[i] for i in case.differentiable])
        fed = [
            self._fit(path, ct, out, path in padded)
            for (path, ct), out in zip(cotangents.items(), found)
        ]
        # JAX transposes, TensorFlow takes the adjoint: they differ by conjugation on both sides.
        (gradients,) = pullback([jnp.conj(ct) for ct in fed])
        return [jnp.conj(g) for g in gradients]

    def _fit(self, path: str, cotangent: Any, output: Any, padded: bool) -> Any:
        """The cotangent in the type of the output; zero in the padding, where there is any."""
        jnp = self._jax.numpy
        cotangent = jnp.asarray(cotangent).astype(output.dtype)
        if any(not isinstance(size, int) for size in (*output.shape, *cotangent.shape)):
            return self._unified(cotangent, output.shape)
        missing = [have - want for have, want in zip(output.shape, cotangent.shape)]
        fits = all(n >= 0 for n in missing) if padded else not any(missing)
        if output.ndim != cotangent.ndim or not fits:
            raise ValueError(
                f"{path} has shape {output.shape} where the original has {cotangent.shape}"
            )
        return jnp.pad(cotangent, [(0, n) for n in missing]) if any(missing) else cotangent

    def _unified(self, cotangent: Any, shape: Sequence[Any]) -> Any:
        """The cotangent with sizes that are only known when the program runs."""
        jnp = self._jax.numpy
        for axis, size in enumerate(shape):
            leading = self._shims.same_size(jnp.moveaxis(cotangent, axis, 0), size)
            cotangent = jnp.moveaxis(leading, 0, axis)
        return cotangent

    def _plain(self, result: Any) -> Outputs:
        return as_arrays(tree.rebuild(result, self._leaf), self._to_numpy)

    def _leaf(self, leaf: Any) -> Any:
        """The parts of a registered container that `tree` does not know; any other leaf itself."""
        if hasattr(leaf, "unpad"):
            return leaf.unpad()
        if leaf is None or self._jax.tree_util.all_leaves([leaf]):
            return leaf
        parts, _ = self._jax.tree_util.tree_flatten_with_path(leaf)
        return {self._jax.tree_util.keystr(path): part for path, part in parts}

    def _to_numpy(self, leaf: Any) -> Any:
        is_key = isinstance(leaf, self._jax.Array) and self._jax.dtypes.issubdtype(
            leaf.dtype, self._jax.dtypes.prng_key
        )
        return self._jax.random.key_data(leaf) if is_key else leaf


def x64_is_on() -> bool:
    """Whether JAX has 64-bit types."""
    import jax

    return bool(jax.config.jax_enable_x64)


def set_x64(on: bool) -> None:
    """Turn JAX's 64-bit types on or off for this process."""
    import jax

    jax.config.update("jax_enable_x64", on)


def _is_staged(function: Any) -> bool:
    """Whether a function is a `shims.function` or a `jax.jit` already."""
    is_jitted = hasattr(function, "lower") and hasattr(function, "__wrapped__")
    return is_jitted or hasattr(function, "python_function")


def _python_function(staged: Any) -> Callable[..., Any]:
    for name in ("python_function", "__wrapped__"):
        if hasattr(staged, name):
            return getattr(staged, name)
    return staged


def _is_padded(value: Any) -> bool:
    return hasattr(value, "unpad") and hasattr(value, "sizes")


def _values(leaf: Any) -> Any:
    return leaf.values if _is_padded(leaf) else leaf


def _named(case: Arguments, found: Sequence[Any]) -> Gradients:
    paths = [case.paths[i] for i in case.differentiable]
    return {path: np.asarray(g) for path, g in zip(paths, found, strict=True)}
