"""Count the planted faults that are found, and those located at the right line.

python -m benchmarks.locate                       everything: 167 faults, 200 correct ports
python -m benchmarks.locate --ports 20 focal crf  fewer ports, these programs only
"""

import argparse
import os
import tempfile
import warnings
from collections.abc import Sequence
from pathlib import Path

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")  # before TensorFlow is imported below

from rich.console import Console
from rich.table import Table

from benchmarks.locate.faults import FAULTS
from benchmarks.locate.measure import Bench, Outcome, by_kind
from benchmarks.locate.ports import NAMES
from benchmarks.locate.variations import right_ports
from tf2jax_port.diff.vocabulary.verdicts import DIFFERENT


def main() -> None:
    """Run the requested programs, and print the matrix."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.locate")
    parser.add_argument("programs", nargs="*", default=NAMES)
    parser.add_argument("--ports", type=int, default=200, help="how many ports that are right")
    chosen = parser.parse_args()
    console = Console()
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        bench = Bench(Path(folder))
        faults = [bench.fault(fault) for fault in FAULTS if fault.program in chosen.programs]
        ports = [
            bench.right(program, text)
            for program, text in right_ports(chosen.ports)
            if program in chosen.programs
        ]
    console.print(matrix(faults, ports))
    for outcome in faults:
        if not outcome.right_line:
            said = outcome.named if outcome.verdict == DIFFERENT else outcome.verdict
            console.print(f"{outcome.program}, {outcome.kind}: {said}", markup=False)
    for outcome in ports:
        if outcome.verdict == DIFFERENT:
            console.print(f"blamed: {outcome.program}: {outcome.named}", markup=False)


def matrix(faults: list[Outcome], ports: list[Outcome]) -> Table:
    """Tabulate the verdicts on faults of each kind, and on correct ports."""
    table = Table("kind", "planted", "detected", "right line")
    for kind, outcomes in by_kind(faults).items():
        table.add_row(kind, *_counted(outcomes))
    table.add_row("all faults", *_counted(faults), end_section=True)
    blamed = sum(outcome.verdict == DIFFERENT for outcome in ports)
    table.add_row("ports that are right", str(len(ports)), f"{blamed} blamed", "")
    return table


def _counted(outcomes: Sequence[Outcome]) -> tuple[str, str, str]:
    found = sum(outcome.verdict == DIFFERENT for outcome in outcomes)
    return str(len(outcomes)), str(found), str(sum(outcome.right_line for outcome in outcomes))


if __name__ == "__main__":
    main()
