"""Objects of Python that a branch on a size changes in any way: they change for the sizes that take the branch only."""

import array
import collections

import jax
import numpy as np
import pytest

import shims


class Counter:
    def __init__(self):
        self.values = [3, 1, 2]
        self.table = {"a": 1}


class Slotted:
    __slots__ = ("value",)

    def __init__(self):
        self.value = 1


def _delete_item(o):
    del o[0]


def _exchange(o):
    o[-1], o[0] = o[0], o[-1]


def _chained(o):
    o[0] = o[-1] = 9


def _set_slice(o):
    o[1:] = [7, 7]


def _delete_slice(o):
    del o[::2]


def _alias(o):
    other = o
    other.append(4)


def _nested(o):
    o[-1][-1] = 9


def _unpacked(o):
    _, second = o
    second.append(3)


def _each(o):
    for row in o:
        row.append(1)


def _view(o):
    part = o[1:]
    part[0] = 9


def _masked(o):
    o[o > 1] = 0


def _memory(o):
    memoryview(o)[0] = 9


def _negative_key(o):
    o[-1] = 5


def _pop(o):
    o.popitem()


def _held_list(o):
    o.values[-1] = 0


def _held_table(o):
    del o.table["a"]


def _attribute(o):
    o.added = 1


def _slot(o):
    o.value += 1


def _fill(o):
    o[...] = 0


CHANGES = {
    "list": (
        lambda: [3, 1, 2],
        list,
        [_delete_item, _exchange, _chained, _set_slice, _delete_slice, _alias],
    ),
    "nested": (
        lambda: [[1, 2], [3, 4]],
        lambda o: [v for row in o for v in row],
        [_nested, _unpacked, _each],
    ),
    "numpy": (
        lambda: np.arange(4),
        list,
        [_fill, _view, _masked, _memory, lambda o: np.add.at(o, [0, 0], 1)],
    ),
    "bytes": (lambda: bytearray(b"abc"), list, [lambda o: o.append(65), _exchange]),
    "array": (lambda: array.array("i", [3, 1, 2]), list, [lambda o: o.append(65), _exchange]),
    "deque": (lambda: collections.deque([3, 1, 2]), list, [_negative_key, lambda o: o.rotate(1)]),
    "dict": (lambda: {-1: 2, 3: 4}, lambda o: [*o, *o.values()], [_negative_key, _pop]),
    "list of its own": (lambda: collections.UserList([3, 1, 2]), list, [_delete_item, _alias]),
    "object": (
        Counter,
        lambda o: [*o.values, len(o.table), *vars(o)],
        [_held_list, _held_table, _attribute],
    ),
    "slots": (Slotted, lambda o: [o.value], [_slot]),
}


def _number(values):
    """Return a number that tells lists of values apart."""
    return np.float32(
        sum(
            (i + 1) * (len(str(v)) + 7 * ("1" in str(v)) + 3 * ("9" in str(v)))
            for i, v in enumerate(values)
        )
    )


def here(make, change, shown):
    def f(x):
        o = make()
        if x[x > 0].shape[0] > 2:
            change(o)
        return _number(shown(o))

    return f


def in_a_loop(make, change, shown):
    def f(x):
        o = make()
        for _ in range(x[x > 0].shape[0] - 2):
            change(o)
        return _number(shown(o))

    return f


def captured(make, change, shown):
    kept = []

    def f(x):
        kept[:] = [make()]

        def inner(n):
            if n > 2:
                change(kept[0])

        inner(x[x > 0].shape[0])
        return _number(shown(kept[0]))

    return f


CASES = [
    pytest.param(make, change, shown, id=f"{name} {change.__name__}")
    for name, (make, shown, changes) in CHANGES.items()
    for change in changes
]


@pytest.mark.filterwarnings("ignore::shims.errors.SpecializationWarning")
@pytest.mark.parametrize("place", [here, captured, in_a_loop])
@pytest.mark.parametrize(("make", "change", "shown"), CASES)
def test_a_change_happens_for_the_sizes_that_take_the_branch(make, change, shown, place):
    program = place(make, change, shown)
    few, many = (np.array(row, np.float32) for row in ([1, 2, -3, -4], [1, 2, 3, -4]))
    for lane in (shims.function, lambda f: jax.jit(shims.dynamic(f))):
        run = lane(program)
        for x in (few, many):
            np.testing.assert_array_equal(run(x), program(x))


def test_an_array_with_another_name():
    def f(x):
        numbers = np.arange(4)
        part = numbers[1:]
        if x[x > 0].shape[0] > 2:
            part += 1
        return numbers

    for lane in (shims.function, lambda f: jax.jit(shims.dynamic(f))):
        run = lane(f)
        for row in ([1, 2, -3, -4], [1, 2, 3, -4]):
            x = np.array(row, np.float32)
            np.testing.assert_array_equal(run(x), f(x))
