"""Count XLA's compilations for a thousand arrays of random lengths."""

import jax.monitoring
import jax.numpy as jnp
import numpy as np

import shims
from benchmarks.timing import Result

CALLS, LONGEST = 1000, 1000


def run() -> list[Result]:
    """Count backend compilations, those of padding and slicing included."""
    counted = []

    def listen(event, duration, **kwargs):
        if event == "/jax/core/compile/backend_compile_duration":
            counted.append(duration)

    jax.monitoring.register_event_duration_secs_listener(listen)

    @shims.function(input_signature=[shims.TensorSpec([None], shims.float32)])
    def program(x):
        kept = shims.boolean_mask(x, x > 0)
        return jnp.mean(kept), kept

    rng = np.random.default_rng(0)
    for length in rng.integers(1, LONGEST + 1, CALLS):
        program(rng.normal(size=length).astype(np.float32))
    question = f"XLA compilations for {CALLS:,} random lengths from 1 to {LONGEST:,}"
    return [Result(question, "(a count)", str(len(counted)), "", float(len(counted)), 11.0)]
