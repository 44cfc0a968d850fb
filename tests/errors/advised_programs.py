"""Programs that the engine refuses, and each program again with the advice of the message applied.

A program is a function of an array and a mask. The advised ones compute what `exact` computes from the exact
selection; `exact` is the refused program itself unless given.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

import shims


@dataclasses.dataclass(frozen=True)
class Advice:
    """A part of a remedy as the engine's source has it, a refused program, and what replaces it."""

    text: str
    refused: Callable
    advised: tuple[Callable, ...]
    exact: Callable


def advice(text, refused, *advised, exact=None):
    return Advice(text, refused, advised, exact or refused)


TABLE = np.arange(9, dtype=np.float32).reshape(3, 3)


def hessenberg(y):
    return lax.linalg.hessenberg(jnp.outer(y, y))[0]


def scanned(y):
    return lax.scan(lambda c, i: (c * 0.9 + y[i], None), jnp.float32(0), jnp.arange(y.shape[0]))[0]


def without_autograph(f):
    return shims.autograph.experimental.do_not_convert(f)


def larger(y):
    return y[y > 1]


def summed_items(y):
    total = jnp.float32(0)
    for v in y:
        total = total + v * v
    return total


def growing(y):
    while jnp.sum(y) < 900:
        y = jnp.concatenate([y, y + 1])
    return y


def bounded_growth(y):
    return shims.while_loop(
        lambda v: shims.size(v) < 9,
        lambda v: [jnp.concatenate([v, v[:1]])],
        [y],
        shape_invariants=[shims.TensorShape([None])],
        maximum_iterations=9,
    )[0]


def _one_more(y):
    while y.shape[0] < 9:
        y = jnp.concatenate([y, y[:1]])
    return y


def _above_one(y, array):
    k = 0
    for v in y:
        if v > 1:
            array = array.write(k, v)
            k += 1
    return array.stack()[:k]


def growing_array(y):
    return _above_one(y, shims.TensorArray(jnp.float32, 1, dynamic_size=True))


def sized_array(y):
    return _above_one(y, shims.TensorArray(jnp.float32, 99))


def _long_or_short(y):
    return (y.sum(), y) if y.shape[0] > 2 else y.sum()


def _many_questions(y):
    found = 0.0
    for number in range(7):
        found += 1.0 if y[y > number].shape[0] > 2 else 0.0
    return jnp.float32(found)


def handled(v):
    try:
        return (v + jnp.ones(2)).sum()
    except (TypeError, ValueError):
        return -1.0


def chosen_size(y):
    n = 2 * y.shape[0]
    if n >= 9:
        n = y.shape[0] // 2
    return jnp.resize(y, n).sum()


