"""Blocks around operators, what only stood in graphs, and questions asked of values."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import tensorflow as tf

import shims

# Evaluated with either library as `m`; compared by their text.
CALLS = (
    "m.group(m.constant(1.0), None)",
    "m.no_op()",
    "m.tuple([1.0, None])",
    "m.control_dependencies(None).__enter__()",
    "m.device('/CPU:0').__enter__()",
    "m.device('/job:localhost/replica:0/task:0/device:CPU:0').__enter__()",
    "m.device('foo').__enter__()",
    "m.name_scope(3)",
    "m.name_scope(None)",
    "m.executing_eagerly()",
    "m.inside_function()",
    *(f"m.is_tensor({x})" for x in ("1.0", "[1]", "m.constant(1)", "m.Variable(1.0)")),
    *(f"m.is_tensor({x})" for x in ("np.ones(2)", "m.ragged.constant([[1]])", "m.TensorSpec([1])")),
    "m.is_tensor(m.IndexedSlices(m.ones([1, 1]), m.constant([0])))",
    "m.is_tensor(m.sparse.from_dense([1]))",
    "m.get_static_value(m.constant([1, 2]))",
    "m.get_static_value(3)",
    *(f"isinstance({x}, m.Tensor)" for x in ("m.constant(1.0)", "np.ones(1)", "m.Variable(1.0)")),
    *(
        f"isinstance({x}, m.TypeSpec)"
        for x in ("m.TensorSpec([1])", "m.RaggedTensorSpec([1, None])", "1")
    ),
    "m.type_spec_from_value(3.0)",
    "m.type_spec_from_value([1, 2])",
    "type(m.type_spec_from_value(m.ragged.constant([[1.0], []]))).__name__",
    "str(m.type_spec_from_value(m.sparse.from_dense([0.0, 1.0])).shape)",
    "m.type_spec_from_value(object())",
    "m.constant([1.0])[m.newaxis].shape",
)


@pytest.mark.parametrize("call", CALLS)
def test_as_tensorflow(call):
    outcomes = []
    for m in (tf, shims):
        try:
            outcomes.append(str(eval(call, {"m": m, "np": np})))
        except Exception as error:  # noqa: BLE001 - its class is compared
            outcomes.append(type(error).__name__)
    # Splits are int32 unless 64 bits are on.
    assert outcomes[1] == outcomes[0].replace("1, tf.int64", "1, tf.int32")


@pytest.mark.symbols("is_symbolic_tensor", lanes=("eager",))
def test_no_eager_array_is_symbolic():
    for m in (tf, shims):
        assert m.is_symbolic_tensor(m.constant(1.0)) is False


def asked(m):
    """What a function being traced is told."""
    seen = []

    @m.function
    def f(x):
        seen[:] = [m.executing_eagerly(), m.inside_function(), m.is_symbolic_tensor(x)]
        seen.extend([isinstance(x, m.Tensor), m.get_static_value(x), m.is_tensor(x)])
        seen.append(m.type_spec_from_value(x) == m.TensorSpec([], m.float32))
        with m.init_scope():
            seen.extend([m.executing_eagerly(), float(m.ones([]) + 1)])
        with m.control_dependencies([m.no_op(), x]), m.device("/CPU:0"), m.name_scope("s"):
            m.group(x)
            x = m.identity(x)
        return m.tuple([x, None])[0]

    assert float(f(m.constant(2.0))) == 2
    return seen


def test_inside_of_functions():
    assert asked(shims) == asked(tf)


def test_an_init_scope_makes_variables_anew_at_any_call():
    made = []

    @shims.function
    def f(x):
        with shims.init_scope():
            made.append(shims.Variable(shims.ones([]) * 3))
        return x * made[-1]

    with shims.GradientTape() as tape:
        y = f(2.0)
    assert float(y) == 6
    assert float(tape.gradient(y, made[-1])) == 2
    assert isinstance(made[0].read_value(), jax.Array)


def test_an_init_scope_is_not_on_the_tape():
    for m in (tf, shims):
        x = m.Variable(2.0)
        with m.GradientTape() as tape:
            with m.init_scope():
                y = x * 3.0
            z = y * x
        assert float(tape.gradient(z, x)) == 6


def test_group_refuses_other_keywords_inside_of_a_graph():
    with pytest.raises(ValueError, match="Unknown keyword arguments: foo"):
        tf.function(lambda: tf.group(foo=2))()
    with pytest.raises(ValueError, match="Unknown keyword arguments: foo"):
        shims.group(foo=2)


def test_a_tuple_needs_an_array():
    with pytest.raises(ValueError):  # noqa: PT011 - TensorFlow's own text
        tf.function(lambda: tf.tuple([None]))()
    with pytest.raises(ValueError, match="tuple: there must be at least one array"):
        shims.function(lambda: shims.tuple([None]))()


def test_gradients_pass_through():
    for m in (tf, shims):
        x = m.Variable(0.4)
        with m.GradientTape() as tape:
            y = m.grad_pass_through(m.round)(x)
        assert (float(y), float(tape.gradient(y, x))) == (0, 1)
    assert float(jax.grad(shims.grad_pass_through(shims.round))(0.4)) == 1


def test_a_device_that_is_there_gets_the_arrays():
    with shims.device("/CPU:0"):
        assert jnp.ones(2).devices() == {jax.devices("cpu")[0]}


ABSENT = {
    "Graph()": (
        "Graph: JAX has no graphs; functions are traced instead.",
        "write a function and decorate it with `shims.function`.",
    ),
    "Operation()": (
        "Operation: JAX has no graph operations.",
        "call the operator; its result is an array.",
    ),
    "RegisterGradient('Op')": (
        "RegisterGradient: JAX has no registry of operations, so `Op` has no entry to change.",
        "define the gradient of the function with `shims.custom_gradient`.",
    ),
    "no_gradient('Op')": (
        "no_gradient: JAX has no registry of operations, so `Op` has no entry to change.",
        "wrap the result in `shims.stop_gradient`.",
    ),
}


@pytest.mark.parametrize("call", ABSENT)
def test_what_has_no_counterpart_says_so(call):
    assert not isinstance(shims.ones([]), shims.Graph)
    with pytest.raises(shims.errors.UnimplementedError) as raised:
        eval(f"shims.{call}", {"shims": shims})
    first, *_, last = str(raised.value).splitlines()
    assert (first, last) == (ABSENT[call][0], f"  Do:       {ABSENT[call][1]}")


CLASSES = [n for n in dir(tf.errors) if isinstance(getattr(tf.errors, n), type)]
CODES = [n for n in dir(tf.errors) if isinstance(getattr(tf.errors, n), int)]


@pytest.mark.parametrize("name", CLASSES)
def test_errors_are_made_and_caught_as_tensorflows(name):
    ours, theirs = getattr(shims.errors, name), getattr(tf.errors, name)
    if not issubclass(theirs, tf.errors.OpError):
        assert issubclass(ours, TypeError)
        return
    assert issubclass(ours, shims.errors.OpError)
    code = (3,) if name == "OpError" else ()
    error, wanted = ours(None, None, "text", *code), theirs(None, None, "text", *code)
    assert (str(error), error.message) == ("text", wanted.message)
    assert error.error_code == wanted.error_code
    assert str(ours("one argument")) == "one argument"


def test_codes_are_tensorflows():
    assert {n: getattr(shims.errors, n) for n in CODES} == {n: getattr(tf.errors, n) for n in CODES}
