"""Conditions that hold for every test: quiet TensorFlow, no GPU contention, skips counted by reason."""

import collections
import os

import hypothesis

# How long an example takes says something of the machine, not of the code.
hypothesis.settings.register_profile(
    "any_machine", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
hypothesis.settings.load_profile("any_machine")

# Read when TensorFlow is first imported, so they must be set before any test module is.
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")


def pytest_terminal_summary(terminalreporter):
    """Says how much was left out, and why: a skip that nobody sees is a hole."""
    reasons = collections.Counter(
        report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        for report in terminalreporter.stats.get("skipped", [])
    )
    for reason, count in sorted(reasons.items()):
        terminalreporter.write_line(f"left out: {count} x {reason}")
