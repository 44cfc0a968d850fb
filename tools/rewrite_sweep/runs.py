"""Run programs in processes of their own, TensorFlow's and JAX's, and record what came out."""

from __future__ import annotations

import os
import pathlib
import pickle
import subprocess
import sys
import tempfile
from typing import Any

from tests.table import cases
from tools.rewrite_sweep.judging import judge, written
from tools.rewrite_sweep.programs import Program

_SECONDS = 3 * 3600


def records(programs: list[Program]) -> list[dict[str, Any]]:
    """Return a record for each program: the states of its references, and of its lanes."""
    texts = {program.id: written(program) for program in programs}
    before = {p.id: (p.code, p.arrays) for p in programs}
    after = {p.id: (texts[p.id][0], p.arrays) for p in programs if texts[p.id][2]}
    wanted, got = _run("tf", before), _run("jax", after)
    tolerances = {row.name: max(row.tolerance, 1e-5) for row in cases.operators()}
    found = []
    for program in programs:
        text, states, runs = texts[program.id]
        record = {
            **{name: getattr(program, name) for name in ("row", "case", "parameter", "context")},
            "states": states,
        }
        want = wanted[program.id]
        lanes = dict.fromkeys(("eager", "jit", "function", "gradient"), "reported")
        if runs:
            tolerance = tolerances[program.row]
            for lane, result in got[program.id].items():
                right = want["gradient" if lane == "gradient" else "eager"]
                wide = 10 * tolerance if lane == "gradient" else tolerance
                lanes[lane] = judge(result, right, wide, review="review" in states)
        if any(not state.startswith(("equal", "n/a")) for state in lanes.values()):
            record["text"] = text.partition("def ")[2]
        found.append({**record, "lanes": lanes})
    return found


def _run(side: str, jobs: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Run programs on one side, in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        source, target = pathlib.Path(folder) / "jobs", pathlib.Path(folder) / "results"
        source.write_bytes(pickle.dumps(jobs))
        environment = {**os.environ, "JAX_PLATFORMS": "cpu", "TF_CPP_MIN_LOG_LEVEL": "3"}
        command = [
            sys.executable,
            "-m",
            "tools.rewrite_sweep.worker",
            side,
            str(source),
            str(target),
        ]
        subprocess.run(
            command, check=True, env=environment, timeout=_SECONDS, stderr=subprocess.DEVNULL
        )
        return pickle.loads(target.read_bytes())
