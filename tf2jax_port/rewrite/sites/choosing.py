"""Drop edits that options or ignore comments forbid."""

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
    """Remove the edits from every decision that options or an ignore comment forbid."""
    options, ignored = draft.file.options, draft.file.ignored
    chosen = {r: choose(d, options, ignored, r) for r, d in draft.decisions.items()}
    return draft.with_decisions(chosen)


def choose(
    decision: Decision, options: Options, ignored: Ignored, reference: Reference | None = None
) -> Decision:
    """Return a decision, without its edits if options or an ignore comment forbid them.

    Args:
      decision: the proposed decision.
      options: the options of the run.
      ignored: the ignore comments of the file.
      reference: the reference that is decided, `None` for a method.
    """
    left = _left_alone(decision, options, ignored)
    if left is None:
        mistakes = ignored.mistakes(decision.span)
        return _with_clause(decision, mistakes) if mistakes else decision
    state, code, message = left
    if reference is not None and is_read_as_version_1(reference, decision.symbol):
        # A second run then still reads the file as TensorFlow 1 when its other such names are gone.
        message += READ_AS_VERSION_1
    return dataclasses.replace(
        decision, state=state, code=code, message=message, edits=(), plain=False
    )


def _with_clause(decision: Decision, clause: str) -> Decision:
    """Return a decision with a clause at the end of its message, but before what a second run reads there."""
    message = decision.message.removesuffix(READ_AS_VERSION_1)
    end = decision.message[len(message) :]
    return dataclasses.replace(decision, message=message + clause + end)


def has_marker(decision: Decision) -> bool:
    """Return whether a decision needs a marker comment `# TJ...` in the file.

    That holds for manual work, and for names read as TensorFlow 1; not for methods, which a second run does not
    look for if the file has no TensorFlow name any more.
    """
    if decision.message.endswith(READ_AS_VERSION_1):
        return True
    is_name = decision.symbol.startswith("tf.")
    return decision.state is State.MANUAL and decision.code != HELD_BACK and is_name


def _left_alone(
    decision: Decision, options: Options, ignored: Ignored
) -> tuple[State, str, str] | None:
    """Return the state, code and message of a reference that options or a comment leave unchanged.

    Return `None` if the decision is allowed.
    """
    code = decision.code
    if ignored.covers(decision.span, code):
        return State.KEPT, "TJ502", f"a comment excludes {code} here"
    if not options.selects(code):
        return State.KEPT, "TJ503", f"{code} is not selected"
    if options.safe_only and decision.state is State.REVIEW:
        return State.MANUAL, HELD_BACK, f"{code}: {decision.message}"
    return None
