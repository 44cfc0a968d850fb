"""Compare a function with a port that uses Keras: each in processes of its own, with its own back end.

The original is recorded, and the port is compared with the record, which is dropped.
"""

from __future__ import annotations

import sys
import tempfile
from dataclasses import replace
from pathlib import Path

from tf2jax_port.diff.functions.keras_use import TENSORFLOW
from tf2jax_port.diff.functions.loading import DiffError
from tf2jax_port.diff.golden_file.document import write
from tf2jax_port.diff.golden_file.golden import to_document
from tf2jax_port.diff.goldens.record import record_elsewhere
from tf2jax_port.diff.goldens.verify import verify_elsewhere
from tf2jax_port.diff.report.report import Report
from tf2jax_port.diff.sessions.orders import Order
from tf2jax_port.diff.sessions.run import Step, command_of
from tf2jax_port.diff.supervision.supervisor import request_of
from tf2jax_port.diff.vocabulary.extras import NOTHING
from tf2jax_port.diff.vocabulary.reasons import Reason

_NOTE = Reason(
    "Keras",
    "the original and the port ran in separate processes, because Keras can use only one back end per process",
)


def compare_apart(order: Order, jobs: int, timeout: float, step: Step) -> Report:
    """Compare two functions that cannot run in one process, and return the report.

    Raises:
      DiffError: an option needs both functions in one process, or one of them cannot be run.
    """
    _check_options(order)
    from tf2jax_port.diff.lanes.jax_lanes import x64_is_on

    x64 = x64_is_on() if order.x64 is None else order.x64
    golden, _ = record_elsewhere(
        order.old,
        order.inputs,
        seed=order.seed,
        x64=x64,
        only=order.only,
        framework=TENSORFLOW,
        timeout=timeout,
        step=step,
    )
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "original.golden")
        document, store = to_document(golden)
        write(file, document, store, sys.maxsize)
        report = verify_elsewhere(golden, file, order.new, jobs=jobs, timeout=timeout, step=step)
    notes = [note for note in report.notes if note.what != "original"]
    again = command_of(request_of(order), x64, report.culprit)
    return replace(report, notes=(*notes, _NOTE), reproduce=again)


def _check_options(order: Order) -> None:
    asked = {
        "--variables": order.state is not None,
        "--locate": order.locate,
        "--worst": order.worst,
        "--strength": order.strength,
        "--strengthen": order.strengthen,
        "--lane, --forward, --steps, --bfloat16 or --random": order.extras != NOTHING,
    }
    found = next((name for name, is_asked in asked.items() if is_asked), None)
    if found is None:
        return
    do = f"run `diff` without {found}"
    if order.state is not None:
        do = "to prove a layer or a model with its weights, use `capture` and `prove` (docs/keras.md)"
    raise DiffError(
        f"diff: {found} needs the original and the port in the same process, but the port uses Keras, which can use "
        f"only one back end per process.\n  Do:       {do}",
        found.partition(",")[0],
    )
