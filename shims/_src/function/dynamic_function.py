"""Define `shims.dynamic`, which makes code over data-dependent sizes ordinary JAX code."""

from __future__ import annotations

import functools
import types
from collections.abc import Callable
from typing import Any

from shims._src.autograph import convert
from shims._src.function import nnx_modules
from shims._src.function.copying import Copyable
from shims._src.function.enclosed_assignments import run_in_step
from shims._src.recording import state
from shims._src.sizes import trace
from shims._src.tracing.dynamic import run_dynamic
from shims._src.variables.keras_state import inside_keras_scope


def dynamic(f, *, autograph: bool = True):
    """Make `f` a JAX function in which sizes may depend on data.

    Inside `f`, the results of `x[mask]`, `shims.boolean_mask`, `shims.range(k)`, ... have symbolic sizes, and
    plain `jax.numpy` code works on these results. The new function is ordinary JAX code: `jit`, `grad`, `jvp`,
    `vmap` and sharding can be applied to it.

    Args:
      f: a function whose arguments are pytrees of arrays (JAX, NumPy, `Padded`) and static Python values. What
        `f` changes in an argument that is an object of Flax NNX is changed after the call, as with `nnx.jit`.
      autograph: whether to convert Python control flow on arrays, in `f` and in the functions that `f` calls.

    Returns:
      A function with the signature of `f`. Results with a data-dependent size are arrays without
      padding if the arguments are concrete arrays, and `Padded` values if the function is called
      under a trace.

    Raises:
      FreshSizeError: the program needs a data-dependent size while it is traced.
      CapacityError: under a trace, a size has no bound.
      UnsupportedPrimitiveError: the program uses a JAX primitive that has no rule for unknown sizes.

    Under jit: If a size exceeds a stated bound, float results are NaN, and `unpad` of `Padded` results raises
    an error. If the function returns integers, the program raises an error when it runs.
    """
    return Dynamic(f, autograph=autograph)


class Dynamic(Copyable):
    """A function in which sizes may depend on data, the result of `shims.dynamic`."""

    def __init__(self, func: Callable[..., Any], *, autograph: bool) -> None:
        functools.update_wrapper(self, func)
        self.python_function = func
        self.options = {"autograph": autograph}

    @functools.cached_property
    def _converted(self) -> Callable[..., Any]:
        return convert(self.python_function) if self.options["autograph"] else self.python_function

    @functools.cached_property
    def _on_states(self) -> Dynamic:
        """The function on the states of Flax NNX objects."""
        after: dict[nnx_modules.Structure, Any] = {}
        found = Dynamic(nnx_modules.OnStates(self.python_function, after), **self.options)
        found._converted = nnx_modules.OnStates(self._converted, after)
        return found

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        """Bind the function to an instance, so that it works as a method."""
        return self if instance is None else types.MethodType(self, instance)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the function in the current dynamic trace, or in a new one."""
        if trace.current() is None and nnx_modules.occur_in((args, kwargs)):
            return nnx_modules.call(self._on_states, args, kwargs)
        as_written = self.python_function if self.options["autograph"] else None
        is_held_outside = state.current_scope() is not None or inside_keras_scope()
        is_step = trace.current() is None and is_held_outside
        run = run_in_step if is_step else run_dynamic
        return run(self._converted, args, kwargs, as_written)
