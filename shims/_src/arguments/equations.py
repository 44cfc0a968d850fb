"""Check einsum equations against their operands: ranks, and sizes of axes with equal labels."""

from __future__ import annotations

from shims._src.arguments import checks
from shims._src.arguments.checks import is_known
from shims._src.arguments.operands import broadcasting_along, describe
from shims._src.sizes.primitives import unify_axis


def agreeing_operands(equation: str, arrays) -> list:
    """Declare that axes with equal labels have equal sizes, and return the operands.

    Args:
      equation: the einsum equation, without blanks.
      arrays: one operand per term of the equation.

    Raises:
      ValueError: the number of terms differs from that of operands.
      InvalidArgumentError: an operand has a different rank, or sizes of one label differ; sizes of 1 do
        not broadcast.
    """
    left, arrow, result = equation.partition("->")
    terms = left.split(",")
    if len(terms) != len(arrays):
        raise ValueError(
            f"einsum: `equation` has {len(terms)} terms, but there are {len(arrays)} operands."
        )
    places: dict[str, list[tuple[int, int]]] = {}
    for number, (term, array) in enumerate(zip(terms, arrays, strict=True)):
        for label, axis in _labeled_axes(equation, term, array):
            places.setdefault(label, []).append((number, axis))
        _check_ellipsis(equation, term, array, arrow, result)
    arrays = list(arrays)
    for label, where in places.items():
        _unify_label_sizes(equation, label, where, arrays)
    return _unify_ellipsis_sizes(terms, arrays)


def _labeled_axes(equation, term, array):
    """Return `(label, axis)` pairs of one term, without the axes of an ellipsis."""
    before, ellipsis, after = term.partition("...")
    named = len(before) + len(after)
    if array.ndim < named or (not ellipsis and array.ndim != named):
        raise checks.invalid(
            "einsum",
            f"the term {term!r} of `equation` does not fit its operand.",
            required=f"{'at least ' if ellipsis else ''}{named} axes",
            received=f"equation {equation!r}, operand {describe(array)}",
        )
    last = array.ndim - len(after)
    return [
        *zip(before, range(len(before)), strict=True),
        *zip(after, range(last, array.ndim), strict=True),
    ]


def _unify_ellipsis_sizes(terms, arrays) -> list:
    """Declare that the ellipsis axes of all operands broadcast; return the operands."""
    spans = []
    for term, array in zip(terms, arrays, strict=True):
        before, _, after = term.partition("...")
        spans.append((len(before), array.ndim - len(after)))
    for back in range(1, max(last - first for first, last in spans) + 1):
        axes = [last - back if last - first >= back else None for first, last in spans]
        arrays = broadcasting_along("einsum", arrays, axes)
    return arrays


def _check_ellipsis(equation, term, array, arrow, result):
    """Check that the result of an einsum keeps the ellipsis axes, as TensorFlow requires."""
    hidden = array.ndim - len(term.replace("...", ""))
    if arrow and hidden and "..." in term and "..." not in result:
        raise checks.invalid(
            "einsum",
            "the output of `equation` has no ellipsis, but an operand has axes that belong to an ellipsis.",
            required="`...` in the result",
            received=f"equation {equation!r}, operand {describe(array)}",
        )


def _unify_label_sizes(equation, label, where, arrays):
    sizes = [arrays[number].shape[axis] for number, axis in where]
    known = {d for d in sizes if is_known(d)}
    if len(known) > 1:
        raise checks.invalid(
            "einsum",
            f"the axes with the label {label!r} have different sizes.",
            required="the same size at every occurrence of a label",
            received=f"equation {equation!r}, {', '.join(map(describe, arrays))}",
        )
    if len(known) == len(set(map(str, sizes))):
        return
    target = known.pop() if known else sizes[0]
    for number, axis in where:
        arrays[number] = unify_axis(arrays[number], axis, target, label="einsum")
