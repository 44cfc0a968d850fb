"""Render a proof as JUnit XML: one suite per file, one case per function that tensors pass through."""

from __future__ import annotations

from xml.etree import ElementTree

from tf2jax_port.diff.proofs.proof import WRONG, Proof, Status
from tf2jax_port.formats import junit

_SKIPPED = (Status.NOT_REACHED, Status.NOT_REPLAYED)


def to_junit(proof: Proof) -> str:
    """Return the XML; what is not reached or could not be replayed counts as skipped."""
    root = ElementTree.Element("testsuites", name="tf2jax-port prove")
    suites = []
    for path, rows in proof.files().items():
        suite = junit.suite(path or "not in the port")
        for row in rows:
            if row.status is Status.NO_TENSORS:
                continue
            state = "failure" if row.status in WRONG else ""
            state = "skipped" if row.status in _SKIPPED else state
            text = "\n".join((row.place, *map(".".join, row.origins))) if state == "failure" else ""
            junit.add_case(
                suite, row.function[0], row.function[1], state, f"{row.status}: {row.why}", text
            )
        if len(suite):
            root.append(suite)
            suites.append(suite)
    return junit.text_of(root, suites)
