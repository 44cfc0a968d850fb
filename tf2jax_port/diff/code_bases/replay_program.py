"""Replay calls in a separate process, which `prove` starts.

It reads one pickled order: the file of calls, the folder of the port, and pairs of a call's number and a
lane. It answers with the pairs as it comes to them, and with the outcome of each.
"""

from __future__ import annotations

import contextlib
import importlib
import itertools
import os
import pickle
import sys
from pathlib import Path
from typing import Any

from tf2jax_port.diff.code_bases.call_file import Call, read_calls
from tf2jax_port.diff.code_bases.locating import located
from tf2jax_port.diff.code_bases.outcomes import Outcome, Replayed
from tf2jax_port.diff.code_bases.planted import STRENGTH
from tf2jax_port.diff.code_bases.reached import Watch
from tf2jax_port.diff.code_bases.replay import Replay
from tf2jax_port.diff.processes.lane_program import channels
from tf2jax_port.diff.processes.memory_limit import CASES_BETWEEN_LOOKS, limit_memory, spare_maps


def main() -> None:
    """Answer one order."""
    asked, answers = channels()
    own = os.getpid()

    def say(message: Any) -> None:
        if os.getpid() != own:  # the function has forked, and this is the child
            os._exit(0)
        pickle.dump(message, answers)
        answers.flush()

    limit_memory()
    file, root, places = pickle.load(asked)
    sys.path.insert(0, root)
    calls = read_calls(Path(file))
    replay = Replay(calls, root)
    for number, (index, lane) in zip(itertools.count(1), places, strict=False):
        say((index, lane))
        say(tuple(_replayed(replay, calls.calls[index], lane, root)))
        if number % CASES_BETWEEN_LOOKS == 0:
            spare_maps()


def _replayed(replay: Replay, call: Call, lane: str, root: str) -> Replayed:
    if strange := _imported_from_elsewhere(call.module, root):
        return Replayed(Outcome.ERROR, strange)
    if lane == STRENGTH:
        return replay.planted(call)
    if lane != "eager":
        return replay.run(call, lane)
    watch = Watch(root)
    with watch.watching():
        found = replay.run(call, lane)
    if found.outcome is Outcome.DIFFERENT:
        place, said = located(call, replay.arrays, root, lambda: replay.result(call, "eager"))
        found = found._replace(place=place, detail="; ".join(filter(None, (found.detail, said))))
    if watch.converted:  # it reached all branches, since it was traced
        _watch_eagerly(watch, replay, call)
    return found._replace(reached=watch.found())


def _imported_from_elsewhere(module: str, root: str) -> str:
    """Import a module; return its path if it was imported from elsewhere than the port, perhaps from the original."""
    with contextlib.suppress(Exception):  # which the call raises again
        importlib.import_module(module)  # what this runs is not reached by a call
    file = getattr(sys.modules.get(module), "__file__", None)
    if file is None or Path(file).resolve().is_relative_to(Path(root).resolve()):
        return ""
    return f"the port has no module {module}: another one was imported from {file}"


def _watch_eagerly(watch: Watch, replay: Replay, call: Call) -> None:
    """Run a call again to record what it reaches; functions under `shims.function` then run as Python."""
    import shims

    shims.config.run_functions_eagerly(True)
    try:
        with watch.watching(), contextlib.suppress(Exception):
            replay.result(call, "eager")
    finally:
        shims.config.run_functions_eagerly(False)


if __name__ == "__main__":
    # Imported under its own name, so that its classes can be unpickled.
    from tf2jax_port.diff.code_bases.replay_program import main as program

    program()
