"""Run public programs and write their page: `python -m tools.public_programs CHECKOUTS [NAME...]`.

CHECKOUTS holds a checkout OWNER/REPOSITORY of each repository in `programs.txt`, whose lines are a
repository, a commit and the path of a program. Results are kept in CHECKOUTS/results; TensorFlow's are not
made again. With names, only programs of these names are run; with `--page`, none.
"""

from __future__ import annotations

import itertools
import os
import pathlib
import subprocess
import sys

from tools.public_programs import page
from tools.public_programs.comparing import Verdict
from tools.public_programs.one_bit import DIRECTIONS
from tools.public_programs.programs import Program, listed, verdict


def main(folder: str, *names: str) -> None:
    """Run the programs, print their results, and write the page."""
    checkouts = pathlib.Path(folder).resolve()
    chosen = [p for p in listed() if not names or p.name in names]
    for program in chosen:
        program.kept("shims", checkouts).unlink(missing_ok=True)
    for library in ("tensorflow", "shims"):
        _run(library, chosen, checkouts)
    found = {p: verdict(p, checkouts) for p in chosen}
    apart = [p for p, v in found.items() if isinstance(v, Verdict) and v.runs and not v.is_equal]
    for direction in DIRECTIONS:
        _run(direction, apart, checkouts)
    for program in chosen:
        print(page.row(program, verdict(program, checkouts), checkouts), flush=True)
    page.write(checkouts)


def _run(library: str, programs: list[Program], checkouts: pathlib.Path) -> None:
    """Run the programs that have no result, those with equal options in one process."""
    (checkouts / "results").mkdir(parents=True, exist_ok=True)
    missing = [p for p in programs if not p.kept(library, checkouts).exists()]
    missing.sort(key=lambda p: p.option)
    for option, group in itertools.groupby(missing, lambda p: p.option):
        paths = [(p.source(checkouts), p.kept(library, checkouts)) for p in group]
        settings = {
            "TF_CPP_MIN_LOG_LEVEL": "3",
            "MPLBACKEND": "agg",
            "KERAS_BACKEND": "jax" if library == "shims" else "tensorflow",
            "PYTHONPATH": os.getcwd(),
            **({"JAX_ENABLE_X64": "1"} if option == "x64" else {}),
        }
        with open(checkouts / "results" / f"{library}.log", "a") as log:
            subprocess.run(
                [
                    *(sys.executable, "-m", "tools.public_programs.lane", library),
                    *(str(path) for pair in paths for path in pair),
                ],
                env={**os.environ, **settings},
                stdout=log,
                stderr=log,
                check=False,
            )


if __name__ == "__main__":
    main(*sys.argv[1:])
