"""The plugin, from outside: a small suite that uses it."""

from __future__ import annotations

import os
import subprocess
import sys

import tensorflow as tf

from .test_command import ROOT

pytest_plugins = ["pytester"]
assert tf  # imported before pytester remembers which modules there were

PLUGIN = ("-p", "no:tf2jax_port", "-p", "tf2jax_port.diff.pytest_plugin", "-p", "no:cacheprovider")
SUITE = """
import jax.numpy as jnp, numpy as np, pytest

def old_abs(x):
    import tensorflow as tf
    return tf.abs(x)

def cases():
    yield (np.float32([0.0, 1.5, -2.0]),)

@pytest.mark.tf_parity(old_abs, jnp.abs, cases)
def test_marked():
    raise AssertionError("the comparison comes first")

def test_fixture(tf_parity):
    report = tf_parity(old_abs, lambda x: jnp.where(x > 0, x, -x), cases, allow=["different"])
    assert report.stage == "gradients"

@pytest.mark.tf_parity(old_abs, lambda x: x * jnp.sign(x), cases, golden="absolute", allow=("limited",))
def test_of_another_verdict():
    pass
"""


def test_failures_print_the_verdict(pytester):
    pytester.makepyfile(SUITE)
    done = pytester.runpytest_inprocess(*PLUGIN, "--strict-markers", "--junit-xml=out.xml")
    done.assert_outcomes(passed=1, failed=2)
    done.stdout.fnmatch_lines(
        [
            "*_ test_marked _*",
            "NOT EQUAL: the gradient for x is 1, should be 0 at *",
            "old  test_failures_print_the_verdict.py:*tf.abs(x)*",
            "d/d x (ones), case 0, at [[]0[]] of shape [[]3[]]",
            "TF eager has 0, JAX eager has 1",
        ]
    )
    done.stdout.fnmatch_lines(["*_ test_of_another_verdict _*", "EQUAL: Equal in every output*"])
    done.stdout.no_fnmatch_line("*the comparison comes first*")
    assert "the gradient for x is 1, should be 0" in (pytester.path / "out.xml").read_text()


def test_goldens_are_recorded_once_and_replayed(pytester, monkeypatch):
    pytester.makepyfile(SUITE)
    words = (*PLUGIN, "--tf-goldens", "goldens", "-k", "verdict or fixture")
    pytester.runpytest_inprocess(*words).assert_outcomes(passed=1, failed=1, deselected=1)
    goldens = sorted(p.name for p in (pytester.path / "goldens").iterdir())
    assert goldens == ["absolute.golden", "test_fixture.golden"]
    before = [(pytester.path / "goldens" / name).read_bytes() for name in goldens]
    monkeypatch.setitem(sys.modules, "tensorflow", None)
    done = pytester.runpytest_inprocess(*words)
    done.assert_outcomes(passed=1, failed=1, deselected=1)
    done.stdout.fnmatch_lines(["EQUAL: *", "Again: tf2jax-port verify goldens/absolute.golden *"])
    assert before == [(pytester.path / "goldens" / name).read_bytes() for name in goldens]
    (pytester.path / "goldens/absolute.golden").write_bytes(before[0][:99])
    done = pytester.runpytest_inprocess(*words[:-1], "verdict")
    done.stdout.fnmatch_lines(["*this golden is damaged and cannot be used."])


def test_it_loads_nothing_until_it_is_used():
    program = (
        "import sys, pytest; before = set(sys.modules)\n"
        "import tf2jax_port.diff.pytest_plugin\n"
        "heavy = ('numpy', 'jax', 'tensorflow', 'rich', 'click', 'shims')\n"
        "print(sorted((set(sys.modules) - before) & set(heavy)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "[]\n"


def test_it_is_registered_under_its_name():
    text = (ROOT / "pyproject.toml").read_text()
    assert (
        '[project.entry-points.pytest11]\ntf2jax_port = "tf2jax_port.diff.pytest_plugin"\n' in text
    )
