"""Recognize faults of the shims' own code, which no attempt to run a program in another way may hide."""

from __future__ import annotations

import dis

from shims._src.platform import user_frames

# What Python raises for a fault of a program, rather than for an operand.
_FAULTS = (AttributeError, NameError, IndexError, KeyError)
_RAISE = dis.opmap["RAISE_VARARGS"]
_RULES = "shims._src.lowering."
_NOTE = "This is an error in shims, not in your program. Please report it with the traceback."


def raise_if_internal(error: Exception) -> None:
    """Raise an error again, with a note, if it is a fault of the shims' own code."""
    if is_internal(error):
        if _NOTE not in getattr(error, "__notes__", ()):
            error.add_note(_NOTE)
        raise error


def is_internal(error: Exception) -> bool:
    """Return whether an error is a fault of the shims' own code, and not raised on purpose.

    An error of JAX in a call by a masking rule is one, too, since the program was traced without that call.
    """
    step, in_rule = error.__traceback__, False
    while step is not None and step.tb_next is not None:
        in_rule |= (step.tb_frame.f_globals.get("__name__") or "").startswith(_RULES)
        step = step.tb_next
    if step is None or hasattr(error, "shims_of_data"):  # an error of the program
        return False
    if user_frames.root_package(step.tb_frame.f_globals) != "shims":
        return in_rule and isinstance(error, _FAULTS)
    on_purpose = step.tb_frame.f_code.co_code[step.tb_lasti] == _RAISE
    if isinstance(error, AssertionError):
        return not user_frames.asks_for_user(step.tb_frame)  # `assert` of converted code
    return isinstance(error, _FAULTS) and not on_purpose
