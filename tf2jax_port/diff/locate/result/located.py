"""Define the result of locating a difference: source lines, values and a likely cause."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from tf2jax_port.diff.locate.watch.places import NOWHERE, Place
from tf2jax_port.diff.locate.watch.trail import Step, Trail

VALUE, GRADIENT, INTERFACE, RAISED = "value", "gradient", "interface", "error"
_AROUND = 2
_NEIGHBORS = 4


@dataclass(frozen=True, slots=True)
class NotLocated:
    """The reason why no operation is reported for a difference.

    Attributes:
      reason: a short description.
    """

    reason: str


@dataclass(frozen=True, slots=True)
class Spot:
    """An operation of a program and its source line.

    Attributes:
      place: the user's line.
      operation: the name of the TensorFlow operation, the JAX primitive, or the error that was
        raised.
      before: short descriptions of the operations or arguments that produce its operands.
      after: short descriptions of the operations that use its results.
    """

    place: Place
    operation: str
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()

    @property
    def shown(self) -> str:
        """The operation as text: `model.py:12  h = x @ w  (MatMul)`."""
        return f"{self.place.shown}:{self.place.line}  {self.place.text}  ({self.operation})"


@dataclass(frozen=True, slots=True)
class Element:
    """The element at which two arrays differ most, and its neighbors along the last axis.

    Attributes:
      index: the element's index.
      old: the element and its neighbors in the original.
      new: the element and its neighbors in the port.
    """

    index: tuple[int, ...]
    old: tuple[float | complex, ...]
    new: tuple[float | complex, ...]


@dataclass(frozen=True, slots=True)
class Located:
    """The first divergence of an original program and its port.

    Attributes:
      kind: `"value"`, `"gradient"`, `"interface"` for a shape or type, or `"error"` if the port raised one.
      case: the number of the case on which it was found.
      old: the original's operation.
      new: the port's operation.
      iteration: the loop iteration, from 0; `None` outside of loops.
      cause: a likely cause; `None` if there is no guess.
      confirmed: whether the outputs agree once the original's value is injected here.
      element: the element that differs most and its neighbors.
      further: later differences.
    """

    kind: str
    case: int
    old: Spot | None
    new: Spot | None
    iteration: int | None = None
    cause: str | None = None
    confirmed: bool = False
    element: Element | None = None
    further: tuple[Located, ...] = ()


def spot(step: Step | None) -> Spot | None:
    """Return the `Spot` of a recorded operation; `None` if its line in the user's code is unknown."""
    return None if step is None or step.place == NOWHERE else Spot(step.place, step.name)


def with_neighbors(found: Located, old: Trail, new: Trail) -> Located:
    """Add the operations before and after each side's operation to a located difference."""
    return replace(found, old=_add_neighbors(found.old, old), new=_add_neighbors(found.new, new))


def _add_neighbors(one: Spot | None, trail: Trail) -> Spot | None:
    steps = [s for s in trail.steps if one and s.place == one.place and s.name == one.operation]
    if one is None or not steps:
        return one
    step = steps[0]
    before = [_describe_origin(trail, number) for number in step.operands]
    after = [_describe(s) for s in trail.steps if set(s.operands) & set(step.results)]
    return replace(
        one,
        before=tuple(dict.fromkeys(filter(None, before)))[:_NEIGHBORS],
        after=tuple(dict.fromkeys(after))[:_NEIGHBORS],
    )


def _describe_origin(trail: Trail, number: int) -> str:
    maker = trail.maker(number)
    return trail.names.get(number, "") if maker is None else _describe(maker)


def _describe(step: Step) -> str:
    return step.name if step.place == NOWHERE else f"{step.name}, line {step.place.line}"


def element(old: np.ndarray | None, new: np.ndarray | None) -> Element | None:
    """Return the element at which two arrays differ most; `None` if they cannot be compared."""
    if old is None or new is None or old.shape != new.shape or old.size == 0:
        return None
    wide = np.complex128 if "c" in (old.dtype.kind, new.dtype.kind) else np.float64
    a, b = old.astype(wide), new.astype(wide)
    with np.errstate(invalid="ignore"):
        apart = np.where((a == b) | (np.isnan(a) & np.isnan(b)), 0.0, np.abs(a - b))
    worst = np.unravel_index(int(np.argmax(np.where(np.isnan(apart), np.inf, apart))), apart.shape)
    index = tuple(int(i) for i in worst)
    if not index:
        return Element((), (a.item(),), (b.item(),))
    around = slice(max(0, index[-1] - _AROUND), index[-1] + _AROUND + 1)
    rows = (array[index[:-1]][around].tolist() for array in (a, b))
    return Element(index, *(tuple(row) for row in rows))
