"""Measure operators of unknown sizes inside a function, on a million elements."""

import jax.numpy as jnp
import tensorflow as tf

import shims
from benchmarks.operators import CALLS, Call, arrays
from benchmarks.timing import Result, compare, in_turns

SIZE = 1_000_000


def run() -> list[Result]:
    """Time each operator."""
    given = arrays(SIZE)
    results = []
    for call in CALLS:
        ours, theirs = _functions(call, given)
        mine = [jnp.asarray(given[n]) for n in call.inputs]
        other = [tf.constant(given[n]) for n in call.inputs]
        times = in_turns(
            {
                "shims": lambda ours=ours, mine=mine: ours(*mine),
                "TF graph": lambda theirs=theirs, other=other: theirs(*other),
            },
            rounds=21,
            warm=20,  # sizes that come again are compiled for: from then on it costs the same
        )
        results += compare(
            f"{call.name} in a function, {SIZE:,}", times, "shims", {"TF graph": 1.0}
        )
    return results


def _functions(call: Call, given):
    """Return the call as a function of `shims` and one of TensorFlow, with every size unknown."""
    shapes = [_unknown(name, given[name].ndim) for name in call.inputs]
    kinds = [given[n].dtype for n in call.inputs]
    ours = shims.function(
        lambda *inputs: call.run(shims, *inputs),
        input_signature=[shims.TensorSpec(s, k) for s, k in zip(shapes, kinds, strict=True)],
        autograph=False,
    )
    theirs = tf.function(
        lambda *inputs: call.run(tf, *inputs),
        input_signature=[tf.TensorSpec(s, k) for s, k in zip(shapes, kinds, strict=True)],
        autograph=False,
    )
    return ours, theirs


def _unknown(name: str, rank: int) -> list[int | None]:
    return {"boxes": [None, 4], "pairs": [None, 2]}.get(name, [None] * rank)
