"""Run the sweep of the rewriter, and write docs/rewrite-sweep.md and docs/rewrite-sweep.json.

python -m tools.rewrite_sweep                every program
python -m tools.rewrite_sweep --one-in 8     every eighth program
python -m tools.rewrite_sweep --only nn.     the rows whose names begin so; nothing is written
"""

from __future__ import annotations

import argparse
import json
import pathlib
import sys

from tools.rewrite_sweep import page
from tools.rewrite_sweep.programs import all_programs
from tools.rewrite_sweep.runs import records

DOCS = pathlib.Path(__file__).resolve().parents[2] / "docs"


def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(prog="python -m tools.rewrite_sweep", description=__doc__)
    parser.add_argument("--one-in", type=int, default=1)
    parser.add_argument("--only", default="", help="the first letters of rows")
    given = parser.parse_args()
    found = records(all_programs(given.one_in, given.only))
    if given.only:
        json.dump(found, sys.stdout, indent=1)
        return 0
    (DOCS / "rewrite-sweep.json").write_text(page.as_json(found, given.one_in))
    (DOCS / "rewrite-sweep.md").write_text(page.as_page(found, given.one_in))
    return 0


if __name__ == "__main__":
    sys.exit(main())
