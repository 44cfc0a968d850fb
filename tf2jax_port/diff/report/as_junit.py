"""Render the report as JUnit XML, for continuous integration systems."""

from __future__ import annotations

from xml.etree import ElementTree

from tf2jax_port.diff.report.as_lines import lines
from tf2jax_port.diff.report.report import Leaf, Report
from tf2jax_port.diff.vocabulary.verdicts import EQUAL

_STATES = {"different": "failure", "unsteady": "failure", "not covered": "skipped"}


def to_junit(report: Report) -> str:
    """Return the XML: one test case for the verdict, and one for each output and gradient."""
    suite = ElementTree.Element("testsuite", name=f"{report.old} {report.new}")
    verdict = _case(suite, report, "verdict")
    if report.verdict != EQUAL:
        found = ElementTree.SubElement(verdict, "failure", message=_clean(report.headline))
        found.text = _clean("\n".join(lines(report)))
    for leaf in report.leaves:
        _leaf(suite, report, leaf)
    for kind, name in (("failure", "failures"), ("skipped", "skipped")):
        suite.set(name, str(len(suite.findall(f"testcase/{kind}"))))
    suite.set("tests", str(len(suite)))
    suite.set("errors", "0")
    ElementTree.indent(suite)
    return ElementTree.tostring(suite, encoding="unicode", xml_declaration=True) + "\n"


def _leaf(suite: ElementTree.Element, report: Report, leaf: Leaf) -> None:
    case = _case(suite, report, leaf.title)
    state = _STATES.get(leaf.state)
    if state:
        why = leaf.worst.because or leaf.worst.comparison.problem
        ElementTree.SubElement(case, state, message=_clean(why))


def _case(suite: ElementTree.Element, report: Report, name: str) -> ElementTree.Element:
    return ElementTree.SubElement(
        suite, "testcase", classname=_clean(report.new), name=_clean(name), time="0"
    )


def _clean(text: str) -> str:
    """Replace the characters that XML does not allow."""
    return "".join(c if c >= " " or c in "\n\t" else "?" for c in text)
