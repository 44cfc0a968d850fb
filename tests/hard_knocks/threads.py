"""Call functions in several threads at once, and count the changes of a variable that are kept."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import Any

import shims as tf
import shims.compat.v1 as v1
from shims import optax

THREADS = 4


def in_threads(*works: Callable[[], Any]) -> None:
    """Run functions in threads of their own, all at once; raise what one of them raises."""
    errors: list[BaseException] = []
    start = threading.Barrier(len(works))

    def run(work: Callable[[], Any]) -> None:
        try:
            start.wait()
            work()
        except BaseException as error:  # noqa: BLE001 - raised below
            errors.append(error)

    threads = [threading.Thread(target=run, args=(w,), daemon=True) for w in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive(), "it hangs"
    if errors:
        raise errors[0]


def _eager(v):
    return lambda: v.assign_add(1)


def _compiled(v):
    return tf.function(lambda: v.assign_add(1))


def _subtracted(v):
    return lambda: v.assign_sub(-1)


def _of_variable(kinds, times):
    v = tf.Variable(0)
    works = [kind(v) for kind in kinds * 2]
    in_threads(*(lambda w=w: [w() for _ in range(times)] for w in works))
    return int(v), len(works) * times


def _of_optimizer(times):
    v = tf.Variable(0.0)
    optimizer = optax.Optimizer(optax.sgd(1.0))
    optimizer.build([v])

    def steps():
        for _ in range(times):
            optimizer.apply_gradients([(-1.0 + 0 * v, v)])

    in_threads(steps, steps)
    return int(v), 2 * times


def _of_session(times):
    with v1.Graph().as_default():
        v = v1.get_variable("v", [], v1.int32, v1.zeros_initializer())
        added = [v.assign_add(1), v1.assign_add(v, 1)] * 2
        with v1.Session() as session:
            session.run(v1.global_variables_initializer())
            in_threads(*(lambda op=op: [session.run(op) for _ in range(times)] for op in added))
            return int(session.run(v)), len(added) * times


def _of_generator(times):
    generator, found = tf.random.Generator.from_seed(1), []
    draw = lambda: [found.append(float(generator.uniform([]))) for _ in range(times)]
    in_threads(*[draw] * THREADS)
    again = tf.random.Generator.from_seed(1)
    want = sorted(float(again.uniform([])) for _ in found)
    return sum(a == b for a, b in zip(sorted(found), want, strict=True)), len(found)


WRITERS: dict[str, Callable[[int], tuple[int, int]]] = {
    "`assign_add`": lambda times: _of_variable((_eager, _eager), times),
    "`assign_add` in functions": lambda times: _of_variable((_compiled, _compiled), times),
    "both": lambda times: _of_variable((_eager, _compiled, _subtracted), times),
    "steps of an optimizer": _of_optimizer,
    "`Session.run`": _of_session,
    "numbers of a `Generator`": _of_generator,
}


def kept_of(name: str, times: int) -> tuple[int, int]:
    """Return how many changes of a kind were kept of how many, with threads that switch often."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        return WRITERS[name](times)
    finally:
        sys.setswitchinterval(before)
