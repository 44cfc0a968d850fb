"""Write an integer beyond 32 bits as a float where it is the operand of an array, as in `scores * (-2 ** 32 + 1)`."""

from __future__ import annotations

import ast
import dataclasses
import re
from collections.abc import Iterator

from tf2jax_port.rewrite.findings.findings import State
from tf2jax_port.rewrite.sites.decision import Decision, Draft, File
from tf2jax_port.rewrite.values.large_integers import first_literal, is_large
from tf2jax_port.rewrite.values.numbers import Numbers
from tf2jax_port.rewrite.values.values import Kind
from tf2jax_port.rewrite.writing.edits import Edit

_MAY_BE_LARGE = re.compile(rb"\*\*|\d{10}")
_DECIMAL = re.compile(rb"\d+")
_REVIEWED = "an integer beyond 32 bits is written as a float: check that its operand has floats"


def write_floats(draft: Draft) -> Draft:
    """Write large integers beside calls that return arrays as floats, which JAX converts to the array's dtype."""
    file = draft.file
    if _MAY_BE_LARGE.search(file.source.data) is None:
        return draft
    decisions = dict(draft.decisions)
    for reference, decision in draft.decisions.items():
        if decision.edits and isinstance(decision.span, ast.Call):
            for number, array in _beside(file, decision.span):
                decisions[reference] = _with_float(file, decisions[reference], number, array)
    return draft.with_decisions(decisions)


def _beside(file: File, call: ast.expr) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Find the large integer that is the other operand of an operator on a call's result, with that result."""
    array, parent = call, file.names.parents[call]
    while isinstance(parent, ast.BinOp) and file.values.kind(array) is Kind.TENSOR:
        other = parent.right if parent.left is array else parent.left
        if is_large(other):
            yield other, array
        elif parent.right is array and file.values.kind(other) is Kind.TENSOR:
            return  # a call in the other operand reaches the operators around it
        array, parent = parent, file.names.parents[parent]


def _with_float(file: File, decision: Decision, number: ast.expr, array: ast.expr) -> Decision:
    """Return a decision that also writes a number as a float."""
    literal = first_literal(number)
    if literal is None:
        return decision
    start, end = file.source.span(literal)
    if _DECIMAL.fullmatch(file.source.data[start:end]) is None:
        return decision
    edits = (*decision.edits, Edit(end, end, (".0",)))
    if file.corners.numbers.numbers(array) is Numbers.INEXACT or decision.state is State.REVIEW:
        return dataclasses.replace(decision, edits=edits, plain=False)
    return dataclasses.replace(
        decision, state=State.REVIEW, code="TJ201", message=_REVIEWED, edits=edits, plain=False
    )