def called_in_each_branch(y):
    n = 2 * y.shape[0]
    if n >= 9:
        return jnp.resize(y, y.shape[0] // 2).sum()
    return jnp.resize(y, n).sum()


def one_window(y):
    n = y.shape[0]
    return lax.reduce_window(y, 0.0, lax.add, (n,), (1,), "VALID").sum()


def differences_of_totals(y):
    n, totals = y.shape[0], jnp.cumsum(y)
    return (totals[n - 1 :] - jnp.pad(totals[:-n], (1, 0))).sum()


def tested(v):
    return (v + jnp.ones(2)).sum() if v.shape[0] == 2 else -1.0


def noted_in_a_set(y):
    seen = {2}
    if y.sum() > 0:
        seen.add(1)
    return y.sum() * len(seen)


def counted_in_a_branch(y):
    n = 1
    if y.sum() > 0:
        n = n + 1
    return y.sum() * n


ADVICE = (
    advice(
        "assign a number or an array in the branch, `n = n + 1`, and use `n` afterwards",
        noted_in_a_set,
        counted_in_a_branch,
    ),
    advice(
        "copy the array into an array of static size, "
        "`jnp.zeros(8).at[jnp.arange(n)].set(y)` with `n = y.shape[0]`, or keep the size of `x` and fill the other elements with 0",
        hessenberg,
        lambda y: jnp.zeros(8).at[jnp.arange(y.shape[0])].set(y),
        exact=lambda y: jnp.pad(y, (0, 8 - y.shape[0])),
    ),
    advice(
        "write `jnp.{}`: `{}` needs numbers",
        lambda y: jnp.asarray(np.stack([y, y])),
        lambda y: jnp.stack([y, y]),
    ),
    advice(
        "write `y.shape[0]` in place of `len(y)`, `jnp.take(table, n)`, `lax.fori_loop(0, n, ...)` in place of a "
        "loop, and `jnp.zeros(n)` or `jnp.arange(n)` in place of NumPy's",
        lambda y: jnp.asarray(np.zeros(y.shape[0])),
        lambda y: jnp.zeros(y.shape[0]),
        lambda y: jnp.zeros(without_autograph(lambda y: y.shape[0])(y)),
    ),
    advice(
        "choose between the values: `jnp.where(n > 1, a, b)` in place of `{True: a, False: b}[n > 1]`",
        lambda y: {True: 1.0, False: 2.0}[y.sum() > 3] * y,
        lambda y: jnp.where(y.sum() > 3, 1.0, 2.0) * y,
        exact=lambda y: {True: 1.0, False: 2.0}[bool(y.sum() > 3)] * y,
    ),
    advice(
        "test the sizes before the step, `if n == m`, instead of catching the error",
        lambda y: jax.lax.map(lambda e: handled(y[y > e]), y),
        lambda y: jax.lax.map(lambda e: tested(y[y > e]), y),
        exact=lambda y: jnp.stack([jnp.float32(tested(y[y > e])) for e in y]),
    ),
    advice(
        "write `jnp.linalg.lstsq(jnp.vander(x, deg + 1), y)[0]`",
        lambda y: jnp.polyfit(jnp.arange(y.shape[0]) * 1.0, y, 1),
        lambda y: jnp.linalg.lstsq(jnp.vander(jnp.arange(y.shape[0]) * 1.0, 2), y)[0],
    ),
    advice(
        "select the other elements: `y[~jnp.isin(jnp.arange(y.shape[0]), i)]` (add `y.shape[0]` to negative positions)",
        lambda y: jnp.delete(y, jnp.array([0, 2])).sum(),
        lambda y: y[~jnp.isin(jnp.arange(y.shape[0]), jnp.array([0, 2]))].sum(),
    ),
    advice(
        "select the other elements: `y[~jnp.isin(jnp.arange(y.shape[0]), i)]` (add `y.shape[0]` to negative positions)",
        lambda y: jnp.delete(y, y.shape[0] - 1).sum(),
        lambda y: y[~jnp.isin(jnp.arange(y.shape[0]), y.shape[0] - 1)].sum(),
    ),
    advice(
        "to sum a slice, subtract two elements of `jnp.cumsum(y)`; the positions of these elements may be sizes",
        one_window,
        differences_of_totals,
    ),
    advice(
        "call the function in each branch, with the number of this branch",
        chosen_size,
        called_in_each_branch,
    ),
    advice(
        "write `shims.bounded(k, max=...)` for the count",
        lambda y: jnp.repeat(y, y.astype(int)),
        lambda y: jnp.repeat(y, shims.bounded(jnp.abs(y.astype(int)), max=7)),
    ),
    advice(
        "pass the number of slices, which is checked at run time: `shims.unstack(y, num=3)`",
        lambda y: jnp.stack(shims.unstack(y)),
        lambda y: jnp.stack(shims.unstack(y, num=4)),
    ),
    advice(
        "use the size itself, or convert the size to an array with `jnp.asarray(n)` and compute with the array",
        without_autograph(lambda y: y * int(y.shape[0])),
        lambda y: y * y.shape[0],
        lambda y: y * jnp.asarray(y.shape[0]),
    ),
    advice(
        "write `jnp.float32(n)`",
        without_autograph(lambda y: y * float(y.shape[0])),
        lambda y: y * jnp.float32(y.shape[0]),
    ),
    advice(
        "JAX needs a Python number here: pass a number to the function, `f(x, 2)` in place of `f(x, "
        "jnp.asarray(2))`, or write `shims.switch_case` with a branch for each number",
        lambda y: jnp.sum(TABLE, axis=jnp.argmin(y) // 4),
        lambda y: shims.switch_case(
            jnp.argmin(y) // 4, [lambda: jnp.sum(TABLE, axis=0), lambda: jnp.sum(TABLE, axis=1)]
        ),
        exact=lambda y: jnp.sum(TABLE, axis=int(jnp.argmin(y)) // 4),
    ),
    advice(
        "keep the value as an array; convert it to a Python number or a NumPy array after the call",
        lambda y: y * y.sum().item(),
        lambda y: y * y.sum(),
    ),
    advice(
        "compare the size, `jnp.where(n == 3, a, b)`, or use the size as an index of an array, `jnp.take(table, n)`",
        lambda y: y * {3: 2.0, 4: 3.0}[y.shape[0]],
        lambda y: y * jnp.where(y.shape[0] == 4, 3.0, 2.0),
        lambda y: y * jnp.take(jnp.array([0.0, 0, 0, 2, 3]), y.shape[0]),
    ),
    advice(
        "write an array of that length: `jnp.full(n, value)`",
        lambda y: jnp.asarray([2.0] * y.shape[0]),
        lambda y: jnp.full(y.shape[0], 2.0),
    ),
    advice(
        "compute with the size itself, `n > 9` in place of `len(str(n)) > 1`, or format the text inside the `print` "
        "or `raise` statement",
        lambda y: y * (2.0 if len(str(y.shape[0])) > 1 else 1.0),
        lambda y: y * (2.0 if y.shape[0] > 9 else 1.0),
    ),
    advice(
        "write `jnp.any(y > 3)`",
        lambda y: jnp.asarray(any(v > 3 for v in y)),
        lambda y: jnp.any(y > 3),
    ),
    advice(
        "use `shims.map_fn` or `jax.vmap`, or a `for` statement that `shims.function` converts",
        lambda y: sum((v * v for v in y), jnp.float32(0)),
        lambda y: jnp.sum(shims.map_fn(lambda v: v * v, y)),
        lambda y: jnp.sum(jax.vmap(lambda v: v * v)(y)),
        summed_items,
    ),
    advice(
        "declare the two sizes equal: `shims.same_size(a, b)` returns `a` with the size of `b`",
        lambda y: jnp.stack([y, y[y >= -9]]),
        lambda y: jnp.stack([y, shims.same_size(y[y >= -9], y)]),
    ),
    advice(
        "write `shims.cond` or `shims.switch_case`, whose branches may return different sizes",
        lambda y: lax.cond(y.sum() > 1, lambda: y[y > 1], lambda: y),
        lambda y: shims.cond(y.sum() > 1, lambda: y[y > 1], lambda: y),
        lambda y: shims.switch_case((y.sum() > 1).astype(jnp.int32), [lambda: y, lambda: y[y > 1]]),
        exact=larger,
    ),
    advice(
        "write `shims.while_loop`, and name the sizes that change in `shape_invariants`",
        lambda y: lax.while_loop(lambda c: c.sum() > 5, lambda c: c[c < 3], y),
        lambda y: shims.while_loop(
            lambda c: shims.reduce_sum(c) > 5,
            lambda c: [c[c < 3]],
            [y],
            shape_invariants=[shims.TensorShape([None])],
        )[0],
        exact=lambda y: y[y < 3],
    ),
    advice(
        "pass `maximum_iterations` to `while_loop`",
        growing,
        bounded_growth,
        exact=_one_more,
    ),
    advice(
        "create a growing `TensorArray` with its largest size and cut the result",
        growing_array,
        sized_array,
        exact=lambda y: y[y > 1],
    ),
    advice(
        "reduce or pad each row inside the mapped function",
        lambda y: lax.map(lambda t: y[y > t], y),
        lambda y: jax.vmap(lambda t: jnp.sum(y[y > t]))(y),
        exact=lambda y: jnp.stack([jnp.sum(y[y > t]) for t in y]),
    ),
    advice(
        "return results of the same structure, dtype and rank in both cases",
        without_autograph(_long_or_short),
        without_autograph(lambda y: (y.sum(), y) if y.shape[0] > 2 else (y.sum(), y[:0])),
        exact=lambda y: (y.sum(), y),
    ),
    advice(
        "compare the number instead, `shims.size(y)` with `shims.cond`",
        without_autograph(_many_questions),
        lambda y: sum(
            shims.cond(shims.size(y[y > i]) > 2, lambda: jnp.float32(1), lambda: jnp.float32(0))
            for i in range(7)
        ),
    ),
)
