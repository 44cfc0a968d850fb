"""Decide references to Keras: rename them to Keras 3 and report differences."""

from __future__ import annotations

import ast
import dataclasses
import re

from tf2jax_port.rewrite.findings.findings import State
from tf2jax_port.rewrite.knowledge.keras_gone import KEYWORDS, RAISING
from tf2jax_port.rewrite.knowledge.keras_rows import (
    MOVED,
    OWN_SLOTS,
    REPEATED_ROWS,
    backend_function,
)
from tf2jax_port.rewrite.knowledge.known import Known
from tf2jax_port.rewrite.names.keras_names import MODULES
from tf2jax_port.rewrite.sites.decision import Decision, Draft, File
from tf2jax_port.rewrite.sites.keras_symbols import NO_ARRAY
from tf2jax_port.rewrite.writing.edits import Edit
from tf2jax_port.table import Shim

_SYMBOLIC = "`keras.ops` accepts symbolic tensors, which are not arrays"
SYMBOLS = "TJ131"
NAME, BACKEND, OLD, STARRED, INSTALLED = "TJ130", "TJ230", "TJ231", "TJ232", "TJ233"
SET_BACKEND = "set `KERAS_BACKEND=jax` in the environment before Keras is imported"
_OF_VERSION_1 = "the code may be written for Keras 2; no difference between Keras 2 and Keras 3 is known for this name"
_GATES = "Keras 2 had `recurrent_activation='hard_sigmoid'`, which was `clip(0.2 x + 0.5, 0, 1)`"
_RESET = f"{_GATES}, and `reset_after=False`, whose weights have different shapes"
# Calls with other results in Keras 2, which TensorFlow 1 had.
OTHERWISE_IN_KERAS_2 = {
    "activations.hard_sigmoid": "in Keras 2 this function was `clip(0.2 x + 0.5, 0, 1)`",
    **{f"layers.ConvLSTM{n}D": _GATES for n in (1, 2, 3)},
    **dict.fromkeys(("layers.GRU", "layers.GRUCell"), _RESET),
    **dict.fromkeys(("layers.LSTM", "layers.LSTMCell"), _GATES),
    "optimizers.Nadam": "the first steps of this optimizer differ from the first steps in Keras 2",
    "optimizers.RMSprop": "Keras 2 added `epsilon` outside of the square root, so steps for small gradients differ",
    "regularizers.l1_l2": "the default of both factors was 0.01 in Keras 2, and is 0 now",
}
_UNSEEN = "the code does not show the arguments; Keras 3 rejects unknown arguments"
MODULE, ROWS = "TJ234", "TJ235"
UNSEEN_NAMES = "the code does not show which names of the module are used; Keras 3 may not have some of these names"
_OTHERWISE = ("backend", "experimental", "preprocessing", "optimizers.legacy", "utils.legacy")
_ARGUMENT = re.compile(r"`(\w+)`")


def is_module_of_keras(path: str) -> bool:
    """Return whether a path is a Keras 3 module with the same contents as in Keras 2."""
    name = path.removeprefix("keras.")
    return path != name and name in MODULES and not name.startswith(_OTHERWISE)


def is_of_keras(known: Known) -> bool:
    """Return whether a table row replaces its name by one of Keras 3."""
    return isinstance(known.row.target, Shim) and known.row.target.function.startswith("keras.")


def settle(file: File, known: Known, decision: Decision) -> Decision:
    """Return the decision about a Keras name, adapted from that of the general rules."""
    if known.row.name.startswith("keras.symbols."):
        return _adapt_symbolic(decision)
    if known.row.name.startswith("keras.") and decision.state is State.MANUAL:
        return _adapt_refusal(file, known, decision)
    if not decision.edits:
        return decision
    if not is_of_keras(known):
        return decision
    raising = _raising_argument(file, known)
    if raising:
        return dataclasses.replace(
            decision, state=State.MANUAL, code="TJ302", message=raising, edits=()
        )
    state, code, message = State.REWRITTEN, NAME, decision.message
    if known.row.differs:
        code = {REPEATED_ROWS: ROWS, OWN_SLOTS: OLD, MOVED: OLD}.get(known.row.differs, INSTALLED)
        name = known.row.name.removeprefix("keras.").replace(".legacy.", ".")
        state, message = State.REVIEW, known.row.differs
        if code == OLD:
            message = OTHERWISE_IN_KERAS_2.get(name, message)
    elif _has_stars(file, known.reference.node):
        state, code, message = State.REVIEW, STARRED, _UNSEEN
    elif known.reference.version == 1:
        name = known.row.name.removeprefix("keras.")
        state, code = State.REVIEW, OLD
        message = OTHERWISE_IN_KERAS_2.get(name, _OF_VERSION_1)
    return dataclasses.replace(decision, state=state, code=code, message=message, plain=False)


