"""Record a golden: run the original program in all of its lanes."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from tf2jax_port.diff.functions.loading import DiffError, Loaded
from tf2jax_port.diff.golden_file.golden import Golden, GoldenCase
from tf2jax_port.diff.sessions import run
from tf2jax_port.diff.sessions.orders import Order
from tf2jax_port.diff.sessions.recording import FIND_OUT, Recording, RecordPlan
from tf2jax_port.diff.supervision.supervisor import Worker, observed


def record(
    loaded: Loaded,
    source: Callable[[], Iterable[Any]],
    inputs: str,
    *,
    seed: int = 0,
    x64: bool = False,
    only: Sequence[int] = (),
    framework: str | None = None,
) -> Golden:
    """Run a function on every case and record its results.

    Args:
      loaded: the original, or a port that must not change.
      source: a function that returns the argument tuples.
      inputs: the specification of the cases, with which another process can load them.
      seed: the seed of cotangents and random numbers.
      x64: whether the ports will run with JAX's 64-bit types.
      only: the numbers of the cases to keep; empty for all.
      framework: `"tensorflow"` or `"jax"`; by default TensorFlow, if the function's module has
        imported it.

    Raises:
      DiffError: the cases cannot be loaded, or TensorFlow is not installed.
    """
    with contextlib.closing(
        Recording(loaded, source, inputs, seed, x64, tuple(only), framework)
    ) as session:
        cases = tuple(session.record(case, lambda lane: None) for case in session.plan.fitted)
    return _make_golden(loaded.spec, session.plan, seed, cases)


def record_elsewhere(
    spec: str,
    inputs: str,
    *,
    seed: int = 0,
    x64: bool = False,
    only: Sequence[int] = (),
    framework: str | None = None,
    timeout: float,
    step: run.Step = lambda done, total, lane: None,
    worker: Worker | None = None,
) -> tuple[Golden, bool]:
    """Record a golden in a child process; also return whether all cases were recorded.

    A case that crashes its process, or that an interrupt skips, is listed in the golden with that
    reason, and the verdict of a port that is compared with it is `limited`.

    Args:
      spec: the specification of the function.
      inputs: the specification of the cases.
      seed: the seed of cotangents and random numbers.
      x64: whether the ports will run with JAX's 64-bit types.
      only: the numbers of the cases to keep; empty for all.
      framework: `"tensorflow"` or `"jax"`.
      timeout: the time limit for one lane of one case, in seconds.
      step: called with the number of cases done, their total, and the lane that runs next.
      worker: a process that keeps running; by default a new one that ends.

    Raises:
      DiffError: the cases cannot be loaded, TensorFlow is not installed, or no case could be
        recorded.
      KeyboardInterrupt: it came before the first case was finished.
    """
    order = Order(
        spec,
        "",
        inputs,
        seed,
        x64,
        tuple(only),
        None,
        False,
        beside=False,
        worst=False,
        path=tuple(sys.path),
        record=framework or FIND_OUT,
    )
    with observed(order, 1, timeout, step, worker) as found:
        assert isinstance(found.plan, RecordPlan)
        if not found.seen and found.plan.fitted:
            reasons = "\n".join(f"  Received: {reason.text}" for reason in found.plan.skipped)
            raise DiffError(f"{spec}: no case could be recorded.\n{reasons}")
        whole = len(found.seen) == len(found.plan.fitted)
        return _make_golden(spec, found.plan, seed, tuple(found.seen)), whole


def _make_golden(spec: str, plan: RecordPlan, seed: int, cases: tuple[GoldenCase, ...]) -> Golden:
    skipped = tuple((reason.what, reason.why, reason.cases) for reason in plan.skipped)
    return Golden(
        spec,
        plan.framework,
        seed,
        plan.x64,
        plan.agreed,
        plan.versions,
        plan.device,
        skipped,
        cases,
    )
