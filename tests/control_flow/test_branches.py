"""`cond`, `case` and `switch_case`: one branch runs, and its values are TensorFlow's."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import tensorflow as tf

from shims._src.control_flow import branches
from shims._src.control_flow.staged_branches import stage_branches
from shims._src.errors.errors import InvalidArgumentError
from shims._src.variables.variable import Variable
from tests.harness.compare import assert_same_tree
from tests.harness.jax_side import gradient, symbolic_results
from tests.harness.lifting import lifted


def nested(x, lib):
    return lib.cond(
        x[0] > 0,
        lambda: (x * 2, 1, {"a": x[0]}),
        lambda: (lib.cond(x[1] > 0, lambda: x + 1, lambda: x - 1), 2, {"a": 1.5}),
    )


def chosen(x, lib):
    return lib.case(
        [(x[0] > 2, lambda: x * 3), (x[0] > 0, lambda: x * 2)], default=lambda: x, exclusive=False
    )


def last_stands_in(x, lib):
    return lib.case([(x[0] > 2, lambda: x * 3), (x[0] > -9, lambda: x * 2)])


def unwritten(x, lib):
    return lib.cond(x[0] > 0, lambda: lib.cond(x[1] > 0, lambda: None, lambda: None), lambda: None)


INPUTS = [np.float32(x) for x in ([1, 1], [-1, 1], [-1, -1], [3, 0], [0, 0])]


@pytest.mark.parametrize("f", [nested, chosen, last_stands_in, unwritten])
@pytest.mark.parametrize("x", INPUTS, ids=str)
def test_as_tensorflow(f, x):
    graph = tf.function(lambda x: f(x, tf))(x)
    theirs = jax.tree.map(lambda t: t.numpy(), graph)
    assert_same_tree(jax.jit(lambda x: f(x, branches))(x), theirs)
    assert_same_tree(f(jnp.asarray(x), branches), theirs)
    if jax.tree.leaves(theirs):
        eager = gradient(lambda x: f(x, branches), x)
        assert_same_tree(gradient(lambda x: f(x, branches), x, jit=True), eager)


def test_under_vmap_each_row_takes_its_branch():
    rows = jnp.asarray(INPUTS)
    found = jax.vmap(lambda x: nested(x, branches))(rows)
    for i, row in enumerate(rows):
        assert_same_tree(jax.tree.map(lambda a, i=i: a[i], found), nested(row, branches))


def test_symbolic_sizes_pass_through():
    assert symbolic_results(lambda x: nested(x, branches), "n") == ["[n]", "[]", "[]"]


@pytest.mark.parametrize("index", [-1, 0, 1, 2, 3])
@pytest.mark.parametrize("form", ["list", "dict", "pairs"])
def test_switch_case(index, form):
    def of(lib, index, constant):
        functions = [lambda i=i: constant(10.0 + i) for i in range(3)]
        if form == "list":
            return lib.switch_case(index, functions)
        pairs = list(zip((2, 1, 0), functions, strict=True))
        forms = {"dict": dict(pairs), "pairs": pairs}
        default = {"dict": None, "pairs": lambda: constant(-1.0)}[form]
        return lib.switch_case(index, forms[form], default=default)

    theirs = of(tf, tf.constant(index), tf.constant).numpy()
    assert of(branches, index, jnp.float32) == theirs
    assert jax.jit(lambda i: of(branches, i, jnp.float32))(index) == theirs


def test_two_way_switch_under_jit():
    switch = jax.jit(lambda i: branches.switch_case(i, {0: lambda: 1.0}, default=lambda: 2.0))
    assert [float(switch(i)) for i in (-1, 0, 1)] == [2.0, 1.0, 2.0]


def test_numbers_come_back_as_arrays():
    for pred in (True, jnp.asarray(True)):
        result = branches.cond(pred, lambda: (1, 2.5), lambda: (0, 0.0))
        assert [x.dtype for x in result] == [jnp.int32, jnp.float32]


def test_numbers_that_all_branches_agree_on_stay_python():
    def f(x):
        n, y = stage_branches(x[0] > 0, (lambda: (3, x), lambda: (3, x * 2)), names=("n", "y"))
        assert n == 3
        assert type(n) is int
        return y

    assert_same_tree(jax.jit(f)(INPUTS[0]), jnp.asarray(INPUTS[0]))


def test_weak_numbers_follow_arrays_of_narrow_types():
    f = jax.jit(lambda x: branches.cond(x > 0, lambda: x, lambda: 0.5))
    assert f(jnp.bfloat16(1)).dtype == jnp.bfloat16


def test_only_the_branch_taken_assigns():
    total, count = Variable(0.0, name="total"), Variable(0, name="count")

    def f(x):
        def positive():
            total.assign_add(x)
            count.assign_add(1)
            return total + 0

        def negative():
            count.assign_add(10)
            return x

        return branches.cond(x > 0, positive, negative)

    found, pure = lifted(f, jnp.float32(0))
    assert [v.name for v in found.written] == ["total:0", "count:0"]
    pure = jax.jit(pure)
    for x in (2.0, -1.0, 3.0):
        output, values = pure(found.values(), x)
        found.store(values)
    assert (float(total), int(count), float(output)) == (5.0, 12, 5.0)
    f(jnp.float32(4))
    assert (float(total), int(count)) == (9.0, 13)


def test_nothing_leaks_from_a_branch_that_fails():
    variable = Variable(1.0)

    def fails():
        variable.assign(5.0)
        raise RuntimeError("inside")

    with pytest.raises(RuntimeError, match="inside"):
        jax.jit(lambda x: branches.cond(x > 0, fails, lambda: None))(1.0)
    assert float(variable) == 1.0
    variable.assign(2.0)
    assert float(variable) == 2.0


def test_case_refuses_two_conditions_if_exclusive():
    pairs = [(jnp.asarray(True), lambda: 1), (jnp.asarray(True), lambda: 2)]
    assert branches.case(pairs) == 1
    with pytest.raises(InvalidArgumentError, match="more than one condition is true"):
        branches.case(pairs, exclusive=True)


def test_a_condition_with_one_element_counts_as_a_scalar():
    f = jax.jit(lambda x: branches.cond(x > 0, lambda: x * 2, lambda: x))
    assert_same_tree(f(jnp.ones((1, 1))), jnp.full((1, 1), 2.0))
    assert_same_tree(f(jnp.ones((1,), jnp.int32)), jnp.asarray([2]))
