"""Rewrite a code base, record the calls of its tests, and replay them; what is kept is not made again."""

from __future__ import annotations

import dataclasses
import json
import os
import pathlib
import shutil
import subprocess
import sys
from collections import Counter, defaultdict
from typing import Any

import numpy as np

from tf2jax_port.diff.code_bases.call_file import Calls, read_calls
from tools.code_bases import stand_ins
from tools.code_bases.listing import CodeBase

_COMMAND = "from tf2jax_port.cli import main; main()"
_IGNORED = shutil.ignore_patterns(".git", "*.ipynb_checkpoints")
SECONDS = 150
PER_FUNCTION = 2
MOST = 100  # calls of a code base


def rewrite(base: CodeBase, checkouts: pathlib.Path) -> dict[str, Any]:
    """Rewrite a copy of a code base, unless there is one; return the ledger."""
    ledger, port = base.kept("ledger.json", checkouts), base.kept("port", checkouts)
    if not ledger.exists():
        shutil.rmtree(port, ignore_errors=True)
        shutil.copytree(checkouts / base.name, port, ignore=_IGNORED)
        words = ["rewrite", str(port), "--write", "--isolated", "--no-gitignore"]
        _run(base, checkouts, [*words, "--report", str(ledger)])
    return dict(json.loads(ledger.read_text()))


def capture(base: CodeBase, checkouts: pathlib.Path) -> Calls:
    """Record calls while the tests of a code base run under TensorFlow, unless there are some; return a sample."""
    every, sample = base.kept("every.npz", checkouts), base.kept("calls.npz", checkouts)
    if not every.exists():
        source = checkouts / base.name
        tests = sorted({str(f) for pattern in base.tests for f in source.glob(pattern)})
        watched = [word for package in base.packages for word in ("--package", package)]
        pytest = [sys.executable, "-m", "pytest", "-q", "--continue-on-collection-errors"]
        quiet = ["-p", "no:cacheprovider", "-p", "no:tf2jax_port", "-W", "ignore"]
        limits = ["--most", str(PER_FUNCTION), "--timeout", str(SECONDS)]
        words = ["capture", *watched, "-o", str(every), *limits, "--", *pytest, *quiet]
        settings = {"TF_USE_LEGACY_KERAS": str(int(base.keras == 2))}
        _run(base, checkouts, [*words, "--rootdir", str(source), *tests], settings, source)
    if not sample.exists():
        _sampled(read_calls(every)).write(sample)
    return read_calls(sample)


def prove(base: CodeBase, checkouts: pathlib.Path) -> list[dict[str, Any]]:
    """Replay the sampled calls against the port, unless that was done; return the outcomes."""
    outcomes = base.kept("outcomes.json", checkouts)
    port, sample = base.kept("port", checkouts), base.kept("calls.npz", checkouts)
    if not outcomes.exists():
        words = ["prove", str(sample), str(port), "--json", str(outcomes), "--timeout", "240"]
        _run(base, checkouts, words, {"KERAS_BACKEND": "jax"}, port)
    return list(json.loads(outcomes.read_text())["calls"])


def _sampled(calls: Calls) -> Calls:
    """Return the first call of every function, then the second ones, until there are enough."""
    met: Counter[tuple[str, str]] = Counter()
    rounds: dict[int, list[int]] = defaultdict(list)
    for index, call in enumerate(calls.calls):
        rounds[met[call.module, call.name]].append(index)
        met[call.module, call.name] += 1
    chosen: list[int] = []
    for turn in sorted(rounds):
        step = max(1.0, len(rounds[turn]) / max(1, MOST - len(chosen)))
        evenly = np.arange(0, len(rounds[turn]), step).astype(int)
        chosen += [rounds[turn][position] for position in evenly][: MOST - len(chosen)]
    return dataclasses.replace(calls, calls=tuple(calls.calls[index] for index in sorted(chosen)))


def _run(
    base: CodeBase,
    checkouts: pathlib.Path,
    words: list[str],
    settings: dict[str, str] | None = None,
    folder: pathlib.Path | None = None,
) -> None:
    """Run `tf2jax-port`; its output is kept, and failing is a result, too."""
    hook = base.kept("stand_ins", checkouts) / "sitecustomize.py"
    hook.parent.mkdir(parents=True, exist_ok=True)
    hook.write_text(stand_ins.HOOK)
    here = str(pathlib.Path(__file__).resolve().parents[2])
    paths = [
        str(hook.parent),
        here,
        os.environ.get("PYTHONPATH", ""),
        *([str(folder)] if folder else []),
    ]
    environment = {
        **os.environ,
        "TF_CPP_MIN_LOG_LEVEL": "3",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONPATH": os.pathsep.join(filter(None, paths)),
        stand_ins.VARIABLE: json.dumps(base.stand_ins),
        **(settings or {}),
    }
    with base.kept(f"{words[0]}.log", checkouts).open("w") as log:
        subprocess.run(
            [sys.executable, "-c", _COMMAND, *words],
            env=environment,
            cwd=folder,
            stdout=log,
            stderr=log,
            check=False,
        )
