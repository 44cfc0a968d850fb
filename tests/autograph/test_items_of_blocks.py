"""Items and attributes that a block assigns: under a key that the block changes, and where there was none."""

import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import shims

X = np.array([3.0, -1.0, 1.0, 2.0], np.float32)


def reversed_in_place(x):
    a, lo, hi = [1.0, 2.0, 3.0, 4.0], 0, 3
    while lo < hi:
        a[lo], a[hi] = a[hi], a[lo]
        lo += 1
        hi -= 1
    return a[0] + x[0], a[1], a[2], a[3]


def reversed_array(x):
    a, lo, hi = np.arange(4.0), 0, 3
    while lo < hi:
        a[lo], a[hi] = a[hi], a[lo]
        lo += 1
        hi -= 1
    return a + x


def selection_sort(x):
    a = [x[0], x[1], x[2], x[3]]
    for i in range(4):
        for j in range(i + 1, 4):
            if a[j] < a[i]:
                a[i], a[j] = a[j], a[i]
    return tuple(a)


def key_that_a_branch_counts(x):
    a, k = [1.0, 2.0, 3.0], 0
    if x.sum() > 0:
        a[k] = 10.0
        k = k + 1
    return a[0], a[1], k


def key_in_the_same_statement(x):
    a, k = [1.0, 2.0, 3.0], 0
    if x.sum() > 0:
        a[k], k = 10.0, k + 1
    return a[0], a[1], k


def targets_from_left_to_right(x):
    a, k = [1.0, 2.0, 3.0], 0
    if x.sum() > 0:
        k, a[k] = 1, 10.0
    else:
        a[k] = k = 2
    return a[0], a[1], a[2], k


def key_in_else(x):
    a, k = {0: 1.0, 1: 2.0}, 0
    if x.sum() < 0:
        k = 1
    else:
        a[k] = 10.0
        k = 1
        a[k] = 20.0
    return a[0], a[1], k


def augmented(x):
    a, k = [1.0, 2.0, 3.0, 4.0], 0
    while k < x.shape[0]:
        a[k] += x[k]
        k += 1
    return tuple(a)


def nested_targets(x):
    a, b, k = [1.0, 2.0], [3.0, 4.0], 0
    if x.sum() > 0:
        (a[k], (b[k], k)), t = (10.0, (20.0, 1)), 5.0
    else:
        t = 6.0
    return a[0], b[0], k, t


def inner_items(x):
    a, k = [[1.0, 2.0], [3.0, 4.0]], 0
    b = a[0]
    if x.sum() > 0:
        a[k][0] = x[1]
        k = k + 1
    return a[0][0], b[0], a[1][0], k


def inner_items_of_dicts(x):
    a, k = {"p": {"q": 1.0}, "r": {"q": 5.0}}, "p"
    if x.sum() > 0:
        a[k]["q"] = x[1]
        k = "r"
    return a["p"]["q"], a["r"]["q"]


def inner_items_under_computed_keys(x):
    a, k = [[1.0, 2.0], [3.0, 4.0]], 0
    for v in x[:2]:
        if v > 0:
            a[k + 1][1] += v
    return a[0][1], a[1][1]


def items_of_an_array(x):
    d = np.zeros(3)
    if x.sum() > 0:
        d[0] = 5.0
        d[1] = x[1]
    else:
        d[2] = x[2] * 3
    return tuple(d * 1)


def counts_in_an_array(x):
    d, n = np.zeros(2), 0
    while n < x[0] - 1:
        d[0] += x[1]
        d[1] = d[1] + 1
        n = n + 1
    return tuple(d * 1)


def integers_in_an_array(x):
    d = np.zeros(4, np.int32)
    for i, v in enumerate(x):
        d[i] = v
    d[jnp.argmax(x)] = 9
    d[1:3] = x[0]
    return tuple(d * 1)


PROGRAMS = [
    inner_items,
    inner_items_of_dicts,
    inner_items_under_computed_keys,
    items_of_an_array,
    counts_in_an_array,
    integers_in_an_array,
    reversed_in_place,
    reversed_array,
    selection_sort,
    key_that_a_branch_counts,
    key_in_the_same_statement,
    targets_from_left_to_right,
    key_in_else,
    augmented,
    nested_targets,
]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
@pytest.mark.filterwarnings("ignore::shims.errors.SpecializationWarning")
def test_items_are_set_under_the_key_of_the_assignment(program):
    for sign in (1, -1):
        x = jnp.asarray(sign * X)
        wanted = program(x)
        for lane in (shims.function(program), jax.jit(shims.function(program))):
            for a, b in zip(lane(x), wanted, strict=True):
                np.testing.assert_allclose(a, b, rtol=1e-6)


