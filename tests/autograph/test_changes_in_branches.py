"""An object that the function makes and that a branch on traced data changes is right afterwards, or refused."""

import bisect
import collections
import heapq

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import shims


class Counter:
    def __init__(self):
        self.count, self.seen = 1.0, {1}

    def bump(self):
        self.count = self.count + 1.0

    def note(self):
        self.seen.add(3)


def reset(c):
    c |= {7}


def doubled(c):
    c *= 2


CHANGES = {
    "add": (lambda: {5}, lambda c: c.add(1)),
    "discard": (lambda: {5}, lambda c: c.discard(5)),
    "in place": (lambda: {5}, reset),
    "extend": (lambda: [1.0, 2.0], lambda c: c.extend([4.0])),
    "insert": (lambda: [1.0, 2.0], lambda c: c.insert(0, 9.0)),
    "pop": (lambda: [1.0, 2.0], lambda c: c.pop()),
    "sort": (lambda: [2.0, 1.0], lambda c: c.sort()),
    "heap": (lambda: [2.0, 3.0], lambda c: heapq.heappush(c, 1.0)),
    "insort": (lambda: [2.0, 3.0], lambda c: bisect.insort(c, 1.0)),
    "twice": (lambda: [2.0, 3.0], doubled),
    "inner": (lambda: [[1.0], [2.0]], lambda c: c[0].append(5.0)),
    "update": (lambda: {1: 1.0}, lambda c: c.update({3: 3.0})),
    "default": (lambda: {1: 1.0}, lambda c: c.setdefault(3, 3.0)),
    "deque": (lambda: collections.deque([1.0, 2.0]), lambda c: c.rotate(1)),
    "ordered": (
        lambda: collections.OrderedDict({1: 1.0, 2: 2.0}),
        lambda c: c.move_to_end(1),
    ),
    "counted": (lambda: collections.Counter([1, 2]), lambda c: c.update([1])),
    "array": (lambda: np.array([1.0, 2.0]), lambda c: c.fill(3.0)),
    "out": (lambda: np.array([1.0, 2.0]), lambda c: np.add(c, 1.0, out=c)),
    "method": (Counter, lambda c: c.bump()),
    "set of an object": (Counter, lambda c: c.note()),
    "attribute": (Counter, lambda c: setattr(c, "count", 4.0)),
    "iterator": (lambda: iter([1.0, 2.0, 3.0]), lambda c: next(c)),
}


def folded(c):
    if isinstance(c, Counter):
        return c.count + 100.0 * len(c.seen)
    if isinstance(c, dict):
        c = [v * 1.0 for pair in c.items() for v in pair]
    total = 0.0
    for i, v in enumerate(sorted(c) if isinstance(c, set) else c):
        total = total + (i + 2) * (sum(v) if isinstance(v, list) else v)
    return total * 1.0


def in_if(make, change, x):
    c = make()
    if x[0] > 0:
        change(c)
    return folded(c)


def in_while(make, change, x):
    c = make()
    n = 0
    while n < x[0] - 2:
        change(c)
        n = n + 1
    return folded(c)


def by_another_name(make, change, x):
    c = make()
    keep = [c]
    if x[0] > 0:
        change(c)
    return folded(keep[0])


X = jnp.array([3.0, 1.0])
REFUSED = (shims.errors.UnimplementedError, TypeError, ValueError)


def assert_right_or_refused(program, *args):
    run = shims.function(lambda x: program(*args, x))
    for x in (X, -X):
        try:
            found = run(x)
        except REFUSED as error:
            text = "\n".join([str(error), *getattr(error, "__notes__", ())])
            assert "At: " in text
        else:
            assert found == program(*args, x)


@pytest.mark.parametrize("program", [in_if, in_while, by_another_name])
@pytest.mark.parametrize("name", CHANGES)
def test_a_change_is_right_or_refused(name, program):
    assert_right_or_refused(program, *CHANGES[name])


def appended(x):
    c = [1.0]
    keep = [c]
    if x[0] > 0:
        c += [4.0]
    return len(keep[0]) * 1.0


def united(x):
    c = {1: 1.0}
    keep = [c]
    if x[0] > 0:
        c |= {4: 4.0}
    return len(keep[0]) * 1.0


def added_in_place(x):
    c = np.ones(2)
    keep = [c]
    if x[0] > 0:
        c += 1.0
    return keep[0].sum()


@pytest.mark.parametrize("program", [appended, united, added_in_place])
def test_another_name_sees_the_change_or_is_refused(program):
    assert_right_or_refused(program)


LOG: list[str] = []


def logged(x):
    if x[0] > 0:
        LOG.append("positive")
        x = x * 2
    return x.sum()


def with_a_default(x):
    counts = collections.defaultdict(float)
    counts["a"] = 1.0
    if x[0] > 0:
        counts["a"] += 1.0
    return counts["a"] + len(counts)


def of_its_own(x):
    total = x.sum()
    if x[0] > 0:
        seen = set()
        seen.add(3)
        items = [1.0]
        items.extend([2.0])
        total = total + len(seen) + sum(items)
    return total


@pytest.mark.parametrize("lane", [shims.function, lambda f: jax.jit(shims.function(f))])
@pytest.mark.parametrize("program", [logged, with_a_default, of_its_own])
def test_logs_and_what_the_branch_makes_are_not_refused(program, lane):
    run = lane(program)
    for x in (X, -X):
        assert run(x) == program(x)
