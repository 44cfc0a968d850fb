"""Record the decisions of a trace: guards on input sizes, assumptions about data-dependent ones."""

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
    """The values that a trace assumes an expression over data-dependent sizes not to have.

    For example, `u0 - 3` is assumed not to be zero if `u0 == 3` was answered with False.
    """

    ZERO = enum.auto()
    NONNEGATIVE = enum.auto()


@dataclasses.dataclass(frozen=True, eq=False)
class Assumption:
    """An assumption about an expression over data-dependent sizes, checked when the program runs.

    Attributes:
      d: the expression.
      excluded: the values that it is assumed not to have.
      line: the user's line that needs the assumption.
    """

    d: Any
    excluded: Excluded
    line: str

    def broken(self, value):
        """Return whether a value of the expression contradicts the assumption."""
        value = jnp.asarray(value, jnp.int32)
        return value == 0 if self.excluded is Excluded.ZERO else value >= 0

    def other_number(self) -> tuple[str, int] | None:
        """Return `(size, number)` if the assumption is `size != number` for a positive number, or `None`."""
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
    """The decisions of one trace: guards and assumptions."""

    def __init__(self) -> None:
        self._guards: list[Guard] = []
        self._assumptions: list[Assumption] = []
        self._promised: set[str] = set()
        self._divisors: set[int] = set()

    @property
    def guards(self) -> tuple[Guard, ...]:
        """The guards: decisions based on the input sizes of this call."""
        return tuple(self._guards)

    @property
    def assumptions(self) -> tuple[Assumption, ...]:
        """The assumptions, in the order in which they were made."""
        return tuple(self._assumptions)

    def hold_for(self, sizes: dict[str, int]) -> bool:
        """Return whether all guards also hold for the given input sizes."""
        return all(guard.holds(sizes) for guard in self._guards)

    def decide(self, d, sizes: dict[str, int], predicate: Callable[[int], bool], text: str) -> bool:
        """Evaluate a predicate of a dimension for the given input sizes, and add a guard on the answer."""
        answer = bool(predicate(dims.concrete(d, sizes)))

        def holds(sizes: dict[str, int]) -> bool:
            return bool(predicate(dims.concrete(d, sizes))) == answer

        shown = text if answer else f"not ({text})"
        if all(guard.text != shown for guard in self._guards):
            self._guards.append(Guard(shown, holds, errors.user_line()))
        return answer

    def assume_nonzero(self, d) -> None:
        """Assume that an expression over data-dependent sizes is not 0."""
        self._assumptions.append(Assumption(d, Excluded.ZERO, errors.user_line()))

    def assume_negative(self, d) -> None:
        """Assume that an expression over data-dependent sizes is negative."""
        self._assumptions.append(Assumption(d, Excluded.NONNEGATIVE, errors.user_line()))

    def promise(self, d) -> None:
        """Record that the program itself checks the sign of a dimension at run time."""
        self._promised.add(str(d))

    def is_promised(self, d) -> bool:
        """Return whether the program itself checks the sign of a dimension at run time."""
        return str(d) in self._promised

    @property
    def divisors(self) -> tuple[int, ...]:
        """The numbers by which input sizes were divided with a remainder."""
        return tuple(sorted(self._divisors))

    def note_divisor(self, number: int) -> None:
        """Record that an input size was divided by a number with a remainder."""
        self._divisors.add(number)

    def mark(self) -> tuple[int, int]:
        """Return the current position, for `forget_since`."""
        return len(self._guards), len(self._assumptions)

    def forget_since(self, mark: tuple[int, int]) -> None:
        """Remove the guards and assumptions that were added since a mark."""
        del self._guards[mark[0] :], self._assumptions[mark[1] :]
