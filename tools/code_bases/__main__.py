"""Rewrite public code bases, replay their calls, and write docs/code_bases.md: `python -m tools.code_bases CHECKOUTS`.

CHECKOUTS holds a checkout of each code base in `code_bases.toml`. The packages that their tests need and that
are not stood in for must be importable. Results are kept in CHECKOUTS/results, so that a run that was ended
goes on where it was. With names behind CHECKOUTS, these code bases are rewritten and replayed again;
recorded calls are kept (remove `every.npz` to record again). With `--page`, only the page is written.
"""

from __future__ import annotations

import pathlib
import sys

from tools.code_bases import counting, page, steps
from tools.code_bases.listing import CodeBase, listed


def main(folder: str, *names: str) -> None:
    """Try the code bases one after the other, and write the page after each."""
    checkouts = pathlib.Path(folder).resolve()
    for base in listed():
        if base.name in names:
            for what in ("ledger.json", "calls.npz", "outcomes.json"):
                base.kept(what, checkouts).unlink(missing_ok=True)
        if not _is_complete(base, checkouts) and (not names or base.name in names):
            result(base, checkouts)
            print(base.name, flush=True)
    rewritten = [b for b in listed() if b.kept("ledger.json", checkouts).exists()]
    page.write({base: result(base, checkouts, is_kept=True) for base in rewritten})


def _is_complete(base: CodeBase, checkouts: pathlib.Path) -> bool:
    wanted = ("ledger.json", "outcomes.json") if base.packages else ("ledger.json",)
    return all(base.kept(what, checkouts).exists() for what in wanted)


def result(base: CodeBase, checkouts: pathlib.Path, is_kept: bool = False) -> page.Result:
    """Return the counts of a code base, and its reasons; what is not kept is run, unless only that is asked for."""
    ledger = steps.rewrite(base, checkouts)
    counts, files = counting.rewriting(ledger, str(base.kept("port", checkouts)))
    reasons = {"files": files}
    calls = None
    if base.packages and (not is_kept or base.kept("outcomes.json", checkouts).exists()):
        captured = steps.capture(base, checkouts)
        calls, of_calls = counting.replays(captured, steps.prove(base, checkouts))
        reasons.update(of_calls)
    return {"rewriting": counts, "calls": calls}, reasons


if __name__ == "__main__":
    main(*sys.argv[1:])
