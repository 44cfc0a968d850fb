"""Define `shims.dynamic`, which makes JAX code over data-dependent sizes a JAX function."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from shims._src.autograph import convert
from shims._src.tracing.dynamic import run_dynamic


def dynamic(f, *, autograph: bool = True):
    """Make `f` a JAX function in which sizes may depend on data.

    Inside it `x[mask]`, `shims.boolean_mask`, `shims.range(k)`, ... have symbolic sizes, and plain
    `jax.numpy` code works on them. The result is ordinary JAX code: `jit`, `grad`, `jvp`, `vmap`
    and sharding apply to it.

    Args:
      f: a function of arrays (JAX, NumPy, `Padded`) and static Python values, in pytrees.
      autograph: convert Python control flow on arrays in `f` and in the functions that it calls.

    Returns:
      A function with the signature of `f`. Results whose size depends on data are exact arrays
      when it is called on concrete arrays, and `Padded` under a trace.

    Raises:
      FreshSizeError: the program needs a data-dependent size while it is traced.
      CapacityError: under a trace, a size that nothing bounds.
      UnsupportedPrimitiveError: a JAX primitive without a rule for unknown sizes.

    Under jit: if the data exceeds a stated bound, float results are NaN, `Padded` results
    raise from `unpad`, and integer results raise when the program runs.
    """
    converted: list[Callable[..., Any]] = []

    @functools.wraps(f)
    def run(*args, **kwargs):
        if not converted:
            converted.append(convert(f) if autograph else f)
        return run_dynamic(converted[0], args, kwargs)

    return run
