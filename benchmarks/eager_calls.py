"""Measure eager calls, operator by operator, on ten thousand elements."""

import jax.numpy as jnp
import tensorflow as tf

import shims
from benchmarks.operators import CALLS, arrays
from benchmarks.timing import Result, compare, in_turns

SIZE = 10_000


def run() -> list[Result]:
    """Time each operator."""
    given = arrays(SIZE)
    ours = {name: jnp.asarray(value) for name, value in given.items()}
    theirs = {name: tf.constant(value) for name, value in given.items()}
    results = []
    for call in CALLS:
        mine, other = ([side[n] for n in call.inputs] for side in (ours, theirs))
        times = in_turns(
            {
                "shims": lambda call=call, mine=mine: call.run(shims, *mine),
                "TF eager": lambda call=call, other=other: call.run(tf, *other),
            },
            rounds=201,
            repeat=5,
        )
        goal = 1.5 if call.common else None
        results += compare(f"eager {call.name}, {SIZE:,}", times, "shims", {"TF eager": goal})
    return results
