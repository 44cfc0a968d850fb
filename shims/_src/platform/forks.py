"""Define the behavior in a forked process: locks are new, and compiling is an error where it would never end."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from shims._src.platform import jax_private as jp


def in_forked_process(f: Callable[[], None]) -> None:
    """Let a function be called in each process that is forked from this one, at its start."""
    if hasattr(os, "register_at_fork"):  # not on Windows
        os.register_at_fork(after_in_child=f)


def _refuse(*args: Any, **kwargs: Any) -> Any:
    raise RuntimeError(
        "shims: this process was forked from a process in which JAX had been used. JAX's threads do not exist in "
        "this process, so compiling would never end.\n  Do:       start processes with "
        '`multiprocessing.get_context("spawn")`, or before JAX is used'
    )


def _without_threads() -> None:
    if jp.backends_are_initialized():
        jp.compile_with(_refuse)


in_forked_process(_without_threads)
