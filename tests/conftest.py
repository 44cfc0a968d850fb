"""Conditions that hold for every test: quiet TensorFlow, no GPU contention, skips counted by reason."""

import collections
import os

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
# Most programs run once; `make test-long` and the scorecard compile them as users do.
os.environ.setdefault("JAX_DISABLE_MOST_OPTIMIZATIONS", "1")


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
