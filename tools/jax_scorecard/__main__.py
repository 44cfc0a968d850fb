"""Run the scorecard of JAX and write docs/jax-scorecard.md and docs/jax-scorecard.json.

    python -m tools.jax_scorecard                     run what is not recorded yet, then write
    python -m tools.jax_scorecard --fresh             discard earlier records first
    python -m tools.jax_scorecard --only jax.nn,jax.lax.sort --lanes function,jit    some functions, lanes
    python -m tools.jax_scorecard --page              only write, from the records
    python -m tools.jax_scorecard --findings          print what is neither right nor refused

Records are in build/jax_scorecard; an interrupted run continues where it stopped.
"""

from __future__ import annotations

import argparse
import pathlib
import sys

from tools.jax_scorecard import page
from tools.jax_scorecard.lanes import LANES
from tools.jax_scorecard.runs import Records, run
from tools.jax_scorecard.surface import functions

ROOT = pathlib.Path(__file__).resolve().parents[2]
RECORDS = ROOT / "build" / "jax_scorecard"


def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(prog="python -m tools.jax_scorecard", description=__doc__)
    parser.add_argument("--only", default="", help="functions or modules, with commas between them")
    parser.add_argument("--lanes", default=",".join(LANES), help="lanes, with commas between them")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument(
        "--fresh", action="store_true", help="forget earlier records of these functions"
    )
    parser.add_argument("--page", action="store_true", help="only write")
    parser.add_argument("--findings", action="store_true", help="print findings, write nothing")
    given = parser.parse_args()
    records = Records(RECORDS)

    if not (given.page or given.findings):
        wanted = [w for w in given.only.split(",") if w]
        names = [
            f.name
            for f in functions()
            if not f.outside
            and (not wanted or any(f.name == w or f.name.startswith(w + ".") for w in wanted))
        ]
        lanes = given.lanes.split(",")
        if given.fresh:
            records.forget(names, lanes)
        run(records, names, lanes, given.processes)
        if wanted:
            return 0
    if given.findings:
        print(page.as_findings(records.cells()))
        return 0
    data = page.as_data(records.cells(), records.number_of_cases())
    (ROOT / "docs" / "jax-scorecard.json").write_text(page.as_json(data))
    (ROOT / "docs" / "jax-scorecard.md").write_text(page.as_page(data))
    return 0


if __name__ == "__main__":
    sys.exit(main())
