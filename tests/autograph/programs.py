"""Ordinary Python over tensors, written once for TensorFlow's AutoGraph and for ours.

Each takes the array module `m` (with TensorFlow's names) and a float vector.
"""


def if_else(m, x):
    if x[0] > 0:
        y = x * 2
    else:
        y = x - 1
    return y


def if_only(m, x):
    y = x
    if m.reduce_sum(x) > 0:
        y = y * x
    return y


def elif_chain(m, x):
    if x[0] > 2:
        y = x * 3
    elif x[0] > 0:
        y = x * 2
    elif x[0] > -1:
        y = x
    else:
        y = -x
    return y


def nested_if(m, x):
    y = x
    if x[0] > 0:
        if x[1] > 0:
            y = y + 1.0
        else:
            y = y * 2.0
        y = y * 3.0
    return y


def early_return(m, x):
    if x[0] > 0:
        return x * 2
    if x[1] > 0:
        return x * 3
    return x


def several_values(m, x):
    a, b = x[0], x[1]
    if a > b:
        a, b = b, a
    return a, b, b - a


def conjunction(m, x):
    if x[0] > 0 and x[1] > 0 and not x[2] > 5:
        return x * 2
    return x


def disjunction(m, x):
    if x[0] > 0 or x[1] > 0 or not (x[2] > 0 and x[0] < -1):
        return x * 2
    return x


def chained_comparison(m, x):
    if 0 < x[0] <= x[1] < 5:
        return x * 2
    return x


def ternary(m, x):
    return x * 2 if x[0] > 0 else x * 3


def nested_ternary(m, x):
    return x * 2 if x[0] > 0 else (x * 3 if x[1] > 0 or x[2] > 0 else x)


def for_over_rows(m, x):
    total = 0.0
    for value in x:
        total += value * value
    return total


def for_over_range(m, x):
    total = 0.0
    for i in m.range(m.size(x)):
        total = total * 2 + x[i]
    return total


def for_with_continue(m, x):
    total = 0.0
    for value in x:
        if value < 0:
            continue
        total += value
    return total


def for_with_break(m, x):
    total = 0.0
    for value in x:
        if value > 2:
            break
        total += value
    return total


def for_with_break_and_continue(m, x):
    total = 1.0
    for i in m.range(m.size(x)):
        if x[i] < 0:
            continue
        if total > 6:
            break
        total = total + x[i] * 2
    return total


def for_with_condition_inside(m, x):
    largest = x[0]
    place = 0
    for i in m.range(m.size(x)):
        if x[i] > largest:
            largest = x[i]
            place = i
    return largest, place


def nested_for(m, x):
    total = 0.0
    for a in x:
        for b in x:
            if b > a:
                total += a * b
    return total


def for_of_python_numbers(m, x):
    total = x
    for k in range(3):
        if x[k] > 0:
            total = total + k * x
    return total


def for_with_tuple_state(m, x):
    state = (0.0, 1.0)
    for value in x:
        state = (state[1], state[0] + state[1] * value)
    return state


def for_enumerate(m, x):
    total = 0.0
    for i, value in enumerate(x):
        total += m.cast(i, x.dtype) * value
    return total


def while_counter(m, x):
    i = 0
    total = 0.0
    while i < m.size(x):
        total += x[i] * x[i]
        i += 1
    return total


def while_with_break(m, x):
    i = 0
    total = 0.0
    while i < m.size(x):
        if x[i] > 2:
            break
        total += x[i]
        i += 1
    return total, i


def while_two_conditions(m, x):
    i = 0
    total = 0.0
    while i < m.size(x) and total < 4:
        total += x[i] * x[i]
        i += 1
    return total


def while_on_value(m, x):
    y = m.reduce_sum(x * x) + 1.0
    while y < 50:
        y = y * 2
    return y


def while_nested(m, x):
    i = 0
    total = 0.0
    while i < m.size(x):
        j = 0
        while j < i:
            total += x[i] * x[j]
            j += 1
        i += 1
    return total


def python_condition(m, x, double=True):
    if double:
        return x * 2
    return x


def python_loop_over_list(m, x):
    total = 0.0
    for part in [x, x * 2, x * 3]:
        if part[0] > 1:
            total += part[0]
    return total


def _relu(value):
    if value > 0:
        return value
    return value * 0


def calls_another(m, x):
    return _relu(x[0]) + _relu(x[1])


def calls_a_lambda(m, x):
    pick = lambda a, b: a if a > b else b
    return pick(x[0], x[1]) * pick(x[1], x[2])


def calls_an_inner_function(m, x):
    scale = x[2]

    def scaled(value):
        if value > 1:
            return value * scale
        return value

    return scaled(x[0]) + scaled(x[1])


def updates_a_dictionary(m, x):
    state = {"a": x[0], "b": x[1]}
    if x[2] > 0:
        state["a"] = state["a"] * 2
    for value in x:
        state["b"] = state["b"] + value
    return state["a"], state["b"]


def for_zip(m, x):
    total = 0.0
    for a, b in zip(x, x[::-1]):
        total += a * b * b
    return total


def returns_from_a_loop(m, x):
    for value in x:
        if value > 2:
            return value * 10
    return x[0]


def returns_from_a_while(m, x):
    i = 0
    while i < m.size(x):
        if x[i] > 2:
            return x[i] * 10
        i += 1
    return x[0]


def else_of_a_loop(m, x):
    total = 0.0
    for value in x:
        if value > 3:
            total = value
            break
        total += value
    else:
        total = total * 100
    return total


def walrus(m, x):
    y = x
    if (size := m.reduce_sum(y)) > 0:
        y = y * size
    while (size := m.reduce_sum(y * y)) < 20:
        y = y * 2
    return y, size


def starts_as_python(m, x):
    y = 1.0
    while y < 40:
        y = y * 2 + x[0] * x[0]
    return y


def loop_variable_defined_inside(m, x):
    for value in x:
        last = value * 2
    return last, value


def grows_an_array(m, x):
    y = x[:1]
    for value in [x[0], x[1]]:
        y = m.concat([y, y * value], 0)
    return y


def asserts(m, x):
    assert m.size(x) > 0, "no elements"
    if x[0] > 0:
        return x
    return -x


def try_and_with(m, x):
    with m.name_scope("scope"):
        try:
            if x[0] > 0:
                y = x * 2
            else:
                y = x
        finally:
            z = y + 1
    return z


PROGRAMS = (
    if_else,
    if_only,
    elif_chain,
    nested_if,
    early_return,
    several_values,
    conjunction,
    disjunction,
    chained_comparison,
    ternary,
    for_over_rows,
    for_over_range,
    for_with_continue,
    for_with_break,
    for_with_break_and_continue,
    for_with_condition_inside,
    nested_for,
    for_of_python_numbers,
    for_with_tuple_state,
    while_counter,
    while_with_break,
    while_two_conditions,
    while_on_value,
    while_nested,
    python_condition,
    python_loop_over_list,
    calls_another,
    calls_a_lambda,
    calls_an_inner_function,
    updates_a_dictionary,
    try_and_with,
)

# TensorFlow's AutoGraph does not take these.
OURS_ONLY = (
    nested_ternary,
    for_enumerate,
    for_zip,
    returns_from_a_loop,
    returns_from_a_while,
    else_of_a_loop,
    walrus,
    starts_as_python,
    loop_variable_defined_inside,
    asserts,
    grows_an_array,
)
