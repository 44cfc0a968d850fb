"""Run one lane in a separate process, which `lane_process` starts.

It reads pickled messages from its standard input: a `Setup`, then one `(case, cotangents)` after
another. It answers each with its `parts`.
"""

from __future__ import annotations

import itertools
import os
import pickle
import sys
from dataclasses import dataclass
from typing import Any, BinaryIO

from tf2jax_port.diff.functions.loading import load
from tf2jax_port.diff.lanes.parts import parts
from tf2jax_port.diff.lanes.state import original_with_variables, variables_at
from tf2jax_port.diff.processes.memory_limit import CASES_BETWEEN_LOOKS, limit_memory, spare_maps
from tf2jax_port.diff.values.attempt import Failure, attempt
from tf2jax_port.diff.vocabulary.lanes import JAX_EAGER, is_old


@dataclass(frozen=True, slots=True)
class Setup:
    """The configuration of a process that runs one lane.

    Attributes:
      lane: the name of the lane.
      function: the specification of the function that it runs.
      inputs: the specification of the cases, whose module may define types of arguments; empty
        if they come from no module.
      seed: the seed of the function's random numbers.
      x64: whether JAX has 64-bit types.
      path: the module search path.
      variables: the specification of the original's variables, empty if it has none.
    """

    lane: str
    function: str
    inputs: str
    seed: int
    x64: bool
    path: tuple[str, ...]
    variables: str = ""


def main() -> None:
    """Answer requests until standard input is closed."""
    asked, answers = channels()
    own = os.getpid()
    limit_memory()
    setup: Setup = pickle.load(asked)
    sys.path[:] = setup.path
    lanes = attempt(_prepare, setup)
    for number in itertools.count(1):
        if (request := _read_request(asked)) is None:
            break
        if number % CASES_BETWEEN_LOOKS == 0:
            spare_maps()
        failed = isinstance(lanes, Failure)
        for part in [lanes] if failed else parts(setup.lane, lanes, *request):
            if os.getpid() != own:  # the function has forked, and this is the child
                os._exit(0)
            pickle.dump(part, answers)
            answers.flush()


def channels() -> tuple[BinaryIO, BinaryIO]:
    """Return standard input and output as binary files, and hide both from the user's code."""
    channels = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(nothing, 1)
    return channels


def _prepare(setup: Setup) -> Any:
    function = load(setup.function).function
    if is_old(setup.lane):
        from tf2jax_port.diff.lanes.tensorflow_lanes import TensorFlowLanes

        variables = variables_at(setup.variables) if setup.variables else None
        lanes: Any = TensorFlowLanes(
            original_with_variables(function) if variables else function, setup.seed, variables
        )
    else:
        from tf2jax_port.diff.lanes.jax_lanes import JaxLanes, set_x64

        set_x64(setup.x64)
        lanes = JaxLanes(function, setup.seed)
        if setup.lane != JAX_EAGER.id:
            from tf2jax_port.diff.lanes.requested_lanes import RequestedLane

            lanes = RequestedLane(setup.lane, lanes)
    if setup.inputs:
        load(setup.inputs, default="cases")
    return lanes


def _read_request(asked: BinaryIO) -> tuple[Any, Any] | None:
    try:
        return pickle.load(asked)
    except EOFError:
        return None


if __name__ == "__main__":
    main()
