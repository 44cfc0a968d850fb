"""Every message of converted code, rendered whole."""

import itertools

import jax
import jax.numpy as jnp
import pytest

from shims._src.autograph import convert, to_code, to_graph
from shims._src.errors import errors
from shims._src.function.dynamic_function import dynamic
from tests.control_flow.messages import rendered

V = jnp.asarray([1.0, 2.0, -1.0])


def jitted(f, *args):
    return lambda: jax.jit(convert(f))(*(args or (V,)))


def staged(f):
    return lambda: dynamic(f)(V)


def enclosed(f):
    return lambda: jax.jit(dynamic(f))(V)


def of_many(f):
    """The sizes have more numbers than those for which a program each is staged."""
    return lambda: jax.jit(dynamic(f))(jnp.linspace(-1.0, 1.0, 40))


def undefined_in_else(x):
    if x[0] > 0:
        y = x
    return y


def undefined_in_main(x):
    if x[0] > 0:
        pass
    else:
        y = x
    return y


def return_in_one_branch(x):
    if x[0] > 0:
        return x


def used_before_assignment(x):
    for row in x:
        total = total + row  # noqa: F821, F841, the mistake
    return x


def deleted(x):
    del x
    return x  # noqa: F821, the mistake


def other_structure(x):
    if x[0] > 0:
        y = (x, x)
    else:
        y = x
    return y


def other_dtype(x):
    if x[0] > 0:
        y = x
    else:
        y = jnp.ones(3, jnp.int32)
    return y


def a_string(x):
    if x[0] > 0:
        mode = "up"
    else:
        mode = "down"
    return x if mode == "up" else -x


def a_vector(x):
    if x > 0:
        return x
    return -x


def a_vector_and(x):
    if x[0] > 0 and x > 0:
        return x
    return -x


def list_in_one_branch(x):
    values = []
    if x[0] > 0:
        values.append(x)
    return values


def none_before_the_loop(x):
    best = None
    while x.sum() < 9:
        x = x * 2
        best = x
    return best


def dtype_changes(x):
    while x.sum() < 9:
        x = x.astype(jnp.int32)
    return x


def shape_changes(x):
    while x.sum() < 9:
        x = jnp.concatenate([x, x])
    return x


def endless(x):
    for k in itertools.count():
        if x[0] > k:
            break
    return x


def comprehension_of_traced_range(x):
    return [k * 2 for k in range(jnp.argmax(x))]


def zip_of_traced_range(x):
    total = 0.0
    for k, row in zip(range(jnp.argmax(x)), x):
        total = total + k * row
    return total


def unbounded_list(x):
    values = []
    while x.sum() < 9:
        x = x * 2
        values.append(x)
    return values


def list_is_read(x):
    values = [x]
    while x.sum() < 9:
        x = x * 2
        values.append(values[-1] + x)
    return values


def list_is_changed(x):
    values = [x]
    while x.sum() < 9:
        x = x * 2
        values.extend([x])
    return values


def change_of_grown_list(x):
    values = []
    for row in x[x > 0]:
        values.append(row)
    values.reverse()
    return values


def inner_of_unknown_length(x):
    values = []
    for _ in x:
        for row in x[x > 0]:
            values.append(row)
    return values


def list_is_popped(x):
    values = [x]
    while x.sum() < 9:
        x = x * 2
        values.append(x)
        values.pop()
    return values


def strict_zip(x):
    total = 0.0
    for a, b in zip(x, x[:2], strict=True):
        total = total + a * b
    return total


outside = []


def list_from_outside(x):
    if x[0] > 0:
        outside.append(x)
    return x


class Holder:
    total = None


def _store(holder, value):
    holder.total = value


def attribute_from_outside(x):
    if x[0] > 0:
        _store(KEPT, x)
    return x


def item_of_an_attribute(x, i=0):
    if x[0] > 0:
        KEPT.values[i + 1] = x
    return x


KEPT = Holder()
KEPT.values = [0, 0]


def fails_to_assert(x):
    assert x[0] > 5, f"too small for {len(x)}"
    return x


def fails_to_assert_silently(x):
    assert x[0] > 5
    return x


def sizes_that_differ(x):
    total = 0.0
    for a, b in zip(x[x > 0], x[x > -5], strict=True):
        total = total + a * b
    return total


def some_function(x):
    return x


