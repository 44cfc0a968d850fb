"""Find comparisons that would succeed with any port, and therefore prove nothing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from tf2jax_port.diff.closeness.facts import Facts
from tf2jax_port.diff.values.arguments import is_inexact
from tf2jax_port.diff.values.attempt import Failure
from tf2jax_port.diff.values.observation import COTANGENTS, Gradients
from tf2jax_port.diff.vocabulary.reasons import Reason


@dataclass(frozen=True, slots=True)
class Vacuity:
    """Reasons why a comparison, or a part of it, could not have found a difference.

    Attributes:
      fatal: reasons why the whole comparison proves nothing.
      limiting: reasons why the comparison of one output proves nothing.
      notes: remarks that do not change the verdict.
    """

    fatal: tuple[Reason, ...] = ()
    limiting: tuple[Reason, ...] = ()
    notes: tuple[Reason, ...] = ()


def vacuity(facts: Sequence[Facts], inputs: Sequence[str]) -> Vacuity:
    """Find outputs and gradients that cannot reveal a fault, such as zeros in all cases.

    Args:
      facts: the cases in which the original ran.
      inputs: for each of these cases, a fingerprint of its arguments.
    """
    if not facts:
        return Vacuity()
    varied = len(set(inputs)) > 1
    problems = _check_outputs(facts, varied)
    if not problems:
        return Vacuity(fatal=(Reason("the function", "returns nothing to compare"),))
    fatal: list[Reason] = []
    limiting: list[Reason] = []
    notes: list[Reason] = []
    if all(problems.values()):
        fatal += [Reason(path, word) for path, word in problems.items()]
    else:
        for path, word in problems.items():
            telling = _is_float(facts, path) and not word.startswith("is the same")
            if word:
                (limiting if telling else notes).append(Reason(path, word))
    gradients = _check_gradients(facts)
    if gradients and all(gradients.values()):
        fatal.append(Reason("every gradient", f"is {_join(gradients.values())} in every case"))
    else:
        notes += [
            Reason(f"the gradient of {path}", f"is {word} in every case")
            for path, word in gradients.items()
            if word
        ]
    return Vacuity(tuple(fatal), tuple(limiting), tuple(notes))


def _check_outputs(facts: Sequence[Facts], varied: bool) -> dict[str, str]:
    """Return a dict from outputs to the reason why comparing them proves nothing, `""` if none."""
    arrays: dict[str, list[np.ndarray]] = {}
    for fact in facts:
        assert fact.reference is not None
        outputs = fact.lanes[fact.reference].outputs
        assert not isinstance(outputs, Failure)
        for path, array in outputs.items():
            if array is not None and array.dtype.kind not in "SUO":
                arrays.setdefault(path, []).append(array)
    return {path: _describe_vacuous(found, varied) for path, found in arrays.items()}


def _describe_vacuous(arrays: list[np.ndarray], varied: bool) -> str:
    flat = np.concatenate([array.ravel() for array in arrays])
    if not flat.size:
        return "has no elements in any case"
    if is_inexact(flat.dtype):
        if np.all(np.isnan(flat)):
            return "is NaN in every element of every case"
        if not np.any(flat):
            return "is zero in every element of every case"
    if not varied or len(arrays) < 2:
        return ""
    same = all(_are_identical(array, arrays[0]) for array in arrays[1:])
    if same or np.all(flat == flat[0]):
        return f"is the same for all {len(arrays)} cases, although their inputs differ"
    return ""


def _are_identical(a: np.ndarray, b: np.ndarray) -> bool:
    return a.shape == b.shape and a.tobytes() == b.tobytes()


def _is_float(facts: Sequence[Facts], path: str) -> bool:
    for fact in facts:
        assert fact.reference is not None
        outputs = fact.lanes[fact.reference].outputs
        array = None if isinstance(outputs, Failure) else outputs.get(path)
        if array is not None:
            return is_inexact(array.dtype)
    return False


def _check_gradients(facts: Sequence[Facts]) -> dict[str, str]:
    """Return a dict from inputs to `zero` or `NaN` if their gradient is never anything else."""
    found: dict[str, list[np.ndarray]] = {}
    for fact in facts:
        for gradients in _reference_gradients(fact):
            for path, array in gradients.items():
                if array is not None:
                    found.setdefault(path, []).append(array.ravel())
    words = {}
    for path, arrays in found.items():
        flat = np.concatenate(arrays)
        zero, nan = not np.any(flat), bool(flat.size) and bool(np.all(np.isnan(flat)))
        words[path] = "zero" if zero else "NaN" if nan else ""
    return words


def _reference_gradients(fact: Facts) -> Iterable[Gradients]:
    assert fact.reference is not None
    for cotangent in COTANGENTS:
        gradients = fact.lanes[fact.reference].gradients.get(cotangent)
        if gradients is not None and not isinstance(gradients, Failure):
            yield gradients


def _join(words: Iterable[str]) -> str:
    return " or ".join(sorted(set(words)))
