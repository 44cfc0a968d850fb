"""Render the report as a few lines of text, for the message of a failing test."""

from __future__ import annotations

from tf2jax_port.diff.report import wording
from tf2jax_port.diff.report.report import Report
from tf2jax_port.diff.vocabulary.verdicts import DIFFERENT, EQUAL, shown

_MOST = 6


def lines(report: Report) -> list[str]:
    """Return the verdict, its reasons, and the command that reproduces it."""
    found = [f"{shown(report.verdict).upper()}: {report.headline}"]
    found.append(f"{report.old} -> {report.new}")
    if report.located is not None:
        from tf2jax_port.diff.locate.result.showing import lines as located

        found += located(report.located)
    if report.culprit is not None:
        worst = wording.worst_element(report.culprit)
        found += [wording.against(report.culprit), *(worst or [report.culprit.comparison.problem])]
    if report.verdict not in (EQUAL, DIFFERENT):
        found += [reason.text for reason in report.reasons[:_MOST]]
        if len(report.reasons) > _MOST:
            found.append(f"and {len(report.reasons) - _MOST} more")
    return [*found, f"Again: {report.reproduce}"]
