"""Stage a program under an enclosing trace once for each answer to a question about its sizes.

Inside an enclosing `jax.jit` there are no data that decide a question about a data-dependent size, such as
`y.shape[0] == 0`. The function is then traced for both answers, and `lax.cond` chooses at run time.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import sys
from collections.abc import Callable, Mapping
from typing import Any

import jax
import jax.numpy as jnp
from jax import lax
from jax.extend.core import jaxpr_as_fun

from shims._src.errors import errors, internal, program_errors, refusals, shape_mismatches
from shims._src.lowering import collectives
from shims._src.lowering.report import Exceeded
from shims._src.platform import jax_messages
from shims._src.platform import jax_private as jp
from shims._src.platform.placement import placed_like
from shims._src.sizes import error_values, failure_codes, trace
from shims._src.sizes.decisions import Question
from shims._src.sizes.padded import OK, Padded
from shims._src.sizes.sites import OUTER_BOUND, Settled
from shims._src.tracing import own_programs, postponed_errors
from shims._src.tracing.outer_bounds import outer_bounds, with_known_bounds
from shims._src.tracing.padded_results import (
    combined_status,
    specifications,
    traced_result,
    with_status,
)
from shims._src.tracing.program import lower, measured_sizes, trace_program


@dataclasses.dataclass(frozen=True)
class _Answers:
    """The answers to questions about sizes for one program, and the sizes made constants.

    Attributes:
      given: the answers.
      settled: the constants.
      most_steps: the largest number of operations of the program.
      asked: the sizes, and operations on sizes, that the questions are about, and how many numbers each may be.
      failures: the errors of the program for some of the answers, collected for all copies.
      irreversible: the programs, of all copies, in which JAX cannot transpose a loop that it has linearized.
    """

    given: dict[tuple[str, Question], bool] = dataclasses.field(default_factory=dict)
    settled: Settled = dataclasses.field(default_factory=Settled)
    most_steps: int = sys.maxsize
    asked: dict[str, float] = dataclasses.field(default_factory=dict)
    failures: list[Exception] = dataclasses.field(default_factory=list)
    irreversible: list = dataclasses.field(default_factory=list)

    def pinned(self, pins) -> _Answers:
        """Return a copy in which more sizes are replaced by constants."""
        return dataclasses.replace(self, settled=self.settled.with_pins(pins))

    def with_endless(self, name: str) -> _Answers:
        """Return a copy in which nothing bounds one more number of iterations."""
        endless = self.settled.endless | {name}
        return dataclasses.replace(self, settled=dataclasses.replace(self.settled, endless=endless))

    def extended(self, question: trace.Undecided, answer: bool) -> _Answers:
        """Return a copy with the answer to one more question."""
        given, asked = {**self.given, question.key: answer}, {**question.sizes, **self.asked}
        return dataclasses.replace(self, given=given, asked=asked)


@dataclasses.dataclass(frozen=True, eq=False)
class _Staged:
    """A program staged for one set of answers.

    Attributes:
      call: computes the flat results and their status from the operands.
      like: the shapes and dtypes of the results.
      tree: the structure of the results.
      captured: values of the enclosing trace that the function computes with but that are not its operands.
    """

    call: Callable[[Any], tuple[list, Any]]
    like: list
    tree: Any
    captured: list


@dataclasses.dataclass(frozen=True, eq=False)
class _Outcome:
    """The results of the program of a function in the enclosing trace.

    Attributes:
      results: the flat results, which are not marked as invalid yet.
      status: their status code, or `None`.
      tree: the structure of the results.
      captured: as in `_Staged`.
    """

    results: list
    status: Any
    tree: Any
    captured: list


# The most operations of a program that is staged in the place of a converted one: a loop in it has one copy of its
# body for each iteration.
_MOST_STEPS = 5_000


def run_enclosed(f, operands, unconverted=None):
    """Call `f` as a dynamic program inside an enclosing trace; results of unknown size are `Padded`.

    Args:
      f: the function.
      operands: its operands.
      unconverted: the function without conversion of its control flow, which is staged if `f` cannot be: where Python
        decides on few sizes, that is a program for each, whatever Python does with its objects.
    """
    answers = _Answers()
    try:
        found = _outcome_of_what_runs(f, operands, answers)
        better = answers.irreversible or any(map(_is_of_operator, answers.failures))
        if unconverted is not None and better:
            with contextlib.suppress(Exception):
                found = _outcome(unconverted, operands, _Answers(most_steps=_MOST_STEPS))
    except Exception as error:
        internal.raise_if_internal(error)
        if unconverted is None:
            raise
        try:
            found = _outcome(unconverted, operands, _Answers(most_steps=_MOST_STEPS))
        except Exception:  # noqa: BLE001 - the first error is about the program as it is converted
            raise error from error.__cause__
    # Only here: a status of an answer that is not chosen at run time has no effect, also in rows of `vmap`.
    placed = [_placed(x, operands) for x in found.results]
    results = with_status(placed, found.status, _sources(operands, found.captured))
    return jax.tree.unflatten(found.tree, results)


def _placed(result, operands):
    """Let the leading axis of a `Padded` result, whose status is not set yet, be sharded as that of an operand."""
    if not isinstance(result, Padded) or 0 not in result.sizes:
        return result
    arrays = [x.values if isinstance(x, Padded) else x for x in operands]
    return Padded(placed_like(result.values, arrays), result.sizes, result.status)


def _outcome_of_what_runs(f, operands, answers: _Answers) -> _Outcome:
    """Stage the program; where the data are known, a branch that cannot be traced fails only if they take it."""
    try:
        return _outcome(f, operands, answers)
    except postponed_errors.REFUSALS as error:
        if _data_of(operands) is None or not postponed_errors.depends_on_sizes(error):
            raise
        try:
            with postponed_errors.postponed():
                return _outcome(f, operands, answers)
        except Exception as again:  # noqa: BLE001 - it fails in any case; the first error is raised
            internal.raise_if_internal(again)
            raise error from error.__cause__


def results_and_status(f, operands):
    """Call `f` as a dynamic program inside an enclosing trace; return its results, unmarked, and their status."""
    found = _outcome(f, operands, _Answers())
    return jax.tree.unflatten(found.tree, found.results), found.status


own_programs.run_by(results_and_status)


def _is_of_operator(error: Exception) -> bool:
    """Return whether an operator of converted code raised an error, not the program or JAX."""
    step = error.__traceback__
    while step is not None and step.tb_next is not None:
        step = step.tb_next
    module = "" if step is None else step.tb_frame.f_globals.get("__name__") or ""
    return module.startswith(("shims._src.autograph", "shims._src.control_flow"))


def _sources(operands, captured) -> list:
    """Return the floating-point and complex arrays that a program reads.

    If the program fails, its result is NaN, and so is the gradient of the result for these arrays.
    """
    arrays = list(captured)
    for x in operands:
        arrays += [x.values, *x.sources] if isinstance(x, Padded) else [x]
    distinct = {id(x): x for x in arrays if jnp.issubdtype(x.dtype, jnp.inexact)}
    return list(distinct.values())


def _outcome(f, operands, answers: _Answers) -> _Outcome:
    """Stage the program for these answers in the current trace.

    A loop whose number of iterations nothing bounds has no reverse-mode derivative, and is found late.
    """
    while True:
        try:
            return _outcome_if_bounded(f, operands, answers)
        except trace.EndlessLoop as loop:
            answers = _with_endless(answers, loop.name, f, operands)


def _outcome_if_bounded(f, operands, answers: _Answers) -> _Outcome:
    data = _data_of(operands)
    while True:
        state = trace.DynamicTrace(
            settled=answers.settled,
            answers=answers.given,
            most_steps=answers.most_steps,
            asked=answers.asked,
        )
        specs, arrays, sizes = specifications(state, operands)
        limits, checks = outer_bounds(operands)
        try:
            with refusals.translating():
                program = trace_program(state, f, specs, data)
                captured = [x for x in program.jaxpr.consts if jp.is_tracer(x)]
                invalid = functools.partial(error_values.invalid, _sources(operands, captured))
                values, ctx = lower(
                    program, arrays, sizes, None, limits=limits, error_value=invalid
                )
        except trace.Respecialize as wanted:
            answers = answers.pinned(wanted.pins)
            continue
        except Exception as error:
            internal.raise_if_internal(error)
            known = {} if data is None else _measured_sizes(error, f, specs, data, answers.settled)
            if not known.items() - answers.settled.pins.items():
                raise
            answers = answers.pinned(known)
            continue
        except trace.Undecided as question:
            too_deep = len(answers.given) >= trace.MOST_QUESTIONS
            if too_deep and not state.has_few_combinations(question.sizes):
                raise _too_many_questions(question) from None
            asked = _asked(question, arrays, sizes, limits)
            return _outcome_of_question(f, operands, answers, question, asked)
        return _with_checks(program, values, ctx, operands, checks, answers, captured, invalid)


def _with_endless(answers: _Answers, name: str, f, operands) -> _Answers:
    """Return the answers for a program in which nothing bounds a number of iterations; it is computed if it can be."""
    data = _data_of(operands)
    known: Mapping[str, int] = {}
    if data is not None:
        state = trace.DynamicTrace(settled=answers.settled)
        known = measured_sizes(state, f, specifications(state, operands)[0], data)
    is_new = known.items() - answers.settled.pins.items()
    return answers.pinned(known) if is_new else answers.with_endless(name)


def _with_checks(program, values, ctx, operands, checks, answers, captured, invalid) -> _Outcome:
    """Return the outcome of a lowered program, with what has to be checked when it runs."""
    for number, high in checks:
        ctx.report(Exceeded(OUTER_BOUND, high), number > high, number)
    inherited = [x.status for x in operands if isinstance(x, Padded)]
    status = combined_status(ctx.reports, inherited)
    if ctx.root.is_irreversible:
        answers.irreversible.append(program)
    if ctx.root.unread:
        values = [_without_lost_derivative(v, ctx.root.unread, invalid) for v in values]
    results = [traced_result(v) for v in values]
    if any(isinstance(x, Padded) for x in operands):
        results = [
            r if isinstance(r, Padded) else with_known_bounds(r, v)
            for r, v in zip(results, values, strict=True)
        ]
    return _Outcome(results, status, program.out_tree, captured)


def _without_lost_derivative(value, unread, invalid):
    """Return a result whose gradient is NaN where it is NaN because there was nothing to read."""
    computed = isinstance(value.array, jax.Array)  # a Python number reads nothing
    if not computed or not jnp.issubdtype(value.array.dtype, jnp.inexact):
        return value
    array = error_values.lost_where_nan(value.array, unread, invalid())
    return dataclasses.replace(value, array=array)


def _asked(question: trace.Undecided, arrays, sizes, limits):
    """Return the answer to a question, computed when the enclosing program runs."""
    number = question.number
    value, _ = lower(
        number.program,
        [*number.constants, *arrays],
        sizes,
        None,
        limits={i + len(number.constants): b for i, b in limits.items()},
        is_whole=False,
    )
    return question.key[1].holds(value[0].array)


def _outcome_of_question(f, operands, answers, question: trace.Undecided, asked) -> _Outcome:
    """Stage the program for both answers; if a step that needs a number asks, its error remains where that fails."""
    try:
        return _outcome_of_both(f, operands, answers, question, asked)
    except errors.FreshSizeError:
        if question.reason is None:
            raise
        raise errors.as_refusal(refusals.translated(question.reason)) from question.reason


def _data_of(operands) -> list | None:
    """Return the operands as concrete arrays if only derivatives are traced, as in eager `jax.grad`.

    Returns `None` if an operand is traced otherwise, or is a `Padded`.
    """
    data = [x if isinstance(x, Padded) else jp.primal_tracer(x) for x in operands]
    return None if any(isinstance(x, Padded) or jp.is_tracer(x) for x in data) else data


def _measured_sizes(error, f, specs, data, settled):
    """Return the data-dependent sizes that could be computed for this call after its trace failed."""
    known = trace.failure_of(error.__cause__ or error).measured or trace.failure_of(error).measured
    return known or measured_sizes(trace.DynamicTrace(settled=settled), f, specs, data)


def _outcome_of_both(f, operands, answers, question, asked) -> _Outcome:
    """Stage the program for both answers to `question`; `asked` chooses at run time.

    If only one answer gives a program, the results are marked as invalid where the other one holds.
    """
    staged, failures = {}, {}
    for answer in (False, True):
        try:
            staged[answer] = _staged(f, operands, answers.extended(question, answer))
        except Exception as error:  # the other answer may do
            internal.raise_if_internal(error)
            if _is_refusal(error):
                raise
            failures[answer] = error
            answers.failures.append(error)
    if len(failures) == 1:
        _stage_what_runs(f, operands, answers, question, staged, failures)
    if len(failures) == 2:
        if answers.given:
            raise failures[False]  # the earlier question has no result for this answer
        raise _both_fail(question, failures) from failures[False]
    if failures:
        (answer,) = staged
        text = _text_of_failure(question, not answer, failures[not answer])
        return _outcome_of_one(staged[answer], answer, operands, asked, text)
    no, yes = staged[False], staged[True]
    if no.tree != yes.tree or any(map(_are_unlike, no.like, yes.like)):
        # What Keras returns for nothing is of a different rank; nobody has written that case.
        is_error = no.like and (question.by_library or all(map(_raises, no.like)))
        if question.key[1] is Question.ZERO and is_error:
            return _outcome_of_one(no, False, operands, asked, _text_of_unlike_results(question))
        raise _unlike_results(question)
    forms = [_common_form(a, b) for a, b in zip(no.like, yes.like, strict=True)]

    def branch(chosen):
        def run(xs):
            results, status = chosen.call(xs)
            status = jnp.asarray(OK if status is None else status, jnp.int32)
            return list(map(_in_form, results, forms)), status

        return run

    branches = jp.varying_alike([branch(yes), branch(no)], operands)
    results, status = collectives.cond(asked, *branches, operands)
    return _Outcome(results, status, no.tree, [*no.captured, *yes.captured])


def _stage_what_runs(f, operands, answers, question, staged, failures) -> None:
    """Stage the program for the answer that fails such that a branch which cannot be traced fails only if it runs."""
    ((answer, error),) = failures.items()
    if not postponed_errors.depends_on_sizes(error):
        return
    try:
        with postponed_errors.postponed():
            staged[answer] = _staged(f, operands, answers.extended(question, answer))
    except Exception as again:  # noqa: BLE001 - the program has no result for this answer
        internal.raise_if_internal(again)
        return
    failures.clear()
    answers.failures.remove(error)


def _text_of_failure(question: trace.Undecided, answer: bool, error: Exception) -> str:
    """Return the message for data for which the program raises an error."""
    if isinstance(error, errors.OpError):
        return errors.with_place(str(error), question.line)
    return errors.message(
        "",
        f"the program raises an error for the sizes of these data: {_first_line(error)}",
        received=f"data for which `{question.text}` is {answer}",
        at=refusals.line_of_error(error) or question.line,
    )


# What JAX or a masking rule raises for a program that it cannot stage, whatever the size; also a mismatch of
# sizes, which may be one of symbols only. Any other error tells that the program has no result for that answer.
_REFUSALS = (
    jax.errors.JAXIndexError,
    jp.InconclusiveDimensionOperation,
    errors.CapacityError,
    errors.ResourceExhaustedError,
)
# Those that Python and the program raise as well.
_COMMON = (TypeError, AttributeError, NotImplementedError)


def _is_refusal(error: Exception) -> bool:
    """Return whether an error means that the program cannot be staged.

    Other errors mean that the program, for the assumed answer, raises an error instead of returning a result.
    """
    cause = error.__cause__ if isinstance(error, errors.FreshSizeError) else None
    found = cause or error
    if hasattr(error, "shims_is_refusal"):
        return True
    if refusals.is_of_staging(found) and not isinstance(found, errors.OpError):
        return True  # Python assigns in one branch only, or ends a function without a `return`
    if jax_messages.is_of_varying_axes(found):
        return True
    if refusals.is_of_static_shapes(found):
        return False  # all sizes that it is about are numbers by the answers so far
    if isinstance(found, _REFUSALS) or shape_mismatches.is_marked(error):
        return True
    return isinstance(found, _COMMON) and not program_errors.is_raised_by_program(found)


def _staged(f, operands, answers) -> _Staged:
    """Stage the program for these answers as a separate jaxpr."""
    trees = []

    def results(operands):
        found = _outcome(f, operands, answers)
        trees.append(found.tree)
        return found.results, found.status

    closed, like = jax.make_jaxpr(results, return_shape=True)(operands)
    structure = jax.tree.structure(like)

    def call(operands):
        flat = jaxpr_as_fun(closed)(*jax.tree.leaves(operands))
        return jax.tree.unflatten(structure, map(jnp.asarray, flat))  # literals are Python numbers

    captured = [x for x in closed.consts if jp.is_tracer(x)]
    return _Staged(call, like[0], trees[-1], captured)


def _outcome_of_one(staged: _Staged, answer: bool, operands, asked, text: str) -> _Outcome:
    """Return the results of the program when it can be traced for one of the two answers only.

    If the answer is the other one at run time, their status stands for the error `text`.
    """
    results, status = staged.call(operands)
    status = jnp.asarray(OK if status is None else status, jnp.int32)
    status = jnp.where(asked == answer, status, jnp.int32(failure_codes.code_of(text)))
    results = list(map(_with_place_for_status, results))
    return _Outcome(results, status, staged.tree, staged.captured)


def _with_place_for_status(x):
    """Convert an array of no elements to a `Padded`, which can carry a status.

    Other arrays are marked as invalid by their elements, such as NaN.
    """
    if isinstance(x, Padded) or x.size:
        return x
    return Padded(x, {axis: jnp.int32(0) for axis, n in enumerate(x.shape) if not n}, jnp.int32(OK))


def _raises(x) -> bool:
    """Return whether a bad status makes a result raise an error at run time instead of becoming NaN."""
    return isinstance(x, Padded) or not jnp.issubdtype(x.dtype, jnp.inexact)


def _shape_of(x):
    return x.values.shape if isinstance(x, Padded) else x.shape


def _are_unlike(a, b) -> bool:
    """Return whether two results cannot be converted to each other: their ranks or dtypes differ.

    Dtypes may differ if one is that of a Python number.
    """
    return _common_dtype(a, b) is None or len(_shape_of(a)) != len(_shape_of(b))


def _common_dtype(a, b):
    """Return the dtype to which two results can be converted, or `None`.

    Different dtypes have one only if one result is a Python number, which is promoted to the other's dtype.
    """
    if a.dtype == b.dtype:
        return a.dtype
    weak = [getattr(x, "weak_type", False) for x in (a, b)]
    promoted = jnp.promote_types(a.dtype, b.dtype)
    strong = [x.dtype for x, is_weak in zip((a, b), weak, strict=True) if not is_weak]
    return promoted if any(weak) and all(dtype == promoted for dtype in strong) else None


def _common_form(a, b):
    """Return `(dtype, capacities, dynamic axes)` to which two results can be converted.

    `lax.cond` chooses between them at run time, so they must have the same dtype and shape.
    """
    shapes = list(zip(_shape_of(a), _shape_of(b), strict=True))
    dynamic = {axis for x in (a, b) if isinstance(x, Padded) for axis in x.sizes}
    dynamic |= {axis for axis, (m, n) in enumerate(shapes) if m != n}
    return _common_dtype(a, b), tuple(max(pair) for pair in shapes), tuple(sorted(dynamic))


def _in_form(x, form):
    """Convert a result to the dtype, the capacities and the dynamic axes from `_common_form`."""
    dtype, capacities, dynamic = form
    if not dynamic:
        return lax.convert_element_type(x, dtype)
    values, sizes = (x.values, x.sizes) if isinstance(x, Padded) else (x, {})
    sizes = {axis: jnp.int32(sizes.get(axis, values.shape[axis])) for axis in dynamic}
    widths = [(0, c - n) for c, n in zip(capacities, values.shape, strict=True)]
    return Padded(jnp.pad(values.astype(dtype), widths), sizes, jnp.int32(OK))


def _both_fail(question: trace.Undecided, failures) -> Exception:
    """Return the error to raise if the program cannot be traced for either answer to a question."""
    for error in failures.values():
        if isinstance(error, (errors.OpError, errors.FreshSizeError)):  # it names the step
            return error
    return errors.FreshSizeError(
        errors.message(
            "",
            f"whether `{question.text}` is true is unknown while tracing, and the program fails in both cases.",
            received=f"if it is false: {_first_line(failures[False])}; "
            f"if it is true: {_first_line(failures[True])}",
            at=question.line,
            do="call the function through `shims.function` at the top level, where the data are known",
        )
    )


def _first_line(error: Exception) -> str:
    return f"{type(error).__name__}: {str(error).strip().splitlines()[0] if str(error) else ''}"


def _unlike_results(question: trace.Undecided) -> errors.FreshSizeError:
    return errors.FreshSizeError(
        errors.message(
            "",
            f"whether `{question.text}` is true is unknown while tracing, and the results for the two cases differ "
            "in structure, dtype or rank.",
            at=question.line,
            do=_ONE_FORM,
        )
    )


def _text_of_unlike_results(question: trace.Undecided) -> str:
    """Return the message for data without elements, for which the program has results of another form."""
    return errors.message(
        "",
        "the results for empty data and for nonempty data differ in structure, dtype or rank.",
        received=f"data for which `{question.text}`",
        at=question.line,
        do=_ONE_FORM,
    )


_ONE_FORM = (
    "call the function through `shims.function` at the top level, where the data are known, or return results of "
    "the same structure, dtype and rank in both cases"
)


def _too_many_questions(question: trace.Undecided) -> errors.FreshSizeError:
    return errors.FreshSizeError(
        errors.message(
            "",
            f"`{question.text}` is condition number {trace.MOST_QUESTIONS + 1} on data-dependent sizes; a program "
            "would be needed for every combination of true and false conditions.",
            at=question.line,
            do="compare the number instead, `shims.size(y)` with `shims.cond`, or call the function through "
            "`shims.function` at the top level, where the data are known",
        )
    )
