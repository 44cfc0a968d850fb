"""Execute `if`, `while` and `for` in converted code, staged if values are traced.

The converters pass each block of code as a function without arguments, and two functions that get and
set the variables that the block shares with the code around it.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable

import jax

from shims._src.arguments.conversion import as_array
from shims._src.autograph import directives, effects, expressions, lists, sizes, snapshots
from shims._src.autograph.grown_lists import fixed
from shims._src.autograph.iteration import (
    as_python,
    counters_in,
    depends_on_sizes,
    is_traced_iterable,
    items_of,
    known_length,
)
from shims._src.control_flow import growing, untaken_branches
from shims._src.control_flow.loop_state import LoopState
from shims._src.control_flow.loops import raise_unbounded, stage_counted, stage_scan, stage_while
from shims._src.control_flow.staged_branches import join_blocks
from shims._src.control_flow.staging import (
    ambient_is_staging,
    aval_of,
    current_value,
    is_number,
    is_staged,
    is_weak,
)
from shims._src.control_flow.undefined import Undefined, Unreached
from shims._src.errors import errors
from shims._src.sizes import loop_numbers
from shims._src.tracing import postponed_errors
from shims._src.tracing.size_questions import depend_on_data, exceeds_int32, question_of

# The most iterations of a loop that Python runs because it could not be staged.
_MOST_UNROLLED = 1_000
_ENDLESS = (itertools.count, itertools.cycle, itertools.repeat)


def if_stmt(condition, body, orelse, get_state, set_state, names, nouts) -> None:
    """Execute `if condition: body() else: orelse()`.

    Of the variables `names`, the first `nouts` are used after the statement.
    """
    condition = expressions.decided_where_handled(current_value(condition))
    question = question_of(condition)
    if question is not None:
        watched = effects.staging(lambda: True, body, orelse)
        with sizes.staged_once(question, body.__code__), sizes.attempt() as failure, watched:
            _stage_if(question.array(), body, orelse, get_state, set_state, names, nouts)
        if not failure:
            return
        condition = _assumed_answer(question, failure)
    if is_staged(condition):
        of_sizes = functools.partial(effects.is_of_sizes, condition)
        raised = None if of_sizes() else condition
        with effects.unless_found() as found, effects.staging(of_sizes, body, orelse):
            _stage_if(condition, body, orelse, get_state, set_state, names, nouts, raised)
        if not found:
            return
    if condition:
        body()
    else:
        orelse()


def _assumed_answer(question, failure) -> bool:
    """Return the answer that the trace gives to a comparison of sizes, after staging failed."""
    try:
        return question.answer()
    except errors.FreshSizeError as error:
        raise error from failure[0]


def _stage_if(condition, body, orelse, get_state, set_state, names, nouts, raised=None) -> None:
    init = get_state()
    shared = lists.shared(init)
    start = list(init)  # cleared at the end: JAX keeps the blocks
    flag = expressions.operand_of_negation(condition)
    seen: dict[Callable, tuple] = {}

    def traced(run):
        def block():
            copies = [lists.copied(v) for v in start]
            set_state(tuple(copies))
            of_others = snapshots.Snapshot([copies[i] for i in shared])
            try:
                run()
                state = get_state()
                chosen = [i for i in lists.chosen(state, copies, shared) if i < nouts]
            finally:
                set_state(tuple(start))
                lists.forget_copies()
            copies.clear()
            if of_others.is_changed() or any(not names[i].startswith("retval_") for i in chosen):
                effects.note_in_statement()
            seen[run] = tuple(_without_tracers(v, flag) for v in state)
            return [_branch_output(new, old) for new, old in zip(state[:nouts], start)]

        return block

    with lists.no_leaks():
        effects.begin()
        blocks = untaken_branches.trace_branches(
            (traced(body), traced(orelse)), [_untaken_output(old) for old in init[:nouts]], raised
        )
        effects.end()
        after = [seen.get(run, init) for run in (body, orelse)]
        for i in range(nouts):
            if all(isinstance(state[i], lists.Recorder) for state in (init, *after)):
                blocks = lists.align(blocks, i)
        outputs = list(join_blocks(condition, blocks, names=names[:nouts], label="if"))
        for i in range(nouts):
            if isinstance(init[i], lists.Recorder) and isinstance(after[0][i], lists.Recorder):
                outputs[i] = lists.with_entries(init[i], outputs[i])
            elif _always_returns(
                flag, names[i], init[i], _end(blocks[0], i, after[0]), after[1][i]
            ):
                outputs[i] = True
        after.clear()
        seen.clear()
    start.clear()
    set_state((*outputs, *init[nouts:]))
    outputs.clear()


def _branch_output(new, old):
    """Return a branch's output for one variable: its value, or for a list the entries appended."""
    if isinstance(new, lists.Recorder) and isinstance(old, lists.Recorder):
        return tuple(new.entries[len(old.entries) :])
    return new


def _without_tracers(value, flag):
    """Return a variable's value after a branch without tracers, which must not outlive the branch.

    Only what `_stage_if` still needs is kept: that the value is a list, `True`, or the given flag.
    """
    if isinstance(value, lists.Recorder):
        return lists.Recorder(value.name, ())
    return value if value is True or value is flag else None


def _untaken_output(old):
    """Return a placeholder for the output of a branch that cannot be traced and must not be taken.

    It is no entries for a list, and otherwise an undefined value.
    """
    return () if isinstance(old, lists.Recorder) else Unreached()


def _end(block, i: int, after):
    """Return a variable's value after a branch; that of a flag is `True` where an error ends the branch."""
    leaves = block.leaves[i]
    return True if len(leaves) == 1 and isinstance(leaves[0], Unreached) else after[i]


