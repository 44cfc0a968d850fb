"""Define the state of a dynamic trace: its sizes, decisions and value numbers."""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
import math
import re
import sys
import types
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from jax import export

from shims._src.errors import errors
from shims._src.platform import jax_private as jp
from shims._src.platform import user_frames
from shims._src.platform.thread_state import ThreadSlot
from shims._src.sizes import dims, possible_values, room, size_bounds
from shims._src.sizes.decisions import Decisions, Question, only_zero
from shims._src.sizes.ended_traces import EndedTraces
from shims._src.sizes.fresh_sizes import FreshSizes
from shims._src.sizes.possible_values import KnownExpressions
from shims._src.sizes.sites import Settled, Site, SiteKind

_CURRENT: ThreadSlot[DynamicTrace | None] = ThreadSlot(None)
_SERIALS = itertools.count()
_CALLS = itertools.count(1)
# After this number of traces, JAX forgets what it traced inside of them.
_MOST_ENDED = 1000
# The largest number of questions on the way to one program; there is a program for each combination of answers.
MOST_QUESTIONS = 6
# The number of values of each size that are tried for an example.
_MOST_TRIED = 20


class Signal(BaseException):
    """Ends a trace; no `except Exception` of the traced code catches it, and if other code does, it is kept."""

    def __init__(self, text: str):
        super().__init__(text)
        state = current()
        if state is not None:
            state.raised.append(self)


class Respecialize(Signal):
    """Raised during tracing when the program must be traced again with sizes as constants.

    Attributes:
      names: the input sizes that are to be constants.
      pins: the data-dependent sizes that are to be constants, with their values.
      reason: why, if that is to be reported to the user.
    """

    def __init__(
        self,
        names: frozenset[str] = frozenset(),
        pins: Mapping[str, int] | None = None,
        reason: str = "",
    ):
        super().__init__(reason or ", ".join(sorted([*names, *(pins or {})])))
        self.reason = reason
        self.names = names
        self.pins = dict(pins or {})


class EndlessLoop(BaseException):
    """Raised when a program is lowered in which nothing bounds the number of iterations of a loop.

    Attributes:
      name: the size that is the number of iterations.
    """

    def __init__(self, name: str):
        super().__init__(name)
        self.name = name


class Undecided(Signal):
    """Raised during tracing when a question about data-dependent sizes needs one program per answer.

    Attributes:
      number: the program that computes the expression from the inputs.
      key: the expression and the question about it.
      text: the question as text, for messages.
      sizes: the data-dependent sizes in the expression, or operations on them, and how many numbers each may be.
      reason: the error of a step that needs the number of a size, if that asks.
      line: the user's line that asks.
      by_library: whether JAX or a library written for it asks, such as Keras, on behalf of that line.
    """

    def __init__(self, number: Any, key: tuple[str, Question], text: str, sizes: dict[str, float]):
        super().__init__(text)
        self.number, self.key, self.text, self.sizes = number, key, text, sizes
        self.reason: Exception | None = None
        self.line = errors.user_line()
        self.by_library = user_frames.library_calls()


@dataclasses.dataclass(frozen=True)
class Failure:
    """The facts about a failed trace that help to trace the program again.

    Attributes:
      measured: the data-dependent sizes in this call, as far as they were computed.
      divisors: the numbers by which the program divided input sizes to compute a remainder.
    """

    measured: Mapping[str, int] = dataclasses.field(default_factory=dict)
    divisors: tuple[int, ...] = ()


_FAILURE = "shims_failure"


def note_failure(error: Exception, state: DynamicTrace, measured: Mapping[str, int]) -> None:
    """Attach a `Failure` to the error that ended a trace."""
    failure = Failure(measured, state.decisions.divisors)
    setattr(error, _FAILURE, failure)


def failure_of(error: Exception) -> Failure:
    """Return the `Failure` that `note_failure` attached to an error."""
    return getattr(error, _FAILURE, Failure())


