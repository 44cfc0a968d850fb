"""Report where the sweep of the rewriter ran the new text and it failed: in which contexts of an argument."""

from __future__ import annotations

import ast
import dataclasses
import functools

from tf2jax_port.rewrite.data import read_data
from tf2jax_port.rewrite.findings.findings import State
from tf2jax_port.rewrite.knowledge.bind import Bound, Refusal
from tf2jax_port.rewrite.knowledge.known import look_up
from tf2jax_port.rewrite.reading.layout import call_layout
from tf2jax_port.rewrite.reading.resolve import Reference
from tf2jax_port.rewrite.sites.decision import Decision, Draft, File
from tf2jax_port.rewrite.sites.references import bind_call, is_fixed
from tf2jax_port.rewrite.values.selections import is_selection, is_size_of_selection
from tf2jax_port.rewrite.values.values import Kind

CODE = "TJ211"
_AS_IT_IS = "-"  # what raises with plain arrays, by the names of the arguments
_LANES = {
    "eager": "eagerly",
    "jit": "under `jax.jit`",
    "function": "in `shims.function`",
    "gradient": "differentiated",
}
# What the new text does not do, by row, parameter, context and lane.
_Raises = dict[str, dict[str, dict[str, dict[str, str]]]]


@functools.cache
def errors_met() -> _Raises:
    """Return the errors that the sweep met."""
    return read_data("evidence")["raises"]


def say_evidence(draft: Draft) -> Draft:
    """Mark for review the calls whose new text raised in the context that the code shows."""
    file = draft.file
    if not file.options.selects(CODE):
        return draft
    found = {
        reference: _as_run(file, reference, decision)
        for reference, decision in draft.decisions.items()
        if decision.state in (State.REWRITTEN, State.SHIM)
    }
    return draft.with_decisions({**draft.decisions, **found})


def _as_run(file: File, reference: Reference, decision: Decision) -> Decision:
    """Return a decision, marked for review if the sweep found that the new text raises."""
    known, call = look_up(reference), decision.span
    raises = errors_met().get(known.row.name) if known is not None else None
    if raises is None or known is None or not isinstance(call, ast.Call):
        return decision
    if file.ignored.covers(call, CODE):
        return decision
    bound = bind_call(known, call_layout(file.source, call))
    if isinstance(bound, Refusal):
        return decision
    where, raised = _what_raises(file, bound, raises)
    if not raised or (_compiles(raised) and _is_compiled(file, call)):
        return decision
    message = f"{where}: {_in_words(raised)}"
    return dataclasses.replace(decision, state=State.REVIEW, code=CODE, message=message)


def _what_raises(
    file: File, bound: Bound, raises: dict[str, dict[str, dict[str, str]]]
) -> tuple[str, dict[str, str]]:
    """Return the argument in whose context the new text raises, in words, and the errors by lane."""
    given = " ".join(sorted(name for name in bound.arguments if name != "name"))
    fixed = all(is_fixed(file, argument.node) for argument in bound.arguments.values())
    if not fixed and given in raises.get(_AS_IT_IS, {}):
        return "with these arguments", raises[_AS_IT_IS][given]
    for parameter, contexts in raises.items():
        argument = bound.arguments.get(parameter)
        context = context_of(file, argument.node) if argument is not None else ""
        if context in contexts:
            return f"`{parameter}` is a {context}", contexts[context]
    return "", {}


def _compiles(raised: dict[str, str]) -> bool:
    """Return whether the new text runs in `shims.function`."""
    return "function" not in raised and "eager" not in raised


def _is_compiled(file: File, call: ast.Call) -> bool:
    """Return whether a call is in a function that `shims.function` compiles, `tf.function` before."""
    decorators = [
        decorator.func if isinstance(decorator, ast.Call) else decorator
        for outer in file.names.ancestors(call)
        if isinstance(outer, ast.FunctionDef)
        for decorator in outer.decorator_list
    ]
    references = (file.values.by_node.get(decorator) for decorator in decorators)
    return any(reference is not None and reference.path == "function" for reference in references)


def context_of(file: File, node: ast.expr) -> str:
    """Return the context of an argument by its name in the sweep, `""` if none is known to fail."""
    values = file.values
    if is_selection(values, node):
        return "selection"
    if is_size_of_selection(values, node):
        return "size of a selection"
    if isinstance(node, ast.List | ast.Tuple):
        constants = all(isinstance(element, ast.Constant) for element in node.elts)
        return "" if constants else "list of arrays"
    is_list = values.kind(node) is Kind.LIST or file.corners.lists.may_be_list(node)
    return "list parameter" if is_list else ""


def _in_words(raised: dict[str, str]) -> str:
    """Return the lanes that raise, and the lanes that do not."""
    by_error: dict[str, list[str]] = {}
    for lane, error in raised.items():
        by_error.setdefault(error, []).append(_LANES[lane])
    errors = "; ".join(
        f"{' and '.join(lanes)} the new code raises {error}" for error, lanes in by_error.items()
    )
    return f"{errors}; `shims.function` can compile the new code" if _compiles(raised) else errors
