"""Run the tests of every lane and write docs/scorecard.md and docs/scorecard.json.

    python -m tools.scorecard              run what is not recorded yet, or failed, then write
    python -m tools.scorecard --fresh      discard earlier records first
    python -m tools.scorecard --lane eager --shard 1/4      one part, without writing
    python -m tools.scorecard --only where,unique           some symbols in all lanes, then write
    python -m tools.scorecard --page       only write, from the records
    python -m tools.scorecard --lacking    only renew the names: those that `shims` lacks, and new ones, as untested

Records are in build/scorecard, one file per part; an interrupted run continues where it stopped.
"""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
RECORDS = ROOT / "build" / "scorecard"
WRITTEN = "written"


def run(lane: str, shard: str, only: str, processes: str) -> int:
    """Run one lane's tests and record them."""
    from tools.scorecard import collector, lanes

    RECORDS.mkdir(parents=True, exist_ok=True)
    files = lanes.written(ROOT / "tests") if lane == WRITTEN else lanes.OF_LANE[lane]
    record = RECORDS / f"{lane}-{shard.replace('/', '-of-')}.jsonl"
    environment = {**os.environ, collector.RECORD: str(record), collector.SHARD: shard}
    environment[collector.ONLY] = only
    environment["JAX_DISABLE_MOST_OPTIMIZATIONS"] = "0"  # what users run
    options = ["-q", "-m", "", "-p", "tools.scorecard.collector", "--no-header", "--tb=no"]
    options += ["-n", processes, "--dist", "loadgroup"] if processes != "0" else []
    command = [sys.executable, "-m", "pytest", *options, *files]
    return subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode


def write() -> None:
    """Write the page and the data from all records."""
    from tools.scorecard import cells, collector, page

    records = [
        line for path in sorted(RECORDS.glob("*.jsonl")) for line in collector.recorded(path)
    ]
    data = page.as_data(cells.by_subject(records))
    _write_both(data)
    for name, total in data["totals"].items():
        print(f"{name}: {total['symbols']} symbols, {total['equal']} equal, {total['green']} green")


def renew_names() -> None:
    """Write the names that `shims` lacks, and new symbols as untested; the cells of others stay as recorded."""
    from tools.scorecard import lacking, page

    data = json.loads((ROOT / "docs" / "scorecard.json").read_text())
    _write_both({**data, **page.with_new_symbols(data), "lacking": lacking.lacking()})


def _write_both(data: dict) -> None:
    from tools.scorecard import page

    (ROOT / "docs" / "scorecard.json").write_text(page.as_json(data))
    (ROOT / "docs" / "scorecard.md").write_text(page.as_page(data))


def main() -> int:
    """Run the command line."""
    from tools.scorecard import lanes

    parser = argparse.ArgumentParser(prog="python -m tools.scorecard", description=__doc__)
    parser.add_argument("--lane", choices=[*lanes.LANES, WRITTEN])
    parser.add_argument("--shard", default="1/1", help="which part of how many: 2/4")
    parser.add_argument("--only", default="", help="symbols, with commas between them")
    parser.add_argument("--processes", default="auto", help="of pytest-xdist; 0 for none")
    parser.add_argument("--fresh", action="store_true", help="forget earlier records")
    parser.add_argument("--page", action="store_true", help="only write")
    parser.add_argument("--lacking", action="store_true", help="only renew the missing names")
    given = parser.parse_args()
    if given.lacking:
        renew_names()
        return 0
    if given.fresh:
        for path in RECORDS.glob("*.jsonl"):
            path.unlink()
    if not given.page:
        for lane in [given.lane] if given.lane else [*lanes.LANES, WRITTEN]:
            code = run(lane, given.shard, given.only, given.processes)
            if code not in (0, 1, 5):  # passed, some failed, nothing left to run
                return code
    if given.page or not given.lane:
        write()
    return 0


if __name__ == "__main__":
    sys.exit(main())