class ValueNumbers:
    """The value numbers of one trace: equal computations have equal numbers."""

    def __init__(self) -> None:
        self._numbers: dict[object, int] = {}
        self._next = 0
        self._kept: dict[object, object] = {}
        self._known: dict[int, tuple[object, int]] = {}
        self._with_kept, self._with_known = EndedTraces(), EndedTraces()

    def of(self, key: object) -> int:
        """Return the number of the computation described by `key`, a new one for a new key."""
        number = self._numbers.setdefault(key, self._next)  # hashes the key only once
        self._next += number == self._next
        return number

    def known(self, x: object) -> int | None:
        """Return the number stored by `remember` for an object, or `None`."""
        found = self._known.get(id(x))
        return None if found is None else found[1]

    def remember(self, x: object, number: int) -> int:
        """Store the number of an object until `forget` or `forget_objects`, and return it."""
        self._known[id(x)] = x, number
        self._with_known.note(x, id(x))
        return number

    def keep(self, x: object, key: object) -> object:
        """Keep an object alive whose `id` is part of `key`, so that the `id` is not reused."""
        self._kept[key] = x
        self._with_kept.note(x, key)
        return key

    def forget(self, ended) -> None:
        """Drop the tracers of the JAX trace `ended`, and the keys that contain their `id`."""
        for identity in self._with_known.keys(ended):
            self._known.pop(identity, None)
        for key in self._with_kept.keys(ended):
            if jp.is_tracer_of(self._kept.get(key), ended):
                del self._kept[key]
                self._numbers.pop(key, None)

    def forget_objects(self) -> None:
        """Drop all numbers stored by `remember`, because these entries keep their objects alive."""
        self._known.clear()


