"""Every remedy that a message of the engine names works: the advised programs compute the exact numbers."""

import ast
import re
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import shims
from shims._src.errors import remedies
from shims._src.sizes import size_numbers
from tests.errors.advised_programs import ADVICE

X = np.array([3, 1, 2, 1, 5, 0], np.float32)
M = np.array([True, False, True, True, False, True])
ROOT = Path(shims.__file__).parent / "_src"


# Data of more elements than the numbers for which a program is staged each.
MANY = np.tile(X, 4), np.tile(M, 4)


def run(body, operands=(X, M)):
    return jax.jit(shims.dynamic(lambda x, m: body(x[m])))(*operands)


def exact(x):
    return x.unpad() if isinstance(x, shims.Padded) else x


def messages(body):
    """Return what a program says under `jax.jit`, and at the top level if it has no result there either."""
    said = []
    at_the_top = lambda body, operands: shims.function(lambda x, m: body(x[m]))(*operands)
    for lane in (run, at_the_top):
        try:
            lane(body, MANY)
        except shims.errors.OpError as error:
            said.append(str(error))
        except KeyError:  # of the exact program, at the top level
            assert lane is at_the_top
    return said


@pytest.mark.filterwarnings("ignore::shims.errors.SpecializationWarning")
@pytest.mark.parametrize("advice", ADVICE, ids=[a.text[:40] for a in ADVICE])
def test_the_refused_program_is_refused_with_this_advice(advice):
    said = messages(advice.refused)
    assert said
    assert all("\n  At: " in text for text in said)
    pattern = (
        re.escape(advice.text)
        .replace(r"`jnp\.\{\}`", r"`jnp\.\w+`")
        .replace(r"`\{\}`", r"`[\w.]+`")
    )
    assert any(re.search(pattern, text) for text in said), said


@pytest.mark.parametrize("advice", ADVICE, ids=[a.text[:40] for a in ADVICE])
def test_the_advised_programs_compute_the_exact_numbers(advice):
    want = advice.exact(jnp.asarray(X[M]))
    for body in advice.advised:
        got = jax.tree.map(exact, run(body), is_leaf=lambda v: isinstance(v, shims.Padded))
        assert jax.tree.structure(got) == jax.tree.structure(want)
        jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-6), got, want)


