"""Compare a port with a golden case by case; the golden replaces the original."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from tf2jax_port.diff.closeness.facts import Facts
from tf2jax_port.diff.functions.loading import Loaded, load
from tf2jax_port.diff.golden_file.document import read
from tf2jax_port.diff.golden_file.golden import Golden, from_document
from tf2jax_port.diff.observing.observer import input_sizes
from tf2jax_port.diff.observing.original import feed
from tf2jax_port.diff.observing.port import Port
from tf2jax_port.diff.processes.lane_program import Setup
from tf2jax_port.diff.sessions import run
from tf2jax_port.diff.sessions.orders import Order
from tf2jax_port.diff.values.arguments import Arguments
from tf2jax_port.diff.vocabulary.lanes import JAX_EAGER
from tf2jax_port.diff.vocabulary.reasons import Reason


class Replay:
    """A port, ready to be compared with a golden case by case.

    Args:
      golden: the recorded results.
      new: the port.
      only: the numbers of the cases to run; empty for all.
      beside: run the port's eager lane in a separate process, if another process can import it.

    Raises:
      DiffError: there is no such case.
    """

    def __init__(self, golden: Golden, new: Loaded, only: Sequence[int], beside: bool) -> None:
        from tf2jax_port.diff.lanes.jax_lanes import set_x64

        set_x64(golden.x64)
        self._golden = golden
        self._kept = {case.case.index: case for case in golden.cases}
        chosen = run.chosen([case.case for case in golden.cases], only)
        setups = {}
        if beside and new.importable:
            search = tuple(sys.path)
            setups[JAX_EAGER.id] = Setup(
                JAX_EAGER.id, new.spec, "", golden.seed, golden.x64, search
            )
        skipped = tuple(Reason(*entry) for entry in golden.skipped)
        self.plan = run.Plan(golden.x64, tuple(chosen), skipped, golden.terms)
        self._port = Port(new.function, golden.seed, setups)

    def observe(self, case: Arguments, step: Callable[[str], None]) -> Facts:
        """Run one case in the lanes of the port; the original's results come from the golden."""
        known, golden, port = self._kept[case.index], self._golden, self._port
        case = known.case
        fed = feed(known.lanes, golden.seed, case)
        port.start(case, fed)
        return Facts(
            case=case.index,
            lanes={**known.lanes, **port.results(case, fed, step)},
            in_double=known.in_double,
            in_single=known.in_single,
            x64=golden.x64,
            input_sizes=input_sizes(case),
            rerun=lambda: known.reruns,
            port_in_double=functools.cache(lambda lane: port.in_double(case, fed, lane)),
            coarsest=known.coarsest,
        )

    def close(self) -> None:
        """End the processes that were started."""
        self._port.close()


def replayed(order: Order) -> Replay:
    """Load the golden and the port of a requested comparison; return them, ready to be compared.

    Raises:
      DiffError: the golden cannot be read, the port cannot be imported, or a requested case does not exist.
    """
    golden = from_document(*read(Path(order.golden), sys.maxsize))
    return Replay(golden, load(order.new), order.only, order.beside)
