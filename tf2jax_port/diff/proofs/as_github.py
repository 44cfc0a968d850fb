"""Render the wrong functions of a proof as workflow commands, which GitHub shows beside the code."""

from __future__ import annotations

import os.path
from collections.abc import Iterator

from tf2jax_port.diff.proofs.proof import WRONG, Proof
from tf2jax_port.diff.proofs.wording import short
from tf2jax_port.formats.github import command


def to_lines(proof: Proof) -> Iterator[str]:
    """Yield an error for each function in which a fault begins, and a warning for each function that it makes wrong."""
    for row in proof.rows:
        if row.status in WRONG:
            path = os.path.relpath(os.path.join(proof.root, row.path))
            text = f"{short(row)}: {row.status}, {row.why}"
            if row.origins:
                text += f" (it calls {', '.join(map('.'.join, row.origins))})"
            place = {"line": row.line} if row.line else {}
            yield command("error" if row.begins else "warning", path, "prove", text, place)
