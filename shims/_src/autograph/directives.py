"""`set_loop_options`: what a loop is told about itself from inside of its body."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator


class _Thread(threading.local):
    """The options of the staged loops whose bodies this thread is tracing."""

    options: list[dict] | None = None


_THREAD = _Thread()


def set_loop_options(
    parallel_iterations=None, swap_memory=None, maximum_iterations=None, shape_invariants=None
) -> None:
    """Options of the loop in whose body this is called; Python loops ignore them.

    Args:
      parallel_iterations: accepted; iterations run one after the other.
      swap_memory: accepted.
      maximum_iterations: the most iterations, which lets a `while` be differentiated backwards.
      shape_invariants: accepted; shapes stay what they are.

    https://www.tensorflow.org/api_docs/python/tf/autograph/experimental/set_loop_options
    """
    del parallel_iterations, swap_memory, shape_invariants
    if _THREAD.options and maximum_iterations is not None:
        _THREAD.options[-1]["maximum_iterations"] = maximum_iterations


@contextlib.contextmanager
def loop_options() -> Iterator[dict]:
    """Collect the options of one staged loop while its body is traced."""
    if _THREAD.options is None:
        _THREAD.options = []
    found: dict = {}
    _THREAD.options.append(found)
    try:
        yield found
    finally:
        _THREAD.options.pop()
