"""Run the port eagerly and compiled."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from tf2jax_port.diff.lanes.jax_gradients import JaxGradients, is_jax_jit, is_padded
from tf2jax_port.diff.lanes.seeds import host_state
from tf2jax_port.diff.values import tree
from tf2jax_port.diff.values.arguments import Arguments
from tf2jax_port.diff.values.attempt import Failure, LaneError, attempt
from tf2jax_port.diff.values.cotangents import Feed, Steps, Tangents, trained
from tf2jax_port.diff.values.observation import FROZEN, Gradients, Outputs
from tf2jax_port.diff.values.results import as_arrays

# Errors by which a program rejects its inputs; another way of compiling would only hide them.
_REFUSALS = (
    "InvalidArgumentError",
    "OutOfRangeError",
    "FailedPreconditionError",
    "NotFoundError",
)


class JaxLanes:
    """The lanes of the port in this process: eager and compiled.

    Args:
      function: the port; a `shims.function` or a `jax.jit` is run eagerly as its Python function.
      seed: for `shims.random`, NumPy and Python, set again before every call.
    """

    def __init__(self, function: Callable[..., Any], seed: int) -> None:
        import jax

        import shims

        self._jax = jax
        self._shims: Any = shims
        self._seed = seed
        self.drawing = False
        self._freezes = False
        self.given = function
        self._staged = _is_staged(function)
        self._python = python_function(function)
        self.gradients = JaxGradients(jax, shims, self._python, function)
        self._forms: dict[str, tuple[Callable[..., Any], str]] = {}

    def eager(self, case: Arguments) -> Outputs:
        """Compute the outputs eagerly."""
        self.reseed()
        return self.plain(self._python(*case.fill(self.arrays(case))))

    def eager_gradients(self, case: Arguments, fed: Feed) -> Gradients:
        """Compute the gradients eagerly."""
        return self._eagerly(self.gradients, case, fed)

    def in_double(self, case: Arguments, feeds: Sequence[Feed]) -> Iterator[Any]:
        """Yield the outputs, then the gradients for each feed, computed eagerly in double precision.

        Args:
          case: the call, with 64-bit floats.
          feeds: the cotangents, tangents or training steps.
        """
        with self._jax.enable_x64(True):
            yield self.eager(case)
            double = JaxGradients(self._jax, self._shims, self._python, self.given)
            for fed in feeds:
                yield self._eagerly(double, case, fed)

    def compiled_in_double(self, case: Arguments, feeds: Sequence[Feed]) -> Iterator[Any]:
        """Yield the outputs, then the gradients for each feed, compiled in double precision."""
        with self._jax.enable_x64(True):
            double = JaxLanes(self.given, self._seed)
            yield double.jit(case)[0]
            for fed in feeds:
                yield double.jit_gradients(case, fed)

    def jit(self, case: Arguments) -> tuple[Outputs, str]:
        """Compute the outputs with a compiled program.

        Returns:
          The outputs, and a note if the program could not be compiled for unknown sizes.
        """
        self.reseed()
        arrays = self.arrays(case)
        form = self._forms.get(case.key)
        if form is not None:
            return self.plain(form[0](arrays)), form[1]
        first: Failure | None = None
        for note, compiled in self._compile(case):
            before = host_state()
            found = attempt(lambda compiled=compiled: self.plain(compiled(arrays)))
            if not isinstance(found, Failure):
                note = f"{note}: {first.reason}" if first else ""
                self._freezes = self._freezes or self._repeats(compiled, arrays, before)
                note = "; ".join(filter(None, (note, FROZEN if self._freezes else "")))
                self._forms[case.key] = (compiled, note)
                return found, note
            first = first or found
            if found.kind in _REFUSALS:
                break
        assert first is not None
        raise LaneError(first.reason, first.detail, first.kind)

    def _repeats(self, compiled: Callable[..., Any], arrays: list[Any], before: Any) -> bool:
        """Return whether a compiled function drew random numbers of the host only when it was traced.

        Args:
          compiled: the function, which has been called once.
          arrays: the arguments of that call.
          before: the state of the host's random numbers before it.
        """
        if host_state() == before:
            return False
        before = host_state()
        compiled(arrays)
        return host_state() == before

    def jit_gradients(self, case: Arguments, fed: Feed) -> Gradients:
        """Compute the gradients with a compiled program."""
        if isinstance(fed, Steps):
            return trained(self.jit_gradients, case, fed)
        self.reseed()
        arrays = self.arrays(case)
        if isinstance(fed, Tangents):
            return self.gradients.forward(case, arrays, fed, compiled=True)
        return self.gradients.jit(case, arrays, fed)

    def _eagerly(self, gradients: JaxGradients, case: Arguments, fed: Feed) -> Gradients:
        if isinstance(fed, Steps):
            return trained(lambda case, fed: self._eagerly(gradients, case, fed), case, fed)
        self.reseed()
        arrays = self.arrays(case)
        if isinstance(fed, Tangents):
            return gradients.forward(case, arrays, fed, compiled=False)
        return gradients.eager(case, arrays, fed)

    def arrays(self, case: Arguments) -> list[Any]:
        """Convert the arrays of a case to JAX arrays."""
        jnp = self._jax.numpy
        return [a if a.dtype.kind in "OSU" else jnp.asarray(a) for a in case.arrays]

    def reseed(self) -> None:
        """Reset all seeds, unless distributions are being sampled."""
        if self.drawing:
            return
        shims_random: Any = getattr(self._shims, "random", None)
        if hasattr(shims_random, "set_seed"):
            shims_random.set_seed(self._seed)
        np.random.seed(self._seed)
        random.seed(self._seed)

    def _compile(self, case: Arguments) -> Iterator[tuple[str, Callable[..., Any]]]:
        """Yield compiled versions of the function, the most general first, each with a note."""
        if self._staged:
            yield "", lambda arrays: self.given(*case.fill(arrays))
            return
        if hasattr(self._shims, "function"):
            for note, unknown in (("", True), ("known dimensions", False)):
                staged = self._shims.function(self.given, reduce_retracing=unknown)
                yield note, lambda arrays, staged=staged: staged(*case.fill(arrays))
        plain = self._jax.jit(lambda arrays: self.given(*case.fill(arrays)))
        yield "plain jax.jit", plain

    def plain(self, result: Any) -> Outputs:
        """Convert the result of the function to a dict from paths to NumPy arrays."""
        return as_arrays(tree.rebuild(result, self._leaf), self._to_numpy)

    def _leaf(self, leaf: Any) -> Any:
        """Convert a pytree of a class registered with JAX to a dict; return other leaves unchanged."""
        if is_padded(leaf):
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
    """Return whether JAX's 64-bit types are turned on."""
    import jax

    return bool(jax.config.read("jax_enable_x64"))


def set_x64(on: bool) -> None:
    """Turn JAX's 64-bit types on or off for this process."""
    import jax

    jax.config.update("jax_enable_x64", on)


def _is_staged(function: Any) -> bool:
    """Return whether a function is a `shims.function` or a `jax.jit` function."""
    return is_jax_jit(function) or hasattr(function, "python_function")


def python_function(staged: Any) -> Callable[..., Any]:
    """Return the Python function that `shims.function` or `jax.jit` wraps, else the argument itself."""
    if not _is_staged(staged):
        return staged
    for name in ("python_function", "__wrapped__"):
        if hasattr(staged, name):
            return getattr(staged, name)
    return staged
