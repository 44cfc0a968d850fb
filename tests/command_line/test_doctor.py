"""`tf2jax-port doctor`: what it finds, and that it finds what is wrong."""

import json
import re
import tomllib

import pytest

from tests.meta import tree
from tf2jax_port.cli import environment


@pytest.fixture
def healthy(monkeypatch):
    said = {"backend": "cpu", "devices": ["cpu:0 cpu"], "x64": False, "cache": None}
    monkeypatch.setattr(environment, "_ask_jax", lambda: (said, ""))
    monkeypatch.setattr(environment.metadata, "packages_distributions", dict)


def test_nothing_is_wrong(run, healthy, monkeypatch):
    monkeypatch.setattr(environment, "_version", lambda name: "99.2.3")
    result = run("doctor")
    assert result.exit_code == 0
    assert result.stdout.endswith("No problem found.\n")
    assert max(map(len, result.stdout.splitlines())) <= 80
    assert json.loads(run("doctor", "--format", "json").stdout)["jax"]["backend"] == "cpu"


def test_what_is_missing_and_what_clashes(run, healthy, monkeypatch):
    monkeypatch.setattr(environment, "_version", {"jax": "0.12.0", "jaxlib": "0.11.0"}.get)
    found = {"shims": ["tf2jax-port", "shims"]}
    monkeypatch.setattr(environment.metadata, "packages_distributions", lambda: found)
    monkeypatch.setattr(environment, "_present", lambda module: module != "optax")
    result = run("doctor")
    assert result.exit_code == 1
    assert "missing: optax; pip install optax" in result.stdout
    assert "jax 0.12.0 and jaxlib 0.11.0 are not of the same release" in result.stdout
    assert "the distribution `shims` also installs a package `shims`" in result.stdout


@pytest.mark.parametrize(
    ("task", "name", "old", "least"),
    [
        ("diff, record", "tensorflow", "2.15.1", "2.18"),
        ("capture", "tensorflow", "2.9.0rc1", "2.18"),
        ("tf.keras", "keras", "2.15.0", "3.5"),
    ],
)
def test_a_release_that_is_too_old(run, healthy, monkeypatch, task, name, old, least):
    releases = {name: old}
    monkeypatch.setattr(environment, "_version", releases.get)
    monkeypatch.setattr(environment, "_present", lambda module: True)
    monkeypatch.setattr(environment, "CAN_MONITOR", True)
    said = " ".join(run("doctor").stdout.split())
    wanted = f"{name} {least} or later ({old} is installed); pip install '{name}>={least}'"
    assert f"{task} missing: {wanted}" in said
    releases[name] = f"{least}.0"
    assert f"{task} ready" in " ".join(run("doctor").stdout.split())


def test_the_oldest_releases_are_those_of_the_package():
    project = tomllib.loads((tree.ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    wanted = [*project["dependencies"], *(w for e in extras if e != "test" for w in extras[e])]
    assert dict(re.match(r"([\w-]+)>=([\d.]+)", text).groups() for text in wanted) == (
        environment.MINIMUMS
    )


def test_a_distribution_under_another_name_counts(monkeypatch):
    """As `tensorflow-cpu`, which provides the package `tensorflow`."""
    monkeypatch.setattr(
        environment.metadata, "packages_distributions", lambda: {"absent-name": ["jax"]}
    )
    assert environment._version("absent-name") == environment.metadata.version("jax")
    assert environment._version("absent-too") is None


def test_a_python_that_cannot_monitor_calls(run, healthy, monkeypatch):
    monkeypatch.setattr(environment, "CAN_MONITOR", False)
    (line,) = (line for line in run("doctor").output.splitlines() if line.startswith("  capture "))
    assert line == f"  {'capture':<24}missing: Python 3.12; {environment.ANOTHER_PYTHON}"


@pytest.mark.parametrize("name", ["shims.py", "shims/__init__.py", "shims/data.txt"])
def test_a_folder_with_the_same_name(run, healthy, monkeypatch, tmp_path, name):
    """A program that is started there imports it; a folder without code counts only if nothing else is found."""
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).touch()
    monkeypatch.chdir(tmp_path)
    result = run("doctor")
    if name.endswith(".txt"):
        assert "rename it" not in result.stdout
        return
    assert result.exit_code == 1
    assert f"`import shims` finds {tmp_path / name}" in " ".join(result.stdout.split())
    assert "  import shims            ready" not in result.stdout


def test_a_checkout_of_this_project_hides_nothing(run, healthy, monkeypatch, tmp_path):
    """`pip install .` and `doctor` are run in it."""
    for name in ("shims/__init__.py", "tf2jax_port/cli/environment.py"):
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).touch()
    monkeypatch.chdir(tmp_path)
    result = run("doctor")
    assert "  import shims            ready" in result.stdout
    assert "rename it" not in result.stdout


def test_a_jax_that_fails(monkeypatch):
    monkeypatch.setattr(environment, "_QUESTION", "raise ImportError('JAX 0.10.2 miscompiles')")
    said, problem = environment._ask_jax()
    assert (said, problem) == ({}, "`import jax` fails: ImportError: JAX 0.10.2 miscompiles")
