"""Run programs in processes of their own, TensorFlow's and JAX's, and record what came out.

The record has each program by a digest of all that was run. A sweep that was interrupted goes on where it
stopped, and after a change of the rewriter only programs whose new text changed run again.
"""

from __future__ import annotations

import hashlib
import json
import os
import pathlib
import pickle
import subprocess
import sys
import tempfile
from typing import Any

from tests.table import cases
from tools import data_files
from tools.rewrite_sweep.judging import judge, written
from tools.rewrite_sweep.programs import LANES, Program

RECORD = data_files.ROOT / "docs" / "rewrite-sweep.json"
_BATCH = 100
_SECONDS = 3600
# The states that are recorded by their first letters, without a reason.
_SILENT = {"e": "equal", "n": "n/a"}
NOT_RUN = "not run"

# What is recorded of a program, by the digest of what was run: a letter for each lane where nothing differs,
# otherwise the name of the program and the state of each lane.
Judged = dict[str, str | dict[str, str]]


def read(record: pathlib.Path | None) -> Judged:
    """Return the programs of a record."""
    if record is None or not record.exists():
        return {}
    return json.loads(record.read_text())["judged"]


def write(record: pathlib.Path, judged: Judged) -> None:
    """Write a record."""
    new = record.with_suffix(".new")
    new.write_text(data_files.render("tools.rewrite_sweep", judged=dict(sorted(judged.items()))))
    new.replace(record)


def lanes_of(entry: str | dict[str, str] | None) -> dict[str, str]:
    """Return the state of each lane of a recorded program."""
    if entry is None:
        return dict.fromkeys(LANES, NOT_RUN)
    if isinstance(entry, str):
        return {lane: _SILENT[letter] for lane, letter in zip(LANES, entry, strict=True)}
    return {lane: entry[lane] for lane in LANES}


def _entry(program: Program, lanes: dict[str, str]) -> str | dict[str, str]:
    if {*lanes.values()} <= {*_SILENT.values()}:
        return "".join(lanes[lane][0] for lane in LANES)
    return {"program": program.id, **lanes}


def run(programs: list[Program], record: pathlib.Path | None = None) -> list[dict[str, Any]]:
    """Run the programs that a record lacks, and return what is known about all of them.

    Args:
      programs: the programs.
      record: the file that is read and written after each batch; `None` to run everything.
    """
    texts = {program: written(program) for program in programs}
    judged = read(record)
    waiting = [p for p in programs if texts[p][2] and key_of(p, texts[p][0]) not in judged]
    for start in range(0, len(waiting), _BATCH):
        batch = [(p, *texts[p][:2]) for p in waiting[start : start + _BATCH]]
        for (program, text, _), lanes in zip(batch, _run_batch(batch), strict=True):
            judged[key_of(program, text)] = _entry(program, lanes)
        if record is not None:
            write(record, judged)
    return known(programs, judged)


def known(programs: list[Program], judged: Judged) -> list[dict[str, Any]]:
    """Return a record of each program: the states of its references, and of its lanes."""
    return [_record(program, judged) for program in programs]


def _record(program: Program, judged: Judged) -> dict[str, Any]:
    text, states, runs = written(program)
    lanes = dict.fromkeys(LANES, "reported")
    if runs:
        lanes = lanes_of(judged.get(key_of(program, text)))
    names = ("id", "row", "case", "parameter", "context")
    record = {**{name: getattr(program, name) for name in names}, "states": states}
    return {**record, "text": text.partition("def ")[2], "lanes": lanes}


def key_of(program: Program, text: str) -> str:
    """Return a digest of all that decides what a program and its new text compute."""
    parts = [program.code, text]
    parts += [f"{name} {a.dtype} {a.shape} {a.tolist()}" for name, a in program.arrays.items()]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:12]


def _run_batch(batch: list[tuple[Program, str, list[str]]]) -> list[dict[str, str]]:
    """Return the states of the lanes of each program of a batch."""
    wanted = _run_side("tf", [(p.code, p.arrays) for p, _, _ in batch])
    got = _run_side("jax", [(text, p.arrays) for p, text, _ in batch])
    tolerances = {row.name: max(row.tolerance, 1e-5) for row in cases.operators()}
    documented = {(point.row.name, point.case.id): point.case.differs for point in cases.POINTS}
    found = []
    for (program, _, states), want, results in zip(batch, wanted, got, strict=True):
        tolerance = tolerances[program.row]
        lanes = {}
        for lane, result in results.items():
            right = want["gradient" if lane == "gradient" else "eager"]
            wide = 10 * tolerance if lane == "gradient" else tolerance
            differs = documented[program.row, program.case]
            said = bool(differs) and differs.startswith("gradient") == (lane == "gradient")
            lanes[lane] = judge(result, right, wide, review=said or "review" in states)
        found.append(lanes)
    return found


def _run_side(side: str, jobs: list[Any]) -> list[dict[str, Any]]:
    """Run programs on one side, in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        source, target = pathlib.Path(folder) / "jobs", pathlib.Path(folder) / "results"
        source.write_bytes(pickle.dumps(jobs))
        environment = {
            **os.environ,
            "JAX_PLATFORMS": "cpu",
            "TF_CPP_MIN_LOG_LEVEL": "3",
            # The contexts of one operator are mostly the same program to the compiler.
            "JAX_COMPILATION_CACHE_DIR": str(pathlib.Path(folder) / "compiled"),
            "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0",
            "JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES": "-1",
        }
        command = [sys.executable, "-m", "tools.rewrite_sweep.worker"]
        subprocess.run(
            [*command, side, str(source), str(target)],
            check=True,
            env=environment,
            timeout=_SECONDS,
            stderr=subprocess.DEVNULL,
        )
        return pickle.loads(target.read_bytes())
