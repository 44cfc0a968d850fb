"""Record every operation of a run, in order, with its operands and results."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from tf2jax_port.diff.locate.watch.host import Host, listening
from tf2jax_port.diff.locate.watch.places import NOWHERE, Counter, Place, Stack, Where, entered
from tf2jax_port.diff.values.attempt import Failure, attempt

Again = Callable[[Sequence[Any]], Sequence[Any]]
Arrange = Callable[[Sequence[np.ndarray]], np.ndarray]


@dataclass(frozen=True, slots=True)
class Step:
    """A recorded operation of a run.

    Attributes:
      number: its position in the order of execution.
      name: the name of the TensorFlow operation or JAX primitive.
      operands: the numbers of the values that it uses.
      results: the numbers of the values that it produces.
      places: the user's lines on the call stack, innermost first.
      instruction: the bytecode offset in the innermost user function.
      passed: the number of earlier executions with the same key.
      key: identifies the operation and its call stack; equal in all iterations of a loop.
      part: identifies the operation and its position in the innermost user function, whatever called that function.
      again: computes the results from other operands; `None` if that is not possible.
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
        """The user's innermost line; `NOWHERE` if there is none."""
        return self.places[0] if self.places else NOWHERE


@dataclass(eq=False)
class Trail:
    """The record of a run: its operations (steps) and all values, identified by numbers.

    Attributes:
      steps: the steps in the order of execution.
      values: the values as the program held them.
      makers: for each value the number of the step that produced it; `None` for inputs and
        constants.
      outputs: a dict from output paths to values.
      names: a dict from values to argument names.
      counter: counts the executions of each position.
      arrays: cached NumPy arrays of values.
      error: the error that ended the run early, or `None`.
      stopped: the user's line that raised this error.
      host: the recorded results of Python and NumPy statements.
      views: a dict from values to their views, which `views.py` adds.
      arranged: a dict from views to the values that they consist of, and the function that
        rearranges these values.
      turned: the numbers of views that only exchange axes.
      short: the numbers of views from which padding was removed.
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
    host: Host = field(default_factory=Host)
    views: dict[int, list[int]] = field(default_factory=dict)
    arranged: dict[int, tuple[tuple[int, ...], Arrange]] = field(default_factory=dict)
    turned: set[int] = field(default_factory=set)
    short: set[int] = field(default_factory=set)
    _users: dict[int, list[Step]] = field(default_factory=dict)
    _passes: dict[object, list[Step]] = field(default_factory=dict)

    def value(self, held: Any, maker: int | None = None) -> int:
        """Add a value, produced by the step `maker`; return the value's number."""
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
        """Record an operation with its operands and results, and return its step.

        Args:
          name: the operation's name.
          operands: the numbers of its operands.
          held: its results.
          where: the position of the program.
          again: computes the results from other operands.
        """
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

    def view(
        self,
        of: Step,
        operands: Sequence[int],
        held: Sequence[Any],
        key: tuple[int, ...],
        passed: int,
    ) -> Step:
        """Add a step whose results are rearranged results of another step or of its iterations.

        Args:
          of: the other step, whose name and lines are copied.
          operands: the numbers of the operands.
          held: the rearranged results.
          key: identifies the new step.
          passed: the number of earlier steps with this key.
        """
        number = len(self.steps)
        results = tuple(self.value(one, number) for one in held)
        made = Step(
            number, of.name, tuple(operands), results, of.places, of.instruction, passed, key, key
        )
        self.steps.append(made)
        return made

    def copy(self) -> Trail:
        """Return a copy, to which steps and values can be added without changing the original."""
        return replace(
            self,
            steps=list(self.steps),
            values=list(self.values),
            makers=list(self.makers),
            arrays=dict(self.arrays),
            names=dict(self.names),
            views={number: list(views) for number, views in self.views.items()},
            arranged=dict(self.arranged),
            turned=set(self.turned),
            short=set(self.short),
            _users={},
            _passes={},
        )

    def parts(self, number: int) -> tuple[int, ...]:
        """Return the values of which a view consists; for any other value, the value itself."""
        return self.arranged[number][0] if number in self.arranged else (number,)

    def arrangements(self, parts: tuple[int, ...]) -> list[int]:
        """Return the views that consist of exactly these values."""
        return [view for view in self.views.get(parts[0], ()) if self.parts(view) == parts]

    def array(self, number: int) -> np.ndarray | None:
        """Return a value as a NumPy array; `None` if it is not numeric."""
        if number not in self.arrays:
            self.arrays[number] = _numeric_array(self.values[number])
        return self.arrays[number]

    def maker(self, number: int) -> Step | None:
        """Return the step that produced a value; `None` for inputs and constants."""
        made = self.makers[number]
        return None if made is None else self.steps[made]

    def users(self, number: int) -> Sequence[Step]:
        """Return the steps that use a value.

        The result is cached, so call this only after the run.
        """
        if not self._users:
            for step in self.steps:
                for operand in dict.fromkeys(step.operands):
                    self._users.setdefault(operand, []).append(step)
        return self._users.get(number, ())

    def passes_and_likes(self, step: Step) -> list[list[Step]]:
        """Return the groups of executions that `passes` returns, and a larger group if there is one.

        The larger group has all operations of the same name on the same line that are called from the same lines.
        """
        passes = self.passes(step)
        alike = self._passes["alike", step.name, step.places]
        return [*passes, alike] if len(alike) > max(map(len, passes)) else passes

    def passes(self, step: Step) -> list[list[Step]]:
        """Return all executions of a step in its loop, as a group.

        If the step has more executions in all calls of its function, these are a second group.
        """
        if not self._passes:
            for other in self.steps:
                self._passes.setdefault(("looped", other.key), []).append(other)
                self._passes.setdefault(("called", other.part), []).append(other)
                alike = ("alike", other.name, other.places)
                self._passes.setdefault(alike, []).append(other)
        looped, called = self._passes["looped", step.key], self._passes["called", step.part]
        return [looped, called] if len(called) > len(looped) else [looped]

    def wherever(self, step: Step) -> list[Step]:
        """Return all executions of a step's bytecode instruction, whatever called its function."""
        part = step.name, step.place, step.instruction
        return [s for s in self.steps if (s.name, s.place, s.instruction) == part]

    def iteration(self, step: Step) -> int | None:
        """Return the loop iteration of a step, from 0; `None` outside of loops."""
        return step.passed if self.counter.total(step.key) > 1 else None


def endured(trail: Trail, stack: Stack, run: Callable[[], Any]) -> Any:
    """Run a program; if it raises an error, record the error and the user's line."""

    def watched() -> Any:
        try:
            with listening(trail.host, stack.is_users):
                return entered(run)
        except Exception as error:
            trail.stopped = stack.raised(error)
            raise

    result = attempt(watched)
    if isinstance(result, Failure):
        trail.error = result
    return result


def _numeric_array(held: Any) -> np.ndarray | None:
    try:
        array = np.asarray(held.numpy() if hasattr(held, "numpy") else held)
    except Exception:  # noqa: BLE001 - a resource, a list of tensors, a key
        return None
    numeric = array.dtype.kind in "biufc" or array.dtype.name.startswith(("bfloat", "float"))
    return array if numeric else None
