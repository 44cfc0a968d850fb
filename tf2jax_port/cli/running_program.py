"""Convert the first training step of a running program, for `tf2jax-port import-graph --run`."""

from __future__ import annotations

import dataclasses
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
from typing import Any

import click

_STDERR = 2  # its file descriptor


@dataclasses.dataclass(frozen=True)
class Asked:
    """A program to convert, and the options of the command.

    Args:
      program: the file of the program.
      arguments: its command line.
      outputs: tensors to compute besides the loss.
      inputs: fed tensors that become arguments; the others become constants. All if `None`.
      steps: how many training steps to compare.
      timeout: after how many seconds to give up.
    """

    program: str
    arguments: list[str]
    outputs: list[str] | None
    inputs: list[str] | None
    steps: int
    timeout: float


def convert(asked: Asked, out: pathlib.Path | None, form: str) -> int:
    """Run the program in a process of its own, print the report, and return the exit code."""
    path = _module_path(asked.program, out)
    report = _in_child(asked, path)
    if form == "json":
        click.echo(json.dumps(report, indent=1))
    elif "problem" in report:
        click.echo(f"{asked.program}: {report['problem']}", err=True)
    else:
        click.echo("\n".join(_lines(asked, report)))
    checks = report.get("check", {}).values()
    return int(report.get("code", not all(c["equal"] for c in checks)))


def _module_path(program: str, out: pathlib.Path | None) -> str:
    """Return where the module is written; empty if it is not."""
    if out is None:
        return ""
    if out.suffix == ".py":
        return str(out)
    return str(out / f"{pathlib.Path(program).stem.replace('-', '_')}_jax.py")


def _in_child(asked: Asked, path: str) -> dict[str, Any]:
    """Return the report of the process that runs the program."""
    with tempfile.TemporaryDirectory() as folder:
        request, report = (pathlib.Path(folder) / name for name in ("request.json", "report.json"))
        fields = dataclasses.asdict(asked)
        del fields["timeout"]
        fields |= {"out": path, "report": str(report)}
        request.write_text(json.dumps(fields), encoding="utf-8")
        command = [sys.executable, "-m", "tf2jax_port.exporting.running", str(request)]
        # What the program prints goes to stderr; stdout is for the report.
        child = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=_STDERR, start_new_session=True
        )
        try:
            code = child.wait(asked.timeout)
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, signal.SIGKILL)
            child.wait()
            return {
                "problem": f"no result within {asked.timeout:g} seconds; see --timeout",
                "code": 2,
            }
        except BaseException:
            os.killpg(child.pid, signal.SIGKILL)
            raise
        if not report.exists():
            return {"problem": f"the program's process ended with exit code {code}", "code": 2}
        found: dict[str, Any] = json.loads(report.read_text(encoding="utf-8"))
        return found


def _lines(asked: Asked, report: dict[str, Any]) -> list[str]:
    lines = [f"{asked.program}: a training step"]
    for name, entry in report["inputs"].items():
        shape = tuple(entry["shape"])
        shown = f"  {name}" if f"{name}:0" != entry["tensor"] else ""
        lines.append(f"  input   {entry['tensor']}  {entry['dtype']} {shape}{shown}")
    lines.append(f"  params  {len(report['params'])} trained variables")
    if report["state"]:
        lines.append(f"  state   {len(report['state'])} other variables")
    lines.append(f"  optimizer  {_optimizer(report)}")
    for name in report["left_out"]:
        lines.append(f"  left out   {name}, an assignment that runs after the step")
    if report["borrowed"]:
        lines.append(f"  calls      {', '.join(report['borrowed'])}")
    lines += [f"  wrote {path}" for path in report["written"]]
    return lines + [_check_line(name, entry) for name, entry in report.get("check", {}).items()]


def _optimizer(report: dict[str, Any]) -> str:
    if report["why_not"]:
        return f"plain gradient descent instead of the program's optimizer: {report['why_not']}"
    return str(report["optimizer"])


def _check_line(name: str, entry: dict[str, Any]) -> str:
    verdict = "equal" if entry["equal"] else "DIFFERENT"
    steps = f" of {entry['steps']} steps" if "steps" in entry else ""
    line = (
        f"  {verdict}  {name}{steps}  largest difference {entry['difference']:.1e} of the largest"
    )
    line += f" number, in {entry['where']}"
    if "drift" in entry:
        line += f"; changing the initial variables by one bit changes the session's result by {entry['drift']:.1e}"
    if entry.get("steps_before"):
        line += f"; the session continues a training run of {entry['steps_before']} steps, but the module's optimizer "
        line += "starts with a new state: run the program without a checkpoint"
    if entry.get("only_rounding"):
        line += f"; changed only by rounding: {', '.join(entry['only_rounding'])}"
    return line
