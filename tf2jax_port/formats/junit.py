"""Make the suites and cases of a JUnit file, for continuous integration systems."""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree import ElementTree

_COUNTED = (("failure", "failures"), ("skipped", "skipped"))


def suite(name: str) -> ElementTree.Element:
    """Return a test suite without cases."""
    return ElementTree.Element("testsuite", name=clean(name))


def add_case(
    into: ElementTree.Element,
    holder: str,
    name: str,
    state: str = "",
    why: str = "",
    text: str = "",
) -> None:
    """Add a test case to a suite.

    Args:
      into: the suite.
      holder: the file or program that the case is about.
      name: the name of the case.
      state: `failure` or `skipped`; empty for a case that passed.
      why: the reason for the state, one line.
      text: details of it.
    """
    case = ElementTree.SubElement(
        into, "testcase", classname=clean(holder), name=clean(name), time="0"
    )
    if state:
        found = ElementTree.SubElement(case, state, message=clean(why))
        found.text = clean(text) or None


def text_of(root: ElementTree.Element, suites: Sequence[ElementTree.Element]) -> str:
    """Return the XML of a root whose suites, perhaps itself, are counted first."""
    for each in suites:
        for kind, name in _COUNTED:
            each.set(name, str(len(each.findall(f"testcase/{kind}"))))
        each.set("tests", str(len(each)))
        each.set("errors", "0")
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def clean(text: str) -> str:
    """Replace the characters that XML does not allow."""
    return "".join(c if c >= " " or c in "\n\t" else "?" for c in text)