def _always_returns(flag, name: str, before, after_main, after_else) -> bool:
    """Return whether a variable is a `return` flag that is true after either branch of an `if`.

    This is so for `if not flag: ...; flag = True`.
    """
    return (
        flag is not None
        and name.startswith("do_return")
        and before is flag
        and after_main is True
        and after_else is flag
    )


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
    for iteration in itertools.count():
        if failure and iteration == _MOST_UNROLLED:
            raise failure[0]
        holds = expressions.staged_question(test())
        if is_staged(holds) and not is_decided:
            of_sizes = functools.partial(effects.is_of_sizes, holds)
            with effects.unless_found() as found, effects.staging(of_sizes, test, body):
                _stage_while(test, body, get_state, set_state, names, before)
            if not found:
                return
            is_decided = True
        if is_staged(holds) and effects.is_of_sizes(holds):
            holds = _decided(holds, failure)
        if is_staged(holds):
            with effects.staging(lambda: False, test, body):
                _stage_while(test, body, get_state, set_state, names, before)
            return
        if not holds:
            return
        body()


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
    shared = lists.shared(init)
    try:
        with lists.no_leaks(), directives.loop_options() as options:
            step = _Step(lambda _: body(), get_state, set_state, names)
            effects.begin()
            try:
                loop, grown = growing.trace_growing_loop(step, init, names, label="while")
            except postponed_errors.REFUSALS as error:
                untaken_branches.check_not_reached(
                    lambda: _test_function(test, set_state)(init), error
                )
                set_state(init)
                return
            effects.end()
            _check_added(init, names)
            _check_replaced(init, shared, step)
            values, emitted, live = stage_while(
                loop,
                _test_function(test, set_state, grown),
                current_value(options.get("maximum_iterations")),
                earlier=before,
            )
            after = _with_lists(init, shared, grown.open(values), step, emitted, live)
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
                "the body of a loop of many iterations changes an object of Python, as often as it is traced.",
                required=f"no change, or at most {_MOST_UNROLLED} iterations",
                received=f"{count} iterations",
                do="keep what changes in a variable of the loop, or in a `shims.Variable`.",
            )
        )
    items = as_python(iterated, failure[0])
    with sizes.attempt() as second_failure:
        _python_for(items, extra_test, body, get_state, set_state, names)
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
                    "the only exit from a loop over an endless iterator depends on traced data.",
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
    shared = lists.shared(init)
    items = items_of(iterated)
    try:
        with lists.no_leaks(), directives.loop_options():
            step = _Step(body, get_state, set_state, names, iterated)
            effects.begin()
            try:
                loop, grown = growing.trace_growing_loop(
                    step, init, names, _item_avals(items), label="for", limit=items.length
                )
            except postponed_errors.REFUSALS as error:
                untaken_branches.check_not_reached(lambda: as_array(items.length) > 0, error)
                set_state(init)
                return
            effects.end()
            _check_added(init, names)
            _check_replaced(init, shared, step)
            live = extra_test and loop.condition(_test_function(extra_test, set_state, grown))
            if items.arrays is None:
                if jax.tree.leaves(loop.emitted):
                    raise_unbounded("for")
                values, emitted, live = stage_counted(loop, items.length, items.at, live)
            else:
                values, emitted, live = stage_scan(loop, items.arrays, items.length, live)
            after = _with_lists(init, shared, grown.open(values), step, emitted, live, items.length)
    except BaseException:
        set_state(init)
        raise
    set_state(after)


def _check_added(init, names) -> None:
    """Note that a loop adds an item or attribute, which is there afterwards only if an iteration runs."""
    if any(isinstance(v, Undefined) and not n.isidentifier() for v, n in zip(init, names)):
        effects.note_in_statement()


def _check_replaced(init, shared, step: _Step) -> None:
    """Note that a variable of a loop names one container after another, of which others hold the first."""
    if any(type(init[i]) is dict or (type(init[i]) is list and i not in step.kept) for i in shared):
        effects.note_in_statement()


def _item_avals(items):
    """Return the shapes and dtypes of one item."""
    if items.arrays is None:
        return jax.tree.map(aval_of, jax.eval_shape(items.at, jax.ShapeDtypeStruct((), "int32")))
    return jax.tree.map(
        lambda x: jax.ShapeDtypeStruct(x.shape[1:], x.dtype, weak_type=x.weak_type), items.arrays
    )


class _Step:
    """A loop's body as a function `(state, item) -> (state, entries appended to lists)`.

    Attributes:
      kept: the positions in the state of the lists that the body does not replace.
    """

    def __init__(self, body, get_state, set_state, names, iterated=()):
        self._body, self._names, self._iterated = body, names, iterated
        self._get_state, self._set_state = get_state, set_state
        self.kept: tuple[int, ...] = ()

    def __call__(self, values, item):
        outside = self._get_state()
        self._set_state(lists.opened(values, self._names))
        numbers = [new for new, old in zip(values, outside) if is_number(old) or is_weak(old)]
        try:
            with loop_numbers.standing_for_numbers([*numbers, *counters_in(self._iterated, item)]):
                self._body(fixed(item))
            values, entries, self.kept = lists.closed(self._get_state(), values, self._names)
            self._note_other_names(outside, entries)
            return values, entries
        finally:
            self._set_state(outside)

    def _note_other_names(self, before, entries) -> None:
        """Note that the body reads by another name a list to which it appends, or a container that it appends."""
        if entries:
            self._set_state(tuple(None if i in entries else v for i, v in enumerate(before)))
            reached = snapshots.Snapshot([self._body])
            elements = itertools.chain.from_iterable(entries.values())
            parts = itertools.chain.from_iterable(map(lists.containers_in, elements))
            if any(map(reached.reaches, [*(before[i] for i in entries), *parts])):
                effects.note_in_statement()


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
    return tuple(values)
