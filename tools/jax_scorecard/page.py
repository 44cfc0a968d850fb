"""Write the scorecard of JAX: a page, data, and the list of findings."""

from __future__ import annotations

import collections

from tools.jax_scorecard.judging import RANK


def as_findings(cells):
    """Return the cells that are neither right nor refused, the worst first, grouped by state."""
    groups = collections.defaultdict(list)
    for cell in cells:
        groups[cell["state"]].append(cell)
    counts = ", ".join(f"{state}: {len(group)}" for state, group in sorted(groups.items()))
    parts = [counts]
    for state in sorted(groups, key=lambda s: -RANK.get(s, -1)):
        if state in ("right", "refused", "n/a"):
            continue
        parts.append(f"\n## {state} ({len(groups[state])})\n")
        for cell in sorted(groups[state], key=lambda c: (c["function"], c["case"])):
            whys = {
                a: c.get("why", "").replace("\n", " | ")
                for a, c in cell.get("calls", {}).items()
                if c["state"] == state
            }
            amounts = "/".join(whys)
            why = next(iter(whys.values()), "")
            parts.append(f"- {cell['function']}({cell['case']}) {cell['lane']} [{amounts}]: {why[:260]}")
    return "\n".join(parts)
