"""Write what the rewriter has to know: in which contexts of an argument the sweep found that new text raises."""

from __future__ import annotations

from tests.table import cases
from tools import data_files
from tools.rewrite_sweep.programs import LANES
from tools.rewrite_sweep.runs import RECORD, read

FILE = data_files.ROOT / "tf2jax_port" / "rewrite" / "data" / "evidence.json"
# The rewriter tells contexts apart by the text, so not by how many elements a selection has.
_AS_SEEN = {"nothing selected": "selection"}


def generate() -> str:
    """Return the lanes that raise and the class of the error, by row, parameter and context.

    What raises with plain arrays is under the parameter `-`, by the names of the arguments that are given.
    """
    given = {
        (point.row.name, point.case.id): " ".join(sorted(cases.arguments(point)))
        for point in cases.POINTS
    }
    found: dict[str, dict[str, dict[str, dict[str, str]]]] = {}
    for entry in read(RECORD).values():
        if not isinstance(entry, dict):
            continue
        row, case, parameter, context = entry["program"].split("/")
        raised = {
            lane: entry[lane].split(":")[1].strip()
            for lane in LANES
            if entry[lane].startswith("raised")
        }
        if raised:
            key = given[row, case] if context == "literal" else _AS_SEEN.get(context, context)
            of_row = found.setdefault(row, {}).setdefault(parameter, {})
            of_row.setdefault(key, {}).update(raised)
    ordered = {row: found[row] for row in sorted(found)}
    return data_files.render("tools.rewrite_sweep.evidence", raises=ordered)


if __name__ == "__main__":
    FILE.write_text(generate())
