"""Execute `if`, `while` and `for` in converted code, staged if values are traced.

The converters pass each block of code as a function without arguments, and two functions that get and
set the variables that the block shares with the code around it.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
from collections.abc import Callable, Iterator

import jax
import jax.numpy as jnp

from shims._src.arguments.conversion import as_array
from shims._src.autograph import (
    aliases,
    directives,
    effects,
    expressions,
    lists,
    sizes,
)
from shims._src.autograph.grown_lists import fixed
from shims._src.autograph.if_statements import stage_if
from shims._src.autograph.iteration import (
    as_python,
    counters_in,
    depends_on_sizes,
    is_traced_iterable,
    items_of,
    known_length,
)
from shims._src.control_flow import growing, recursion, untaken_branches
from shims._src.control_flow.loop_state import LoopState
from shims._src.control_flow.loops import raise_unbounded, stage_counted, stage_scan, stage_while
from shims._src.control_flow.staging import (
    ambient_is_staging,
    aval_of,
    current_value,
    is_number,
    is_staged,
    is_weak,
    slice_avals,
)
from shims._src.control_flow.undefined import Undefined
from shims._src.errors import errors
from shims._src.lowering.refusals import ragged_rows_error
from shims._src.platform import jax_private as jp
from shims._src.recording import snapshots
from shims._src.sizes import loop_numbers, primitives, trace
from shims._src.tracing import handled_errors
from shims._src.tracing.size_questions import (
    depend_on_data,
    exceeds_int32,
    known_comparison,
    question_of,
)

# The most iterations of a loop that Python runs because it could not be staged.
_MOST_UNROLLED = 1_000
# The most iterations of a loop that the data of a call decide one by one.
_MOST_DECIDED = 128
_ENDLESS = (itertools.count, itertools.cycle, itertools.repeat)


def if_stmt(condition, body, orelse, get_state, set_state, names, nouts) -> None:
    """Execute `if condition: body() else: orelse()`.

    Of the variables `names`, the first `nouts` are used after the statement.
    """
    condition = expressions.decided_where_handled(current_value(condition))
    question, known = question_of(condition), known_comparison(condition)
    holds: bool | None = known
    if known is None and question is None and not is_staged(condition):
        holds = bool(condition)
    elif known is None:
        stage = functools.partial(
            _stage_if, condition, question, body, orelse, get_state, set_state, names, nouts
        )
        found, decided = recursion.staged(condition, body, stage)
        holds = found if decided is None else decided
    if holds is None:
        return
    if holds:
        body()
    else:
        orelse()


def _stage_if(condition, question, body, orelse, get_state, set_state, names, nouts) -> bool | None:
    """Stage an `if` statement; return `None`, or whether the condition holds if Python has to run the statement."""
    if question is not None:
        watched = effects.staging(lambda: True, body, orelse)
        with sizes.attempt() as failure, watched:
            stage_if(question.array(), body, orelse, get_state, set_state, names, nouts)
        if not failure:
            return None
        condition = _assumed_answer(question, failure)
    if is_staged(condition):
        of_sizes = functools.partial(effects.is_of_sizes, condition)
        raised = None if of_sizes() else condition
        try:
            with effects.unless_found() as found, effects.staging(of_sizes, body, orelse):
                stage_if(condition, body, orelse, get_state, set_state, names, nouts, raised)
            if not found:
                return None
        except untaken_branches.DependsOnIteration:
            holds = untaken_branches.decided(condition)
            if holds is None:
                raise
            condition = holds
    return bool(condition)


def _assumed_answer(question, failure) -> bool:
    """Return the answer that the trace gives to a comparison of sizes, after staging failed."""
    try:
        return question.answer()
    except errors.FreshSizeError as error:
        raise error from failure[0]


def while_stmt(test, body, get_state, set_state, names, options) -> None:
    """Execute `while test(): body()`; from the first iteration whose test is traced on, it is staged."""
    del options
    asked, is_decided = _sizes_of_test(test, get_state, set_state, names), False
    failure: list[Exception] = []
    if any(map(exceeds_int32, asked)):  # so may the variables of the loop, as integers of Python
        is_decided = True
    elif asked:
        watched = effects.staging(lambda: depend_on_data(asked), test, body)
        with sizes.attempt() as failure, watched:
            _stage_while(test, body, get_state, set_state, names)
        if not failure:
            return
        is_decided = depend_on_data(asked)
    before = [value if is_number(value) else None for value in get_state()]
    stage = functools.partial(_stage_while, test, body, get_state, set_state, names, before)
    for iteration in itertools.count():
        if failure and iteration == _MOST_UNROLLED:
            raise failure[0]
        holds = expressions.staged_question(test())
        refused: list[errors.FreshSizeError] = []
        if is_staged(holds) and not is_decided:
            is_done, refused = _try_to_stage(
                functools.partial(effects.is_of_sizes, holds), stage, test, body
            )
            if is_done:
                return
            is_decided = True
        if is_staged(holds) and effects.is_of_sizes(holds):
            holds = _decided(holds, failure)
        if is_staged(holds) and not refused:
            is_done, refused = _try_to_stage(lambda: False, stage, test, body)
            if is_done:
                return
        if not _decided_by_data(holds, iteration, refused):
            return
        body()


def _try_to_stage(of_sizes: Callable, stage: Callable, *blocks: Callable) -> tuple[bool, list]:
    """Stage a loop; return whether that succeeded, and the error for which data have to decide on it, if any."""
    watched = effects.staging(of_sizes, *blocks)
    with effects.unless_found() as found, _unless_handled() as refused, watched:
        stage()
    return not found and not refused, refused


@contextlib.contextmanager
def _unless_handled() -> Iterator[list]:
    """Open a block that stages a loop; yields a list, with the error if one in the loop has a handler and data decide."""
    refused: list[errors.FreshSizeError] = []
    state = trace.current()
    try:
        yield refused
    except errors.FreshSizeError as error:
        if state is None or not state.has_data or not handled_errors.are_handled():
            raise
        refused.append(error)


def _decided_by_data(condition, iteration: int, refused: list) -> bool:
    """Return whether a loop goes on; for a traced condition, whether it does for the data of a call at the top level.

    Raises:
      FreshSizeError: that it could not be staged, if nothing decides it, or too many iterations are to be decided.
    """
    if not is_staged(condition):
        return bool(condition)
    holds = untaken_branches.decided(condition) if iteration < _MOST_DECIDED else None
    if holds is None:
        raise refused[0]
    return holds


def _decided(condition, failure: list[Exception]) -> bool:
    """Return the answer that the trace gives to a condition on sizes, after staging failed."""
    try:
        return bool(condition)
    except errors.FreshSizeError as error:
        if not failure or isinstance(failure[0], effects.EffectFound):
            raise
        raise failure[0] from error


def _sizes_of_test(test, get_state, set_state, names) -> list:
    """Return the symbolic sizes that the test of a `while` loop over Python numbers reads.

    Such a loop is staged first, because unrolling it might not end.
    """
    init = get_state()
    if not any(is_number(value) for value in init) or not ambient_is_staging():
        return []
    try:
        with effects.staging(lambda: True, test):
            loop = LoopState(lambda values, _: (values, ()), init, names, label="while")
            return sizes.sizes_in(loop.condition(_test_function(test, set_state)))
    except Exception:  # noqa: BLE001 - Python evaluates such a test
        return []
    finally:
        set_state(init)


def _stage_while(test, body, get_state, set_state, names, before=None) -> None:
    init = get_state()
    aliases.check(list(init))
    shared = lists.shared(init)
    try:
        with lists.no_leaks(), directives.loop_options() as options:
            step = _Step(lambda _: body(), get_state, set_state, names)
            effects.begin()
            try:
                loop, grown = growing.trace_growing_loop(step, init, names, label="while")
            except Exception as error:  # noqa: BLE001 - it is raised again, unless no iteration runs
                untaken_branches.check_not_reached(
                    lambda: _test_function(test, set_state)(init), error
                )
                set_state(init)
                return
            effects.end()
            _note_added(init, names)
            _check_replaced(init, shared, step)
            values, emitted, live = stage_while(
                loop,
                _test_function(test, set_state, grown),
                current_value(options.get("maximum_iterations")),
                earlier=before,
            )
            after = _with_lists(init, shared, grown.open(values), step, emitted, live)
            runs = lambda: _test_function(test, set_state)(init)
            _check_added(init, after, names, "while", runs)
    except BaseException:
        set_state(init)
        raise
    set_state(after)


def for_stmt(iterated, extra_test, body, get_state, set_state, names, options) -> None:
    """Execute `for item in iterated: body(item)`, only while `extra_test()` is true if there is one."""
    del options
    iterated = current_value(iterated)
    if not is_traced_iterable(iterated):
        _python_for(iterated, extra_test, body, get_state, set_state, names)
        return
    count = known_length(iterated)
    of_sizes = functools.partial(depends_on_sizes, iterated)
    watched = effects.staging(of_sizes, body, is_counted=count is not None)
    with sizes.attempt() as failure, watched:
        _stage_for(iterated, extra_test, body, get_state, set_state, names)
    if not failure:
        return
    if isinstance(failure[0], effects.EffectFound) and count is not None and count > _MOST_UNROLLED:
        raise errors.UnimplementedError(
            errors.message(
                "for",
                "the body of a loop with many iterations changes a Python object, but the body is traced only a few "
                "times.",
                required=f"no change, or at most {_MOST_UNROLLED} iterations",
                received=f"{count} iterations",
                do="keep the changing value in a variable of the loop, or in a `shims.Variable`.",
            )
        )
    items = as_python(iterated, failure[0])
    with sizes.attempt() as second_failure:
        _python_for(items, extra_test, body, get_state, set_state, names)
    if second_failure and isinstance(failure[0], untaken_branches.DependsOnIteration):
        raise second_failure[0]  # for the handler outside of the loop
    if second_failure:
        # An error of this library explains more than the error of the Python loop that follows it.
        ours = isinstance(failure[0], errors.OpError)
        raise failure[0] if ours else second_failure[0]


def _python_for(iterated, extra_test, body, get_state, set_state, names) -> None:
    """Run a `for` loop as ordinary Python."""
    if extra_test is None:
        for item in iterated:
            body(item)
    else:
        _guarded_for(iterated, extra_test, body, get_state, set_state, names)


def _guarded_for(iterated, extra_test, body, get_state, set_state, names) -> None:
    """Run a Python `for` loop that `break` or `return` may end, perhaps on a traced condition."""
    iterator = iter(iterated)
    while True:
        goes_on = expressions.staged_question(extra_test())
        if not is_staged(goes_on) and not goes_on:
            return
        if is_staged(goes_on) and isinstance(iterated, _ENDLESS):
            raise ValueError(
                errors.message(
                    "for",
                    "a loop over an endless iterator can end only by a condition that depends on traced data.",
                    required="a `while` loop, or an iterator that ends",
                    received=type(iterated).__name__,
                )
            )
        try:
            item = next(iterator)
        except StopIteration:
            return
        run = lambda item=item: body(item)
        if_stmt(goes_on, run, lambda: None, get_state, set_state, names, len(names))


def _stage_for(iterated, extra_test, body, get_state, set_state, names) -> None:
    init = get_state()
    aliases.check(list(init))
    shared = lists.shared(init)
    items = items_of(iterated)
    known = _sizes_of_bodies()
    try:
        with lists.no_leaks(), directives.loop_options():
            step = _Step(body, get_state, set_state, names, iterated)
            effects.begin()
            try:
                loop, grown = growing.trace_growing_loop(
                    step, init, names, _item_avals(items), label="for", limit=items.length
                )
            except Exception as error:  # noqa: BLE001 - it is raised again, unless no iteration runs
                untaken_branches.check_not_reached(lambda: as_array(items.length) > 0, error)
                set_state(init)
                return
            effects.end()
            _note_added(init, names)
            _check_replaced(init, shared, step)
            _check_rows(loop.emitted, known)
            if items.arrays is None:
                loop.vary_as(items.length)
            live = extra_test and loop.condition(_test_function(extra_test, set_state, grown))
            if items.arrays is None:
                if jax.tree.leaves(loop.emitted):
                    raise_unbounded("for")
                values, emitted, live = stage_counted(loop, items.length, items.at, live)
            else:
                values, emitted, live = stage_scan(loop, items.arrays, items.length, live)
            after = _with_lists(init, shared, grown.open(values), step, emitted, live, items.length)
            _check_added(init, after, names, "for", lambda: as_array(items.length) > 0)
    except BaseException:
        set_state(init)
        raise
    set_state(after)


def _sizes_of_bodies() -> frozenset[str]:
    """Return the sizes that belong to the branches and loop bodies traced so far."""
    state = trace.current()
    return frozenset() if state is None else state.fresh.inner


def _check_rows(emitted, known: frozenset[str]) -> None:
    """Check that all iterations of a loop append elements of the same size."""
    own = _sizes_of_bodies() - known
    for aval in jax.tree.leaves(emitted):
        for d in filter(jp.is_symbolic, aval.shape):
            if jp.variables(d) & own:
                raise ragged_rows_error(d)


def _note_added(init, names) -> None:
    """Note that a loop adds an item or attribute, which exists afterwards only if an iteration ran."""
    if any(map(_is_added, init, names)):
        effects.note_in_statement()


def _is_added(value, name: str) -> bool:
    return isinstance(value, Undefined) and not name.isidentifier()


def _check_added(init, after, names, label: str, has_iterations: Callable) -> None:
    """Check at run time that a loop which adds an item or attribute runs at least one iteration.

    Otherwise the item would be missing, and code that asks for it afterwards could not find out.
    """
    added = [
        n
        for v, new, n in zip(init, after, names)
        if _is_added(v, n) and not isinstance(new, Undefined)
    ]
    if not added:
        return
    text = errors.message(
        label,
        f"`{added[0]}` has no value, because the loop over traced data that assigns `{added[0]}` ran no iteration.",
        required="a value before the loop, or at least one iteration",
        do=f"assign `{added[0]}` before the loop.",
    )
    if trace.current() is None:
        raise ValueError(text)  # nothing could tell it at run time
    primitives.check(jnp.logical_not(has_iterations()), text)


def _check_replaced(init, shared, step: _Step) -> None:
    """Note that a variable of a loop names several containers in turn, the first of which others hold."""
    if any(type(init[i]) is dict or (type(init[i]) is list and i not in step.kept) for i in shared):
        effects.note_in_statement()


def _item_avals(items):
    """Return the shapes and dtypes of one item."""
    if items.arrays is None:
        return jax.tree.map(aval_of, jax.eval_shape(items.at, jax.ShapeDtypeStruct((), "int32")))
    return slice_avals(items.arrays)


class _Step:
    """A loop's body as a function `(state, item) -> (state, entries appended to lists)`.

    Attributes:
      kept: the positions in the state of the lists that the body does not replace.
      found: for each value of the state after the body, the containers for which it stands, by path.
    """

    def __init__(self, body, get_state, set_state, names, iterated=()):
        self._body, self._names, self._iterated = body, names, iterated
        self._get_state, self._set_state = get_state, set_state
        self.kept: tuple[int, ...] = ()
        self.found: list[dict] = []

    def __call__(self, values, item):
        outside = self._get_state()
        renamed = aliases.Renamed(outside, values)
        self._set_state(lists.opened(values, self._names))
        numbers = [new for new, old in zip(values, outside) if is_number(old) or is_weak(old)]
        try:
            as_numbers = [*numbers, *counters_in(self._iterated, item)]
            with loop_numbers.standing_for_numbers(as_numbers), aliases.scope():
                self._body(fixed(item))
                after = lists.closed(self._get_state(), values, self._names)
                values, entries, self.kept = after
                changed = renamed.end(values)
            self._check_other_names(outside, entries, changed)
            self.found = renamed.found
            return list(map(aliases.copied, values)), entries
        finally:
            self._set_state(outside)

    def _check_other_names(self, before, entries, changed: list) -> None:
        """Check that the body does not read by another name a container that it changes or appends.

        Args:
          before: the state before the loop.
          entries: what the body has appended, by the positions of the lists in the state.
          changed: the other containers that it has changed, as they are before the loop.
        """
        elements = itertools.chain.from_iterable(entries.values())
        parts = list(itertools.chain.from_iterable(map(lists.containers_in, elements)))
        changed = [*(before[i] for i in entries), *changed, *parts]
        if not changed:
            return
        state = list(before)
        for i, value in enumerate(before):
            held = aliases.containers_of(value).values()
            if i in entries or any(h is c for h in held for c in changed):
                state[i] = None
        self._set_state(tuple(state))
        reached = snapshots.Snapshot([self._body])
        if any(map(reached.reaches, changed)):
            effects.note_in_statement()
            raise aliases.other_name_error()


def _test_function(test, set_state, grown=None) -> Callable:
    """Return the test of a `while` loop as a function from its variables' values to a condition."""

    def of_state(values):
        set_state(tuple(values if grown is None else grown.open(values)))
        return expressions.staged_question(test())

    return of_state


def _with_lists(init, shared, values, step: _Step, emitted, live, length=None) -> tuple:
    """Return the state after a loop, in which the lists that the body kept are those of the state before."""
    values = list(values)
    for i in step.kept:
        entries = (emitted or {}).get(i)
        values[i] = (
            lists.extended(init[i], entries, length, live, i in shared) if entries else init[i]
        )
    found = [[of_step, aliases.sources_of(old)] for of_step, old in zip(step.found, init)]
    return tuple(map(aliases.joined, values, found))
