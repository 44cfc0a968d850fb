"""Run a TensorFlow 1 program up to its first training step, write that step as JAX, and prove it.

This is the program of a child process: `python -m tf2jax_port.exporting.running REQUEST`, where
REQUEST is a JSON file with the fields of `Request`. It writes its report to the file `report`.
"""

from __future__ import annotations

import contextlib
import dataclasses
import importlib
import importlib.abc
import importlib.machinery
import json
import os
import pathlib
import runpy
import sys
import traceback
from types import FrameType
from typing import Any

import numpy as np

from tf2jax_port.exporting.original import statement_at
from tf2jax_port.exporting.step import NoStepError, Step
from tf2jax_port.importing.rule import UnsupportedError


@dataclasses.dataclass
class Request:
    """A program to export, and the options of the command.

    Args:
      program: the file of the program.
      arguments: its command line.
      out: the module to write; empty to write none.
      report: the file for the report.
      outputs: tensors to compute besides the loss.
      inputs: fed tensors that become arguments; all if `None`.
      steps: how many training steps to compare.
      tolerance: the largest difference, in parts of the largest number.
    """

    program: str
    arguments: list[str]
    out: str
    report: str
    outputs: list[str] | None = None
    inputs: list[str] | None = None
    steps: int = 50
    tolerance: float = 1e-4


class _Found(BaseException):
    """Raised to end the program at its first training step."""


def main() -> None:
    """Carry out the request, and write its report."""
    request = Request(**json.loads(pathlib.Path(sys.argv[1]).read_text(encoding="utf-8")))
    report: dict[str, Any] = {}
    try:
        report = run(request)
    except UnsupportedError as error:
        report = {"problem": str(error), "code": 1}
    except NoStepError as error:
        report = {"problem": str(error), "code": 2}
    except Exception:  # noqa: BLE001, the report has to say what a program of a user raised
        report = {"problem": "the program failed:\n" + traceback.format_exc(limit=-6), "code": 2}
    pathlib.Path(request.report).write_text(json.dumps(report), encoding="utf-8")


def run(request: Request) -> dict[str, Any]:
    """Run the program, write the module, and compare the two; return a report."""
    step = first_step(request.program, request.arguments)
    with _compared_by_identity():
        return _exported(step, request)


def _exported(step: Step, request: Request) -> dict[str, Any]:
    """Write the module of a step, and compare the two; return a report."""
    from tf2jax_port.exporting import proof, writing

    wanted = _wanted(step, request)
    values = batch_of(step, wanted)
    name = os.path.basename(request.program)
    title = f"{name} as JAX: its first training step, written by `tf2jax-port import-graph`."
    export = writing.export(step, values, title, wanted)
    report: dict[str, Any] = {
        "inputs": {
            i.name: {
                "tensor": i.tensor.name,
                "dtype": str(i.value.dtype),
                "shape": list(i.value.shape),
            }
            for i in export.inputs
        },
        "params": [v.op.name for v, (root, _) in export.paths.items() if root == "params"],
        "state": [v.op.name for v, (root, _) in export.paths.items() if root == "state"],
        "optimizer": export.optimizer.name,
        "why_not": export.optimizer.why_not,
        "left_out": export.left_out,
        "borrowed": sorted(export.module.borrowed),
        "written": [],
    }
    if request.out:
        path = pathlib.Path(request.out)
        report["written"] = [str(p) for p in writing.save(export, path)]
        report["check"] = proof.prove(export, path, request.steps, request.tolerance)
    return report


def _wanted(step: Step, request: Request) -> Any:
    """Return the tensors that a request names.

    Raises:
      NoStepError: the graph has no such tensor.
    """
    from tf2jax_port.exporting.inputs import Wanted

    tensors = [_tensor(step, name) for name in request.outputs or ()]
    outputs = {tensor.name: tensor for tensor in tensors}
    if request.inputs is None:
        return Wanted(outputs)
    return Wanted(outputs, [_tensor(step, name) for name in request.inputs])


def _tensor(step: Step, name: str) -> Any:
    try:
        return step.session.graph.get_tensor_by_name(name if ":" in name else f"{name}:0")
    except (KeyError, ValueError) as error:
        raise NoStepError(str(error.args[0])) from None


def batch_of(step: Step, wanted: Any) -> dict[Any, np.ndarray]:
    """Return the value of each tensor that the loss, or a chosen output, needs from outside."""
    outputs = [step.resolved(t, None) for t in wanted.outputs.values()]
    needed = dict.fromkeys([*step.batch, *step.outside(outputs)])
    found = {t: np.asarray(step.feeds[t]) for t in needed if t in step.feeds}
    missing = [t for t in needed if t not in found]
    if missing:
        computed = step.session.run(missing, dict(step.feeds))
        found.update(zip(missing, map(np.asarray, computed), strict=True))
    return found