class Pair:
    def __init__(self):
        self.value = 1.0


def of_another_object(x):
    p, q = Pair(), Pair()
    a = p
    if x.sum() > 0:
        a.value = x[1]
        a = q
    return p.value, q.value


def under_another_key(x):
    a, k = [Pair(), Pair()], 0
    if x.sum() > 0:
        a[k].value = x[1]
        k = 1
    return a[0].value, a[1].value


def under_another_name(x):
    d = np.zeros(2)
    e = d
    d[0] = x[0]
    return (e.sum(),)


@pytest.mark.parametrize("program", [of_another_object, under_another_key, under_another_name])
def test_items_whose_owner_is_not_known_afterwards_are_refused(program):
    for lane in (shims.function(program), jax.jit(shims.function(program))):
        with pytest.raises(shims.errors.UnimplementedError, match=r"At: .*test_items_of_blocks"):
            lane(jnp.asarray(X))


def test_positions_of_an_array_are_checked():
    def assigned(x, i):
        d = np.zeros(2)
        d[i] = x[0]
        return d * 1

    run = shims.function(assigned)
    np.testing.assert_array_equal(run(jnp.asarray(X), jnp.int32(-1)), [0, X[0]])
    with pytest.raises(IndexError, match="out of bounds"):
        run(jnp.asarray(X), jnp.int32(2))
    with pytest.raises(IndexError, match="out of bounds"):
        shims.function(lambda x: assigned(x, 2))(jnp.asarray(X))


def test_gradient_of_exchanged_items():
    def last(x):
        return selection_sort(x)[-1]

    np.testing.assert_array_equal(jax.grad(shims.function(last))(jnp.asarray(X)), [1, 0, 0, 0])


class Holder:
    pass


def item_in_while(x, most, kind):
    d, i = {}, jnp.int32(0)
    while i < jnp.sum(x > most):
        d["last"] = kind(x[i])
        i = i + 1
    return d.get("last", kind(jnp.float32(-1)))


def attribute_in_while(x, most, kind):
    o, i = Holder(), jnp.int32(0)
    while i < jnp.sum(x > most):
        o.last = kind(x[i])
        i = i + 1
    return getattr(o, "last", kind(jnp.float32(-1)))


def item_in_range(x, most, kind):
    d = {}
    for i in range(jnp.sum(x > most)):
        d["last"] = kind(x[i])
    return d["last"] if "last" in d else kind(jnp.float32(-1))


def item_before(x, most, kind):
    d, i = {"last": kind(jnp.float32(-1))}, jnp.int32(0)
    while i < jnp.sum(x > most):
        d["last"] = kind(x[i])
        i = i + 1
    return d.get("last", kind(jnp.float32(7)))


def as_float(v):
    return v


def as_int(v):
    return v.astype(jnp.int32)


@pytest.mark.parametrize("program", [item_in_while, attribute_in_while, item_in_range])
@pytest.mark.filterwarnings("ignore::shims.errors.SpecializationWarning")
def test_an_item_that_no_iteration_has_made_is_an_error(program):
    for most, kind in itertools.product((0.0, 100.0), (as_float, as_int)):
        f = lambda x, most=most, kind=kind: program(x, most, kind)
        x = jnp.asarray(X)
        if most == 0:
            for lane in (shims.function(f), jax.jit(shims.function(f))):
                np.testing.assert_array_equal(lane(x), f(x))
            continue
        with pytest.raises(shims.errors.InvalidArgumentError, match="before the loop"):
            shims.function(f)(x)
        if kind is as_float:
            assert np.isnan(jax.jit(shims.function(f))(x))
        else:
            with pytest.raises(jax.errors.JaxRuntimeError, match="before the loop"):
                jax.jit(shims.function(f))(x).block_until_ready()


def test_an_item_before_the_loop_as_the_message_advises():
    for most, kind in itertools.product((0.0, 100.0), (as_float, as_int)):
        f = lambda x, most=most, kind=kind: item_before(x, most, kind)
        for lane in (shims.function(f), jax.jit(shims.function(f))):
            np.testing.assert_array_equal(lane(jnp.asarray(X)), f(jnp.asarray(X)))
