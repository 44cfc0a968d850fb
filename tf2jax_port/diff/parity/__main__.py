"""Compare the operators of `shims` with recorded TensorFlow results, using only JAX and NumPy.

Run as `python -m tf2jax_port.diff.parity GOLDEN`.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path


def main() -> int:
    """Print the result as a table; return 0 if all is as expected, 1 if not, 2 if it cannot be run."""
    parser = argparse.ArgumentParser(prog="python -m tf2jax_port.diff.parity", description=__doc__)
    parser.add_argument("golden", type=Path, help="the file of TensorFlow's results")
    parser.add_argument("--only", action="append", default=[], metavar="NAME", help="an operator")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the result")
    asked = parser.parse_args()

    import jax

    from tf2jax_port.diff.functions.loading import DiffError
    from tf2jax_port.diff.judge.contract import versions
    from tf2jax_port.diff.parity import operators, showing
    from tf2jax_port.diff.parity.answers import Recorded
    from tf2jax_port.diff.parity.points import named

    try:
        recorded, chosen = Recorded(asked.golden), named(asked.only)
    except DiffError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    device = jax.devices()[0].device_kind
    sys.stdout.write(f"{len(chosen)} operators on {device}, JAX {jax.__version__}\n")
    rows = {name: operators.compare(points, recorded.lanes)[1] for name, points in chosen.items()}
    sys.stdout.write("\n".join(showing.lines(rows)) + "\n")
    if asked.json:
        asked.json.parent.mkdir(parents=True, exist_ok=True)
        data = showing.to_data(rows, versions(), device)
        asked.json.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
    return int(any(state.unexpected for states in rows.values() for state in states))


if __name__ == "__main__":
    sys.exit(main())
