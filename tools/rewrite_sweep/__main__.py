"""Run the sweep of the rewriter; write its record and page, the pairs, and what the rewriter reads.

python -m tools.rewrite_sweep                run all programs that the record lacks, two hours from nothing
python -m tools.rewrite_sweep --one-in 8     every eighth program; the record keeps the others
python -m tools.rewrite_sweep --only nn.     the rows whose names begin so
"""

from __future__ import annotations

import argparse
import sys

from tf2jax_port.rewrite.sites.evidence import errors_met
from tools.rewrite_sweep import evidence, page, pairs
from tools.rewrite_sweep.judging import written
from tools.rewrite_sweep.programs import all_programs
from tools.rewrite_sweep.runs import RECORD, key_of, known, read, run, write


def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m tools.rewrite_sweep",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--one-in", type=int, default=1)
    parser.add_argument("--only", default="", help="the first letters of rows")
    given = parser.parse_args()
    run(all_programs(given.one_in, given.only), RECORD)
    write_all()
    return 0


def write_all() -> None:
    """Write everything that is made from the record, without programs that are not made any more."""
    programs = all_programs()
    present = {key_of(program, written(program)[0]) for program in programs}
    judged = {key: entry for key, entry in read(RECORD).items() if key in present}
    write(RECORD, judged)
    evidence.FILE.write_text(evidence.generate())
    errors_met.cache_clear()
    RECORD.with_suffix(".md").write_text(page.as_page(known(programs, judged)))
    pairs.FILE.write_text(pairs.as_page())


if __name__ == "__main__":
    sys.exit(main())
