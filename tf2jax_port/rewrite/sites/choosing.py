"""Which decisions are carried out: what was not asked for, or is forbidden by a comment, is left alone."""

from __future__ import annotations

import dataclasses

from tf2jax_port.rewrite.findings.findings import State
from tf2jax_port.rewrite.options import Options
from tf2jax_port.rewrite.reading.ignoring import Ignored
from tf2jax_port.rewrite.reading.resolve import Reference
from tf2jax_port.rewrite.sites.decision import Decision, Draft
from tf2jax_port.rewrite.sites.references import READ_AS_VERSION_1, is_read_as_version_1

HELD_BACK = "TJ313"


def leave_alone(draft: Draft) -> Draft:
    """Leave alone what was not asked for, or what a comment keeps."""
    options, ignored = draft.file.options, draft.file.ignored
    chosen = {r: choose(d, options, ignored, r) for r, d in draft.decisions.items()}
    return draft.with_decisions(chosen)


def choose(
    decision: Decision, options: Options, ignored: Ignored, reference: Reference | None = None
) -> Decision:
    """The decision itself, or one that leaves the place as it is.

    Args:
      decision: what would become of the place.
      options: what was asked for.
      ignored: what the comments of the file say.
      reference: the name that it is about, `None` for a method.
    """
    left = _left_alone(decision, options, ignored)
    if left is None:
        return decision
    state, code, message = left
    if reference is not None and is_read_as_version_1(reference, decision.symbol):
        # The marker keeps the file what it is when its other names of TensorFlow 1 are gone.
        message += READ_AS_VERSION_1
    return dataclasses.replace(
        decision, state=state, code=code, message=message, edits=(), plain=False
    )


def has_marker(decision: Decision) -> bool:
    """Whether a comment marks the place: where a person must act, and where it says what was read."""
    if decision.message.endswith(READ_AS_VERSION_1):
        return True
    return decision.state is State.MANUAL and decision.code != HELD_BACK


def _left_alone(
    decision: Decision, options: Options, ignored: Ignored
) -> tuple[State, str, str] | None:
    code = decision.code
    if ignored.covers(decision.span, code):
        return State.KEPT, "TJ502", f"a comment says so ({code})"
    if not options.selects(code):
        return State.KEPT, "TJ503", f"{code} is not selected"
    if options.safe_only and decision.state is State.REVIEW:
        return State.MANUAL, HELD_BACK, f"{code}: {decision.message}"
    return None
