"""`sorted`, `max` and `min` of lists in converted code, whose elements or keys are traced."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import shims

X = np.array([3.0, -1.0, 3.0, 2.0], np.float32)


def sorted_list(x):
    values = sorted([x[0], x[1], 2.5])
    values.append(x[3])
    return values


def sorted_down(x):
    return sorted((x[0], x[1], x[2], x[3]), reverse=True)


def sorted_pairs(x):
    return sorted([(x[i], i) for i in range(4)], key=lambda p: p[0])


def sorted_pairs_down(x):
    return sorted([(x[i], i) for i in range(4)], key=lambda p: p[0], reverse=True)


def sorted_by_what_they_name(x):
    return sorted(range(4), key=lambda i: x[i])


def sorted_dicts(x):
    return sorted([{"v": x[0], "k": 1}, {"v": x[1], "k": 2}], key=lambda d: d["v"])


def sorted_selection(x):
    held = []
    for v in x[x > 0]:
        held.append(v)
    values = sorted(held)
    values.append(values[0])
    return values


def largest_pair(x):
    return max(enumerate(x), key=lambda p: p[1])


def smallest_pair(x):
    return min([(i, x[i]) for i in range(4)], key=lambda p: p[1])


def largest_of_arguments(x):
    return max(x[0], x[1], x[3], key=lambda v: -v), max(x[0], x[1], key=None)


def largest_row(x):
    return max([x[:2], x[2:]], key=jnp.sum)


def known(x):
    return sorted([3, 1, 2]), max([3, 1], key=lambda v: -v), sorted("ba"), x[0]


def collected(x):
    held = []
    for t in x:
        held.append(x[x >= t])
    return sum(a.sum() for a in held), len(held)


def collected_pairs(x):
    held = []
    for i, t in enumerate(x):
        held.append((i, x[x > t].sum(), x[x < t]))
    return sum(a + i for i, a, _ in held), sum(b.sum() for *_, b in held)


def else_of_a_loop(x):
    held = []
    for v in x:
        if v > 100:
            break
        held.append(v)
    else:
        held.append(x[0] + 5)
    return held[-1], len(held)


def pairs_of_a_range(x):
    out, n = jnp.float32(0), x.shape[0]
    for i in range(n):
        for j in range(i + 1, n):
            if x[i] > x[j]:
                out = out + x[j]
    return out


PROGRAMS = [
    sorted_list,
    sorted_down,
    sorted_pairs,
    sorted_pairs_down,
    sorted_by_what_they_name,
    sorted_dicts,
    sorted_selection,
    largest_pair,
    smallest_pair,
    largest_of_arguments,
    largest_row,
    collected,
    collected_pairs,
    else_of_a_loop,
    pairs_of_a_range,
]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
@pytest.mark.filterwarnings("ignore::shims.errors.SpecializationWarning")
def test_as_python_does(program):
    for x in (X, -X):
        x = jnp.asarray(x)
        wanted = jax.tree.leaves(program(x))
        for lane in (shims.function(program), jax.jit(shims.function(program))):
            got = lane(x)
            if isinstance(got, shims.Padded):
                got = list(got.unpad())
            for a, b in zip(jax.tree.leaves(got), wanted, strict=True):
                np.testing.assert_allclose(a, b, rtol=1e-6)


def test_what_python_knows_is_computed_by_python():
    got = shims.function(known)(jnp.asarray(X))
    assert got[0] == [1, 2, 3]
    assert got[1] == 1
    assert got[2] == ["a", "b"]


def test_a_key_is_asked_once_for_each_element():
    asked = []

    def key(v):
        asked.append(v)
        return -v

    assert shims.autograph.to_graph(lambda: sorted([1, 3, 2], key=key))() == [3, 2, 1]
    assert shims.autograph.to_graph(lambda: max([1, 3, 2], key=key))() == 1
    assert asked == [1, 3, 2] * 2


def test_gradients_of_sorted_elements():
    f = shims.function(lambda x: sorted([x[0] * 2, x[1] * 3, x[3]])[0])
    np.testing.assert_array_equal(jax.grad(f)(jnp.asarray(X)), [0, 3, 0, 0])


@pytest.mark.parametrize("lane", [shims.function, lambda f: jax.jit(shims.function(f))])
def test_an_array_among_the_values_that_a_size_is_searched_in(lane):
    with pytest.raises(ValueError, match="ambiguous"):
        lane(lambda x: x[x > 0].shape[0] in (np.array([2, 3]), 5))(jnp.asarray(X))


def equal_lists(x):
    held = []
    for i, v in enumerate(x):
        if v > 0:
            held.append(i)
    return jnp.asarray(held == [0, 2, 3]), jnp.asarray(held != [0, 2, 3])


def equal_tuples(x):
    if (x[0], x[1]) == (3.0, -1.0):
        return x[2]
    return x[3]


def unequal_lengths(x):
    return jnp.asarray([x[0]] == [x[0], x[1]]), jnp.asarray([x[0], 3] != [x[0], 3])


@pytest.mark.parametrize("program", [equal_lists, equal_tuples, unequal_lengths])
@pytest.mark.filterwarnings("ignore::shims.errors.SpecializationWarning")
def test_equality_of_lists_and_tuples(program):
    for x in (X, -X):
        x = jnp.asarray(x)
        for lane in (shims.function(program), jax.jit(shims.function(program))):
            np.testing.assert_array_equal(lane(x), program(x))
