"""Variables read and assigned by position, their options, and who makes them.

Equality rests on small whole numbers and on quotients, which IEEE rounds: it holds on every processor.
"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import tensorflow as tf

import shims
from tests.harness.compare import EXACT, Dtypes, assert_same, report
from tests.harness.outcomes import outcome, outcomes_apart

S = "m.IndexedSlices(m.constant({values}), m.constant({indices}))"
ROWS = S.format(values=[10.0, 20.0, 30.0], indices=[0, 0, 2])
ND = "[[0], [2]], [10.0, 20.0]"
# Evaluated with `v = [1, 2, 3, 4]` and `t = [[1, 2], [3, 4]]`, once with each library as `m`.
CALLS = (
    *(f"v.scatter_{verb}({ROWS})" for verb in ("add", "sub", "max", "min", "mul", "update")),
    f"v.scatter_div({S.format(values=[10.0, 4.0], indices=[0, 2])})",
    f"v.scatter_add({S.format(values=[10.0], indices=[4])})",
    f"v.scatter_add({S.format(values=[10.0], indices=[-1])})",
    f"v.scatter_add({S.format(values=[1], indices=[0])})",
    f"v.scatter_add({S.format(values=[[1.0, 2.0]], indices=[0])})",
    "v.scatter_add([1.0])",
    f"t.batch_scatter_update({S.format(values=[[10.0], [20.0]], indices=[[0], [1]])})",
    f"t.scatter_update({S.format(values=[[7.0, 8.0]], indices=[1])})",
    *(f"v.scatter_nd_{verb}({ND})" for verb in ("add", "sub", "max", "min", "update")),
    "v.scatter_nd_add([[4]], [1.0])",
    "t.gather_nd([[1, 0], [0, 1]])",
    "v.gather_nd([[1], [2]])",
    "v.sparse_read([1, 1])",
    "v.sparse_read([7])",
    "v.assign_add(1.0)",
    "v.assign_sub([1.0, 2.0])",
    "v.assign(2.0, read_value=False)",
    "v.is_initialized()",
    "str((v.synchronization, v.aggregation.name, v.trainable))",
    "m.Variable(1.0, aggregation=m.VariableAggregation.MEAN).aggregation.name",
    "m.Variable(1.0, synchronization=m.VariableSynchronization.ON_READ).trainable",
    "m.Variable(1.0, shape=m.TensorShape(None)).assign([1.0, 2.0])",
    "m.Variable([1.0], shape=[None]).set_shape([2])",
    "m.Variable([1.0], shape=[None]).set_shape([1])",
    "m.Variable(1.0, name='a/b').name",
)


def evaluated(m, call):
    names = {
        "m": m,
        "v": m.Variable([1.0, 2.0, 3.0, 4.0]),
        "t": m.Variable([[1.0, 2.0], [3.0, 4.0]]),
    }
    return outcome(eval, call, names), names


@pytest.mark.parametrize("call", CALLS)
def test_as_tensorflow(call):
    (theirs, their_names), (ours, our_names) = evaluated(tf, call), evaluated(shims, call)
    if tf.is_tensor(theirs.result) and isinstance(ours.result, bool):
        ours = ours._replace(result=np.asarray(ours.result))  # an answer that is known at once
    report({call: outcomes_apart(ours, theirs, EXACT, Dtypes.SAME)})
    for name in "vt":
        assert_same(our_names[name].numpy(), their_names[name].numpy(), EXACT, what=name)


def test_inside_of_functions():
    found = []
    for m in (tf, shims):
        v = m.Variable([1.0, 2.0, 3.0])

        def f(indices, updates, m=m, v=v):
            v.scatter_add(m.IndexedSlices(updates, indices))
            v.scatter_nd_update(indices[:1, None], updates[:1])
            return v.sparse_read(indices)

        spec = [m.TensorSpec([None], m.int32), m.TensorSpec([None], m.float32)]
        g = m.function(f, input_signature=spec)
        rows = [
            np.asarray(g(np.int32(i), np.float32(u))) for i, u in (([0, 0], [5, 6]), ([2], [7]))
        ]
        with pytest.raises(m.errors.InvalidArgumentError):
            g(np.int32([3]), np.float32([1]))
        found.append([*rows, v.numpy()])
    for ours, theirs in zip(found[1], found[0], strict=True):
        np.testing.assert_array_equal(ours, theirs)


def test_names_of_scopes_come_first():
    found = []
    for m in (tf, shims):
        with m.name_scope("a") as outer:
            names = [outer, m.Variable(1.0, name="w").name, m.Variable(1.0).name]
            names.append(m.get_current_name_scope())
            for inner in ("b", "", "c/", "d/e"):
                with m.name_scope(inner) as scope:
                    names += [scope, m.get_current_name_scope()]
        found.append([*names, m.get_current_name_scope()])
    assert found[1] == found[0]


@pytest.mark.symbols("variable_creator_scope", lanes=("eager",))
def test_creators_are_called_from_the_inside_out():
    found = []
    for m in (tf, shims):
        calls = []

        def creator(number, calls=calls):
            def create(next_creator, **kwargs):
                calls.append((number, sorted(kwargs), kwargs["initial_value"]))
                return next_creator(**{**kwargs, "initial_value": kwargs["initial_value"] + 1})

            return create

        with m.variable_creator_scope(creator(1)), m.variable_creator_scope(creator(2)):
            v = m.Variable(1.0, name="v")
        found.append((calls, float(v), v.name))
    assert found[1] == found[0]


def created_in_a_function(m):
    """What a function gives whose first call makes a variable, and the names that were asked for."""
    calls, made = [], []

    def create(make, **options):
        calls.append(options["name"])
        return make(**options)

    @m.function(autograph=False)
    def run(x):
        if not made:
            with m.variable_creator_scope(create):
                made.append(m.Variable(3.0, name="v"))
        return made[0] * x

    return [float(run(m.constant(x))) for x in (1.0, 2.0)], calls


@pytest.mark.symbols("variable_creator_scope", lanes=("function",))
def test_creators_are_called_where_a_function_makes_its_variable():
    assert created_in_a_function(shims) == created_in_a_function(tf)


def test_messages():
    v = shims.Variable([1.0, 2.0])
    with pytest.raises(shims.errors.InvalidArgumentError) as raised:
        v.assign_add(1.0)
    assert str(raised.value).splitlines()[:3] == [
        "Variable.assign_add: `delta` and the variable have different shapes.",
        "  Required: shape (2,)",
        "  Received: shape ()",
    ]
    with pytest.raises(shims.errors.InvalidArgumentError) as raised:
        v.scatter_add(shims.IndexedSlices(jnp.ones([1, 2]), jnp.array([0])))
    assert str(raised.value).splitlines()[:3] == [
        "Variable: `sparse_delta.values` must have the shape of the rows.",
        "  Required: shape (1,), or a scalar",
        "  Received: shape (1, 2)",
    ]


def test_gradients_pass_through_parts():
    v = shims.Variable([1.0, 2.0, 3.0])
    with shims.GradientTape() as tape:
        y = shims.reduce_sum(v.sparse_read([0, 0, 2]) ** 2)
    gradient = tape.gradient(y, v)
    np.testing.assert_array_equal(jnp.asarray(gradient.to_dense()), [4, 0, 6])
    assert [x.shape for x in jax.tree.leaves(v)] == [(3,)]