def _adapt_symbolic(decision: Decision) -> Decision:
    """Adapt the rewriting decision for an operator that is called with a Keras symbolic tensor.

    If the decision has no edits, the call is not rewritten and gets the diagnostic TJ341.
    """
    if decision.edits:
        return dataclasses.replace(decision, state=State.REWRITTEN, code=SYMBOLS, message=_SYMBOLIC)
    message = decision.message if decision.code == "TJ341" else NO_ARRAY
    return dataclasses.replace(decision, code="TJ341", message=message)


def _raising_argument(file: File, known: Known) -> str:
    """Return why an argument of a call raises an error on JAX, `""` if none does."""
    call, target = file.names.parents[known.reference.node], known.row.target
    if not isinstance(call, ast.Call) or call.func is not known.reference.node:
        return ""
    if not isinstance(target, Shim):
        return ""
    name = target.function.removeprefix("keras.")
    for keyword in call.keywords:
        advice = RAISING.get((name, keyword.arg or ""))
        is_off = isinstance(keyword.value, ast.Constant) and not keyword.value.value
        if advice and not is_off:
            return f"Keras raises an error on JAX for argument `{keyword.arg}`: {advice}"
    return ""


def _has_stars(file: File, node: ast.expr) -> bool:
    """Return whether an expression is called with `*args` or `**kwargs`."""
    call = file.names.parents[node]
    if not isinstance(call, ast.Call) or call.func is not node:
        return False
    starred = any(isinstance(argument, ast.Starred) for argument in call.args)
    return starred or any(keyword.arg is None for keyword in call.keywords)


def _adapt_refusal(file: File, known: Known, decision: Decision) -> Decision:
    """Adapt the decision about a Keras name that the general rules leave to a person.

    A call with `*args` is rewritten to the same class and marked for review. If Keras 3 lacks a keyword, the message says
    what to use instead. A function of the old back end that `keras.ops` has not, with these arguments or as a value, is
    that of `shims`.
    """
    if decision.code == "TJ303" and isinstance(known.row.target, Shim):
        node = known.reference.node
        written = file.spelling.text(known.row.target.function)
        edit = Edit(*file.source.span(node), (written,))
        return dataclasses.replace(
            decision, state=State.REVIEW, code=STARRED, message=_UNSEEN, edits=(edit,)
        )
    if decision.code == "TJ302":
        found = _ARGUMENT.search(decision.message)
        hint = KEYWORDS.get(found.group(1), "") if found else ""
        if hint:
            message = f"{decision.message}; {hint}"
            return dataclasses.replace(decision, message=message)
    function = backend_function(known.row.name)
    if decision.code in ("TJ306", "TJ308") and function:
        node, written = known.reference.node, file.spelling.text(function)
        edit = Edit(*file.source.span(node), (written,))
        message = f"`{written}`"
        return Decision(State.SHIM, "TJ401", message, decision.symbol, node, (edit,))
    return decision


def _writes_keras(decision: Decision) -> bool:
    """Return whether the new text refers to Keras, directly or through an import of the file."""
    texts = (piece for e in decision.edits for piece in e.pieces if isinstance(piece, str))
    named = decision.code in (NAME, OLD, STARRED, INSTALLED, MODULE, ROWS)
    return bool(decision.edits) and (named or any("keras." in text for text in texts))


def say_backend(draft: Draft) -> Draft:
    """Say in a file's first decision that introduces Keras that `KERAS_BACKEND` must be set."""
    options = draft.file.options
    if not options.selects(BACKEND) or options.safe_only:
        return draft
    written = (r for r, decision in draft.decisions.items() if _writes_keras(decision))
    reference = None if b"KERAS_BACKEND" in draft.file.source.data else next(written, None)
    if reference is None:
        return draft
    first = draft.decisions[reference]
    code = first.code if first.state is State.REVIEW else BACKEND
    message = f"{first.message}; {SET_BACKEND}"
    said = dataclasses.replace(first, state=State.REVIEW, code=code, message=message)
    return draft.with_decisions({**draft.decisions, reference: said})
