"""Judge what the new text of a program computes by what TensorFlow computes."""

from __future__ import annotations

from typing import Any

from tests.harness.compare import Dtypes, difference
from tf2jax_port.rewrite import State, rewrite
from tools.rewrite_sweep.programs import Program

STATES = ("equal", "said", "raised", "different")


def written(program: Program) -> tuple[str, list[str], bool]:
    """Return the new text of a program, the states of its references, and whether it can run."""
    outcome = rewrite(program.code.encode())
    states = [finding.state.value for finding in outcome.findings]
    runs = not any(finding.state is State.MANUAL for finding in outcome.findings)
    return outcome.data.decode(), sorted({*states}), runs


def judge(got: Any, want: Any, tolerance: float, *, review: bool) -> str:
    """Return the state of one lane of a program, and why; `n/a` if TensorFlow has no result."""
    if isinstance(want, str):
        return "n/a"
    if isinstance(got, str):
        return f"raised: {got}"
    (form, ours), (right, theirs) = got, want
    if form != right or ours.keys() != theirs.keys():
        return f"different: structure {form}, should be {right}"
    for path, array in theirs.items():
        apart = difference(ours[path], array, tolerance, Dtypes.AS_JAX)
        if apart:
            return f"{'said' if review else 'different'}: {apart.splitlines()[0]}"[:200]
    return "equal"