# ---- running the program -------------------------------------------------------------------------


def first_step(program: str, arguments: list[str]) -> Step:
    """Run a program up to its first training step, and return this step.

    Raises:
      NoStepError: the program ends without a training step.
    """
    from shims._src.v1.session.session import BaseSession

    found: list[Step] = []
    refused: list[NoStepError] = []
    original = BaseSession._prepared

    def prepared(self: Any, wanted: Any, tensors: Any, feeds: Any) -> Any:
        compiled = original(self, wanted, tensors, feeds)
        if _trains(compiled.plan):
            try:
                with _compared_by_identity():
                    found.append(Step(_copy_of(self), compiled.plan, dict(feeds)))
            except NoStepError as error:
                refused.append(error)
                return compiled
            raise _Found
        return compiled

    with _recorded_statements(), _without_tensorflow(), contextlib.ExitStack() as stack:
        stack.callback(setattr, BaseSession, "_prepared", original)
        BaseSession._prepared = prepared  # type: ignore[method-assign]
        stack.callback(setattr, sys, "argv", sys.argv)
        sys.argv = [program, *arguments]
        sys.path.insert(0, os.path.dirname(os.path.abspath(program)))
        with contextlib.suppress(_Found, SystemExit):
            runpy.run_path(program, run_name="__main__")
    if not found:
        raise (
            refused[0]
            if refused
            else NoStepError(
                "the program ended without a training step: a `Session.run` that computes gradients and "
                "assigns variables"
            )
        )
    return found[0]


@contextlib.contextmanager
def _compared_by_identity() -> Any:
    """Make `==` compare tensors by identity: with `disable_v2_behavior`, a program does this itself.

    Otherwise `variable in op.writes` adds an operation to the graph, which may be finalized.
    """
    from shims._src.v1.graph.modes import MODES

    before = MODES.tensor_equality
    MODES.tensor_equality = False
    try:
        yield
    finally:
        MODES.tensor_equality = before


def _copy_of(session: Any) -> Any:
    """Return a session with the same variables, which stays open when the program closes its own."""
    from shims._src.v1.session.session import Session

    found = Session(graph=session.graph)
    found.values = dict(session.values)
    found.counters, found.iterators = session.counters, dict(session.iterators)
    return found


def _trains(plan: Any) -> bool:
    gradients = [op for op in plan.order if "gradients" in op.attributes]
    return bool(gradients) and any(op.writes for op in plan.order)


@contextlib.contextmanager
def _recorded_statements() -> Any:
    """Record, for each operation, the statements of the program that led to it, the innermost first."""
    from shims._src.v1.graph.graph import Graph

    original = Graph.add

    def add(self: Any, operation: Any) -> None:
        frame: FrameType | None = sys._getframe(1)
        while frame is not None and not _is_of_program(frame):
            frame = frame.f_back
        found = []
        while frame is not None and _is_of_program(frame):
            found.append(statement_at(frame.f_code.co_filename, frame.f_lineno))
            frame = frame.f_back
        operation.attributes["statements"] = found
        original(self, operation)

    Graph.add = add  # type: ignore[method-assign]
    try:
        yield
    finally:
        Graph.add = original  # type: ignore[method-assign]


def _is_of_program(frame: Any) -> bool:
    from shims._src.platform import user_frames

    own = ("tf2jax_port", "runpy", "contextlib")
    name = frame.f_globals.get("__name__", "")
    return not user_frames.is_library_frame(frame) and name.partition(".")[0] not in own


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds `shims.compat.v1` where a program imports TensorFlow."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        """Return how to import a module of TensorFlow."""
        if name.partition(".")[0] != "tensorflow":
            return None
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec: Any) -> Any:
        """Return the module of shims that replaces a module of TensorFlow."""
        rest = (
            spec.name.removeprefix("tensorflow").removeprefix(".compat.v1").removeprefix(".compat")
        )
        if rest == ".v1":
            rest = ""
        return importlib.import_module(f"shims.compat.v1{rest}")

    def exec_module(self, module: Any) -> None:
        """Do nothing: the module of shims is complete."""


@contextlib.contextmanager
def _without_tensorflow() -> Any:
    """Make `import tensorflow` find `shims.compat.v1`."""
    finder = _Finder()
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)


if __name__ == "__main__":
    main()
