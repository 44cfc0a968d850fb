"""`:=` in conditions and other statements of converted code: its variable is assigned before the statement."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import shims


def in_a_loop(x):
    v = x[x > 0]
    result = v.sum()
    for least in (6.0, 4.0):
        if (hit := v[v > least]).shape[0] >= 2:
            result = hit.mean()
            break
    return result


def in_elif(x):
    if (v := x[x > 0]).shape[0] > 2:
        return v.sum()
    elif (w := x[x < 0]).shape[0] > 1:
        return w.sum()
    return jnp.float32(0)


def twice_in_one_expression(x):
    return (n := x[x > 0].shape[0]) + n


def in_while(x):
    i = 0
    while (k := x[x > i].shape[0]) > 1:
        i += 1
    return i * 10 + k


def in_a_call(x):
    out = [jnp.float32(0)]
    for least in (0.0, 1.0, 2.0):
        if len(h := x[x > least]) > 1:
            out.append(h.sum())
        else:
            break
    return sum(out)


def after_a_read_of_the_name(x):
    n = 3
    return n + (n := x[x > 0].shape[0]) * n


def in_a_list(x):
    return jnp.stack([(m := x[x > 0].sum()), m * 2])


def nested(x):
    return (total := (part := x[x > 1]).sum() + part.shape[0]) * total


def in_and(x):
    if x.shape[0] > 2 and (s := x.sum()) > 0:
        return s
    return x[0]


def in_and_of_sizes(x):
    if x.shape[0] > 2 and (p := x[x > 0]).shape[0] > 1:
        return p.sum()
    return x[0]


def in_or(x):
    if x.shape[0] > 9 or (s := x.sum()) > 0:
        return s
    return s * 2


def in_an_operand_of_data(x):
    s = n = 0
    if x[0] > 0 and (s := x.sum()) > 0 and x.shape[0] > (n := 2):
        return x[1]
    return x[0] + s + n


def in_a_conditional_expression(x):
    y = (s := x.sum()) * 2 if x.shape[0] > 2 else x[0]
    return y + s


def in_a_chain(x):
    if 0 < (n := x.shape[0]) < 9 and n > 1:
        return x.sum() * n
    return x[0]


def in_while_with_and(x):
    i = 0
    while i < 3 and (s := x[i] * 2) > 0:
        i += 1
    return i + s


def in_not(x):
    if not (x.shape[0] > 2 and (s := x.sum()) > 0):
        return x[0]
    return s


def in_a_value(x):
    y = x.shape[0] > 2 and (s := x.sum())
    return y + s


def read_where_the_condition_holds(x):
    if x[0] > 0 and (s := x.sum()) > 0 and (t := s * 2) > 5:
        return s + t
    return x[1]


def of_a_chain(x):
    if 0 < x[0] < (s := x.sum()) < 100:
        return s * 3
    return x[1]


def of_a_loop(x):
    n = 0
    while n < 5 and (s := x[0] - n) > 0:
        x = x + 0 * s
        n = n + 1
    return n


def of_each_item(x):
    total = 0.0
    for v in x:
        if v > 0 and (square := v * v) > 3:
            total = total + square
    return total


PROGRAMS = [
    read_where_the_condition_holds,
    of_a_chain,
    of_a_loop,
    of_each_item,
    in_and,
    in_and_of_sizes,
    in_or,
    in_an_operand_of_data,
    in_a_conditional_expression,
    in_a_chain,
    in_while_with_and,
    in_not,
    in_a_value,
    in_a_loop,
    in_elif,
    twice_in_one_expression,
    in_while,
    in_a_call,
    after_a_read_of_the_name,
    in_a_list,
    nested,
]


@pytest.mark.parametrize("lane", [shims.function, lambda f: jax.jit(shims.dynamic(f))])
@pytest.mark.parametrize("program", PROGRAMS)
def test_as_python_does(program, lane):
    run = lane(program)
    for x in ([3.0, -1, 5, 7], [-1.0, -2, 0.5, 1.5], [-1.0, -1, -1, -1]):
        x = jnp.array(x)
        np.testing.assert_allclose(run(x), program(x), rtol=1e-6)


def read_where_it_may_not_hold(x):
    if not (x[0] > 0 and (s := x.sum()) > 0):
        return s * 2
    return x[0]


def read_afterwards(x):
    if x[0] > 0 and (s := x.sum()) > 0:
        x = x + s
    return x[0] + s


@pytest.mark.parametrize("program", [read_where_it_may_not_hold, read_afterwards])
def test_a_name_that_may_have_no_value_is_refused(program):
    with pytest.raises(ValueError, match="must also be defined"):
        shims.function(program)(jnp.array([3.0, -1, 5]))


def after_a_slice(x):
    i = 0
    while x.shape[0] - i > 2:
        i += 1
    return x[:1], (y := x[i:]).sum(), y * 2


def twice(x):
    n = x.shape[0]
    return (y := x), x[: n - 1] + (z := x[1:]), (y := x[:n]).sum() + z.sum(), y


@pytest.mark.parametrize("program", [after_a_slice, twice])
def test_a_walrus_after_a_slice_keeps_its_name(program):
    x = jnp.arange(5.0)
    got = shims.function(lambda x: program(x))(x)
    for a, b in zip(got, program(x), strict=True):
        np.testing.assert_array_equal(a, b)
    got = jax.jit(shims.dynamic(lambda x: program(x[x > 0])))(x)
    for a, b in zip(got, program(x[1:]), strict=True):
        np.testing.assert_array_equal(a.unpad() if isinstance(a, shims.Padded) else a, b)
