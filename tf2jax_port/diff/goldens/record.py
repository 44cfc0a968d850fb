"""Making a golden: the original in all of its lanes, where TensorFlow is."""

from __future__ import annotations

import contextlib
import platform
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tf2jax_port.diff import run
from tf2jax_port.diff.arguments import Arguments
from tf2jax_port.diff.attempt import Failure, attempt
from tf2jax_port.diff.cases import collect
from tf2jax_port.diff.contract import terms, versions
from tf2jax_port.diff.cotangents import Fed
from tf2jax_port.diff.goldens.fingerprints import fingerprints
from tf2jax_port.diff.goldens.golden import Fingerprint, Golden, GoldenCase
from tf2jax_port.diff.inputs import source_of
from tf2jax_port.diff.lane_process import LaneProcess
from tf2jax_port.diff.lane_program import Setup
from tf2jax_port.diff.lanes import TF_EAGER, TF_GRAPH, TF_XLA
from tf2jax_port.diff.loading import DiffError, Loaded, load, require_tensorflow
from tf2jax_port.diff.observation import Observation
from tf2jax_port.diff.orders import Order
from tf2jax_port.diff.original import Original, feed, forward, with_gradients
from tf2jax_port.diff.parts import Here
from tf2jax_port.diff.precision import narrowed, widened
from tf2jax_port.diff.supervisor import Worker, observed

