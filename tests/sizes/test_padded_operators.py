"""Every operator and every public attribute of arrays on a `Padded`: right, or an error with advice."""

from __future__ import annotations

import operator

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import shims

EXACT = np.array([3, 1, 5], np.int32)
OTHER = np.array([2, 1, 4], np.int32)
BINARY = (
    *("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "and_", "or_", "xor"),
    *("lshift", "rshift", "matmul", "lt", "le", "gt", "ge", "eq", "ne"),
)
OPERATORS = {**{name: getattr(operator, name) for name in BINARY}, "divmod": divmod}
IN_PLACE = ("iadd", "isub", "imul", "itruediv", "ifloordiv", "imod", "ipow", "iand", "ior", "ixor")
UNARY = {"neg": operator.neg, "pos": operator.pos, "invert": operator.invert, "abs": abs}
ROUNDED = {"round": round, "round to digits": lambda x: round(x, 1)}
# What a size on the left of an array answers itself is tested with the sizes.
OF_SIZES = {"pow", "lt", "le", "gt", "ge", "eq", "ne"}
KINDS = ("padded", "array", "numpy", "number", "numpy number", "tracer", "size")


def padded(exact=EXACT, fill=77):
    return shims.Padded.pad(exact, 5, fill=fill)


def operand(kind, scalar):
    """Return an operand, and its exact value."""
    exact = np.int32(2) if scalar else OTHER
    if kind == "padded":
        return padded(OTHER, 99), OTHER
    if kind in ("number", "size"):
        return 2, 2
    if kind == "numpy number":
        return np.int32(2), np.int32(2)
    return (np.array(exact) if kind == "numpy" else jnp.asarray(exact)), exact


def exact_of(tree):
    def is_padded(x):
        return isinstance(x, shims.Padded)

    return jax.tree.map(lambda x: x.unpad() if is_padded(x) else x, tree, is_leaf=is_padded)


def same(got, want):
    got, want = jax.tree.leaves(exact_of(got)), jax.tree.leaves(want)
    assert len(got) == len(want)
    for a, b in zip(got, want, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-6)
        assert a.dtype == jnp.asarray(b).dtype


def run(f, kind, other, lane):
    """Call `f(padded, other)` in a lane; a size comes from an array of two entries."""
    if kind == "size":
        two = jnp.zeros(2)
        g = shims.dynamic(lambda p, y: f(p, y[y == 0].shape[0]))
        return (jax.jit(g) if lane == "jit" else g)(padded(), two)
    if kind == "tracer" and lane == "outside":
        p = padded()
        return jax.jit(lambda y: f(p, y))(other)
    if lane == "outside":
        return f(padded(), other)
    if kind in ("tracer", "padded"):
        return jax.jit(f)(padded(), other)
    return jax.jit(lambda p: f(p, other))(padded())


def check(name, kind, lane, scalar):
    f = OPERATORS[name]
    if name == "matmul" and kind in ("number", "numpy number", "size"):
        return
    if name == "matmul" and scalar and kind != "padded":
        return
    other, exact = operand(kind, scalar)
    x = jnp.asarray(EXACT)
    same(run(f, kind, other, lane), f(x, exact))
    if not (kind == "size" and name in OF_SIZES):
        same(run(lambda p, y: f(y, p), kind, other, lane), f(jnp.asarray(exact), x))


@pytest.mark.parametrize("name", OPERATORS)
def test_a_binary_operator_with_an_operand_of_each_kind(name):
    """One lane for each kind; the others are in the long sweep."""
    first = list(OPERATORS).index(name)
    for i, kind in enumerate(KINDS):
        check(name, kind, ("outside", "jit")[(first + i) % 2], scalar=(first + i) % 3 == 0)


@pytest.mark.long
@pytest.mark.parametrize("name", OPERATORS)
@pytest.mark.parametrize("lane", ["outside", "jit"])
@pytest.mark.parametrize("scalar", [False, True])
def test_every_binary_operator_with_every_operand_in_both_lanes(name, lane, scalar):
    for kind in KINDS:
        check(name, kind, lane, scalar)


@pytest.mark.parametrize("name", [*UNARY, *ROUNDED])
def test_a_unary_operator(name):
    f = {**UNARY, **ROUNDED}[name]
    exact = EXACT if name in UNARY else np.float32([1.26, -2.51, 0.5])
    for lane in (f, jax.jit(f)):
        same(lane(padded(exact)), f(jnp.asarray(exact)))


@pytest.mark.parametrize("name", IN_PLACE)
def test_an_operator_in_place(name):
    f = getattr(operator, name)
    same(f(padded(), OTHER), f(jnp.asarray(EXACT), OTHER))
    if name != "itruediv":
        same(jax.jit(lambda p, y: f(y, p))(padded(), OTHER), f(jnp.asarray(OTHER), EXACT))


def test_an_array_of_numpy_is_not_changed_in_place():
    other = np.array(OTHER)
    with pytest.raises(shims.errors.PaddedUseError):
        operator.iadd(other, padded())


def test_operands_of_another_size_are_refused():
    for f in OPERATORS.values():
        for use in (lambda p, f=f: f(p, jnp.arange(5)), lambda p, f=f: f(jnp.arange(5), p)):
            with pytest.raises((TypeError, ValueError)):
                use(padded())


def test_functions_of_numpy_that_are_elementwise_are_computed():
    same(np.exp(padded(np.float32([0.0, 1.0]))), jnp.exp(jnp.float32([0.0, 1.0])))
    with pytest.raises(shims.errors.PaddedUseError):
        np.add.reduce(padded())


def test_comparison_with_nothing_is_false():
    assert padded() != None  # noqa: E711
    assert not operator.eq(padded(), None)


# ---- attributes ----------------------------------------------------------------------------------

FLOATS = np.float32([[3.0, 1.5], [-1.0, 2.0], [5.0, 0.25]])
ARGUMENTS = {
    "argpartition": (1,),
    "astype": (np.int32,),
    "choose": (list(FLOATS), None, "wrap"),
    "clip": (0.0, 2.0),
    "compress": (np.array([True, False, True]), 0),
    "dot": (np.float32([1.0, 2.0]),),
    "repeat": (2, 0),
    "reshape": (-1,),
    "searchsorted": (np.float32(2.0),),
    "swapaxes": (0, 1),
    "take": (np.array([1, 0]), 0),
    "view": (np.int32,),
}
ATTRIBUTES = [name for name in dir(jax.Array) if not name.startswith("_") and name != "at"]
OF_THE_VALUE = {"dtype", "ndim"}


def test_most_attributes_are_computed():
    computed = [name for name in ATTRIBUTES if hasattr(padded(FLOATS), name)]
    assert len(computed) > 40
    assert {"sum", "mean", "T", "astype", "reshape", "dtype", "ndim"} <= set(computed)


@pytest.mark.parametrize("name", ATTRIBUTES)
def test_an_attribute_is_right_or_refused_with_advice(name):
    vector = name in ("searchsorted",)
    exact = np.sort(FLOATS[:, 0]) if vector else FLOATS
    exact = np.array([0, 1], np.int32) if name == "choose" else exact
    p, x = padded(exact, np.int32(9)), jnp.asarray(exact)

    def use(value):
        found = getattr(value, name)
        return found(*ARGUMENTS.get(name, ())) if callable(found) else found

    if not hasattr(p, name):
        with pytest.raises(shims.errors.PaddedUseError, match="Do: "):
            getattr(p, name)
        return
    want = use(x)
    if name in OF_THE_VALUE:
        assert use(p) == want
        return
    for lane in (use, jax.jit(use)):
        found = outcome(lane, p)
        if isinstance(found, shims.errors.OpError):
            assert "Do: " in str(found)
        else:
            same(found, want)


def outcome(f, x):
    try:
        return f(x)
    except shims.errors.OpError as error:
        return error


def test_updates_at_positions():
    p, x = padded(), jnp.asarray(EXACT)
    for name in ("set", "add", "subtract", "multiply", "divide", "power", "min", "max"):
        for use in (
            lambda v, name=name: getattr(v.at[-1], name)(2),
            lambda v, name=name: getattr(v.at[1:], name)(2),
            lambda v, name=name: getattr(v.at[jnp.array([0, 2])], name)(2),
        ):
            same(use(p), use(x))
    same(jax.jit(lambda p: p.at[-1].set(7))(p), x.at[-1].set(7))
    same(p.at[5].get(mode="fill", fill_value=8), x.at[5].get(mode="fill", fill_value=8))


@pytest.mark.parametrize("use", [len, bool, int, float, complex, list, hash, lambda p: 1 in p])
def test_python_asks_for_no_value(use):
    with pytest.raises(TypeError):
        use(padded())


def test_one_from_outside_of_a_dynamic_function_is_an_operand_in_it():
    p, x = padded(), jnp.arange(4)

    def f(y):
        return jnp.sum(p + 1) + shims.reduce_sum(p) + y.sum()

    for lane in (shims.dynamic(f), jax.jit(shims.dynamic(f)), shims.function(f)):
        assert int(lane(x)) == 27
    # Its sizes are traced by the function around it.
    within = jax.jit(lambda q, y: shims.dynamic(lambda y: jnp.sum(q * 2) + y.sum())(y))
    assert int(within(p, x)) == 24


def test_a_value_with_a_size_for_each_row_is_mapped_over():
    rows = jax.jit(jax.vmap(shims.dynamic(lambda x: x[x > 0])))(
        np.float32([[1, 2, -1], [1, -1, -1]])
    )
    uses = (
        *(lambda v: v + 1, lambda v: v[0], lambda v: v.sum(), lambda v: v == v),
        *(shims.size, shims.print, jax.jit(shims.dynamic(lambda v: v.sum()))),
        *(shims.dynamic(lambda v: v.sum()), shims.function(lambda v: v.sum())),
    )
    for use in uses:
        with pytest.raises(shims.errors.PaddedUseError, match="rows have different sizes"):
            use(rows)
    np.testing.assert_array_equal(jax.vmap(shims.dynamic(lambda v: v.sum()))(rows), [3, 1])
    assert [row.tolist() for row in rows.unpad()] == [[1, 2], [1]]


def test_an_operand_of_size_one_on_the_left():
    one, p = (shims.Padded.pad(np.float32(x), 6) for x in ([2], [1, 3, 5]))
    f = jax.jit(shims.dynamic(lambda a, b: a - b))
    np.testing.assert_array_equal(f(p, one).unpad(), [-1, 1, 3])
    with pytest.raises(shims.errors.InvalidArgumentError, match="repeats its element"):
        f(one, p).unpad()
    for broadcast in (shims.broadcast_to, jnp.broadcast_to):
        found = jax.jit(shims.dynamic(lambda a, b, to=broadcast: to(a, b.shape) - b))(one, p)
        np.testing.assert_array_equal(found.unpad(), [1, -1, -3])


def test_values_are_printed_without_padding(capfd):
    p = shims.Padded.pad(np.float32([1, 3, 5]), 6)
    shims.print("p", p, {"a": p})
    jax.jit(lambda p: shims.print("in", [p, 1]))(p)
    shims.function(lambda x: shims.print("captured", p, x))(np.float32([1]))
    jax.effects_barrier()
    want = "p [1 3 5] {'a': [1 3 5]}\nin [[1 3 5], 1]\ncaptured [1 3 5] [1]\n"
    assert capfd.readouterr().err == want