class DynamicTrace:
    """The state of one dynamic trace.

    Args:
      sizes: the values of the input dimension variables in this call (empty if unknown).
      settled: what earlier runs found out: sizes to replace by constants, capacities of buffers.
      may_assume: whether the caller can trace again when an assumption fails.
      answers: the answers to questions about data-dependent sizes, by expression and question; a question
        without an answer ends the trace with `Undecided`. `None` if questions are not answered this way.
      most_steps: the largest number of operations in the program.
      asked: the sizes, and operations on sizes, that the questions answered in `answers` are about, and how many
        numbers each may be.

    Attributes:
      fresh: the data-dependent sizes.
      decisions: the guards and assumptions.
      numbers: the value numbers.
      expressions: the expressions over sizes, each written in one way.
      may_assume: as passed.
      raised: the refusals of the trace so far, which must end it.
      awaited: functions that add the checks which the step that is being staged needs.
      function: the function that is traced.
      outside: the objects that it reaches, by `id`, once they are asked for.
      manual_axes: the mesh axes of `shard_map` around the program.
      decided_at: lines of the program that handle errors, with the sizes about which every question was decided.
      has_traced_numbers: whether arrays stand for Python numbers in the program, such as the results of `int`.
      recursions: statements whose branches call the function that contains them, by their code, with the number of
        times that data have decided them.
    """

    def __init__(
        self,
        sizes: Mapping[str, int] = types.MappingProxyType({}),
        settled: Settled | None = None,
        may_assume: bool = False,
        answers: Mapping[tuple[str, Question], bool] | None = None,
        most_steps: int = sys.maxsize,
        asked: Mapping[str, float] = types.MappingProxyType({}),
    ):
        self.fresh = FreshSizes()
        self.decisions = Decisions()
        self.numbers = ValueNumbers()
        self.expressions = KnownExpressions()
        self.may_assume = may_assume
        self.raised: list[BaseException] = []
        self.awaited: list[Callable[[], None]] = []
        self.function: Any = None
        self.outside: dict[int, Any] | None = None
        self.manual_axes = jp.manual_axes()
        self.decided_at: set[tuple[str, str]] = set()
        self.has_traced_numbers = False
        self.recursions: dict[types.CodeType, int] = {}
        self._answers = answers
        self._steps_left = most_steps
        self._asked = asked
        self._measure: Callable[[Any], Any] | None = None
        self._program_of: Callable[[Any], Any] | None = None
        self._sizes = dict(sizes)
        self._settled = Settled() if settled is None else settled.with_pins({})
        self._scope = export.SymbolicScope()
        self._dimensions: dict[str, Any] = {}
        self._origins: dict[str, str] = {}
        self._sized: dict[object, tuple[str, Any]] = {}
        self._limits = 0
        self._buffers = 0
        self._serial = next(_SERIALS)

    def forget_function(self) -> None:
        """Drop the function, with the arguments that it holds, once its program is not traced any more."""
        self.function = self.outside = None

    def count_step(self) -> None:
        """Count one more operation of the program.

        Raises:
          SpecializationError: there are more than the trace allows.
        """
        self._steps_left -= 1
        if self._steps_left < 0:
            raise errors.SpecializationError(
                errors.message("", "the program has too many operations.")
            )

    def new_buffer(self, first: int) -> tuple[Site, int]:
        """Create the site of a new buffer; return `(site, capacity)`.

        The capacity is `first`, or a larger one to which the buffer grew in an earlier run.
        """
        self._buffers += 1
        site = Site(SiteKind.BUFFER, f"{SiteKind.BUFFER.value}{self._buffers}")
        return site, self._settled.buffers.get(site, first)

    def new_limit(self) -> Site:
        """Create the site of a bound that the program states with `shims.bounded`."""
        self._limits += 1
        return Site(SiteKind.BOUND, f"{SiteKind.BOUND.value}{self._limits}")

    # ---- sizes -------------------------------------------------------------------------------

    def dimension(self, name: str):
        """Return the symbolic dimension called `name` in this trace's scope."""
        if name not in self._dimensions:
            self._dimensions[name] = jp.dimension_variable(name, self._scope)
        return self._dimensions[name]

    def owns(self, d) -> bool:
        """Return whether a dimension is symbolic and belongs to this trace."""
        return jp.is_symbolic(d) and jp.same_scope(d, self._scope)

    @property
    def input_sizes(self) -> Mapping[str, int]:
        """The values of the input dimension variables in this call."""
        return self._sizes

    def is_input_only(self, d) -> bool:
        """Return whether all variables of a dimension are input sizes with known values."""
        return all(v in self._sizes for v in jp.variables(d))

    def value(self, d) -> int:
        """Return the value in this call of a dimension that contains only input sizes."""
        return dims.concrete(d, self._sizes)

    def declare_input(self, name: str, size: int):
        """Set the value of an input dimension variable in this call; return the dimension."""
        self._sizes[name] = size
        return self.dimension(name)

    def declare_fresh(self, name: str):
        """Treat an input dimension variable as data-dependent during this trace; return the dimension."""
        self.fresh.declare(name, self.dimension(name))
        return self.dimension(name)

    def size_of(self, key: object, source) -> tuple[str, Any]:
        """Return `(name, dimension)` of the data-dependent size that a mask or count determines.

        If the size has been replaced by a constant, the dimension is that number.

        Args:
          key: identifies the computation of `source`; equal computations have equal keys.
          source: the mask or count.
        """
        if key not in self._sized:
            name = self.fresh.new()
            self.fresh.made_from(name, source)
            self._origins[name] = errors.user_line()
            pinned = self._settled.pins.get(name)
            if pinned is not None:
                room.check_capacity("", pinned)
            self._sized[key] = name, self.dimension(name) if pinned is None else pinned
        elif self.fresh.is_over(self._sized[key][0]):
            self.fresh.made_again(self._sized[key][0], source)
        else:
            return self._sized[key]
        # An inner `jax.jit` called again must not give the size of its first call.
        jp.set_trace_key(self.key())
        return self._sized[key]

    def key(self):
        """Return a key for JAX's trace caches that changes when cached programs may be invalid."""
        return ("shims", self._serial, self.fresh.version)

    def forget_inner_programs(self) -> None:
        """Make JAX trace inner programs again, because cached ones are valid for their first call only."""
        self.fresh.changed()
        jp.set_trace_key(self.key())

    def forget(self, ended) -> None:
        """Drop the tracers of the JAX trace `ended`, since JAX reports tracers that leak."""
        self.numbers.forget(ended)
        self.fresh.forget(ended)

    # ---- decisions ---------------------------------------------------------------------------

    def decide(self, d, question: Question, text: str) -> bool:
        """Answer a question about a dimension of input sizes in this call; add a guard on the answer."""
        return self.decisions.decide(d, self._sizes, question, text)

    @contextlib.contextmanager
    def tracing(self, program_of: Callable[[Any], Any], measure: Callable[[Any], Any] | None):
        """Open a block in which the program is traced.

        Args:
          program_of: returns the program that computes a dimension from the inputs; `None` if there is none.
          measure: evaluates such a program for the data of this call; `None` if there are no data.
        """
        self._program_of, self._measure = program_of, measure
        try:
            yield
        finally:
            self._program_of = self._measure = None

    def decides_on_sizes_since(self, count: int, mark: tuple[int, int]) -> bool:
        """Return whether answers since `decisions.mark()` are about sizes that were made since there were `count`."""
        _, assumptions = self.decisions.all_since(mark)
        names = set().union(*(jp.variables(known.d) for known in assumptions))
        return any(self.fresh.number_of(name) >= count for name in names if name in self.fresh)

    def answer(self, d, question: Question, text: str) -> bool | None:
        """Answer a question about data-dependent sizes; the answer is checked when the program runs.

        Args:
          d: the expression, which contains a data-dependent size.
          question: the question about it.
          text: the question as text.

        Returns:
          The answer; `None` if nothing decides it.

        Raises:
          Respecialize: a size is a certain number, on which the code that follows may rely.
          Undecided: the program must be staged for both answers.
        """
        known = self.decisions.earlier_answer(d, question)
        if known is not None:
            return known
        number = None if self._program_of is None else self._program_of(d)
        if number is None:
            return None
        if self._measure is not None:
            value = self._measure(number)
            if value is None:
                return None
            return self._take(d, question, bool(question.holds(value)), is_measured=True)
        if self._answers is None:
            return None
        given = self._answers.get((str(d), question))
        if given is None:
            given = self._implied(d, question)
            if given is not None:
                return given
            raise Undecided(number, (str(d), question), text, self.numbers_of(d))
        return self._take(d, question, given, is_measured=False)

    def _implied(self, d, question: Question) -> bool | None:
        """Return the answer that follows from the earlier answers, or `None`."""
        domain = size_bounds.domain(self, d)
        possible = None if domain is None else self._possible(domain)
        if domain is None or possible is None:
            return None
        answers = possible_values.answers_over(jp.form(d), question, domain)
        left = [] if answers is None else np.unique(answers[possible]).tolist()
        return left[0] if len(left) == 1 else None

    def _possible(self, domain: possible_values.Domain) -> np.ndarray | None:
        """Return which sizes are possible by the answers so far, one axis per size; `None` if they are too many."""
        names = {name for name, _ in domain}
        premises = [
            (jp.form(known.d), known.question, known.answer)
            for known in self.decisions.assumptions
            if jp.variables(known.d) <= names
        ]
        return possible_values.where_all_hold(domain, premises)

    def example(self, sizes) -> dict[str, int]:
        """Return numbers for the variables of sizes, such that all answers so far hold."""
        names = sorted(set().union(*map(jp.variables, sizes)))
        free = [name for name in names if name not in self._sizes]
        ranges = [range(low := self.decisions.least(n), low + _MOST_TRIED) for n in free]
        for numbers in itertools.product(*ranges):
            found = {**self._sizes, **dict(zip(free, numbers, strict=True))}
            known = (k for k in self.decisions.assumptions if jp.variables(k.d) <= found.keys())
            if all(k.question.holds(dims.concrete(k.d, found)) == k.answer for k in known):
                return found
        raise errors.FreshSizeError(
            errors.message(
                "",
                f"an operation is invalid for some sizes {', '.join(map(str, sizes))}, and no numbers were found "
                "that meet all earlier conditions on these sizes.",
            )
        )

    def _only_number(self, name: str) -> int | None:
        """Return the only number that a size can be by the answers so far, or `None`."""
        domain = size_bounds.domain(self, self.dimension(name))
        possible = None if domain is None else self._possible(domain)
        if domain is None or possible is None:
            return self.decisions.only_value(name)
        (found,) = np.nonzero(possible)
        return domain[0][1][0] + int(found[0]) if len(found) == 1 else None

    def decide_if_one(self, d) -> None:
        """Decide whether a size is 1, which broadcasts, where that is decided before the run.

        A call at the top level is traced again if the size turns out to be 1. Under an enclosing trace the program is
        staged for both answers, unless it has too many already.

        Raises:
          Respecialize: the size is 1.
          Undecided: the program must be staged for both answers.
        """
        if str(d) in self.fresh and self.may_answer(d - 1, Question.ZERO):
            self.answer(d - 1, Question.ZERO, f"{d} == 1")

    def may_answer(self, d, question: Question) -> bool:
        """Return whether one more question is decided before the run: by data, or by a program for each answer."""
        if self._answers is None:
            return False
        return self._measure is not None or self.may_ask(d, question, 1)

    def may_ask(self, d, question: Question, count: int) -> bool:
        """Return whether a question is answered, or whether the `count` questions from it on are few enough."""
        given = self._answers
        if given is None or (str(d), question) in given or len(given) + count <= MOST_QUESTIONS:
            return True
        return self.has_few_combinations(self.numbers_of(d))

    def parts(self, d) -> dict[Any, float]:
        """Return the sizes in an expression, or operations on sizes that have fewer values, with the numbers of values."""
        found: dict[Any, float] = {}
        for part in jp.factors(d):
            sizes = {self.dimension(name): self._count_of(name) for name in self.fresh.of(part)}
            low, high = size_bounds.extremes(self, part) or (0, math.inf)
            is_asked = all(str(size) in self._asked for size in sizes)
            fewer = not is_asked and high - low + 1 < math.prod(sizes.values())
            found |= {part: high - low + 1} if fewer else sizes
        return found

    def numbers_of(self, d) -> dict[str, float]:
        """Return what `parts` does, by text."""
        return {str(part): count for part, count in self.parts(d).items()}

    def _count_of(self, name: str) -> float:
        high = self.fresh.bound(name)
        if high is None or jp.is_symbolic(high):
            return math.inf
        return self.decisions.most(name, high) - self.decisions.least(name) + 1

    def has_few_combinations(self, numbers: Mapping[str, float]) -> bool:
        """Return whether what was asked for so far, and some more numbers, have few combinations."""
        return math.prod({**numbers, **self._asked}.values()) <= 2**MOST_QUESTIONS

    def pinned(self, d) -> int | None:
        """Return the number by which an operation on sizes is replaced in this trace, or `None`."""
        return self._settled.pins.get(str(d)) if self._settled.pins else None

    def _take(self, d, question: Question, answer: bool, *, is_measured: bool) -> bool:
        pin = only_zero(d) if answer and question is Question.ZERO else None
        if pin is None:
            self.decisions.answered(d, question, answer, is_measured=is_measured)
            for name in self.fresh.of(d):
                only = self._only_number(name)
                pin = pin if only is None else (name, only)
        if pin is not None and pin[0] in self.fresh and pin[0] not in self._settled.pins:
            raise Respecialize(pins=dict([pin]))
        if question is Question.ZERO and answer:
            self.decisions.answered(d, question, answer, is_measured=is_measured)
        return answer

    def pin_operations(self, d) -> None:
        """Trace again with the number of an operation on sizes that has only one by the answers so far.

        Answers that follow from the question about that operation are asked for again.
        """
        for part in jp.factors(d):
            domain = None if str(part) in self.fresh else size_bounds.domain(self, part)
            possible = None if domain is None else self._possible(domain)
            values = None if domain is None else possible_values.over(jp.form(part), domain)
            if possible is None or values is None:
                continue
            left = np.unique(values[possible]).tolist()
            if len(left) == 1 and str(part) not in self._settled.pins:
                raise Respecialize(pins={str(part): left[0]})

    @property
    def has_data(self) -> bool:
        """Whether questions about data-dependent sizes are decided by the data of the current call."""
        return self._measure is not None

    def pin(self, d, reason: str = "") -> None:
        """Trace again with the data-dependent sizes in `d` as constants, if computable in this call.

        Raises:
          Respecialize: with these constants.
        """
        names = sorted(self.fresh.of(d))
        numbers = [self._program_of and self._program_of(self.dimension(n)) for n in names]
        if self._measure is None or None in numbers:
            return
        values = [self._measure(number) for number in numbers]
        if None not in values:
            raise Respecialize(pins=dict(zip(names, map(int, values), strict=True)), reason=reason)

    def is_measured(self, name: str) -> bool:
        """Return whether a size was replaced by the value that it has in the traced call."""
        return name in self._settled.measured

    def is_endless(self, name: str) -> bool:
        """Return whether an earlier trace found that nothing bounds this number of iterations."""
        return name in self._settled.endless

    def is_zero(self, d, text: str) -> bool:
        """Return whether an expression over sizes is 0; if this cannot be decided, assume that it is not."""
        answer = self.answer(d, Question.ZERO, text)
        if answer is None:
            return self.decisions.answered(d, Question.ZERO, False)
        return answer

    def assume_some(self, d) -> None:
        """Assume that a data-dependent size `d` is not 0, because the program has no meaning otherwise."""
        if self.owns(d) and not self.is_input_only(d):
            self.is_zero(d, f"{d} == 0")

    # ---- messages ----------------------------------------------------------------------------

    @property
    def origins(self) -> Mapping[str, str]:
        """The line of user code that created each data-dependent size."""
        return types.MappingProxyType(self._origins)

    def note_origin(self, name: str, text: str) -> None:
        """Record a text that says where a size comes from, for messages."""
        self._origins[name] = text

    def with_origins(self, text: str) -> str:
        """Append to a message, for each data-dependent size named in it, the user's line that created it."""
        named = set(re.findall(r"\w+", text))
        return errors.with_sizes(text, {n: line for n, line in self._origins.items() if n in named})


def forget_ended() -> None:
    """Let JAX forget the inner programs of traces that have ended, once there are many; called outside of traces."""
    if next(_CALLS) % _MOST_ENDED == 0:
        jp.forget_inner_traces()


def current() -> DynamicTrace | None:
    """Return the dynamic trace in progress in this thread, or `None`."""
    return _CURRENT.value


@contextlib.contextmanager
def resume(state: DynamicTrace | None):
    """Open a block in which `state` is the current dynamic trace; with `None` there is none.

    The hooks must have been installed before, see `program.trace_program`.
    """
    outer, before = _CURRENT.value, jp.trace_key()
    _CURRENT.value = state
    if state is not None:
        state.fresh.resumed()
    jp.set_trace_key(None if state is None else state.key())
    try:
        yield state
    finally:
        # A block that an interrupt has left behind ends at any time, when another trace may be the current one.
        if _CURRENT.value is state:
            _CURRENT.value = outer
            jp.set_trace_key(before)
