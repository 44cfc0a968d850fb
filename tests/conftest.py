"""Conditions that hold for every test: quiet TensorFlow, no GPU contention, skips counted by reason."""

import collections
import gc
import os
import shutil
import tempfile

import hypothesis
import pytest

from tests import parts

# How long an example takes says something of the machine, not of the code.
hypothesis.settings.register_profile(
    "any_machine", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
hypothesis.settings.load_profile("any_machine")

# Read when TensorFlow is first imported, so they must be set before any test module is.
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")
# TensorFlow chooses between its kernels by the maker of the CPU, and they refuse different empty shapes.
os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "1")
os.environ.setdefault("TF2JAX_PORT_HISTORY", "")  # tests leave nothing in the user's folders
# Most programs run once; `make test-long` and the scorecard compile them as users do.
os.environ.setdefault("JAX_DISABLE_MOST_OPTIMIZATIONS", "1")

# Where the processes of one run share what they have compiled: a third of it is compiled twice.
_COMPILED = "TF2JAX_PORT_TESTS_COMPILED"


def pytest_configure(config):
    """Compiled programs are shared through a folder that lives as long as the run.

    It is set here, not in the environment, so that the processes that tests start are as users have
    them.
    """
    # Workers of pytest-xdist get a width, at which what is printed would be wrapped.
    os.environ.pop("COLUMNS", None)
    if not hasattr(config, "workerinput"):
        os.environ[_COMPILED] = tempfile.mkdtemp(prefix="compiled-")
    import jax

    jax.config.update("jax_compilation_cache_dir", os.environ[_COMPILED])
    jax.config.update("jax_persistent_cache_min_compile_time_secs", 0)


def pytest_unconfigure(config):
    """The folder goes with the process that made it."""
    if not hasattr(config, "workerinput"):
        shutil.rmtree(os.environ.pop(_COMPILED), ignore_errors=True)


def pytest_collection_finish():
    """What is imported stays: collecting garbage need not look at it, nor after each few tests."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 20, 20)


@pytest.hookimpl(tryfirst=True)  # before the scheduler reads the groups
def pytest_collection_modifyitems(items):
    """What is about one row runs in one process: references and compiled programs are kept there."""
    for item in items:
        if parts.is_left_out(item.nodeid):
            item.add_marker(pytest.mark.long)
        given = getattr(item, "callspec", None)
        row = given and (given.params.get("row") or getattr(given.params.get("point"), "row", None))
        if row is not None:
            item.add_marker(pytest.mark.xdist_group(getattr(row, "name", str(row))))


def pytest_terminal_summary(terminalreporter):
    """Says how much was left out, and why: a skip that nobody sees is a hole."""
    reasons = collections.Counter(
        report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        for report in terminalreporter.stats.get("skipped", [])
    )
    for reason, count in sorted(reasons.items()):
        terminalreporter.write_line(f"left out: {count} x {reason}")
