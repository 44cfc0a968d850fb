"""Examine the installation: versions, JAX's devices and settings, optional packages, clashes."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import json
import os
import pathlib
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib import metadata
from typing import Any, NamedTuple

from tf2jax_port.diff.code_bases.capture import ANOTHER_PYTHON, CAN_MONITOR
from tf2jax_port.formats.release import release

_SECONDS = 120
IMPORT, CAPTURE = "import shims", "capture"
_PACKAGES = ("jax", "jaxlib", "numpy", "diastatic-malt", "click", "rich")
# Tasks, the modules that they need, and the distributions that provide these modules.
_DOORS = (
    (IMPORT, ("jax", "numpy", "malt"), "jax numpy diastatic-malt"),
    ("scan, plan, rewrite", ("click", "rich"), "click rich"),
    ("verify, import-graph", ("jax", "numpy"), "jax numpy"),
    ("diff, record", ("tensorflow",), "tensorflow"),
    (CAPTURE, ("tensorflow",), "tensorflow"),
    ("tf.keras", ("keras",), "keras"),
    ("pictures", ("PIL",), "pillow"),
    ("optimizers of Optax", ("optax",), "optax"),
    ("weights of HDF5 files", ("h5py",), "h5py"),
    ("saved models", ("flatbuffers",), "flatbuffers"),
    ("summaries", ("tensorboardX",), "tensorboardX"),
    ("flags of TensorFlow 1", ("absl",), "absl-py"),
)
# The oldest releases that work, as in `pyproject.toml`.
MINIMUMS = {
    "jax": "0.9",
    "numpy": "2.0",
    "diastatic-malt": "2.15",
    "click": "8.1",
    "rich": "13.9",
    "pillow": "10",
    "keras": "3.5",
    "flatbuffers": "24",
    "optax": "0.2.4",
    "h5py": "3.10",
    "tensorboardX": "2.6.4",
    "tensorflow": "2.18",
    "absl-py": "2.0",
}
# Runs in a process of its own, because a broken JAX may crash or hang.
_QUESTION = """
import json, jax
print(json.dumps({
    "backend": jax.default_backend(),
    "devices": [f"{d.platform}:{d.id} {d.device_kind}" for d in jax.devices()],
    "x64": bool(jax.config.jax_enable_x64),
    "cache": jax.config.jax_compilation_cache_dir,
}))
import shims  # whose modules are loaded at their first use
shims.function(lambda x: shims.boolean_mask(x, x > 0))(jax.numpy.ones(3))
"""


class Findings(NamedTuple):
    """The state of an installation.

    Attributes:
      versions: the versions of Python and of packages, `None` for a package that is missing.
      jax: the backend, devices and settings of JAX, empty if JAX does not run.
      doors: for each task, the modules that it lacks and the command that installs them.
      problems: sentences that say what is wrong and what to do.
    """

    versions: dict[str, str | None]
    jax: dict[str, Any]
    doors: dict[str, dict[str, Any]]
    problems: list[str]


def examine() -> Findings:
    """Examine the installation that this interpreter has."""
    versions: dict[str, str | None] = {"tf2jax-port": release()}
    versions["python"] = ".".join(map(str, sys.version_info[:3]))
    for name in (*_PACKAGES, "tensorflow", "keras"):
        versions[name] = _version(name)
    jax, failure = _ask_jax()
    problems = [failure] if failure else []
    if versions["jax"] and versions["jaxlib"] and not _fit(versions["jax"], versions["jaxlib"]):
        problems.append(
            f"jax {versions['jax']} and jaxlib {versions['jaxlib']} are not of the same release: "
            "`pip install --upgrade jax jaxlib`."
        )
    clashes = list(_clashes())
    doors = _doors()
    if clashes:
        doors[IMPORT] = {"missing": ["this package under the name `shims`"], "install": "see below"}
    return Findings(versions, jax, doors, problems + clashes)


def lines(found: Findings) -> Iterator[str]:
    """Yield the lines of the report."""
    yield "Versions"
    for name, version in found.versions.items():
        yield f"  {name:<16}{version or 'not installed'}"
    yield "JAX"
    if found.jax:
        yield f"  {'backend':<16}{found.jax['backend']}"
        for device in found.jax["devices"]:
            yield f"  {'device':<16}{device}"
        yield f"  {'64-bit types':<16}{'on' if found.jax['x64'] else 'off'} (JAX_ENABLE_X64)"
        cache = found.jax["cache"] or "none"
        yield f"  {'compile cache':<16}{cache} (JAX_COMPILATION_CACHE_DIR)"
    else:
        yield "  does not run"
    yield "Tasks"
    for task, door in found.doors.items():
        missing = f"missing: {', '.join(door['missing'])}; {door['install']}"
        yield f"  {task:<24}{missing if door['missing'] else 'ready'}"
    yield "Problems" if found.problems else "No problem found."
    for problem in found.problems:
        yield f"  {problem}"


def _version(name: str) -> str | None:
    """Return the version of a distribution, or of another one (`tensorflow-cpu`) that provides its package."""
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        others = metadata.packages_distributions().get(name, ())
        return metadata.version(others[0]) if others else None


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(map(int, re.findall(r"\d+", version)[:3]))


def _is_old(name: str) -> bool:
    """Return whether a distribution is installed in a release that is older than the oldest that works."""
    version = _version(name)
    return version is not None and _numbers(version) < _numbers(MINIMUMS[name])


def _fit(jax: str, jaxlib: str) -> bool:
    """Return whether both are of one minor release."""
    return jax.split(".")[:2] == jaxlib.split(".")[:2]


def _ask_jax() -> tuple[dict[str, Any], str]:
    """Import JAX and shims in a process; return what JAX says, and a problem or `""`."""
    command = [sys.executable, "-c", _QUESTION]
    path = os.pathsep.join(filter(None, sys.path))
    known = {**os.environ, "PYTHONPATH": path}
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=_SECONDS, env=known, check=False
        )
    except subprocess.TimeoutExpired:
        return {}, f"`import jax` and its list of devices took more than {_SECONDS} seconds."
    said = [line for line in done.stdout.splitlines() if line.startswith("{")]
    found: dict[str, Any] = json.loads(said[-1]) if said else {}
    if not done.returncode:
        return found, ""
    last = (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1]
    return found, f"`import {'shims' if found else 'jax'}` fails: {last}"


def _present(module: str) -> bool:
    return importlib.util.find_spec(module) is not None


def _doors() -> dict[str, dict[str, Any]]:
    doors: dict[str, dict[str, Any]] = {}
    for task, modules, distributions in _DOORS:
        missing = [module for module in modules if not _present(module)]
        wanted = []
        for name in distributions.split():
            old = _is_old(name)
            wanted.append(f"'{name}>={MINIMUMS[name]}'" if old else name)
            if old:
                missing.append(f"{name} {MINIMUMS[name]} or later ({_version(name)} is installed)")
        doors[task] = {"missing": missing, "install": f"pip install {' '.join(wanted)}"}
    if not CAN_MONITOR:
        doors[CAPTURE] = {"missing": ["Python 3.12"], "install": ANOTHER_PYTHON}
    return doors


def _clashes() -> Iterator[str]:
    """Yield a problem if the import name `shims` belongs to another distribution, too."""
    others = sorted({*metadata.packages_distributions().get("shims", ())} - {"tf2jax-port"})
    for other in others:
        yield (
            f"the distribution `{other}` also installs a package `shims`, so one package overwrites the other: run "
            f"`pip uninstall {other}`, then `pip install --force-reinstall --no-deps tf2jax-port`."
        )
    # A program that is started in this folder looks there first.
    spec = importlib.machinery.PathFinder.find_spec("shims", ["", *sys.path])
    ours = pathlib.Path(__file__).resolve().parents[2] / "shims"
    found = (
        None
        if spec is None
        else spec.origin or next(iter(spec.submodule_search_locations or ()), None)
    )
    if found is None:
        yield f"`import shims` finds no package; the package should be in {ours}."
    elif not _is_of_this_project(pathlib.Path(found).resolve(), ours):
        yield (
            f"`import shims` finds {found} instead of {ours}: rename that file or folder, or run programs from "
            "another folder."
        )


def _is_of_this_project(found: pathlib.Path, ours: pathlib.Path) -> bool:
    """Return whether a package is this one, or that of a checkout, which has both packages side by side."""
    folder = found.parent if found.suffix else found
    return folder == ours or (folder.parent / "tf2jax_port" / "cli" / "environment.py").is_file()
