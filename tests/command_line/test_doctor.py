"""`tf2jax-port doctor`: what it finds, and that it finds what is wrong."""

import json

import pytest

from tf2jax_port.cli import environment


@pytest.fixture
def healthy(monkeypatch):
    said = {"backend": "cpu", "devices": ["cpu:0 cpu"], "x64": False, "cache": None}
    monkeypatch.setattr(environment, "_ask_jax", lambda: (said, ""))
    monkeypatch.setattr(environment.metadata, "packages_distributions", dict)


def test_nothing_is_wrong(run, healthy, monkeypatch):
    monkeypatch.setattr(environment, "_version", lambda name: "1.2.3")
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
    assert "the distribution `shims` has a package `shims`, too" in result.stdout


def test_a_jax_that_fails(monkeypatch):
    monkeypatch.setattr(environment, "_QUESTION", "raise ImportError('JAX 0.10.2 miscompiles')")
    said, problem = environment._ask_jax()
    assert (said, problem) == ({}, "`import jax` fails: ImportError: JAX 0.10.2 miscompiles")
