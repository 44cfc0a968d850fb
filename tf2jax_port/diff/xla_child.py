"""The program that runs the lane TF XLA in a process of its own; `xla_process` starts it.

It reads pickled messages from its standard input: a `Setup`, then one `(case, cotangents)` after
another. It answers each with its parts, as `xla_here.xla_parts` gives them.
"""

from __future__ import annotations

import os
import pickle
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO

from tf2jax_port.diff.attempt import Failure, attempt
from tf2jax_port.diff.loading import load


@dataclass(frozen=True, slots=True)
class Setup:
    """What the program needs to know.

    Attributes:
      old: the specification of the old function.
      inputs: the specification of the cases, whose module may define types of arguments.
      seed: for the random numbers of the function.
      path: where modules are searched.
    """

    old: str
    inputs: str
    seed: int
    path: tuple[str, ...]


def main() -> None:
    """Answers until nobody asks any more."""
    asked, answers = _channels()
    setup: Setup = pickle.load(asked)
    sys.path[:] = setup.path
    lanes = attempt(_prepare, setup)
    while (request := _next(asked)) is not None:
        for part in [lanes] if isinstance(lanes, Failure) else _parts(lanes, request):
            pickle.dump(part, answers)
            answers.flush()
            if isinstance(part, Failure):
                break  # nobody reads on after a failure


def _channels() -> tuple[BinaryIO, BinaryIO]:
    """Standard input and output, out of the reach of what the function prints and reads."""
    channels = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(nothing, 1)
    return channels


def _prepare(setup: Setup) -> Any:
    from tf2jax_port.diff.tensorflow_lanes import TensorFlowLanes

    lanes = TensorFlowLanes(load(setup.old).function, setup.seed)
    load(setup.inputs, default="cases")
    return lanes


def _next(asked: BinaryIO) -> tuple[Any, Any] | None:
    try:
        return pickle.load(asked)
    except EOFError:
        return None


def _parts(lanes: Any, request: tuple[Any, Any]) -> Iterator[Any]:
    from tf2jax_port.diff.xla_here import xla_parts

    return xla_parts(lanes, *request)


if __name__ == "__main__":
    main()
