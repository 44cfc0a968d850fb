"""The reasons of a plan are those by which it was made."""

import hypothesis
from hypothesis import strategies as st

from tf2jax_port.migration.order import groups_in_order
from tf2jax_port.migration.reasons import reasons_of
from tf2jax_port.migration.steps import Step


def plan(works, edges):
    """Return the steps of files `a`, `b`, ... with the given work; a file imports earlier ones only."""
    names = [chr(ord("a") + n) for n in range(len(works))]
    needs = {name: set() for name in names}
    for one, other in edges:
        if other < one < len(names):
            needs[names[one]].add(names[other])
    work = dict(zip(names, works))
    order = [min(g) for g in groups_in_order(needs, lambda g: (sum(work[n] for n in g), min(g)))]
    number = {name: i for i, name in enumerate(order, 1)}
    return tuple(
        Step(
            number=number[name],
            files=(name,),
            targets=("jax",),
            lines=1,
            automatic=1,
            review=0,
            manual=work[name],
            blockers=(),
            needs=tuple(sorted(number[n] for n in needs[name])),
            unlocks=(),
        )
        for name in order
    )


@hypothesis.given(
    st.lists(st.integers(0, 4), min_size=1, max_size=9),
    st.lists(st.tuples(st.integers(0, 8), st.integers(0, 8)), max_size=14),
)
@hypothesis.settings(derandomize=True, max_examples=300, deadline=None)
def test_reasons(works, edges):
    steps = plan(works, edges)
    for step, reason in zip(steps, reasons_of(steps)):
        later = steps[step.number - 1 :]
        free = [s for s in later if all(n < step.number for n in s.needs)]
        assert reason.possible == len(free)
        between = steps[reason.since - 1 : step.number - 1]
        assert all(n < reason.since for n in step.needs)
        assert reason.since == 1 or reason.since - 1 in step.needs
        assert all((s.effort, s.files) < (step.effort, step.files) for s in between)
        assert reason.is_level == any(s.effort == step.effort for s in between)
        others = sorted((s.effort, s.files) for s in free if s is not step)
        if not others:
            assert reason.next == 0
            continue
        other = steps[reason.next - 1]
        assert (other.effort, other.files) == others[0]
        assert (step.effort, step.files) < (other.effort, other.files)
        assert reason.is_tie == (step.effort == other.effort)
        if reason.waited:
            assert step.number - 1 in step.needs


def test_what_others_need_is_left_out():
    steps = plan([0, 1, 2], [(1, 0), (2, 1), (2, 0)])
    assert [reason.needs for reason in reasons_of(steps)] == [(), (1,), (2,)]
    assert [step.needs for step in steps] == [(), (1,), (1, 2)]