# Advice on calls that no program over a selection reaches, and where its test is.
ELSEWHERE = {
    "JAX has no batching rule for this call": "tests/sizes/test_sizes_that_are_zero.py",
    "raise the bound": "test_errors.py, tests/function/test_overflow.py",
    "call the function through `shims.function` at the top level": "tests/tracing/test_decisions.py",
    "select both operands with the same mask, or cut both to the same size": "test_errors.py",
    "call `vmap` inside a function": "tests/tracing",
    "call the function that contains this step through `shims.function` or `shims.dynamic(f)`": "test_errors.py",
    "wrap the whole computation with `shims.dynamic(f)(x)`": "tests/sizes/test_padded_operators.py",
    "outside of `jit`, use the array without padding": "tests/sizes/test_padded.py",
    "use {}, or `x.values.{}`": "tests/sizes/test_padded_operators.py",
    "map over whole values": "tests/sizes/test_padded_leaves.py",
    "bound the number from which the size is computed": "tests/sizes/test_room.py",
    "pass Python numbers": "tests/sizes/test_refused_sizes.py",
    "call the function itself, without `jax.jit`": "tests/tracing/test_programs_evaluated_twice.py",
    "build the mask from the array": "tests/tracing/test_masks_of_other_lengths.py",
    "update in two steps": "test_errors.py",
    "write `jnp.array_split`": "tests/tracing/test_functions_of_selections.py",
    "pad with a constant": "tests/tracing/test_functions_of_selections.py",
    "limit the width": "tests/tracing/test_pads_by_sizes.py",
    "make the base a float": "tests/sizes/test_python_on_sizes.py",
    "test the size first": "tests/tracing/test_decisions.py",
    "test the number first, `if n`": "tests/tracing/test_decisions.py",
    "call the function for each row separately to see the error of the row": "tests/control_flow",
    "use `shims.cond` or `shims.where` on the number": "test_errors.py",
    "return a number that stands for it": "tests/function",
    "export the program for one or more known sizes": "tests/sizes/test_shape_only.py",
    "declare a bound: `shims.bounded(k, max=...)`": "tests/sizes/test_shape_only.py",
    "draw numbers from the standard distribution": "test_errors.py",
    "access whole rows": "test_errors.py",
    "set `jax.config.update('jax_threefry_partitionable', True)`": "tests/tracing/test_many_keys.py",
    "decorate the inner function": "test_errors.py",
    "return the number itself": "test_errors.py",
    "call the collective on the result of the inner program": "tests/tracing/test_collectives_in_rows.py",
    "write `shims.cond` or `shims.where`, or set `autograph=True`": "tests/sizes/test_refused_sizes.py",
    "write `shims.math.top_k(y, k)`": "tests/sizes/test_refused_sizes.py",
    "write `y.shape[0]`: Python's `len`": "tests/sizes/test_python_on_sizes.py",
    "write `jnp.arange(n)`": "tests/autograph/test_sizes.py",
    "write `jnp.any(jnp.asarray(values) == value)`": "tests/autograph/test_membership.py",
    "write `jnp.all(y > 3)`": "as `jnp.any`",
    "write a `for` statement that `shims.function` converts": "tests/autograph/test_sizes.py",
    "carry a static size and a mask": "tests/control_flow",
    "JAX has no derivative of this call": "tests/tracing/test_gradients_of_errors.py",
    "reduce or pad each row": "above",
    "test the number first (`if i > 0:`)": "tests/autograph/test_effects.py",
    "convert numbers to strings": "tests/strings",
    "return the numbers that select the strings": "tests/strings",
    "join the strings in several parts": "tests/strings",
    "compute the number as a float": "tests/sizes/test_sizes_beyond_int32.py",
    "write a layer whose `call`": "tests/facade/test_keras.py",
    "write the size instead of -1": "tests/sizes/test_steps_that_compare_sizes.py",
    "wrap the whole computation, so that the computation receives arrays without padding": "tests/sizes/test_padded_leaves.py",
    "map over the rows": "tests/sizes/test_padded_operators.py",
    "pass a tangent of the same size as the value": "tests/sizes/test_padded_leaves.py",
    "compute the operands in the branches": "tests/tracing/sharded_programs.py",
    "pass `check_vma=False` to `jax.shard_map`": "tests/tracing/sharded_programs.py",
    "apply `shims.dynamic` to the function inside of `shard_map`": "tests/tracing/test_shards_of_selections.py",
    "import the operators that build graphs": "tests/tracing/test_graph_operands.py",
}


def advised_texts():
    """Return the literal remedies of the rooms of the engine: `do=` of a message, and the table of remedies."""
    texts = [t for t in vars(remedies).values() if isinstance(t, str) and " " in t]
    texts += [*remedies.MEETING.values(), *remedies._REMEDIES.values()]
    texts += [t for name, t in vars(size_numbers).items() if name.startswith("AS_")]
    for room in ("sizes", "tracing", "lowering"):
        for path in sorted((ROOT / room).glob("*.py")):
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, ast.keyword) and node.arg == "do":
                    if isinstance(node.value, ast.Constant):
                        texts.append(node.value.value)
                    elif isinstance(node.value, ast.JoinedStr):
                        values = node.value.values
                        texts.append(
                            "".join(
                                getattr(v, "value", "{}") if isinstance(v, ast.Constant) else "{}"
                                for v in values
                            )
                        )
    return [t for t in texts if t and not t.startswith("List replacements")]


def test_every_remedy_of_the_engine_has_a_program_or_a_test():
    known = [a.text.partition("{}")[0] for a in ADVICE]
    missing = [
        t
        for t in advised_texts()
        if not any(k in t for k in known) and not any(t.startswith(e) for e in ELSEWHERE)
    ]
    assert not missing
    assert len(advised_texts()) > 50
