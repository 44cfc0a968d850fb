"""Record a trace's decisions: guards on input sizes, assumptions on data-dependent sizes."""

from __future__ import annotations

import dataclasses
import enum
from typing import Any

import jax.numpy as jnp

from shims._src.errors import errors
from shims._src.platform import jax_private as jp
from shims._src.sizes import dims

# Sizes are int32 numbers.
_MOST = 2**31 - 1


class Question(enum.Enum):
    """The questions that a trace asks about an expression `d` over sizes: `d == 0` and `d >= 0`."""

    ZERO = "== 0"
    NONNEGATIVE = ">= 0"

    def holds(self, value):
        """Return the answer when the expression has the given value, a number or a traced scalar."""
        return value == 0 if self is Question.ZERO else value >= 0


@dataclasses.dataclass(frozen=True, eq=False)
class Guard:
    """A decision about input sizes that a traced program depends on; checked at every later call.

    Attributes:
      d: the expression over input sizes.
      question: the question about it.
      answer: the answer that the trace relies on.
      text: the decision as text.
      line: the user's line that asks.
    """

    d: Any
    question: Question
    answer: bool
    text: str
    line: str

    def holds(self, sizes: dict[str, int]) -> bool:
        """Return whether the answer is the same for other input sizes."""
        return bool(self.question.holds(dims.concrete(self.d, sizes))) == self.answer


@dataclasses.dataclass(frozen=True, eq=False)
class Assumption:
    """An answer to a question about data-dependent sizes, checked when the program runs.

    Attributes:
      d: the expression.
      question: the question about it.
      answer: the answer that the trace relies on.
      line: the user's line that asks.
      is_measured: whether the answer was computed from the data of the call that was traced.
    """

    d: Any
    question: Question
    answer: bool
    line: str
    is_measured: bool = False

    @property
    def premise(self) -> str:
        """The assumption as text."""
        text = f"`{self.d} {self.question.value}`"
        return text if self.answer else f"not {text}"

    def broken(self, value):
        """Return whether the assumption is wrong when its expression has the given value."""
        return self.question.holds(jnp.asarray(value, jnp.int32)) != self.answer


def least_value(assumed: Assumption, name: str, low: int) -> int:
    """Raise the lower bound `low` of the size `name` if an assumption implies a higher one."""
    found = only_zero(assumed.d)
    if found is None or found[0] != name:
        return low
    _, number = found
    if assumed.question is Question.ZERO and not assumed.answer:
        return low + 1 if number == low else low
    rises = dims.concrete(assumed.d, {name: number + 1}) > 0
    if assumed.question is Question.NONNEGATIVE and rises == assumed.answer:
        return max(low, number if rises else number + 1)
    return low


def greatest_value(assumed: Assumption, name: str, high: int) -> int:
    """Reduce the upper bound `high` of the size `name` if an assumption implies a lower one."""
    found = only_zero(assumed.d)
    if found is None or found[0] != name or assumed.question is not Question.NONNEGATIVE:
        return high
    _, number = found
    rises = dims.concrete(assumed.d, {name: number + 1}) > 0
    if rises == assumed.answer:
        return high
    return min(high, number - 1 if rises else number)


def only_zero(d) -> tuple[str, int] | None:
    """Return `(size, number)` if an expression over one size is 0 exactly if the size is `number`.

    Returns `None` for other expressions, and if no such number exists.
    """
    names = jp.variables(d)
    if len(names) != 1 or not dims.is_linear(d):
        return None
    (name,) = names
    first, second = (dims.concrete(d, {name: number}) for number in range(2))
    number, rest = divmod(-first, second - first)
    return (name, number) if rest == 0 and number >= 0 else None


class Decisions:
    """The guards and assumptions of one trace."""

    def __init__(self) -> None:
        self._guards: list[Guard] = []
        self._assumptions: list[Assumption] = []
        self._promised: set[str] = set()
        self._divisors: set[int] = set()

    @property
    def guards(self) -> tuple[Guard, ...]:
        """The guards, which state what holds for the input sizes of this call."""
        return tuple(self._guards)

    @property
    def assumptions(self) -> tuple[Assumption, ...]:
        """The assumptions, in the order in which they were made."""
        return tuple(self._assumptions)

    def hold_for(self, sizes: dict[str, int]) -> bool:
        """Return whether all guards also hold for the given input sizes."""
        return all(guard.holds(sizes) for guard in self._guards)

    def decide(self, d, sizes: dict[str, int], question: Question, text: str) -> bool:
        """Answer a question about a dimension for given input sizes; add a guard on the answer."""
        answer = bool(question.holds(dims.concrete(d, sizes)))
        shown = text if answer else f"not ({text})"
        if all(guard.text != shown for guard in self._guards):
            self._guards.append(Guard(d, question, answer, shown, errors.user_line()))
        return answer

    def answered(self, d, question: Question, answer: bool, *, is_measured: bool = False) -> bool:
        """Add the answer to a question about data-dependent sizes as an assumption; return the answer."""
        line = errors.user_line()
        self._assumptions.append(Assumption(d, question, answer, line, is_measured))
        jp.forget_bounds(d)
        return answer

    def least(self, name: str) -> int:
        """Return the lower bound of a data-dependent size that follows from the assumptions so far."""
        low = 0
        for assumed in self._assumptions:
            low = least_value(assumed, name, low)
        return low

    def most(self, name: str, high: int = _MOST) -> int:
        """Return the upper bound of a data-dependent size that follows from `high` and the answers so far."""
        for assumed in self._assumptions:
            high = greatest_value(assumed, name, high)
        return high

    def only_value(self, name: str) -> int | None:
        """Return the number that a data-dependent size has by the answers so far, or `None`."""
        high = self.most(name)
        return high if high < _MOST and high == self.least(name) else None

    def earlier_answer(self, d, question: Question) -> bool | None:
        """Return the answer that this trace has already assumed for the same question, or `None`."""
        text = str(d)
        for known in self._assumptions:
            if known.question is question and str(known.d) == text:
                return known.answer
        return None

    def promise(self, d) -> None:
        """Record that the traced program itself checks at run time that a dimension is not negative."""
        self._promised.add(str(d))

    def is_promised(self, d) -> bool:
        """Return whether the traced program checks at run time that a dimension is not negative."""
        return str(d) in self._promised

    @property
    def divisors(self) -> tuple[int, ...]:
        """The divisors of the remainders (`n % 8`) of input sizes that the program computed."""
        return tuple(sorted(self._divisors))

    def note_divisor(self, number: int) -> None:
        """Record that the program computed the remainder of an input size divided by `number`."""
        self._divisors.add(number)

    def mark(self) -> tuple[int, int]:
        """Return the current numbers of guards and assumptions, to be passed to `forget_since`."""
        return len(self._guards), len(self._assumptions)

    def all_since(self, mark: tuple[int, int]) -> tuple[list[Guard], list[Assumption]]:
        """Return the guards and assumptions added since `mark()`."""
        return self._guards[mark[0] :], self._assumptions[mark[1] :]

    def add(self, kept: tuple[list[Guard], list[Assumption]]) -> None:
        """Add guards and assumptions that `all_since` returned before they were forgotten."""
        self._guards += kept[0]
        self._assumptions += kept[1]

    def forget_since(self, mark: tuple[int, int]) -> bool:
        """Remove the guards and assumptions added since `mark()`; return whether there were any."""
        found = self.mark() != mark
        for assumed in self._assumptions[mark[1] :]:
            jp.forget_bounds(assumed.d)
        del self._guards[mark[0] :], self._assumptions[mark[1] :]
        return found
