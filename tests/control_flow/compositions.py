"""Control flow made by rule: bodies that select, in surroundings of loops, branches and rows.

A body gives a number of a vector of unknown length; a surrounding takes two of them. All of it stays
small (`tanh`, factors of a tenth): what is compared is what differentiation makes of sizes, not rounding.
"""


def kept(t, x):
    return t.boolean_mask(x, x > 0.2)


# ---- bodies that ask a selection for nothing but its size ----------------------------------------


def filled(t, x):
    return t.reduce_sum(t.fill([t.size(kept(t, x)) + 1], t.reduce_sum(x**2)) ** 2)


def counted(t, x):
    places = t.range(2 * t.size(kept(t, x)))
    return t.reduce_sum(t.sin(0.1 * t.cast(places, t.float32) * t.reduce_sum(x**2)))


def repeated(t, x):
    return t.reduce_sum(t.tile(x, [t.size(kept(t, x))]) ** 3)


def padded(t, x):
    return t.reduce_mean(t.pad(x, [[0, t.size(kept(t, x)) + 1]], constant_values=0.5) ** 2)


def cut(t, x):
    return t.reduce_sum(x[: t.size(kept(t, x))] ** 3)


def hot(t, x):
    rows = t.one_hot([0, 1], t.size(kept(t, x)) + 2) * t.reduce_sum(x)
    return t.reduce_sum(rows**2)


SIZED = (filled, counted, repeated, padded, cut, hot)

# ---- bodies that use what they select ------------------------------------------------------------


def averaged(t, x):
    return t.reduce_mean(t.concat([kept(t, x), [0.5]], 0) ** 2)


def doubled(t, x):
    return t.reduce_sum(t.cumsum(t.repeat(kept(t, x), 2)) ** 2)


def neighbors(t, x):
    found = kept(t, x)
    return t.reduce_sum(t.sin(found[1:]) * found[:-1])


def paired(t, x):
    found = kept(t, x)
    return t.reduce_sum(t.tanh(t.reshape(found[:, None] * found[None], [-1])) ** 2)


def folded(t, x):
    start = t.constant(0.25)
    return t.foldl(lambda a, e: t.tanh(a + e * a), kept(t, x), initializer=start)


def mapped(t, x):
    def row(e):
        return t.reduce_logsumexp(t.boolean_mask(x, x > e - 0.1)) * e

    return t.reduce_sum(t.map_fn(row, kept(t, x)))


def branched(t, x):
    found = kept(t, x)
    return t.cond(
        t.size(found) > 1,
        lambda: t.reduce_sum(found**2),
        lambda: t.reduce_sum(t.sin(kept(t, -x)) ** 2),
    )


def distinct(t, x):
    places = t.cast(t.unique(t.cast(2.0 * t.abs(x), t.int32))[0], t.int32)
    return t.reduce_sum(t.gather(x, places % t.maximum(t.size(x), 1)) ** 2)


def by_segments(t, x):
    found = kept(t, x)
    ids = t.range(t.size(found)) % 2
    return t.reduce_sum(t.math.unsorted_segment_sum(found**2, ids, 2) ** 2)


def multiplied(t, x):
    found = kept(t, x)
    columns = t.stack([found, found**2], 1)
    return t.reduce_sum(t.matmul(columns, columns, transpose_a=True) ** 2)


def plain(t, x):
    return t.reduce_sum(t.sin(x))


def constant(t, x):
    return t.constant(1.5)


SELECTING = (
    averaged,
    doubled,
    neighbors,
    paired,
    folded,
    mapped,
    branched,
    distinct,
    by_segments,
    multiplied,
)
BODIES = (*SIZED, *SELECTING, plain, constant)

# ---- surroundings --------------------------------------------------------------------------------


def in_a_branch(t, f, g, x, s):
    return t.cond(s > 0.45, lambda: f(t, x), lambda: g(t, x)) * s


def in_branches(t, f, g, x, s):
    # One computation in two branches, which have a size of one name.
    which = t.cast(s * 10.0 - 2.5, t.int32)
    return t.switch_case(
        which, [lambda: f(t, x), lambda: g(t, x), lambda: f(t, x) * 2.0, lambda: g(t, -x)]
    )


def in_a_branch_of_a_branch(t, f, g, x, s):
    def inner():
        return t.cond(t.reduce_sum(x) > 0.3, lambda: f(t, x), lambda: g(t, x * s))

    return t.cond(s > 0.45, inner, lambda: t.tanh(f(t, x * s)))


def in_a_loop(t, f, g, x, s):
    for i in t.range(3):
        if s > 0.45:
            s = t.tanh(0.1 * f(t, x * s)) + 0.1 * t.cast(i, t.float32)
        else:
            s = s + 0.1 * t.tanh(g(t, x))
    return s


def in_a_loop_that_nothing_bounds(t, f, g, x, s):
    def step(i, s):
        grown = t.cond(s > 0.45, lambda: t.tanh(0.1 * f(t, x * s)), lambda: t.abs(g(t, x)) * s)
        return i + 1, s + grown

    return t.while_loop(lambda i, s: i < 4 and s < 2.0, step, [t.constant(0), s])[1]


def in_a_loop_that_selects(t, f, g, x, s):
    y = x
    for _ in t.range(2):
        y = t.boolean_mask(y, y < 0.9)
        s = s + t.tanh(0.1 * f(t, y * s)) * t.tanh(g(t, y))
    return s


def in_a_loop_in_a_branch(t, f, g, x, s):
    if s > 0.45:
        for e in x[:3]:
            s = t.tanh(s + 0.1 * f(t, x * e))
    else:
        for _ in t.range(2):
            s = s + t.tanh(0.1 * g(t, x * s)) * s
    return s


def in_rows(t, f, g, x, s):
    rows = t.map_fn(lambda e: t.cond(e > s, lambda: f(t, x * e), lambda: t.tanh(g(t, x - e))), x)
    return t.reduce_sum(t.tanh(0.1 * rows))


def of_what_branches_select(t, f, g, x, s):
    y = t.cond(
        s > 0.45,
        lambda: t.boolean_mask(x, x > 0.1) * s,
        lambda: t.concat([t.boolean_mask(x, x > 0.3), t.sin(x)], 0),
    )
    z = t.cond(t.size(y) > 3, lambda: y * t.tanh(f(t, y)), lambda: t.tanh(g(t, y)) * y[1:])
    return t.reduce_sum(z**2)


SURROUNDINGS = (
    in_a_branch,
    in_branches,
    in_a_branch_of_a_branch,
    in_a_loop,
    in_a_loop_that_nothing_bounds,
    in_a_loop_that_selects,
    in_a_loop_in_a_branch,
    in_rows,
    of_what_branches_select,
)
