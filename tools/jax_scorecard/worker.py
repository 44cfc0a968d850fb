"""Run the cases of functions whose names arrive on standard input; report cells on standard output.

A line of JSON announces each cell, and another says how it went: whoever reads them knows which cell
a process that hangs or dies was at.
"""

from __future__ import annotations

import functools
import json
import os
import sys
import warnings
from typing import Any

import jax

from tools.jax_scorecard import lanes
from tools.jax_scorecard.cases import Case, cases, time_limit
from tools.jax_scorecard.judging import judged, worst
from tools.jax_scorecard.operands import AMOUNTS
from tools.jax_scorecard.surface import by_name

SECONDS = 40.0


def cell(case: Case, lane: str) -> dict[str, Any]:
    """Run a case in a lane; return its state and that of each call. Warnings are no findings."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return _cell(case, lane)


def _cell(case: Case, lane: str) -> dict[str, Any]:
    try:
        references = {amount: _reference(case, lane, amount) for amount in AMOUNTS}
        if lane == "grad" and all(isinstance(r, Exception) for r in references.values()):
            return {"state": "n/a", "why": "no gradient of the exact arrays"}
        run = lanes.program(case, lane)
    except lanes.NotApplicable as error:
        return {"state": "n/a", "why": str(error)}
    calls = {}
    for amount in AMOUNTS:
        operands = lanes.arguments(case, lane, amount)
        if lane == "vmap" and isinstance(references[amount], Exception):
            continue  # one of the two rows has no result
        precise = (
            functools.partial(lanes.precise_gradient, case, amount) if lane == "grad" else None
        )
        others = [_untraced(f) for f in lanes.other_ways(case, lane, amount)]
        state, why = judged(
            lambda xs=operands: _timed(run, xs), references[amount], lane == "vmap", precise, others
        )
        calls[amount] = {"state": state, "why": why} if why else {"state": state}
    if not calls:
        return {"state": "n/a", "why": "a row of each pair has no result"}
    return {"state": worst([c["state"] for c in calls.values()]), "calls": calls}


def _untraced(compute):
    """Return a function that computes without tracing, so that only branches that are taken run."""

    def call():
        with jax.disable_jit():
            return compute()

    return call


def _timed(run, operands):
    with time_limit(SECONDS):
        return run(*operands)


def _reference(case: Case, lane: str, amount: str) -> Any:
    try:
        return lanes.expected(case, lane, amount)
    except lanes.NotApplicable:
        raise
    except Exception as error:  # noqa: BLE001 - the reference is the error
        return error


def main() -> None:
    """Serve requests until standard input ends."""
    warnings.simplefilter("ignore")
    cache = os.environ.get("JAX_SCORECARD_CACHE")
    if cache:
        jax.config.update("jax_compilation_cache_dir", cache)
        jax.config.update("jax_persistent_cache_min_compile_time_secs", 0)
        jax.config.update("jax_persistent_cache_min_entry_size_bytes", 0)
    channel = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what JAX or a function prints is no report
    functions = by_name()
    for line in sys.stdin:
        request = json.loads(line)
        name, known = request["function"], {tuple(c) for c in request["known"]}

        def tell(**report: Any) -> None:
            channel.write(json.dumps(report) + "\n")
            channel.flush()

        made = cases(functions[name])
        for case in made:
            for lane in request["lanes"]:
                if (case.label, lane) not in known:
                    tell(at=[name, case.label, lane])
                    tell(function=name, case=case.label, lane=lane, **cell(case, lane))
        tell(done=name, cases=len(made))
        jax.clear_caches()


if __name__ == "__main__":
    main()
