"""Rates, clipped gradients and averages: the same code for TensorFlow and for ours."""

from __future__ import annotations

import numpy as np

STEPS = (0, 1, 4, 5, 6, 9, 10, 11, 12, 13, 20, 35, 41, 82)


def rates(tf, step) -> dict:
    """Rates by what is special about each."""
    train = tf.train
    return {
        "exponential": train.exponential_decay(0.1, step, 10, 0.9),
        # See the test of a whole number of steps about other numbers.
        "stairs": train.exponential_decay(0.1, step, 35, 0.5, staircase=True, name="lr"),
        "double": train.exponential_decay(tf.constant(0.3, tf.float64), step, 10, 0.9),
        "natural": train.natural_exp_decay(0.1, step, 10, 0.9, True),
        "inverse": train.inverse_time_decay(0.1, step, 10, 0.9),
        "inverse stairs": train.inverse_time_decay(0.1, step, 35, 0.9, True),
        "line": train.polynomial_decay(0.1, step, 10),
        # The base of a root must not become negative at the end.
        "root": train.polynomial_decay(0.1, step, 35, 0.01, 0.5),
        "cycle": train.polynomial_decay(0.1, step, 10, 0.01, 0.5, cycle=True),
        "pieces": train.piecewise_constant(step, [5, 12], [0.1, 0.2, 0.3]),
        "pieces of floats": train.piecewise_constant(
            tf.cast(step, tf.float32), [5.0, 12.0], [0.1, 0.2, 0.3], name="pw"
        ),
        "cosine": train.cosine_decay(0.1, step, 10, 0.2),
        "restarts": train.cosine_decay_restarts(0.1, step, 4, 3.0, 0.5, 0.1),
        "even restarts": train.cosine_decay_restarts(0.1, step, 4, 1.0, 0.5, 0.1),
        "linear cosine": train.linear_cosine_decay(0.1, step, 10, 2.0, 0.1, 0.01),
        "noisy": train.noisy_linear_cosine_decay(0.1, step, 10),
    }


def clipped(tf, whole, rows) -> list:
    """Tensors and rows, clipped in all ways."""
    slices = tf.IndexedSlices(rows, tf.constant([0, 1]), tf.constant([5, 4]))
    (one, none, two), norm = tf.clip_by_global_norm([whole, None, slices], 1.5)
    assert none is None
    (known,), _ = tf.clip_by_global_norm([whole], tf.constant(1.5), tf.constant(7.0), name="cg")
    return [
        *(one, two.values, norm, known),
        tf.clip_by_norm(whole, 1.0),
        tf.clip_by_norm(slices, 1.0, axes=[1]).values,
        tf.clip_by_value(slices, -0.1, 0.1).values,
        tf.clip_by_value(whole, -0.1, 0.1),
        tf.clip_by_average_norm(whole, 0.1),
        tf.global_norm([None]),
    ]


def averages(tf) -> tuple:
    """What moves averages, their names, and all variables."""
    step = tf.train.get_or_create_global_step()
    w, x = tf.Variable([1.0, 2.0], name="w"), tf.constant([1.0, 3.0]) * 2
    slow = tf.train.ExponentialMovingAverage(0.9, num_updates=step)
    quick = tf.train.ExponentialMovingAverage(0.5, zero_debias=True, name="avg")
    names = [slow.average_name(w)]
    with tf.control_dependencies([w.assign_add([1.0, 1.0])]):
        moves = [slow.apply([w, x]), quick.apply([w, x])]
    names += [m.name for m in moves]
    names += sorted(slow.variables_to_restore())
    names += [slow.average(w).name, quick.average(x).name, str(quick.average(step))]
    names += [v.name for v in tf.global_variables()]
    names += [v.name for v in tf.moving_average_variables()]
    return names, [*moves, step.assign_add(1)], tf.global_variables()


def everything(tf) -> dict:
    """All numbers and names."""
    found: dict = {}
    with tf.Graph().as_default(), tf.Session() as session:
        names, moves, variables = averages(tf)
        step = tf.placeholder(tf.int64, [])
        tf.set_random_seed(3)
        decayed = rates(tf, step)
        whole, rows = tf.placeholder(tf.float32, [3, 2]), tf.placeholder(tf.float32, [None, 4])
        parts = clipped(tf, whole, rows)
        tensors = [*decayed.values(), *parts]
        found["names"] = names + [t.name for t in tensors if "osine" not in t.name]
        session.run(tf.global_variables_initializer())
        for i in range(3):
            session.run(moves[:2])
            session.run(moves[2])
            found.update((f"{v.name} {i}", x) for v, x in zip(variables, session.run(variables)))
        values = [session.run(decayed, {step: i}) for i in STEPS]
        found.update((name, np.stack([v[name] for v in values])) for name in decayed)
        numbers = np.random.RandomState(0)
        a, b = numbers.randn(3, 2).astype(np.float32), numbers.randn(2, 4).astype(np.float32)
        for scale in (1.0, 0.01, np.inf, 0.0):
            fed = {whole: a * np.float32(scale), rows: b}
            found.update((f"clipped {scale} {i}", x) for i, x in enumerate(session.run(parts, fed)))
    return found
