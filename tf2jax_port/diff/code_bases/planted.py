"""Plant faults into the functions of a port, and report which of them their recorded calls notice."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from tf2jax_port.diff.code_bases.outcomes import Outcome, Replayed
from tf2jax_port.diff.strength.planting import Planter
from tf2jax_port.diff.strength.reached import unreached_sizes
from tf2jax_port.diff.strength.strength import Missed, Strength
from tf2jax_port.diff.values.arguments import Arguments, Slot

STRENGTH = "strength"
_BUDGET = 10.0  # seconds of processor time for one call


def planted(run: Callable[..., Any], inputs: list[np.ndarray]) -> Replayed:
    """Plant faults into one equal call; the outcome's detail lists the faults that the call notices, as JSON.

    Args:
      run: calls the port with the tensors of the call.
      inputs: the tensors.
    """
    slots = tuple(Slot(index) for index in range(len(inputs)))
    names = tuple(f"tensor {index}" for index in range(len(inputs)))
    case = Arguments(0, slots, tuple(inputs), names)
    planter = Planter(functools.partial(run), 0, _BUDGET)
    trail = planter.run(case)
    if trail.error is not None:
        return Replayed(Outcome.NOT_REPLAYABLE, f"no faults were planted: {trail.error}")
    planter.plant(trail)
    said = {
        "noticed": [_text(key) for key in sorted(planter.noticed)],
        "missed": {
            _text(key): [one.kind, one.place, one.text, one.needs]
            for key, one in sorted(planter.missed.items())
        },
        "skipped": planter.skipped,
        "unreached": unreached_sizes([case]),
    }
    return Replayed(Outcome.EQUAL, json.dumps(said))


def together(outcomes: Iterable[Replayed]) -> Strength | None:
    """Return the faults that the calls of a function notice; `None` if no fault was planted into any call."""
    found = [json.loads(each.detail) for each in outcomes if each.outcome is Outcome.EQUAL]
    noticed = {key for each in found for key in each["noticed"]}
    missed = {key: Missed(*told) for each in found for key, told in each["missed"].items()}
    left = {key: one for key, one in missed.items() if key not in noticed}
    if not noticed and not left:
        return None
    sizes = set.intersection(*(set(each["unreached"]) for each in found))
    return Strength(
        len(noticed) + len(left),
        len(noticed),
        tuple(left.values()),
        tuple(sorted(sizes)),
        sum(each["skipped"] for each in found),
    )


def _text(key: tuple[str, int, str, str]) -> str:
    return "\t".join(map(str, key))
