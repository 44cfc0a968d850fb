"""Optimizers with arguments, and five steps of each: the same code for TensorFlow and for ours."""

from __future__ import annotations

import numpy as np

# The scales at which TensorFlow's places of epsilon can be told apart.
SCALES = (1.0, 1e-4, 1e-7, 1e-8, 1.0)
INDICES = ([2, 0, 2], [1, 1, 1], [0, 1, 2], [3, 3, 0], [2, 1, 2])

CASES = {
    "sgd": lambda train, step: train.GradientDescentOptimizer(lambda: 0.3),
    "proximal": lambda train, step: train.ProximalGradientDescentOptimizer(0.1, 0.3, 0.2),
    "momentum": lambda train, step: train.MomentumOptimizer(0.1, 0.9),
    "nesterov": lambda train, step: train.MomentumOptimizer(0.1, 0.9, use_nesterov=True),
    "adagrad": lambda train, step: train.AdagradOptimizer(0.1),
    "proximal_adagrad": lambda train, step: train.ProximalAdagradOptimizer(0.1, 0.1, 0.2, 0.3),
    "averaging": lambda train, step: train.AdagradDAOptimizer(0.1, step, 0.2, 0.05, 0.3),
    "adadelta": lambda train, step: train.AdadeltaOptimizer(0.5),
    "adam": lambda train, step: train.AdamOptimizer(0.1),
    "rmsprop": lambda train, step: train.RMSPropOptimizer(0.1, 0.8, 0.7, 1e-3),
    "centered": lambda train, step: train.RMSPropOptimizer(0.1, momentum=0.5, centered=True),
    "ftrl": lambda train, step: train.FtrlOptimizer(0.1, -0.6, 0.2, 0.1, 0.2),
    "ftrl_all": lambda train, step: train.FtrlOptimizer(
        0.1, -0.5, 0.2, 0.01, 0.2, l2_shrinkage_regularization_strength=0.3, beta=0.4
    ),
}


def five_steps(tf, use_resource: bool | None, dtype: str) -> dict[str, np.ndarray]:
    """The value of each variable after each step, by its name and the step.

    Args:
      tf: TensorFlow's module of version 1, or ours.
      use_resource: the kind of the variables; `None` for turns.
      dtype: their dtype.
    """
    numbers = np.random.RandomState(0)
    start = numbers.randn(4, 3)
    whole = [numbers.randn(4, 3) * scale for scale in SCALES]
    rows = [numbers.randn(3, 3) * scale for scale in SCALES]
    found = {}
    with tf.Graph().as_default():
        step = tf.Variable(np.int64(0), name="step", trainable=False)
        dense = tf.placeholder(dtype, [4, 3])
        values, indices = tf.placeholder(dtype, [None, 3]), tf.placeholder(tf.int64, [None])
        sparse = tf.IndexedSlices(values, indices, tf.constant([4, 3]))
        train = []
        for i, (name, make) in enumerate(CASES.items()):
            resource = i % 2 == 0 if use_resource is None else use_resource
            if dtype == "float64" and name.startswith("proximal"):
                continue  # TensorFlow does not convert its rate and fails
            for kind, gradient in (("dense", dense), ("sparse", sparse)):
                value = start.astype(dtype)
                v = tf.Variable(value, name=f"{name}_{kind}", use_resource=resource)
                train.append(make(tf.train, step).apply_gradients([(gradient, v)]))
        count = step.assign_add(1)
        every = tf.global_variables()
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            for i in range(5):
                fed = {dense: whole[i], values: rows[i], indices: INDICES[i]}
                session.run(train, fed)
                session.run(count)
                found.update((f"{v.name} {i}", x) for v, x in zip(every, session.run(every)))
    return found
