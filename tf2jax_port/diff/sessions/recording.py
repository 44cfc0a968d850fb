"""Record the results of the original program in all of its lanes, case by case."""

from __future__ import annotations

import platform
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from tf2jax_port.diff.functions.loading import Loaded, load, require_tensorflow
from tf2jax_port.diff.golden_file.fingerprints import fingerprints
from tf2jax_port.diff.golden_file.golden import Fingerprint, GoldenCase
from tf2jax_port.diff.inputs.cases import collect, reported
from tf2jax_port.diff.inputs.sources import source_of
from tf2jax_port.diff.judge.contract import terms
from tf2jax_port.diff.lanes.parts import Here
from tf2jax_port.diff.observing.original import Original, feed, forward, with_gradients
from tf2jax_port.diff.processes.lane_process import LaneProcess
from tf2jax_port.diff.processes.lane_program import Setup
from tf2jax_port.diff.sessions import run
from tf2jax_port.diff.sessions.orders import Order
from tf2jax_port.diff.values.arguments import Arguments
from tf2jax_port.diff.values.attempt import Failure, attempt
from tf2jax_port.diff.values.cotangents import Fed
from tf2jax_port.diff.values.observation import Observation
from tf2jax_port.diff.values.precision import narrowed, widened
from tf2jax_port.diff.vocabulary.lanes import TF_EAGER, TF_GRAPH, TF_XLA

TENSORFLOW, JAX = "tensorflow", "jax"
FIND_OUT = "auto"


@dataclass(frozen=True, slots=True)
class RecordPlan(run.Plan):
    """The cases to record, and what runs them.

    Attributes:
      framework: the framework of the function.
      device: the device on which it runs.
    """

    framework: str = ""
    device: str = ""


class Recording:
    """A loaded function, ready to be recorded case by case; see `goldens.record`."""

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
            framework=framework,
            device=self._recorder.device,
        )

    def record(self, case: Arguments, step: Callable[[str], None]) -> GoldenCase:
        """Run the function on one case in all lanes, and return the results to store."""
        step("recording")
        found: GoldenCase = self._recorder.observe(case)
        return found

    def close(self) -> None:
        """End the processes that were started."""
        self._recorder.close()


def recording(order: Order, step: Callable[[str], None]) -> Recording:
    """Load the function and the cases of an order, ready to be recorded.

    Args:
      order: what to record.
      step: called with what is done meanwhile.

    Raises:
      DiffError: the function or the cases cannot be loaded, or TensorFlow is not installed.
    """
    loaded = load(order.old)
    source = source_of(order.inputs, loaded.function, order.seed)
    framework = None if order.record == FIND_OUT else order.record
    return Recording(
        loaded,
        reported(source.calls, step),
        source.module,
        order.seed,
        bool(order.x64),
        order.only,
        framework,
    )


def _recorder(framework: str, loaded: Loaded, inputs: str, seed: int, x64: bool) -> Any:
    if framework == JAX:
        return _JaxRecorder(loaded.function, seed, x64)
    require_tensorflow()
    setup = Setup(TF_XLA.id, loaded.spec, inputs, seed, x64, tuple(sys.path))
    return _TensorFlowRecorder(loaded.function, seed, x64, setup if loaded.importable else None)


class _TensorFlowRecorder:
    """Records the original program in its three lanes, both precisions, and on perturbed inputs."""

    def __init__(
        self, function: Callable[..., Any], seed: int, x64: bool, setup: Setup | None
    ) -> None:
        from tf2jax_port.diff.lanes.tensorflow_lanes import TensorFlowLanes

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
        coarsest = self._lanes.coarsest(case)
        reruns = self._original.rerun(case, fed, coarsest)
        lanes[TF_XLA.id] = self._xla.result()
        return GoldenCase(case, lanes, double, single, reruns, self._intermediates(case), coarsest)

    def close(self) -> None:
        self._xla.close()

    def _intermediates(self, case: Arguments) -> tuple[Fingerprint, ...]:
        found = attempt(fingerprints, self._lanes, case)
        return () if isinstance(found, Failure) else found


class _JaxRecorder:
    """Records a port as if it were an original program.

    Its eager lane is stored as TF eager, its compiled lane as TF graph.
    """

    def __init__(self, function: Callable[..., Any], seed: int, x64: bool) -> None:
        import jax

        from tf2jax_port.diff.lanes.jax_lanes import JaxLanes, set_x64

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
        """Do nothing; there is no process to end."""

    def _in_double(self, case: Arguments, fed: Fed) -> Observation:
        outputs, *gradients = self._lanes.in_double(case.map(widened), list(fed.values()))
        return Observation(outputs, dict(zip(fed, gradients)))