MESSAGES = {
    "undefined in else": (
        jitted(undefined_in_else),
        ValueError,
        "if: `y` must also be defined in the else branch.\n  Required: a value of `y` in every branch\n  Received: "
        "a value only in the main branch\n  At:\n  Do:       assign `y` before the condition, or in both branches.",
    ),
    "undefined in main": (
        jitted(undefined_in_main),
        ValueError,
        "if: `y` must also be defined in the main branch.\n  Required: a value of `y` in every branch\n  Received: "
        "a value only in the else branch\n  At:\n  Do:       assign `y` before the condition, or in both branches.",
    ),
    "return in one branch": (
        jitted(return_in_one_branch),
        ValueError,
        "return_in_one_branch: whether the function returns a value depends on traced data.\n  Required: a `return` "
        "on every path\n  Received: a path that ends without `return`\n  At:\n  Do:       also return a value at "
        "the end of the function.",
    ),
    "used before assignment": (
        jitted(used_before_assignment),
        UnboundLocalError,
        "'total' is used before assignment",
    ),
    "deleted": (
        jitted(deleted),
        UnboundLocalError,
        "'x' is used before assignment",
    ),
    "structure": (
        jitted(other_structure),
        TypeError,
        "if: `y` must have the same structure in all branches.\n"
        "  Required: equal structures\n"
        "  Received: main: (*, *); else: *\n"
        "  At:\n"
        "  Do:       return the same tuples, lists, dictionaries and `None`s from each branch.",
    ),
    "dtype": (
        jitted(other_dtype),
        TypeError,
        "if: `y` must have the same dtype in all branches.\n"
        "  Required: equal dtypes\n"
        "  Received: main: float32; else: int32\n"
        "  At:\n"
        "  Do:       cast the result of one branch: `shims.cast(x, dtype)`.",
    ),
    "string": (
        jitted(a_string),
        TypeError,
        (
            "if: `mode` depends on a traced condition, but is not an array.\n"
            "  Required: an array or a number in each branch\n"
            "  Received: 'up' in the main branch\n"
            "  At:\n"
            "  Do:       choose the value with a Python condition, or use a number instead."
        ),
    ),
    "vector": (
        jitted(a_vector),
        ValueError,
        "if: the condition must be a scalar.\n"
        "  Required: bool[]\n"
        "  Received: bool[3]\n"
        "  At:\n"
        "  Do:       reduce it to a scalar: `jnp.any(...)` or `jnp.all(...)`.",
    ),
    "vector behind and": (
        jitted(a_vector_and),
        ValueError,
        "and: the condition must be a scalar.\n"
        "  Required: bool[]\n"
        "  Received: bool[3]\n"
        "  At:\n"
        "  Do:       reduce it to a scalar: `jnp.any(...)` or `jnp.all(...)`.",
    ),
    "list in one branch": (
        jitted(list_in_one_branch),
        TypeError,
        "if: `values` must have the same structure in all branches.\n"
        "  Required: equal structures\n"
        "  Received: main: [*]; else: []\n"
        "  At:\n"
        "  Do:       return the same tuples, lists, dictionaries and `None`s from each branch.",
    ),
    "none before the loop": (
        jitted(none_before_the_loop),
        TypeError,
        "while: `best` must keep its structure from one iteration to the next.\n"
        "  Required: None\n"
        "  Received: * after one iteration\n"
        "  At:\n"
        "  Do:       before the loop, give `best` the structure that it has after an iteration.",
    ),
    "dtype changes": (
        jitted(dtype_changes),
        TypeError,
        "while: `x` must keep its dtype from one iteration to the next.\n"
        "  Required: float32\n"
        "  Received: int32 after one iteration\n"
        "  At:\n"
        "  Do:       cast the new value: `shims.cast(x, shims.float32)`.",
    ),
    "shape changes": (
        jitted(shape_changes),
        errors.GrowingStateError,
        "while: `x` changes its shape from one iteration to the next.\n"
        "  Required: float32[3], as before the loop\n"
        "  Received: float32[6] after one iteration\n"
        "  At:\n"
        "  Do:       write into an array of fixed size, or collect the values with `map_fn` or `scan`.",
    ),
    "endless": (
        jitted(endless),
        ValueError,
        "for: a loop over an endless iterator can end only by a condition that depends on traced data.\n  Required: "
        "a `while` loop, or an iterator that ends\n  Received: count\n  At:",
    ),
    "comprehension": (
        jitted(comprehension_of_traced_range),
        TypeError,
        "range: only a `for` statement can iterate over a traced number of items.\n"
        "  Required: `for ... in`, in a function that `shims.function` converts\n"
        "  Received: a comprehension, an unpacking, or a call such as `list(...)`\n"
        "  At:\n"
        "  Do:       write a `for` statement, or use `shims.map_fn`.",
    ),
    "zip of a traced range": (
        jitted(zip_of_traced_range),
        errors.UnimplementedError,
        "zip: `zip` does not support a `range` whose length is traced.\n"
        "  Required: arrays, or ranges of known or symbolic sizes\n"
        "  At:\n"
        "  Do:       index the arrays in a loop over the range.",
    ),
    "unbounded list": (
        jitted(unbounded_list),
        errors.CapacityError,
        "while: a list grows in a loop whose number of iterations is traced and has no bound.\n  Required: a bound "
        "on the number of iterations\n  At:\n  Do:       call this code inside a `shims.function`, or write `for i "
        "in range(shims.bounded(n, max=...))`.",
    ),
    "list is read": (
        jitted(list_is_read),
        errors.UnimplementedError,
        "append: the list `values` is read in the loop that appends to it.\n"
        "  Required: a loop over traced data that only appends to the list\n"
        "  At:\n"
        "  Do:       keep the value that you read in a separate variable.",
    ),
    "list is changed": (
        jitted(list_is_changed),
        errors.UnimplementedError,
        "list.extend: a branch or loop over traced data stores a value outside of the branch or loop.\n  Required: "
        "a local variable, or an attribute that the branch or loop itself assigns\n  At:\n  Do:       return the "
        "value, and store the value after the branch or loop.",
    ),
    "list is popped": (
        jitted(list_is_popped),
        errors.UnimplementedError,
        "list: the list `values` changes in a loop over traced data.\n"
        "  Required: `append`, or a new list of the same length\n"
        "  At:\n"
        "  Do:       build a new list, for instance `values = [*values[1:], x]`.",
    ),
    "strict zip": (
        jitted(strict_zip),
        ValueError,
        "zip() argument 2 is shorter than argument 1",
    ),
    "change of a grown list": (
        of_many(change_of_grown_list),
        errors.UnimplementedError,
        "reverse: a loop of unknown length has filled this list, so the list cannot be changed in place.\n  "
        "Required: `append`, or `+`\n  At:\n  Do:       stack the list, `jnp.stack(values)`, and compute with the "
        "array.",
    ),
    "inner loop of unknown length": (
        of_many(inner_of_unknown_length),
        errors.UnimplementedError,
        "append: the list `values` grows in a loop of unknown length that is inside another loop.\n  Required: a "
        "known number of iterations of the inner loop\n  Received: u0 iterations\n  Size:     u0\n  At:\n  "
        "Do:       collect the inner loop's values in a separate list.",
    ),
    "list from outside": (
        jitted(list_from_outside),
        errors.UnimplementedError,
        "list.append: a branch or loop over traced data stores a value outside of the branch or loop.\n  Required: "
        "a local variable, or an attribute that the branch or loop itself assigns\n  At:\n  Do:       return the "
        "value, and store the value after the branch or loop.",
    ),
    "attribute from outside": (
        jitted(attribute_from_outside),
        errors.UnimplementedError,
        "Holder.total: a branch or loop over traced data stores a value outside of the branch or loop.\n  Required: "
        "a local variable, or an attribute that the branch or loop itself assigns\n  At:\n  Do:       return the "
        "value, and store the value after the branch or loop.",
    ),
    "item of an attribute": (
        jitted(item_of_an_attribute),
        errors.UnimplementedError,
        "list.__setitem__: a branch or loop over traced data stores a value outside of the branch or loop.\n  "
        "Required: a local variable, or an attribute that the branch or loop itself assigns\n  At:\n  Do:       "
        "return the value, and store the value after the branch or loop.",
    ),
    "assert": (
        staged(fails_to_assert),
        errors.InvalidArgumentError,
        "assert: too small for 3\n  At:",
    ),
    "assert without a message": (
        staged(fails_to_assert_silently),
        errors.InvalidArgumentError,
        "assert: `x[0] > 5` is false.\n  At:",
    ),
    "sizes that differ": (
        of_many(sizes_that_differ),
        errors.UnimplementedError,
        "zip: `strict=True` requires equal sizes, but the trace cannot decide whether the sizes are equal.\n  "
        "Required: equal sizes\n  Received: u0, u1\n  Size:     u0\n  Size:     u1\n  At:\n  Do:       cut the "
        "arrays to the same size, or declare their sizes equal with `shims.same_size(a, b)`.",
    ),
    "not recursive": (
        lambda: to_graph(some_function, recursive=False),
        errors.UnimplementedError,
        "to_graph: `recursive=False` is not supported.\n  At:\n  Do:       exclude functions from the conversion "
        "with `autograph.experimental.do_not_convert`.",
    ),
    "code, not recursive": (
        lambda: to_code(some_function, recursive=False),
        errors.UnimplementedError,
        "to_code: `recursive=False` is not supported.\n  At:\n  Do:       exclude functions from the conversion "
        "with `autograph.experimental.do_not_convert`.",
    ),
    "code of a builtin": (
        lambda: to_code(abs),
        ValueError,
        "<built-in function abs> is not written in Python.",
    ),
}


@pytest.mark.parametrize("name", MESSAGES)
def test_message(name):
    call, error, text = MESSAGES[name]
    assert rendered(call, error) == text
