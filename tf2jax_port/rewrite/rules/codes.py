"""List the diagnostics by number. Numbers are permanent and never reused.

TJ1xx rewritten, TJ2xx rewritten and to be reviewed, TJ3xx to be written by hand, TJ4xx a function of `shims`, TJ5xx
stays TensorFlow, TJ9xx a file that was skipped.
"""

from __future__ import annotations

import difflib

from tf2jax_port.rewrite.rules import (
    choices,
    doctests,
    early,
    files,
    functions,
    host,
    keras,
    methods,
    names,
    operators,
    optimizers,
    outside,
    random_numbers,
    refusals,
    tapes,
)
from tf2jax_port.rewrite.rules.rule import Rule

RULES: tuple[Rule, ...] = (
    operators.CALL,
    names.CONSTANT,
    names.TYPE,
    operators.PASSED_ON,
    methods.SHAPE,
    methods.NUMPY,
    methods.SET_SHAPE,
    methods.SIZE,
    methods.LIST,
    operators.SWITCH,
    methods.DTYPE,
    methods.SHAPE_METHOD,
    functions.PURE,
    tapes.SURE,
    host.ABSL,
    *keras.REWRITTEN,
    optimizers.KEPT,
    operators.CORNER,
    methods.UNKNOWN,
    functions.WITHOUT_PLACE,
    doctests.WITH_OUTPUT,
    tapes.REVIEWED,
    random_numbers.KEYED,
    random_numbers.DRAWN,
    optimizers.HANDED,
    host.APP,
    host.PROBABILITY,
    operators.EVIDENCE,
    *keras.REVIEWED,
    *refusals.RULES,
    choices.HELD_BACK,
    files.CELL,
    *outside.REFUSED,
    host.COMPANION,
    operators.GRAPH_LEFT,
    early.UNDECIDED,
    host.REACHES_JAX,
    host.SUMMARY_COMPILED,
    *keras.REFUSED,
    operators.SHIM,
    operators.SHIM_PASSED_ON,
    operators.SHIM_INSTEAD,
    choices.EXACT,
    operators.GRAPH_PROGRAM,
    optimizers.OPTAX,
    host.MOVED,
    early.SPELLED,
    operators.KEPT,
    choices.IGNORED,
    choices.NOT_SELECTED,
    host.IN_PIPELINE,
    host.KEPT_COMPANION,
    *outside.KEPT,
    *files.RULES,
)


class UnknownCodeError(KeyError):
    """Raised if there is no diagnostic with a given number."""

    def __str__(self) -> str:
        return str(self.args[0])


def find_rule(code: str) -> Rule:
    """Return the diagnostic with a number such as `TJ101`, in upper or lower case.

    Raises:
      UnknownCodeError: there is no such diagnostic; the message lists the nearest ones.
    """
    for rule in RULES:
        if rule.code == code.upper():
            return rule
    near = difflib.get_close_matches(code.upper(), [rule.code for rule in RULES], n=3, cutoff=0.7)
    hint = f" Nearest: {', '.join(near)}." if near else ""
    raise UnknownCodeError(f"There is no diagnostic `{code}`.{hint}")
