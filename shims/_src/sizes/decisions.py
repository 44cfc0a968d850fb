"""What a trace has taken for granted: guards over input sizes, assumptions about fresh ones."""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Callable
from typing import Any

import jax.numpy as jnp

from shims._src.errors import errors
from shims._src.platform import jax_private as jp
from shims._src.sizes import dims


@dataclasses.dataclass(frozen=True, eq=False)
class Guard:
    """A decision about input sizes that a trace depends on."""

    text: str
    holds: Callable[[dict[str, int]], bool]
    line: str


class Excluded(enum.Enum):
    """The values that an expression over fresh sizes is taken not to have."""

    ZERO = enum.auto()
    NONNEGATIVE = enum.auto()


@dataclasses.dataclass(frozen=True, eq=False)
class Assumption:
    """What was taken to be false of an expression, and is checked when the program runs.

    Attributes:
      d: an expression over fresh sizes.
      excluded: the values that it was taken not to have.
      line: the user's line that the assumption was made for.
    """

    d: Any
    excluded: Excluded
    line: str

    def broken(self, value):
        """Whether a value of the expression is an excluded one."""
        value = jnp.asarray(value, jnp.int32)
        return value == 0 if self.excluded is Excluded.ZERO else value >= 0

    def other_number(self) -> tuple[str, int] | None:
        """The size that was taken to differ from a positive number, and that number; else `None`."""
        names = jp.variables(self.d)
        if self.excluded is not Excluded.ZERO or len(names) != 1:
            return None
        (name,) = names
        at = [dims.concrete(self.d, {name: number}) for number in range(3)]
        step = at[1] - at[0]
        if abs(step) == 1 == abs(at[2] - at[1]) and -at[0] * step > 0:
            return name, -at[0] * step
        return None


class Decisions:
    """The decisions of one trace."""

    def __init__(self) -> None:
        self._guards: list[Guard] = []
        self._assumptions: list[Assumption] = []
        self._promised: set[str] = set()
        self._divisors: set[int] = set()

    @property
    def guards(self) -> tuple[Guard, ...]:
        """The decisions taken by the sizes of this call."""
        return tuple(self._guards)

    @property
    def assumptions(self) -> tuple[Assumption, ...]:
        """The assumptions, in the order in which they were made."""
        return tuple(self._assumptions)

    def hold_for(self, sizes: dict[str, int]) -> bool:
        """Whether other input sizes lead to the same decisions."""
        return all(guard.holds(sizes) for guard in self._guards)

    def decide(self, d, sizes: dict[str, int], predicate: Callable[[int], bool], text: str) -> bool:
        """Decide a question about input sizes by given ones, and guard the answer."""
        answer = bool(predicate(dims.concrete(d, sizes)))

        def holds(sizes: dict[str, int]) -> bool:
            return bool(predicate(dims.concrete(d, sizes))) == answer

        shown = text if answer else f"not ({text})"
        if all(guard.text != shown for guard in self._guards):
            self._guards.append(Guard(shown, holds, errors.user_line()))
        return answer

    def assume_nonzero(self, d) -> None:
        """Take an expression over fresh sizes not to be 0."""
        self._assumptions.append(Assumption(d, Excluded.ZERO, errors.user_line()))

    def assume_negative(self, d) -> None:
        """Take an expression over fresh sizes to be below 0."""
        self._assumptions.append(Assumption(d, Excluded.NONNEGATIVE, errors.user_line()))

    def promise(self, d) -> None:
        """Note that the sign of a dimension is checked when the program runs."""
        self._promised.add(str(d))

    def is_promised(self, d) -> bool:
        """Whether the sign of a dimension is checked when the program runs."""
        return str(d) in self._promised

    @property
    def divisors(self) -> tuple[int, ...]:
        """The numbers by which input sizes were divided without coming out even."""
        return tuple(sorted(self._divisors))

    def note_divisor(self, number: int) -> None:
        """Note that an input size was divided by a number, and that it did not come out even."""
        self._divisors.add(number)

    def mark(self) -> tuple[int, int]:
        """The present state, for `forget_since`."""
        return len(self._guards), len(self._assumptions)

    def forget_since(self, mark: tuple[int, int]) -> None:
        """Forget guards and assumptions that were added since a mark."""
        del self._guards[mark[0] :], self._assumptions[mark[1] :]
