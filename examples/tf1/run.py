"""Runs the programs of this folder with shims or with TensorFlow, and compares the two.

    python -m examples.tf1.run mlp cnn                         with shims
    python -m examples.tf1.run --library tensorflow mlp        with TensorFlow and `tf_keras`
    python -m examples.tf1.run --compare                       both, and how far apart they end
    python -m examples.tf1.run --goldens                       writes what TensorFlow gave into goldens/

Nothing but the import line of a program is replaced. `--python` names the interpreter that has
TensorFlow and `tf_keras`, where this one has not.
"""

import argparse
import contextlib
import dataclasses
import io
import os
import pathlib
import subprocess
import sys
import tempfile
import types

import numpy as np

from examples.tf1.programs import BY_NAME, PROGRAMS, ROUNDING

FOLDER = pathlib.Path(__file__).parent
GOLDENS = FOLDER / "goldens"
IMPORT = "import tensorflow.compat.v1 as tf\n"
LIBRARIES = {"tensorflow": IMPORT, "shims": "import shims.compat.v1 as tf\n"}


def source_for(name, library):
    """The text of a program with its import line exchanged."""
    text = (FOLDER / f"{name}.py").read_text()
    if text.count(IMPORT) != 1:
        raise ValueError(f"{name}.py has {text.count(IMPORT)} lines {IMPORT!r}, expected one")
    return text.replace(IMPORT, LIBRARIES[library])


def run_program(name, library="shims", steps=50):
    """`main(steps)` of a program: its losses, and its variables and other results by name."""
    module = types.ModuleType(f"{name}_with_{library}")
    code = compile(source_for(name, library), str(FOLDER / f"{name}.py"), "exec")
    exec(code, module.__dict__)
    losses, results = module.main(steps)
    return np.asarray(losses), {key: np.asarray(value) for key, value in results.items()}


def save(folder, name, losses, results):
    np.savez_compressed(pathlib.Path(folder) / f"{name}.npz", losses=losses, **results)


def load(folder, name):
    """What `save` wrote: the losses, and the results in their order."""
    with np.load(pathlib.Path(folder) / f"{name}.npz") as archive:
        results = {key: archive[key] for key in archive.files}
    return results.pop("losses"), results


def run_tensorflow(names, folder, steps=50, python=sys.executable):
    """Run programs with TensorFlow in a process of its own, and leave their results in `folder`."""
    command = [python, "-m", "examples.tf1.run", "--library", "tensorflow", "--quiet"]
    command += ["--steps", str(steps), "--save", str(folder), *names]
    environment = {**os.environ, "TF_USE_LEGACY_KERAS": "1", "TF_CPP_MIN_LOG_LEVEL": "3"}
    done = subprocess.run(
        command, cwd=FOLDER.parents[1], env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise RuntimeError(f"TensorFlow's side failed:\n{done.stdout}{done.stderr[-4000:]}")


def distance(ours, theirs):
    """The largest difference in terms of the largest value; whole numbers are equal or not."""
    if ours.shape != theirs.shape or ours.dtype != theirs.dtype:
        return np.inf
    if not np.issubdtype(theirs.dtype, np.floating):
        return 0.0 if np.array_equal(ours, theirs) else np.inf
    if not theirs.size:
        return 0.0
    gap = np.max(np.abs(ours.astype(np.float64) - theirs.astype(np.float64)))
    scale = max(np.max(np.abs(theirs)), np.finfo(np.float32).tiny)
    return float(gap / scale) if np.isfinite(gap) else np.inf


def gap_of(name, key, ours, theirs):
    """`distance`, but nothing between two values of a variable that only rounding moves."""
    if BY_NAME[name].is_rounding(key) and ours.shape == theirs.shape:
        return 0.0 if max(np.max(np.abs(ours)), np.max(np.abs(theirs))) < ROUNDING else np.inf
    return distance(ours, theirs)


@dataclasses.dataclass(frozen=True)
class Comparison:
    """How far two runs of one program ended from each other."""

    name: str
    losses: float
    worst: str
    variables: float
    missing: tuple[str, ...]

    @property
    def close(self):
        limit = BY_NAME[self.name].tolerance
        return not self.missing and max(self.losses, self.variables) <= limit

    def __str__(self):
        text = f"{self.name}: losses {self.losses:.1e}, variables {self.variables:.1e}"
        if self.missing:
            text += f"; in one of the two only: {', '.join(self.missing[:6])}"
        verdict = "close" if self.close else f"NOT within {BY_NAME[self.name].tolerance:.0e}"
        return f"{text} (most in {self.worst}): {verdict}"


def compare(name, ours, theirs):
    """Losses one by one, and every result, of two runs of one program."""
    (our_losses, our_results), (their_losses, their_results) = ours, theirs
    gaps = [distance(a, b) for a, b in zip(our_losses[:, None], their_losses[:, None])]
    losses = np.inf if len(our_losses) != len(their_losses) else max(gaps)
    shared = [key for key in their_results if key in our_results]
    by_name = {key: gap_of(name, key, our_results[key], their_results[key]) for key in shared}
    worst = max(by_name, key=by_name.get, default="nothing")
    missing = tuple(sorted(set(our_results) ^ set(their_results)))
    return Comparison(name, losses, worst, by_name.get(worst, np.inf), missing)


def compare_all(names, steps, python):
    """Print a line per program; the number of those that are not close."""
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        run_tensorflow(names, folder, steps, python)
        for name in names:
            with contextlib.redirect_stdout(io.StringIO()):
                ours = run_program(name, "shims", steps)
            found = compare(name, ours, load(folder, name))
            print(found)
            failed += not found.close
    return failed


def run_and_save(names, options):
    for name in names:
        out = io.StringIO() if options.quiet else sys.stdout
        with contextlib.redirect_stdout(out):
            print(f"{name} with {options.library}")
            losses, results = run_program(name, options.library, options.steps)
        if options.save:
            save(options.save, name, losses, results)
    return 0


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument(
        "names", nargs="*", metavar="PROGRAM", help="all of them when none is named"
    )
    parser.add_argument("--library", choices=LIBRARIES, default="shims")
    parser.add_argument("--steps", type=int, default=50)
    parser.add_argument("--python", default=sys.executable, help="an interpreter with TensorFlow")
    parser.add_argument("--save", metavar="FOLDER", help="write the results there")
    parser.add_argument("--quiet", action="store_true", help="say nothing while running")
    parser.add_argument("--compare", action="store_true", help="run both and compare")
    parser.add_argument("--goldens", action="store_true", help="write the files of goldens/ anew")
    options = parser.parse_args(arguments)
    names = options.names or [program.name for program in PROGRAMS]
    if options.compare:
        return compare_all(names, options.steps, options.python)
    if options.goldens:
        run_tensorflow(names, GOLDENS, options.steps, options.python)
        return 0
    return run_and_save(names, options)


if __name__ == "__main__":
    sys.exit(main())
