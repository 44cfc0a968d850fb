"""Measure the costs of many selections: tracing, temporary memory, and compilations."""

import gc
import time

import jax
import jax.monitoring
import jax.numpy as jnp
import numpy as np

import shims
from benchmarks.timing import Result, compare

ROUNDS = 25


def steps(number: int, mean):
    """Return a function of `number` masked steps, each on the result of the last."""

    def program(x):
        for _ in range(number):
            x = x - 0.001 * mean(x, x > 0)
        return x

    return program


def means(number: int, mean):
    """Return a function of `number` independent masked means."""
    return lambda x: sum(mean(x, x > 0.001 * i) for i in range(number))


def selected(x, mask):
    """Return a masked mean as users of shims write it."""
    return jnp.mean(x[mask])


def by_hand(x, mask):
    """Return a masked mean written by hand."""
    return jnp.sum(jnp.where(mask, x, 0)) / jnp.sum(mask)


def tracing_seconds(f, x) -> float:
    """Return the CPU seconds that tracing and lowering take, without compiling."""
    start = time.process_time()
    jax.jit(lambda x: f(x)).lower(x)
    return time.process_time() - start


def _tracing(question, make, number, goal) -> list[Result]:
    x = jnp.asarray(np.random.default_rng(0).normal(size=1000), jnp.float32)
    candidates = {
        "shims": shims.dynamic(make(number, selected)),
        "hand-written JAX": make(number, by_hand),
    }
    times: dict[str, list[float]] = {name: [] for name in candidates}
    for f in candidates.values():
        tracing_seconds(f, x)  # converts the functions, which is done once
    for _ in range(ROUNDS):
        for name, f in candidates.items():
            gc.collect()  # garbage of the other one is not its cost
            times[name].append(tracing_seconds(f, x))
    return compare(question, times, "shims", {"hand-written JAX": goal})


def temporaries(f, *args) -> int:
    """Return the bytes of temporaries of a compiled program."""
    return jax.jit(f).lower(*args).compile().memory_analysis().temp_size_in_bytes


def outer_sum(x, y):
    """Sum the outer difference of two selections."""
    return jnp.sum(jnp.abs(x[x > 0][:, None] - y[y > 0][None, :]))


def masked_outer_sum(x, y):
    """Sum the outer difference of two selections, with masks written by hand."""
    mask = (x > 0)[:, None] & (y > 0)[None, :]
    return jnp.sum(jnp.where(mask, jnp.abs(x[:, None] - y[None, :]), 0))


def distances(x, y):
    """Sum the distances between the points of two selections."""
    a, b = x[x[:, 0] > 0], y[y[:, 0] > 0]
    return jnp.sum(jnp.sqrt(jnp.sum((a[:, None] - b[None]) ** 2, -1)))


def masked_distances(x, y):
    """Sum the distances between the points of two selections, with masks written by hand."""
    mask = (x[:, 0] > 0)[:, None] & (y[:, 0] > 0)[None]
    lengths = jnp.sqrt(jnp.sum((x[:, None] - y[None]) ** 2, -1))
    return jnp.sum(jnp.where(mask, lengths, 0))


def _memory(subject, ours, by_hand, shape, goal) -> Result:
    x = jnp.asarray(np.random.default_rng(0).normal(size=shape), jnp.float32)
    found = temporaries(shims.dynamic(ours), x, x[::-1])
    theirs = temporaries(by_hand, x, x[::-1])
    sizes = (f"{n / 1e6:.3g} MB" for n in (found, theirs))
    question = f"temporaries of a sum over {subject}"
    return Result(question, "hand-written JAX", *sizes, found / theirs, goal)


def _compilations() -> list[Result]:
    counted = []

    def listen(event, duration, **kwargs):
        if event == "/jax/core/compile/backend_compile_duration":
            counted.append(duration)

    jax.monitoring.register_event_duration_secs_listener(listen)
    rng = np.random.default_rng(0)

    @shims.function(input_signature=[shims.TensorSpec([None])] * 3)
    def of_three(a, b, c):
        return jnp.sum(a[a > 0]) + jnp.mean(b) * jnp.max(c)

    for sizes in np.exp(rng.uniform(np.log(2), np.log(2000), (400, 3))).astype(int):
        of_three(*(rng.normal(size=n).astype(np.float32) for n in sizes))
    joint = len(counted)
    eager = shims.dynamic(lambda x: jnp.mean(x[x > 0]))
    for size in range(70, 120):
        eager(rng.normal(size=size).astype(np.float32))
    lengths = len(counted) - joint
    return [
        Result(question, "(a count)", str(n), "", float(n), goal)
        for question, n, goal in (
            ("XLA compilations for 400 calls with three random sizes", joint, 40.0),
            ("XLA compilations of an eager `dynamic` for 50 lengths", lengths, 40.0),
        )
    ]


def run() -> list[Result]:
    """Measure all of them."""
    return [
        *_tracing("tracing and lowering 100 masked steps", steps, 100, 2.0),
        *_tracing("tracing and lowering 400 independent masked means", means, 400, 3.0),
        _memory(
            "the outer difference of two selections of 4,096",
            outer_sum,
            masked_outer_sum,
            4096,
            2.0,
        ),
        _memory(
            "the distances between two selections of 2,000 points",
            *(distances, masked_distances, (2000, 3), 1.5),
        ),
        *_compilations(),
    ]
