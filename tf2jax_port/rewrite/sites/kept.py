"""Warn where a call stays TensorFlow, but its tensor reaches a JAX function, which does not accept it.

The text is judged as it has been written, so that a second run finds the same.
"""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Collection

from tf2jax_port.rewrite.findings.findings import State
from tf2jax_port.rewrite.reading.neighbors import Neighbors
from tf2jax_port.rewrite.reading.resolve import Reference, find_references
from tf2jax_port.rewrite.reading.scopes import resolve_scopes
from tf2jax_port.rewrite.reading.source import Source, parse, with_data
from tf2jax_port.rewrite.sites.decision import Decision, Decisions, Draft
from tf2jax_port.rewrite.values.kept_tensors import KeptTensors
from tf2jax_port.rewrite.values.uses import Uses

CODE = "TJ338"
_TENSORS = ("TJ501", "TJ522")
_DATASETS = ("TJ521",)
_OF_TENSOR = (
    "the result is passed to JAX functions, which do not accept TensorFlow tensors: append `.numpy()` if the call "
    "runs eagerly, or rewrite the call with `--data shims`"
)
_OF_DATASET = (
    "the elements are passed to JAX functions, which do not accept TensorFlow tensors: loop over "
    "`as_numpy_iterator()`, or rewrite the dataset with `--data shims`"
)


def tell_kept(
    draft: Draft, found: Collection[Reference], data: bytes, *, version_1: bool
) -> Decisions:
    """Return the decisions; a kept call whose tensors reach JAX must be rewritten by hand (TJ338).

    Args:
      draft: the draft of the file.
      found: all references of the file, in the order of its text.
      data: the text with all edits.
      version_1: whether a marker says that the file was read as TensorFlow 1.
    """
    file, decisions = draft.file, draft.decisions
    codes = (*_TENSORS, *_DATASETS)
    if not file.options.selects(CODE) or all(d.code not in codes for d in decisions.values()):
        return decisions
    left = [r for r in found if not _is_edited(draft, r)]
    new = with_data(file.source, data)
    values, references = _left_in(new, file.neighbors, version_1=version_1)
    if len(references) != len(left):
        return decisions
    before = dict(zip(references, left, strict=True))

    def of_codes(codes: tuple[str, ...]) -> dict[ast.expr, Reference]:
        kept = {r: decisions.get(before[r]) for r in references}
        return {r.node: r for r, decision in kept.items() if decision and decision.code in codes}

    kept = KeptTensors(values, of_codes(_TENSORS), of_codes(_DATASETS))
    told = {before[r]: _told(decisions[before[r]]) for r in kept.reaching_jax()}
    told = {r: d for r, d in told.items() if not file.ignored.covers(d.span, CODE)}
    return {**decisions, **told}


def _is_edited(draft: Draft, reference: Reference) -> bool:
    decision = draft.decisions.get(reference)
    return decision is not None and (bool(decision.edits) or reference in draft.moved.kept)


def _left_in(
    source: Source, neighbors: Neighbors, *, version_1: bool
) -> tuple[Uses, list[Reference]]:
    """Return the names and the references of the new text."""
    names = resolve_scopes(parse(source))
    references = find_references(names, neighbors, version_1=version_1)
    return Uses(names, references), references


def _told(decision: Decision) -> Decision:
    message = _OF_DATASET if decision.code in _DATASETS else _OF_TENSOR
    return dataclasses.replace(decision, state=State.MANUAL, code=CODE, message=message)
