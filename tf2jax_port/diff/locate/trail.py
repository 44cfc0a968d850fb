"""What a program did: every operation in order, with its operands and results."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tf2jax_port.diff.attempt import Failure, attempt
from tf2jax_port.diff.locate.places import NOWHERE, Counter, Place, Stack, Where, entered

Again = Callable[[Sequence[Any]], Sequence[Any]]


@dataclass(frozen=True, slots=True)
class Step:
    """One operation.

    Attributes:
      number: its place in the order.
      name: TensorFlow's operation or JAX's primitive.
      operands: the numbers of the values that it takes.
      results: the numbers of the values that it gives.
      places: the user's lines, from the inside out.
      instruction: which part of the innermost line it is.
      passed: how often this line was passed before, in the same way.
      key: what the passes have in common.
      part: what they have in common that are called from elsewhere.
      again: computes the results from other operands; `None` where that cannot be done.
    """

    number: int
    name: str
    operands: tuple[int, ...]
    results: tuple[int, ...]
    places: tuple[Place, ...]
    instruction: int
    passed: int
    key: tuple[int, ...]
    part: tuple[int, ...]
    again: Again | None = None

    @property
    def place(self) -> Place:
        """The user's innermost line."""
        return self.places[0] if self.places else NOWHERE


@dataclass(eq=False)
class Trail:
    """The steps of one run, and every value of it. Values are known by their numbers.

    Attributes:
      steps: in the order in which they ran.
      values: as the program held them.
      makers: for each value the number of the step that gave it; `None` for what was there before.
      outputs: path to value.
      names: of the arguments.
      counter: how often each place was passed.
      arrays: the values as NumPy has them, those that somebody asked for.
      error: why the program ended early.
      stopped: the user's line where it did.
    """

    steps: list[Step] = field(default_factory=list)
    values: list[Any] = field(default_factory=list)
    makers: list[int | None] = field(default_factory=list)
    outputs: dict[str, int] = field(default_factory=dict)
    names: dict[int, str] = field(default_factory=dict)
    counter: Counter = field(default_factory=Counter)
    arrays: dict[int, np.ndarray | None] = field(default_factory=dict)
    error: Failure | None = None
    stopped: Place | None = None
    _users: dict[int, list[Step]] = field(default_factory=dict)
    _passes: dict[object, list[Step]] = field(default_factory=dict)

    def value(self, held: Any, maker: int | None = None) -> int:
        """A new value, and its number."""
        self.values.append(held)
        self.makers.append(maker)
        return len(self.values) - 1

    def step(
        self,
        name: str,
        operands: Sequence[int],
        held: Sequence[Any],
        where: Where,
        again: Again | None = None,
    ) -> Step:
        """A new operation, and its results."""
        number = len(self.steps)
        results = tuple(self.value(one, number) for one in held)
        key = (*where.key, hash(name))
        passed = self.counter.next(key)
        made = Step(
            number,
            name,
            tuple(operands),
            results,
            where.places,
            where.instruction,
            passed,
            key,
            (*where.part, hash(name)),
            again,
        )
        self.steps.append(made)
        return made

    def array(self, number: int) -> np.ndarray | None:
        """A value as NumPy has it; `None` for what is no array of numbers."""
        if number not in self.arrays:
            self.arrays[number] = _numbers(self.values[number])
        return self.arrays[number]

    def maker(self, number: int) -> Step | None:
        """The operation that gave a value."""
        made = self.makers[number]
        return None if made is None else self.steps[made]

    def users(self, number: int) -> Sequence[Step]:
        """The operations that take a value. Asked for only when the run is over."""
        if not self._users:
            for step in self.steps:
                for operand in dict.fromkeys(step.operands):
                    self._users.setdefault(operand, []).append(step)
        return self._users.get(number, ())

    def passes(self, step: Step) -> list[list[Step]]:
        """Every pass through a step: of the loop that it is in, and of the function."""
        if not self._passes:
            for other in self.steps:
                self._passes.setdefault(("looped", other.key), []).append(other)
                self._passes.setdefault(("called", other.part), []).append(other)
        looped, called = self._passes["looped", step.key], self._passes["called", step.part]
        return [looped, called] if len(called) > len(looped) else [looped]

    def iteration(self, step: Step) -> int | None:
        """Which pass through a loop a step belongs to, from 0; `None` outside of loops."""
        return step.passed if self.counter.total(step.key) > 1 else None


def endured(trail: Trail, stack: Stack, run: Callable[[], Any]) -> Any:
    """What a program returns; if it raises, the trail says why and where."""

    def watched() -> Any:
        try:
            return entered(run)
        except Exception as error:
            trail.stopped = stack.raised(error)
            raise

    result = attempt(watched)
    if isinstance(result, Failure):
        trail.error = result
    return result


def _numbers(held: Any) -> np.ndarray | None:
    try:
        array = np.asarray(held.numpy() if hasattr(held, "numpy") else held)
    except Exception:  # noqa: BLE001 - a resource, a list of tensors, a key
        return None
    numeric = array.dtype.kind in "biufc" or array.dtype.name.startswith(("bfloat", "float"))
    return array if numeric else None
