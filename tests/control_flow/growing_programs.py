"""Programs with loops that nothing bounds, and lists that grow in them; `t` is either library."""


def by_position(t, x):
    array = t.TensorArray(t.float32, size=0, dynamic_size=True)
    i = t.constant(0)
    while i < t.shape(x)[0]:
        array = array.write(i, x[i] * x[i])
        i += 1
    return t.reduce_sum(array.stack() * x)


def selected(t, x):
    array = t.TensorArray(t.float32, size=0, dynamic_size=True, element_shape=[])
    k = t.constant(0)
    for i in t.range(t.shape(x)[0]):
        if x[i] > 0.3:
            array = array.write(k, x[i] ** 3)
            k += 1
    return t.reduce_sum(t.cumsum(array.stack()))


def of_rows(t, x):
    array = t.TensorArray(t.float32, size=0, dynamic_size=True)
    for i in t.range(t.shape(x)[0]):
        array = array.write(i, t.stack([x[i], t.sin(x[i])]))
    return t.reduce_sum(array.concat() ** 2)


def read_back(t, x):
    array = t.TensorArray(t.float32, size=1, dynamic_size=True, clear_after_read=False)
    array = array.write(0, x[0])
    for i in t.range(1, t.shape(x)[0]):
        array = array.write(i, array.read(i - 1) * 0.9 + x[i])
    return t.reduce_sum(array.stack() ** 2)


def until_a_sum(t, x):
    total, i = t.constant(0.0), t.constant(0)
    while total < 3.0:
        total += x[i % t.shape(x)[0]] ** 2
        i += 1
    return total * t.cast(i, t.float32)


def converged(t, x):
    guess = t.reduce_sum(x) + 1.0
    while t.abs(guess * guess - 2.0) > 1e-5:
        guess = 0.5 * (guess + 2.0 / guess) + 0.0 * x[0]
    return guess * t.reduce_sum(x)


def inside_another(t, x):
    out = t.constant(0.0)
    for i in t.range(t.shape(x)[0]):
        value = x[i] ** 2 + 0.5
        while value < 2.0:
            value = value * 1.5
        out += value
    return out


def until_a_sum_in_a_list(t, x):
    array = t.TensorArray(t.float32, size=0, dynamic_size=True)
    total, i = t.constant(0.0), t.constant(0)
    while total < 3.0:
        total += x[i % t.shape(x)[0]] ** 2
        array = array.write(i, total)
        i += 1
    return t.reduce_sum(array.stack() * 2.0)


def selected_again_and_again(t, x):
    kept, i = x, t.constant(0)
    while i < 3:
        i += 1
        kept = t.tanh(t.boolean_mask(kept, kept > 0.3))
    return t.reduce_sum(kept**2)


def of_several_sizes(t, x):
    kept, i = x, t.constant(0)
    while i < 3 and t.size(kept) < 30:
        i += 1
        kept = t.sin(t.concat([t.boolean_mask(kept, kept > 0.4), x], 0))[:24]
    return t.reduce_sum(kept * t.cumsum(kept))


def one_of_two_selections(t, x):
    kept = x
    for row in t.stack([x, t.sin(x), x * 0.5], 1):
        mine = t.boolean_mask(row, row > 0.3)
        if t.size(mine) > 1:
            kept = t.tanh(mine)
        else:
            kept = t.sin(t.boolean_mask(x, x > 0.4))
    return t.reduce_sum(kept**2)


def selected_in_two_loops(t, x):
    total = t.constant(0.0)
    for row in t.stack([x, t.sin(x), x * 0.5], 1):
        mine = t.boolean_mask(row, row > 0.3)
        if t.size(mine) > 1:
            for value in mine:
                near = t.boolean_mask(x, x > value)
                total += t.reduce_sum(t.tanh(near * value)) * t.reduce_sum(mine**2)
    return total


def shortened_in_two_loops(t, x):
    kept = x
    for i in t.range(t.minimum(t.math.count_nonzero(x > 0.3, dtype=t.int32), 3)):
        for j in t.range(t.minimum(t.math.count_nonzero(kept > 0.4, dtype=t.int32), i + 2)):
            kept = t.tanh(kept * kept[j])[: t.size(x) - i] + 0.1
    return t.reduce_sum(kept**2)


def chosen_by_a_length_outside(t, x):
    def longer_or_shorter(i, v):
        ways = [lambda: v[1:], lambda: v, lambda: t.concat([v, v], 0)]
        return i + 1, t.tanh(t.switch_case(t.size(x) - 3, ways))

    shapes = [t.TensorShape([]), t.TensorShape([None])]
    loop = [t.constant(0), x]
    kept = t.while_loop(lambda i, v: i < 2, longer_or_shorter, loop, shape_invariants=shapes)[1]
    return t.reduce_sum(kept**2)


PROGRAMS = (
    by_position,
    selected,
    of_rows,
    read_back,
    until_a_sum,
    converged,
    inside_another,
    until_a_sum_in_a_list,
    selected_again_and_again,
    of_several_sizes,
    one_of_two_selections,
    selected_in_two_loops,
    shortened_in_two_loops,
    chosen_by_a_length_outside,
)


def value_and_gradient(t, program):
    def both(x):
        with t.GradientTape() as tape:
            tape.watch(x)
            y = program(t, x)
        return y, tape.gradient(y, x)

    return t.function(both, input_signature=[t.TensorSpec([None])])
