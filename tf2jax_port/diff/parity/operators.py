"""Every operator of the table in three lanes: TF graph, TF XLA, JAX; and what was expected of them."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tf2jax_port.diff.parity.answers import UNRECORDED, Answers, Lanes
from tf2jax_port.diff.parity.points import Point
from tf2jax_port.diff.processes.lane_process import Running, how_it_ended
from tf2jax_port.diff.values.attempt import Failure, attempt
from tf2jax_port.diff.vocabulary.lanes import JAX_JIT, TF_GRAPH, TF_XLA
from tf2jax_port.table import Row

SAME, DIFFERS, NOT_RUN = "same", "differs", "not run"
BOTH = (TF_GRAPH.id, TF_XLA.id)
PAIRS = ((TF_GRAPH.id, TF_XLA.id), (TF_GRAPH.id, JAX_JIT.id), (TF_XLA.id, JAX_JIT.id))

# One operator takes seconds; who says nothing for so long never will.
PATIENCE = 180.0
# An accelerator adds in another order, and has functions of its own.
ON_ACCELERATORS = 32.0
# What the facade says where it offers an operator, and the device has nothing for it.
REFUSED_HERE = "on this device"


@dataclass(frozen=True, slots=True)
class State:
    """Two lanes on one case.

    Attributes:
      case: the name of the case.
      pair: the two lanes.
      state: `SAME`, `DIFFERS` or `NOT_RUN`.
      why: what differs, or why there is nothing to compare.
      known: why that was expected; empty where it was not.
      silent: the lane that gave no answer; empty where both gave one.
    """

    case: str
    pair: tuple[str, str]
    state: str
    why: str = ""
    known: str = ""
    silent: str = ""

    @property
    def unexpected(self) -> bool:
        """Whether somebody should look: a difference that nobody knew, or one that is gone."""
        if self.pair == PAIRS[2] or self.silent == TF_GRAPH.id or self.why == UNRECORDED:
            return False  # follows from the other two; there is nothing to hold it against
        return bool(self.known) == (self.state == SAME)


class TensorFlow:
    """TensorFlow's lanes in a process that is started again when it crashes."""

    def __init__(self) -> None:
        self._running: Running | None = None

    def lanes(self, points: list[Point]) -> Lanes:
        """Both lanes of the cases of one operator."""
        found = self._ask(points, BOTH)
        if not isinstance(found, Failure):
            return found
        one_by_one = [self._alone(point) for point in points]
        return {lane: {k: v for each in one_by_one for k, v in each[lane].items()} for lane in BOTH}

    def _alone(self, point: Point) -> Lanes:
        """Both lanes of one case; a crash is the answer of the lane in which it happens."""
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
    """One operator: the answers of all lanes, and how they stand to each other.

    Args:
      points: its cases.
      tensorflow: gives the answers of TensorFlow's lanes.
    """
    lanes = {**tensorflow(points), JAX_JIT.id: in_jax(points)}
    states = [state for p in points for state in _states(p, lanes)]
    return lanes, [*states, *_gone(points[0].row, states)]


def in_jax(points: Sequence[Point]) -> Answers:
    """The facade's answers: of one compiled program, or, where that fails, of one each."""
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


def _states(point: Point, lanes: Lanes) -> Iterator[State]:
    from tf2jax_port.diff.parity.tolerance import differences

    for pair in PAIRS:
        answers = [lanes[lane].get(point.case.id, Failure("none", UNRECORDED)) for lane in pair]
        known = _known(point, pair)
        silent = next((n for n, a in zip(pair, answers) if isinstance(a, Failure)), "")
        if silent:
            failed = next(a for a in answers if isinstance(a, Failure))
            if silent == JAX_JIT.id and REFUSED_HERE in failed.reason:
                known = known or failed.reason
            yield State(point.case.id, pair, NOT_RUN, failed.reason, known, silent)
            continue
        one, other = ([_narrow(a) for a in found] for found in answers if isinstance(found, list))
        tolerance = 2 * point.row.tolerance * _slack()
        problem = differences(other, one, tolerance).partition("\n")[0]
        if not problem and not point.case.xla and pair == PAIRS[0]:
            known = ""  # said of the operator, not of each of its cases
        yield State(point.case.id, pair, DIFFERS if problem else SAME, problem, known)


def _gone(row: Row, states: Sequence[State]) -> Iterator[State]:
    """What the table says of TensorFlow's XLA, if it shows in no case of the operator."""
    known = "" if row.xla == SAME or "gradient" in row.xla else row.xla
    mine = [s for s in states if s.pair == PAIRS[0]]
    if known and all(s.state == SAME for s in mine):
        yield State("all cases", PAIRS[0], SAME, "", known)


def _narrow(array: np.ndarray) -> np.ndarray:
    from tf2jax_port.diff.parity.tolerance import expected_dtype

    return array.astype(expected_dtype(array.dtype))


def _slack() -> float:
    import jax

    return 1.0 if jax.default_backend() == "cpu" else ON_ACCELERATORS


def _known(point: Point, pair: tuple[str, str]) -> str:
    """What the table says of two lanes; a remark about gradients says nothing about values."""
    if pair == PAIRS[0]:
        said = point.case.xla or point.row.xla
        return "" if said == SAME or "gradient" in said else said
    said = point.case.differs
    return said if pair == PAIRS[1] and said.startswith("value") else ""
