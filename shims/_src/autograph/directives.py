"""Define `set_loop_options`, which sets options of a loop from inside of the loop's body."""

from __future__ import annotations

import contextlib

from shims._src.platform.thread_state import ThreadStack

# The options of the staged loops whose bodies are being traced.
_OPTIONS: ThreadStack[dict] = ThreadStack()


def set_loop_options(
    parallel_iterations=None, swap_memory=None, maximum_iterations=None, shape_invariants=None
) -> None:
    """Set options of the loop whose body calls this function; unstaged loops ignore them.

    Args:
      parallel_iterations: accepted and ignored, because iterations run one after the other.
      swap_memory: accepted and ignored.
      maximum_iterations: a bound on the iterations; with this bound, a `while` statement supports
        reverse-mode differentiation.
      shape_invariants: accepted and ignored, because shapes do not change.

    https://www.tensorflow.org/api_docs/python/tf/autograph/experimental/set_loop_options
    """
    del parallel_iterations, swap_memory, shape_invariants
    if _OPTIONS.top is not None and maximum_iterations is not None:
        _OPTIONS.top["maximum_iterations"] = maximum_iterations


def loop_options() -> contextlib.AbstractContextManager[dict]:
    """Return a context manager that collects the options of one staged loop while its body is traced."""
    return _OPTIONS.pushed({})
