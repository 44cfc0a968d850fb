"""Render the report as JUnit XML, for continuous integration systems."""

from __future__ import annotations

from tf2jax_port.diff.report.as_lines import lines
from tf2jax_port.diff.report.report import Report
from tf2jax_port.diff.vocabulary.verdicts import EQUAL
from tf2jax_port.formats import junit

_STATES = {"different": "failure", "unsteady": "failure", "not covered": "skipped"}


def to_junit(report: Report) -> str:
    """Return the XML: one test case for the verdict, and one for each output and gradient."""
    suite = junit.suite(f"{report.old} {report.new}")
    state = "" if report.verdict == EQUAL else "failure"
    said = "\n".join(lines(report)) if state else ""
    junit.add_case(suite, report.new, "verdict", state, report.headline, said)
    for leaf in report.leaves:
        why = leaf.worst.because or leaf.worst.comparison.problem
        junit.add_case(suite, report.new, leaf.title, _STATES.get(leaf.state, ""), why)
    return junit.text_of(suite, [suite])
