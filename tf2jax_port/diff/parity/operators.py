"""Compare every operator of the table in TF graph, TF XLA and JAX; check expected differences."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tf2jax_port.diff.parity.answers import UNRECORDED, Answers, Lanes
from tf2jax_port.diff.parity.points import Point
from tf2jax_port.diff.processes.lane_process import how_it_ended
from tf2jax_port.diff.processes.running import Running
from tf2jax_port.diff.values.attempt import Failure, attempt
from tf2jax_port.diff.vocabulary.lanes import JAX_JIT, TF_GRAPH, TF_XLA
from tf2jax_port.table import Row

SAME, DIFFERS, NOT_RUN = "same", "differs", "not run"
BOTH = (TF_GRAPH.id, TF_XLA.id)
PAIRS = ((TF_GRAPH.id, TF_XLA.id), (TF_GRAPH.id, JAX_JIT.id), (TF_XLA.id, JAX_JIT.id))

# One operator takes seconds; a process that is silent for this long hangs.
PATIENCE = 180.0
# The factor of tolerances on accelerators, which sum in a different order and approximate functions.
ON_ACCELERATORS = 32.0
# Part of the facade's error if the device does not support an operator.
REFUSED_HERE = "on this device"


@dataclass(frozen=True, slots=True)
class State:
    """The result of comparing two lanes on one case.

    Attributes:
      case: the name of the case.
      pair: the two lanes.
      state: `SAME`, `DIFFERS` or `NOT_RUN`.
      why: what differs, or why there is nothing to compare.
      known: why a difference was expected; empty if it was not.
      silent: the lane that gave no result; empty if both gave one.
    """

    case: str
    pair: tuple[str, str]
    state: str
    why: str = ""
    known: str = ""
    silent: str = ""

    @property
    def unexpected(self) -> bool:
        """Whether a difference is missing in the table, or one in the table did not occur."""
        if self.pair == PAIRS[2] or self.silent == TF_GRAPH.id or self.why == UNRECORDED:
            return False  # implied by the other pairs, or nothing to compare with
        return bool(self.known) == (self.state == SAME)


class TensorFlow:
    """Runs TensorFlow's lanes in a child process, which is restarted after a crash."""

    def __init__(self) -> None:
        self._running: Running | None = None

    def lanes(self, points: list[Point]) -> Lanes:
        """Run both lanes on the cases of one operator."""
        found = self._ask(points, BOTH)
        if not isinstance(found, Failure):
            return found
        one_by_one = [self._ask_one_case(point) for point in points]
        return {lane: {k: v for each in one_by_one for k, v in each[lane].items()} for lane in BOTH}

    def _ask_one_case(self, point: Point) -> Lanes:
        """Run both lanes on one case; a crash is recorded as the result of the crashed lane."""
        found = self._ask([point], BOTH)
        if not isinstance(found, Failure):
            return found
        graph = self._ask([point], BOTH[:1])
        missing = {point.case.id: found}
        return (
            {BOTH[0]: missing, BOTH[1]: missing}
            if isinstance(graph, Failure)
            else {
                **graph,
                BOTH[1]: missing,
            }
        )

    def close(self) -> None:
        """End the process."""
        if self._running is not None:
            self._running.end()
            self._running = None

    def _ask(self, points: list[Point], lanes: tuple[str, ...]) -> Lanes | Failure:
        if self._running is None:
            self._running = Running("tf2jax_port.diff.parity.worker")
        self._running.send((points[0].row.name, [p.case.id for p in points], lanes))
        try:
            found: Lanes = self._running.receive(PATIENCE)
            return found
        except TimeoutError:
            self.close()
            return Failure("Timeout", f"no answer within {PATIENCE:.0f} seconds")
        except (EOFError, pickle.UnpicklingError):
            code, said = self._running.wait()
            self._running = None
            return Failure("Crash", how_it_ended(TF_XLA.id, code), said)


