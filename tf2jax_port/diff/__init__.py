"""Compare a TensorFlow function with its port: values, gradients, and which pair of lanes differs."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

    from tf2jax_port.diff.report.report import Report


def compare(
    old: Callable[..., Any] | str,
    new: Callable[..., Any] | str,
    cases: Callable[[], Iterable[tuple[Any, ...]]] | Iterable[tuple[Any, ...]] | str,
    *,
    seed: int = 0,
    x64: bool | None = None,
    locate: bool = False,
    lanes: Iterable[str] = (),
    forward: bool = False,
    steps: int = 0,
    bfloat16: bool = False,
    draws: int = 0,
) -> Report:
    """Compare a TensorFlow function with its port, from a notebook or a test.

    Args:
      old: the TensorFlow function, or `FILE.py:FUNCTION`.
      new: the port to JAX, or `FILE.py:FUNCTION`.
      cases: tuples of arguments, or a function that returns such tuples. NumPy arrays in a tuple become
        arguments of the compiled functions, not constants. A string has the same meaning as in `--inputs`.
      seed: the seed of the random cotangents and of the random numbers that the functions draw.
      x64: whether to turn JAX's 64-bit types on or off; `None` does not change the setting.
      locate: whether to find the first divergence if the results differ.
      lanes: further lanes in which the port runs: `vmap`, `sharded`, `cpu`, `gpu`, `tpu`.
      forward: whether to compare forward-mode gradients, too.
      steps: the number of training steps to compare.
      bfloat16: whether to pass floats to both functions in bfloat16.
      draws: the number of calls of each function if distributions of random results are compared.

    Returns:
      A report with `verdict`, `headline` and all tables. A notebook shows the report as a page.

    Raises:
      DiffError: a function or the cases cannot be loaded, or TensorFlow is not installed.
    """
    import tf2jax_port.diff.report.as_html  # noqa: F401, gives the report its page in notebooks
    from tf2jax_port.diff.functions.loading import named_or_loaded
    from tf2jax_port.diff.inputs.sources import source_of
    from tf2jax_port.diff.sessions.run import Request, compare_functions
    from tf2jax_port.diff.vocabulary.extras import RATE, Extras

    first, port = named_or_loaded(old), named_or_loaded(new)
    source: Callable[[], Iterable[tuple[Any, ...]]]
    if isinstance(cases, str):
        source, spec = source_of(cases, first.function, seed).calls, cases
    elif callable(cases):
        source, spec = cases, named_or_loaded(cases).spec
    else:
        source, spec = list(cases).copy, ""
    extras = Extras(tuple(lanes), forward, steps, RATE, bfloat16, draws)
    request = Request(first, port, spec, seed, x64, locate=locate, extras=extras)
    return compare_functions(request, source)


class _Callable(ModuleType):
    """A module type whose modules can be called: `tf2jax_port.diff(old, new, cases)`."""

    def __call__(self, *args: Any, **kwargs: Any) -> Report:
        return compare(*args, **kwargs)


sys.modules[__name__].__class__ = _Callable


def capture(path: str | Path, *, limit: int = 20) -> Callable[[Any], Any]:
    """Return a decorator that records the calls of a function, for `--inputs FILE.safetensors`.

    The decorated function works as before. A call that cannot be recorded causes a warning. A call
    cannot be recorded if it is inside a trace, or if an argument cannot be stored as plain data.

    Args:
      path: the file to write; an existing file is replaced.
      limit: the largest number of calls to record; equal calls are recorded only once.
    """
    from tf2jax_port.diff.inputs.capturing import capture as decorator

    return decorator(path, limit=limit)
