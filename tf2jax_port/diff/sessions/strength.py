"""Report which faults the cases of an equal verdict could have caught, and search for cases that catch more."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from tf2jax_port.diff.golden_file.document import FORMAT, Store, to_bytes
from tf2jax_port.diff.golden_file.golden import pack_call
from tf2jax_port.diff.lanes.jax_lanes import python_function
from tf2jax_port.diff.report.report import Report
from tf2jax_port.diff.strength.planting import Planter, measured
from tf2jax_port.diff.strength.reached import unreached_lines, unreached_sizes
from tf2jax_port.diff.strength.strength import Strength
from tf2jax_port.diff.strength.strengthen import strengthened
from tf2jax_port.diff.values.arguments import Arguments
from tf2jax_port.diff.values.attempt import Failure, attempt
from tf2jax_port.diff.vocabulary.reasons import Reason

# In seconds of processor time: for planting faults, and for the search of more cases.
PLANTING, SEARCHING = 30.0, 60.0


def with_strength(
    report: Report,
    cases: Sequence[Arguments],
    port: Callable[..., Any],
    sides: tuple[Any, Any],
    seed: int,
    search: bool,
) -> Report:
    """Plant faults into the port, and add to the report how many of them the cases notice.

    Args:
      report: the report of the comparison.
      cases: all compared cases.
      port: the port.
      sides: the lanes of the original and of the port.
      seed: the seed of the port's random numbers.
      search: whether to search for cases that notice more; they are added to the report as a file of calls.
    """
    planter = Planter(python_function(port), seed, PLANTING)
    measured(planter, cases)
    added: list[Arguments] | None = None
    data: bytes | None = None
    if search:
        planter.extend(SEARCHING)
        added = strengthened(cases, planter, sides[0].eager)
        packed = attempt(_pack, [*cases, *added])
        if isinstance(packed, Failure):
            why = Reason("more cases", f"the cases cannot be stored as plain data: {packed.reason}")
            report = replace(report, notes=(*report.notes, why))
        elif added:
            data = packed
    every = [*cases, *(added or ())]
    lines = unreached_lines(
        python_function(port), (case.fill(sides[1].arrays(case)) for case in every)
    )
    found = Strength(
        len(planter.noticed) + len(planter.missed),
        len(planter.noticed),
        tuple(planter.missed.values()),
        (*unreached_sizes(every), *lines),
        planter.skipped,
        None if added is None else len(added),
    )
    return replace(report, strength=found, more_inputs=data)


def _pack(cases: Sequence[Arguments]) -> bytes:
    store = Store()
    packed = [pack_call(replace(case, index=number), store) for number, case in enumerate(cases)]
    return to_bytes({"format": FORMAT, "cases": packed}, store)
