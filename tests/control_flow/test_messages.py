"""Every message of branches, loops and variables, rendered whole."""

import jax
import jax.numpy as jnp
import pytest

import shims
from shims._src.control_flow.branches import case, cond, switch_case
from shims._src.control_flow.folds import foldl, scan
from shims._src.control_flow.loops import while_loop
from shims._src.errors import errors
from shims._src.ragged.maps import map_fn, vectorized_map
from shims._src.types.tensor_spec import TensorSpec
from shims._src.variables.variable import Variable
from tests.control_flow.messages import rendered
from tests.harness.lifting import lifted

X = jnp.float32(3)
V = jnp.arange(3.0)
M = jnp.ones((3, 2))


def jitted(f, *args):
    return lambda: jax.jit(f)(*args)


def both(true_fn, false_fn):
    return jitted(lambda x: cond(x > 2, lambda: true_fn(x), lambda: false_fn(x)), X)


def loop(body, start=X, test=lambda s: s < 9):
    return jitted(lambda x: while_loop(test, body, (x,)), start)


def made_twice():
    shims.function(lambda x: Variable(1.0, name="w") * x)(X)


KEPT = Variable(1.0, name="kept")


def assigning_condition():
    def test(s):
        KEPT.assign(2.0)
        return s < 9

    lifted(lambda x: while_loop(test, lambda s: s + 1, (x,)), X)


def assigning_map():
    def f(r):
        KEPT.assign(2.0)
        return r

    lifted(lambda v: vectorized_map(f, v), V)