TENSORFLOW, JAX = "tensorflow", "jax"
_FIND_OUT = "auto"


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
    """Run a function on every case and keep all that it gives.

    Args:
      loaded: the original, or a port that is to stay as it is.
      source: gives the argument tuples.
      inputs: the specification of the cases, for the lane that runs in another process.
      seed: for cotangents and random numbers.
      x64: whether the ports will run with JAX's 64-bit types.
      only: the numbers of the cases to keep; empty for all.
      framework: `"tensorflow"` or `"jax"`; by default TensorFlow, if the function's module has
        imported it.

    Raises:
      DiffError: the cases cannot be had, or TensorFlow is not there.
    """
    with contextlib.closing(
        Recording(loaded, source, inputs, seed, x64, tuple(only), framework)
    ) as session:
        cases = tuple(session.record(case, lambda lane: None) for case in session.plan.fitted)
    return _golden(loaded.spec, session.plan, seed, cases)


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
    """The same, with the function in a process that nothing depends on; and whether all cases are in it.

    A case that ends its process, and one that an interrupt leaves out, stand in the golden with that
    reason, and a port that is held against it is judged `limited`.

    Args:
      spec: the specification of the function.
      inputs: that of the cases.
      seed: for cotangents and random numbers.
      x64: whether the ports will run with JAX's 64-bit types.
      only: the numbers of the cases to keep; empty for all.
      framework: `"tensorflow"` or `"jax"`.
      timeout: how long one lane of one case may take, in seconds.
      step: told the number of cases done, their total, and the lane that runs next.
      worker: a process that stays afterwards; by default a new one that ends.

    Raises:
      DiffError: the cases cannot be had, TensorFlow is not there, or no case could be recorded.
      KeyboardInterrupt: it came before the first case was through.
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
        record=framework or _FIND_OUT,
    )
    with observed(order, 1, timeout, step, worker) as found:
        assert isinstance(found.plan, RecordPlan)
        if not found.seen and found.plan.fitted:
            reasons = "\n".join(f"  Received: {reason.text}" for reason in found.plan.skipped)
            raise DiffError(f"{spec}: no case could be recorded.\n{reasons}")
        whole = len(found.seen) == len(found.plan.fitted)
        return _golden(spec, found.plan, seed, tuple(found.seen)), whole


@dataclass(frozen=True, slots=True)
class RecordPlan(run.Plan):
    """What there is to record.

    Attributes:
      framework: what the function is written with.
      device: where it runs.
      versions: of what runs it.
    """

    framework: str = ""
    device: str = ""
    versions: Mapping[str, str] = field(default_factory=dict)


class Recording:
    """A function in this process, ready to be recorded; see `record`."""

    def __init__(
        self,
        loaded: Loaded,
        source: Callable[[], Iterable[Any]],
        inputs: str,
        seed: int,
        x64: bool,
        only: tuple[int, ...],
        framework: str | None,
    ) -> None:
        framework = framework or (TENSORFLOW if "tensorflow" in sys.modules else JAX)
        collected = run.chosen(collect(source, loaded.function), only)
        fitted, skipped = run.fit(collected, x64)
        self._recorder = _recorder(framework, loaded, inputs, seed, x64)
        self.plan = RecordPlan(
            x64,
            tuple(fitted),
            tuple(skipped),
            terms(loaded, collected, seed, x64),
            (),
            framework,
            self._recorder.device,
            versions(),
        )

    def record(self, case: Arguments, step: Callable[[str], None]) -> GoldenCase:
        """All that the function gives for one case."""
        step("recording")
        found: GoldenCase = self._recorder.observe(case)
        return found

    def close(self) -> None:
        """End the processes that were started."""
        self._recorder.close()


def recording(order: Order) -> Recording:
    """The session that an order to record asks for.

    Raises:
      DiffError: the function or the cases cannot be had, or TensorFlow is not there.
    """
    loaded = load(order.old)
    source = source_of(order.inputs, loaded.function, order.seed)
    framework = None if order.record == _FIND_OUT else order.record
    return Recording(
        loaded, source.calls, source.module, order.seed, bool(order.x64), order.only, framework
    )


def _golden(spec: str, plan: RecordPlan, seed: int, cases: tuple[GoldenCase, ...]) -> Golden:
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


def _recorder(framework: str, loaded: Loaded, inputs: str, seed: int, x64: bool) -> Any:
    if framework == JAX:
        return _JaxRecorder(loaded.function, seed, x64)
    require_tensorflow()
    setup = Setup(TF_XLA.id, loaded.spec, inputs, seed, x64, tuple(sys.path))
    return _TensorFlowRecorder(loaded.function, seed, x64, setup if loaded.importable else None)


class _TensorFlowRecorder:
    """The original in its three lanes, in both precisions, and moved a little."""

    def __init__(
        self, function: Callable[..., Any], seed: int, x64: bool, setup: Setup | None
    ) -> None:
        from tf2jax_port.diff.tensorflow_lanes import TensorFlowLanes

        self._lanes = TensorFlowLanes(function, seed)
        self._original = Original(self._lanes, x64)
        self._xla = LaneProcess(setup) if setup else Here(TF_XLA.id, self._lanes)
        self._seed, self._x64 = seed, x64
        self.device = f"{platform.machine()}, {self._lanes.device()}"

    def observe(self, case: Arguments) -> GoldenCase:
        values = {
            TF_EAGER.id: forward(attempt(self._lanes.eager, case)),
            TF_GRAPH.id: forward(attempt(self._lanes.graph, case)),
        }
        fed = feed(values, self._seed, case)
        self._xla.start(case, fed)
        lanes = {
            TF_EAGER.id: with_gradients(
                values[TF_EAGER.id], self._lanes.eager_gradients, case, fed
            ),
            TF_GRAPH.id: with_gradients(
                values[TF_GRAPH.id], self._lanes.graph_gradients, case, fed
            ),
        }
        double = self._original.other_precision(case, widened, fed)
        single = None if self._x64 else self._original.other_precision(case, narrowed, fed)
        reruns = self._original.rerun(case, fed)
        lanes[TF_XLA.id] = self._xla.result()
        return GoldenCase(case, lanes, double, single, reruns, self._intermediates(case))

    def close(self) -> None:
        self._xla.close()

    def _intermediates(self, case: Arguments) -> tuple[Fingerprint, ...]:
        found = attempt(fingerprints, self._lanes, case)
        return () if isinstance(found, Failure) else found


class _JaxRecorder:
    """A port as its own original: eager in the place of TF eager, compiled in that of the graph."""

    def __init__(self, function: Callable[..., Any], seed: int, x64: bool) -> None:
        import jax

        from tf2jax_port.diff.jax_lanes import JaxLanes, set_x64

        set_x64(x64)
        self._lanes = JaxLanes(function, seed)
        self._original = Original(self._lanes, x64)
        self._seed, self._x64 = seed, x64
        self.device = f"{platform.machine()}, {jax.default_backend()}"

    def observe(self, case: Arguments) -> GoldenCase:
        values = {
            TF_EAGER.id: forward(attempt(self._lanes.eager, case)),
            TF_GRAPH.id: forward(attempt(self._lanes.jit, case)),
        }
        fed = feed(values, self._seed, case)
        absent = Observation(Failure("absent", "this golden was recorded from JAX"))
        return GoldenCase(
            case,
            {
                TF_EAGER.id: with_gradients(
                    values[TF_EAGER.id], self._lanes.eager_gradients, case, fed
                ),
                TF_GRAPH.id: with_gradients(
                    values[TF_GRAPH.id], self._lanes.jit_gradients, case, fed
                ),
                TF_XLA.id: absent,
            },
            attempt(self._in_double, case, fed),
            None,
            self._original.rerun(case, fed),
        )

    def close(self) -> None:
        """There is nothing to close."""

    def _in_double(self, case: Arguments, fed: Fed) -> Observation:
        outputs, *gradients = self._lanes.in_double(case.map(widened), list(fed.values()))
        return Observation(outputs, dict(zip(fed, gradients)))