def compare(
    points: list[Point], tensorflow: Callable[[list[Point]], Lanes]
) -> tuple[Lanes, list[State]]:
    """Run one operator in all lanes and compare every pair of lanes on every case.

    Args:
      points: the operator's cases.
      tensorflow: a function that returns the results of TensorFlow's lanes.

    Returns:
      The results of all lanes, and the comparisons.
    """
    lanes = {**tensorflow(points), JAX_JIT.id: in_jax(points)}
    states = [state for p in points for state in _compare_lanes(p, lanes)]
    return lanes, [*states, *_vanished_differences(points[0].row, states)]


def in_jax(points: Sequence[Point]) -> Answers:
    """Run the function of `shims` on all cases: in one compiled program, or one by one if that fails."""
    bounded = [p for p in points if p.case.arrays() and not p.case.unbounded]
    together = attempt(_compiled, bounded) if bounded else []
    found: dict[str, Any] = {}
    if not isinstance(together, Failure):
        found = {p.case.id: outputs for p, outputs in zip(bounded, together)}
    from tf2jax_port.diff.parity.port_side import eager

    for point in points:
        if point.case.id in found:
            continue
        if point in bounded:
            alone = attempt(_compiled, [point])
            found[point.case.id] = alone if isinstance(alone, Failure) else alone[0]
        else:
            found[point.case.id] = attempt(eager, point)
    return found


def _compiled(points: Sequence[Point]) -> list[list[np.ndarray]]:
    import jax

    from tf2jax_port.diff.parity import port_side

    functions = [port_side.of_arrays(p) for p in points]
    program = jax.jit(lambda arrays: [f(a) for f, a in zip(functions, arrays, strict=True)])
    with jax.default_matmul_precision("highest"):
        results = program([port_side.split(p)[0] for p in points])
    return [[np.asarray(leaf) for leaf in port_side.flat(result)] for result in results]


def _compare_lanes(point: Point, lanes: Lanes) -> Iterator[State]:
    from tf2jax_port.diff.parity.tolerance import differences

    for pair in PAIRS:
        answers = [lanes[lane].get(point.case.id, Failure("none", UNRECORDED)) for lane in pair]
        known = _expected_difference(point, pair)
        silent = next((n for n, a in zip(pair, answers) if isinstance(a, Failure)), "")
        if silent:
            failed = next(a for a in answers if isinstance(a, Failure))
            if silent == JAX_JIT.id and REFUSED_HERE in failed.reason:
                known = known or failed.reason
            yield State(point.case.id, pair, NOT_RUN, failed.reason, known, silent)
            continue
        one, other = ([_narrow(a) for a in found] for found in answers if isinstance(found, list))
        tolerance = 2 * point.row.tolerance * _tolerance_factor()
        problem = differences(other, one, tolerance).partition("\n")[0]
        if not problem and not point.case.xla and pair == PAIRS[0]:
            known = ""  # known of the operator, but not necessarily in each case
        yield State(point.case.id, pair, DIFFERS if problem else SAME, problem, known)


def _vanished_differences(row: Row, states: Sequence[State]) -> Iterator[State]:
    """Yield a `State` if a difference of TensorFlow's XLA listed in the table no longer occurs."""
    known = "" if row.xla == SAME or "gradient" in row.xla else row.xla
    mine = [s for s in states if s.pair == PAIRS[0]]
    if known and all(s.state == SAME for s in mine):
        yield State("all cases", PAIRS[0], SAME, "", known)


def _narrow(array: np.ndarray) -> np.ndarray:
    from tf2jax_port.diff.parity.tolerance import expected_dtype

    return array.astype(expected_dtype(array.dtype))


def _tolerance_factor() -> float:
    import jax

    return 1.0 if jax.default_backend() == "cpu" else ON_ACCELERATORS


def _expected_difference(point: Point, pair: tuple[str, str]) -> str:
    """Return why the table expects two lanes to differ; an empty text if it does not.

    Remarks on gradients are ignored.
    """
    if pair == PAIRS[0]:
        said = point.case.xla or point.row.xla
        return "" if said == SAME or "gradient" in said else said
    said = point.case.differs
    return said if pair == PAIRS[1] and said.startswith("value") else ""