MESSAGES = {
    "cond, not callable": (
        lambda: cond(True, 1, 2),
        TypeError,
        "cond: `true_fn` and `false_fn` must be callable.",
    ),
    "cond, structure": (
        both(lambda x: (x,), lambda x: x),
        TypeError,
        "cond: the result must have the same structure in all branches.\n"
        "  Required: equal structures\n"
        "  Received: true_fn: (*,); false_fn: *\n"
        "  At:\n"
        "  Do:       return the same tuples, lists, dictionaries and `None`s from each branch.",
    ),
    "cond, none": (
        both(lambda x: x, lambda x: None),
        TypeError,
        "cond: the result must have the same structure in all branches.\n"
        "  Required: equal structures\n"
        "  Received: true_fn: *; false_fn: None\n"
        "  At:\n"
        "  Do:       return the same tuples, lists, dictionaries and `None`s from each branch.",
    ),
    "cond, not an array": (
        both(lambda x: x, lambda x: "a"),
        TypeError,
        (
            "cond: the result depends on a traced condition, but is not an array.\n"
            "  Required: an array or a number in each branch\n"
            "  Received: 'a' in the false_fn branch\n"
            "  At:\n"
            "  Do:       choose the value with a Python condition, or use a number instead."
        ),
    ),
    "cond, dtypes": (
        both(lambda x: x, lambda x: jnp.int32(1)),
        TypeError,
        "cond: the result must have the same dtype in all branches.\n"
        "  Required: equal dtypes\n"
        "  Received: true_fn: float32; false_fn: int32\n"
        "  At:\n"
        "  Do:       cast the result of one branch: `shims.cast(x, dtype)`.",
    ),
    "cond, shapes": (
        both(lambda x: jnp.ones(2), lambda x: jnp.ones(3)),
        errors.UnimplementedError,
        "cond: the shape of the result depends on a traced condition.\n"
        "  Required: equal shapes in all branches\n"
        "  Received: float32[2] in true_fn and float32[3] in false_fn\n"
        "  At:\n"
        "  Do:       reduce or pad the result inside the branches.",
    ),
    "cond, vector": (
        jitted(lambda x: cond(x > 0, lambda: x, lambda: x), V),
        ValueError,
        "cond: the condition must be a scalar.\n"
        "  Required: bool[]\n"
        "  Received: bool[3]\n"
        "  At:\n"
        "  Do:       reduce it to a scalar: `jnp.any(...)` or `jnp.all(...)`.",
    ),
    "cond, creation": (
        both(lambda x: Variable(1.0) * x, lambda x: x),
        ValueError,
        "Variable: a variable was created inside a branch or a loop that depends on traced data.\n  Received: "
        "Variable:0\n  At:\n  Do:       create the variable before the branch or the loop.",
    ),
    "case, empty": (
        lambda: case([]),
        ValueError,
        "case: `pred_fn_pairs` must have at least one pair.",
    ),
    "case, none holds": (
        lambda: case([(jnp.asarray(False), lambda: 1)]),
        errors.InvalidArgumentError,
        "case: no condition is true, and there is no `default`.\n  At:\n  Do:       pass a `default` function.",
    ),
    "case, two hold": (
        lambda: case([(True, lambda: 1), (True, lambda: 2)], exclusive=True),
        errors.InvalidArgumentError,
        "case: more than one condition is true.\n  Required: at most one\n  At:\n  Do:       put the conditions in "
        "order of preference, and leave `exclusive` out.",
    ),
    "switch_case, numbers": (
        lambda: switch_case(0, {1: lambda: 1, 5: lambda: 2}),
        ValueError,
        (
            "switch_case: the indices in `branch_fns` must be 0, 1, 2, ..., and each index must occur exactly "
            "once.\n  Required: 0, 1, ..., one index per function\n  Received: 1, 5\n  At:"
        ),
    ),
    "switch_case, empty": (
        lambda: switch_case(0, []),
        ValueError,
        (
            "switch_case: the indices in `branch_fns` must be 0, 1, 2, ..., and each index must occur exactly "
            "once.\n  Required: 0, 1, ..., one index per function\n  Received: no functions\n  At:"
        ),
    ),
    "switch_case, dtypes": (
        jitted(lambda i: switch_case(i, [lambda: X, lambda: jnp.int32(1), lambda: X]), 0),
        TypeError,
        "switch_case: the result must have the same dtype in all branches.\n"
        "  Required: equal dtypes\n"
        "  Received: branch 0: float32; branch 1: int32; branch 2: float32; default: float32\n"
        "  At:\n"
        "  Do:       cast the result of one branch: `shims.cast(x, dtype)`.",
    ),
    "while_loop, no variables": (
        lambda: while_loop(lambda: True, lambda: (), []),
        ValueError,
        "while_loop: `loop_vars` must be a list or tuple of loop variables.",
    ),
    "while_loop, too many": (
        loop(lambda s: (s, s)),
        ValueError,
        "while_loop: `body` must return as many values as there are loop variables.\n"
        "  Required: 1\n"
        "  Received: 2\n"
        "  At:",
    ),
    "while_loop, structure": (
        loop(lambda s: [(s, s)]),
        TypeError,
        "while_loop: `loop_vars[0]` must keep its structure from one iteration to the next.\n"
        "  Required: *\n"
        "  Received: (*, *) after one iteration\n"
        "  At:\n"
        "  Do:       before the loop, give `loop_vars[0]` the structure that it has after an iteration.",
    ),
    "while_loop, dtype": (
        loop(lambda s: jnp.int32(1)),
        TypeError,
        "while_loop: `loop_vars[0]` must keep its dtype from one iteration to the next.\n"
        "  Required: float32\n"
        "  Received: int32 after one iteration\n"
        "  At:\n"
        "  Do:       cast the new value: `shims.cast(loop_vars[0], shims.float32)`.",
    ),
    "while_loop, not an array": (
        loop(lambda s: "a"),
        TypeError,
        "while_loop: `loop_vars[0]` changes in a loop that depends on traced data, but is not an array.\n"
        "  Required: an array or a number, before the loop and after each iteration\n"
        "  Received: float32[] before the loop, 'a' after one iteration\n"
        "  At:\n"
        "  Do:       use a number or an array instead.",
    ),
    "while_loop, shape": (
        loop(lambda s: jnp.concatenate([s, s]), V, lambda s: s.sum() < 9),
        errors.GrowingStateError,
        "while_loop: `loop_vars[0]` changes its shape from one iteration to the next.\n"
        "  Required: float32[3], as before the loop\n"
        "  Received: float32[6] after one iteration\n"
        "  At:\n"
        "  Do:       write into an array of fixed size, or collect the values with `map_fn` or `scan`.",
    ),
    "while_loop, condition": (
        loop(lambda s: s, V),
        ValueError,
        "while_loop: the condition must be a scalar.\n"
        "  Required: bool[]\n"
        "  Received: bool[3]\n"
        "  At:\n"
        "  Do:       reduce it to a scalar: `jnp.any(...)` or `jnp.all(...)`.",
    ),
    "while_loop, invariant": (
        lambda: while_loop(
            lambda s: s.shape[0] < 5,
            lambda s: (jnp.concatenate([s, s]),),
            (V,),
            shape_invariants=(TensorSpec([3]),),
        ),
        ValueError,
        (
            "while_loop: a loop variable violates its shape invariant.\n"
            "  Required: (3,)\n"
            "  Received: (6,)\n"
            "  At:"
        ),
    ),
    "while_loop, assigning condition": (
        assigning_condition,
        errors.UnimplementedError,
        "while_loop: the condition assigns a variable.\n"
        "  Received: kept:0\n"
        "  At:\n"
        "  Do:       assign the variable in the body.",
    ),
    "map_fn, scalar": (
        lambda: map_fn(lambda r: r, X),
        ValueError,
        "map_fn: `elems` must have a leading axis.\n"
        "  Required: arrays of rank 1 or more\n"
        "  Received: a scalar\n"
        "  At:",
    ),
    "map_fn, no arrays": (
        lambda: map_fn(lambda r: r, ()),
        ValueError,
        "map_fn: `elems` must have a leading axis.\n"
        "  Required: arrays of rank 1 or more\n"
        "  Received: no arrays\n"
        "  At:",
    ),
    "map_fn, lengths": (
        lambda: map_fn(lambda r: r, (V, M[:2])),
        ValueError,
        "map_fn: the arrays of `elems` must have the same length.\n  Required: equal sizes along axis 0\n  "
        "Received: 3, 2\n  At:",
    ),
    "map_fn, not an array": (
        lambda: map_fn(lambda r: r, "ab"),
        TypeError,
        "map_fn: `elems` must be arrays.\n"
        "  Required: arrays, or nested numbers\n"
        "  Received: 'ab'\n"
        "  At:",
    ),
    "map_fn, unlike": (
        lambda: map_fn(lambda r: jnp.arange(int(r)), V),
        errors.InvalidArgumentError,
        (
            "map_fn: the results of `fn` must have equal structures and shapes to be stacked.\n"
            "  Required: equal structures and shapes\n"
            "  Received: (0,) and (1,) and (2,)\n"
            "  At:\n"
            "  Do:       pad the results, or reduce each of them inside of `fn`."
        ),
    ),
    "map_fn, signature dtype": (
        lambda: map_fn(lambda r: r, V, fn_output_signature=jnp.int32),
        TypeError,
        "map_fn: the result of `fn` does not match `fn_output_signature`.\n"
        "  Required: int32\n"
        "  Received: float32[]\n"
        "  At:",
    ),
    "map_fn, signature shape": (
        lambda: map_fn(lambda r: r, M, fn_output_signature=TensorSpec([3])),
        TypeError,
        "map_fn: the result of `fn` does not match `fn_output_signature`.\n"
        "  Required: TensorSpec(shape=(3,), dtype=tf.float32, name=None)\n"
        "  Received: float32[2]\n"
        "  At:",
    ),
    "map_fn, signature structure": (
        lambda: map_fn(lambda r: r, V, fn_output_signature=(jnp.float32, jnp.float32)),
        TypeError,
        "map_fn: the result of `fn` does not match `fn_output_signature`.\n"
        "  Required: (*, *)\n"
        "  Received: *\n"
        "  At:",
    ),
    "map_fn, strings": (
        jitted(lambda v: map_fn(lambda r: "a", v), V),
        TypeError,
        "map_fn: each iteration must return arrays.\n"
        "  Required: arrays or numbers\n"
        "  Received: 'a'\n"
        "  At:\n"
        "  Do:       leave this value out, or encode it as a number.",
    ),
    "vectorized_map, assigning": (
        assigning_map,
        errors.UnimplementedError,
        "vectorized_map: `fn` assigns a variable, but the order of the slices is undefined.\n"
        "  Received: kept:0\n"
        "  At:\n"
        "  Do:       use `map_fn`.",
    ),
    "scan, nothing": (
        lambda: scan(lambda a, r: a, jnp.zeros(0)),
        errors.OutOfRangeError,
        "scan: `elems` has no slices, and there is no `initializer`.\n"
        "  Required: an `initializer`, or at least one slice\n"
        "  Received: no slices\n"
        "  At:",
    ),
    "foldl, structure": (
        lambda: foldl(lambda a, r: (a, a), V),
        TypeError,
        "foldl: the accumulator must keep its structure from one iteration to the next.\n"
        "  Required: *\n"
        "  Received: (*, *) after one iteration\n"
        "  At:\n"
        "  Do:       before the loop, give the accumulator the structure that it has after an iteration.",
    ),
    "foldl, structure under jit": (
        jitted(lambda v: foldl(lambda a, r: (a, a), v), V),
        TypeError,
        "foldl: the accumulator must keep its structure from one iteration to the next.\n"
        "  Required: *\n"
        "  Received: (*, *) after one iteration\n"
        "  At:\n"
        "  Do:       before the loop, give the accumulator the structure that it has after an iteration.",
    ),
    "variable, nothing": (
        Variable,
        ValueError,
        "The `initial_value` arg to `Variable` must be specified.",
    ),
    "variable, shape": (
        lambda: Variable([1.0], shape=[2]),
        ValueError,
        "In this `Variable` creation, the initial value's shape ((1,)) is not compatible with the explicitly supplied `shape` argument ([2]).",
    ),
    "variable, traced": (
        jitted(lambda x: Variable(x) + 0, X),
        errors.FailedPreconditionError,
        "Variable: `initial_value` is being traced, so its value is not known yet.\n  Received: float32[] under a "
        "JAX transformation\n  At:\n  Do:       create the variable outside of the transformation, or inside "
        "`shims.function`.",
    ),
    "variable, unsupported": (
        lambda: Variable(1.0, caching_device="cpu", import_scope="s"),
        errors.UnimplementedError,
        "Variable: `caching_device`, `import_scope` is not supported.\n  At:\n  Do:       remove this argument, "
        "because it has no meaning outside of a TensorFlow graph.",
    ),
    "variable, assigned shape": (
        lambda: Variable([1.0, 2.0]).assign([1.0]),
        ValueError,
        "Cannot assign value to variable 'Variable:0': Shape mismatch. The variable shape (2,), and the assigned value shape (1,) are incompatible.",
    ),
    "variable, assigned dtype": (
        lambda: Variable(1).assign(X),
        ValueError,
        "Tensor conversion requested dtype int32 for an array of dtype float32",
    ),
    "variable, assigned number": (
        lambda: Variable(1).assign(2.5),
        TypeError,
        "Cannot convert 2.5 to an array of dtype int32",
    ),
    "variable, assigned traced": (
        jitted(lambda x: Variable.assign(KEPT, x), X),
        errors.FailedPreconditionError,
        (
            "Variable.assign: a JAX transformation traces `value`, and a variable cannot store a traced value.\n  "
            "Received: float32[] for kept:0\n  At:\n  Do:       decorate the function with `shims.function`, or "
            "compile `shims.stateless(f, variables)`, which accepts and returns the values of the variables."
        ),
    ),
    "variable, hashed": (
        lambda: hash(KEPT),
        TypeError,
        "Variable is unhashable. Instead, use variable.ref() as the key. (Variable: <tf.Variable 'kept:0' shape=() dtype=float32, numpy=1.0>)",
    ),
    "variable, added in place": (
        lambda: KEPT.__iadd__(1),
        RuntimeError,
        "`variable += value` with `Variable`s is not supported. Use `variable.assign_add` to modify the variable, or `out = variable + value` if you need to get a new array.",
    ),
    "variable, divided in place": (
        lambda: KEPT.__itruediv__(1),
        RuntimeError,
        "`variable /= value` with `Variable`s is not supported. Use `variable.assign` to modify the variable, or `out = variable / value` if you need to get a new array.",
    ),
    "variable, made again": (
        made_twice,
        ValueError,
        "function: only singleton variables that are created on the first call are supported.\n  Required: a "
        "variable that is created only on the first call\n  Received: w:0, created by another call\n  At:\n  "
        "Do:       create the variable outside of the function, or under `if self.v is None:`.",
    ),
    "variable, from arguments": (
        lambda: shims.function(lambda x: Variable(x) + 0).precompile(X),
        ValueError,
        "Variable: the initial value of a variable created inside a function depends on arguments of the function, "
        "but only their shapes and dtypes are known.\n  Received: Variable:0\n  At:\n  Do:       first call the "
        "function once, or create the variable outside of the function.",
    ),
}


@pytest.mark.parametrize("name", MESSAGES)
def test_message(name):
    call, error, text = MESSAGES[name]
    assert rendered(call, error) == text
