"""Run public programs and print a table: `python -m tools.public_programs CHECKOUTS [NAME...]`.

CHECKOUTS holds a checkout OWNER/REPOSITORY of each repository in `programs.txt`, whose lines are a
repository, a commit and the path of a program. Results are kept in CHECKOUTS/results; TensorFlow's are not
made again. With names, only programs of these names are run.
"""

from __future__ import annotations

import os
import pathlib
import pickle
import subprocess
import sys
from typing import NamedTuple

from tools.public_programs import cells
from tools.public_programs.comparing import Verdict, compare
from tools.public_programs.lane import Cell

_HEAD = "| program | lines | cells | values | difference | result |"
_LIST = pathlib.Path(__file__).with_name("programs.txt")


class Program(NamedTuple):
    """A program in a public repository."""

    repository: str
    commit: str
    path: str

    @property
    def name(self) -> str:
        """The folder and the file, without its ending."""
        path = pathlib.PurePosixPath(self.path)
        return f"{path.parent.name}_{path.stem}"

    @property
    def address(self) -> str:
        """The page of the program."""
        return f"https://github.com/{self.repository}/blob/{self.commit}/{self.path}"


def main(folder: str, *names: str) -> None:
    """Run the programs and print their results."""
    checkouts = pathlib.Path(folder).resolve()
    programs = [Program(*line.split()) for line in _LIST.read_text().splitlines()]
    chosen = [p for p in programs if not names or p.name in names]
    results = checkouts / "results"
    for library in ("tensorflow", "shims"):
        _run(library, chosen, checkouts, results)
    print(f"{_HEAD}\n|{'---|' * 6}")
    for program in chosen:
        print(_row(program, checkouts), flush=True)


def _row(program: Program, checkouts: pathlib.Path) -> str:
    path = checkouts / program.repository / program.path
    lines = sum(len(c.splitlines()) for c in cells.cells_of(path, "tensorflow"))
    results = checkouts / "results"
    verdict = _verdict(program, results)
    counted = "| | |"
    if isinstance(verdict, Verdict):
        ran = f"{verdict.cells} of {verdict.total}"
        counted = f"{ran} | {verdict.values} | {verdict.difference:.0e}"
    told = verdict if isinstance(verdict, str) else _told(verdict)
    return f"| [{program.name}]({program.address}) | {lines} | {counted} | {told} |"


def _verdict(program: Program, results: pathlib.Path) -> Verdict | str:
    found = []
    for library in ("tensorflow", "shims"):
        kept = _kept(program, library, results)
        if not kept.exists():
            return f"did not end under {library}"
        found.append([Cell(*cell) for cell in pickle.loads(kept.read_bytes())])
    return compare(*found)


def _kept(program: Program, library: str, results: pathlib.Path) -> pathlib.Path:
    return results / f"{program.name}.{library}.pkl"


def _run(
    library: str, programs: list[Program], checkouts: pathlib.Path, results: pathlib.Path
) -> None:
    results.mkdir(parents=True, exist_ok=True)
    paths = []
    for program in programs:
        kept = _kept(program, library, results)
        if library == "shims":
            kept.unlink(missing_ok=True)
        if not kept.exists():
            paths += [str(checkouts / program.repository / program.path), str(kept)]
    if not paths:
        return
    backend = "jax" if library == "shims" else "tensorflow"
    quiet = {"TF_CPP_MIN_LOG_LEVEL": "3", "MPLBACKEND": "agg", "KERAS_BACKEND": backend}
    with open(results / f"{library}.log", "w") as log:
        subprocess.run(
            [sys.executable, "-m", "tools.public_programs.lane", library, *paths],
            env={**os.environ, **quiet, "PYTHONPATH": os.getcwd()},
            stdout=log,
            stderr=log,
            check=False,
        )


def _told(verdict: Verdict) -> str:
    if verdict.is_equal:
        return "equal"
    told = [
        f"cell {n}: {e[0]}: {_first_line(e[1])[:150]} ({e[2].strip()[:60]})"
        for n, e in verdict.failed
    ]
    differing = [f"differs: {', '.join(verdict.apart)}"] if verdict.apart else []
    return "; ".join([*told, *differing]).replace("|", "\\|")


def _first_line(text: str) -> str:
    return text.strip().splitlines()[0] if text.strip() else ""


if __name__ == "__main__":
    main(*sys.argv[1:])
