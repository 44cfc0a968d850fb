"""Programs for four replicas, over `tf` or `shims`: `python -m tests.distribute.replicas tf` prints their results.

Each library divides the CPU into four devices when it starts, so each has a process of its own.
"""

from __future__ import annotations

import json
import os
import sys

import numpy as np

REPLICAS = 4


def local(strategy, value):
    return [np.asarray(x) for x in strategy.experimental_local_results(value)]


def batches(m, rows, batch, width=2):
    x = np.arange(rows * width, dtype=np.float32).reshape(rows, width) / 10
    return m.data.Dataset.from_tensor_slices((x, x.sum(1))).batch(batch)


def training(m, strategy, rows, batch, decorate):
    """Train as TensorFlow's guide to custom training does; return the losses, each replica's, and the weights."""
    with strategy.scope():
        weight, bias = m.Variable([1.0, 2.0]), m.Variable(0.5)

    def step(x, y):
        with m.GradientTape() as tape:
            errors = (m.linalg.matvec(x, weight) + bias - y) ** 2
            loss = m.nn.compute_average_loss(errors, global_batch_size=batch)
        gradients = tape.gradient(loss, [weight, bias])
        gradients = m.distribute.get_replica_context().all_reduce("SUM", gradients)
        weight.assign_sub(0.05 * gradients[0])
        bias.assign_sub(0.05 * gradients[1])
        return loss

    def train(x, y):
        losses = strategy.run(step, args=(x, y))
        return strategy.reduce("SUM", losses, axis=None), losses

    # TensorFlow's replicas may wait for each other forever in eager collectives of several tensors.
    train = m.function(train) if decorate or m.__name__ == "tensorflow" else train
    found = []
    for _ in range(2):
        for x, y in strategy.experimental_distribute_dataset(batches(m, rows, batch)):
            total, losses = train(x, y)
            found += [total, local(strategy, losses)]
    return found, weight.numpy(), bias.numpy()


def parts(m, strategy):
    """Show what each replica gets of whole and partial batches."""
    found = []
    for rows, batch in ((20, 8), (17, 7), (9, 4), (5, 3), (6, 16)):
        for x, _ in strategy.experimental_distribute_dataset(batches(m, rows, batch)):
            found.append(local(strategy, x))
    made = strategy.distribute_datasets_from_function(
        lambda c: m.data.Dataset.range(12 * c.num_input_pipelines + c.input_pipeline_id).batch(
            c.get_per_replica_batch_size(8)
        )
    )
    found += [local(strategy, x) for x in made]
    values = strategy.experimental_distribute_values_from_function(
        lambda c: m.constant([c.replica_id_in_sync_group, c.num_replicas_in_sync])
    )
    return found, local(strategy, values)


def reductions(m, strategy):
    """Reduce values over replicas and axes."""
    d = m.distribute
    ((x, y),) = strategy.experimental_distribute_dataset(batches(m, 10, 16))
    equal = strategy.run(lambda x: m.reduce_sum(x, 0), (x,))
    found = [strategy.reduce(op, equal, axis=None) for op in ("SUM", "MEAN", d.ReduceOp.SUM)]
    found += [strategy.reduce(op, x, axis=0) for op in ("SUM", "MEAN")]
    found += [strategy.reduce(op, y, axis=0) for op in ("SUM", "MEAN")]
    found += [strategy.reduce("MEAN", 3.0, axis=None)]
    try:
        strategy.reduce("SUM", 3.0, axis=None)
    except ValueError as error:
        found.append(str(error).split(" cannot")[0])
    return [*found, strategy.gather(x, axis=0), strategy.num_replicas_in_sync]


def contexts(m, strategy):
    """Ask for the replica, reduce and gather inside of it, and leave it."""
    d, seen = m.distribute, []

    def merged(strategy, x, y):
        seen.append((d.get_replica_context() is None, d.in_cross_replica_context(), y))
        return strategy.reduce("SUM", x, axis=None)

    def run(x):
        replica = d.get_replica_context()
        seen.append((replica.num_replicas_in_sync, d.has_strategy(), d.get_strategy() is strategy))
        number = m.cast(replica.replica_id_in_sync_group, m.float32)
        own = m.reduce_sum(x) + number
        both = replica.all_reduce("MEAN", {"a": own, "b": [own * 2]})
        whole = replica.all_gather(m.reshape(own, [1]), axis=0)
        return own, both, whole, replica.merge_call(merged, args=(own, "y")) + own

    ((x, _),) = strategy.experimental_distribute_dataset(batches(m, 8, 8))
    own, both, whole, total = m.function(lambda x: strategy.run(run, (x,)))(x)
    results = [own, both["a"], both["b"][0], whole, total]
    return [local(strategy, v) for v in results], sorted(set(map(str, seen)))


def aggregated(m, strategy):
    """Assign values that differ between replicas to variables that combine them."""
    kinds, found = m.VariableAggregation, []
    late = m.VariableSynchronization.ON_READ
    options = [{"aggregation": k} for k in (kinds.SUM, kinds.MEAN, kinds.ONLY_FIRST_REPLICA)]
    options += [{**o, "synchronization": late, "trainable": False} for o in options]
    for option in options:
        with strategy.scope():
            first = m.Variable([1.0, 2.0], **option)
            second = m.Variable([1.0, 2.0], **option)

        def run(first=first, second=second):
            number = m.distribute.get_replica_context().replica_id_in_sync_group
            scale = m.cast(number + 1, m.float32)
            first.assign_add(m.constant([1.0, 2.0]) * scale)
            second.assign(m.constant([1.0, 3.0]) * scale)

        for _ in range(2):
            m.function(lambda run=run: strategy.run(run))()
            found += [m.convert_to_tensor(first), m.convert_to_tensor(second)]
    return found


def through_reductions(m, strategy):
    """Differentiate what was reduced over replicas."""

    def run(x):
        replica = m.distribute.get_replica_context()
        with m.GradientTape(persistent=True) as tape:
            tape.watch(x)
            total = replica.all_reduce("SUM", m.reduce_sum(x**2))
            own = m.reduce_sum(x) * total
            mean = replica.all_reduce("MEAN", m.reduce_sum(x**3))
        return [tape.gradient(y, x) for y in (total, own, mean)]

    ((x, _),) = strategy.experimental_distribute_dataset(batches(m, 8, 8))
    return [local(strategy, g) for g in m.function(lambda x: strategy.run(run, (x,)))(x)]


def sizes(m, strategy):
    """Select rows on each replica: their numbers differ, and are added up."""

    def run(x):
        kept = m.boolean_mask(x, x[:, 0] > 0.7)
        count = m.cast(m.shape(kept)[0], m.float32)
        replica = m.distribute.get_replica_context()
        total = replica.all_reduce("SUM", count)
        mean = replica.all_reduce("SUM", m.reduce_sum(kept)) / total
        return kept, count, mean

    ((x, _),) = strategy.experimental_distribute_dataset(batches(m, 14, 14))
    kept, count, mean = m.function(lambda x: strategy.run(run, (x,)))(x)
    return [local(strategy, v) for v in (kept, count, mean)]


def with_keras(m, strategy):
    """Train a layer of Keras with its optimizer and a metric."""
    import keras

    with strategy.scope():
        layer = keras.layers.Dense(1)
        layer.build((None, 2))
        layer.set_weights([np.array([[1.0], [2.0]], np.float32), np.array([0.5], np.float32)])
        optimizer = keras.optimizers.Adam(0.1, clipnorm=0.2)
        optimizer.build(layer.trainable_variables)
        metric = keras.metrics.Mean()

    def step(x, y):
        with m.GradientTape() as tape:
            errors = (layer(x)[:, 0] - y) ** 2
            loss = m.nn.compute_average_loss(errors, global_batch_size=8)
        gradients = tape.gradient(loss, layer.trainable_variables)
        optimizer.apply_gradients(zip(gradients, layer.trainable_variables, strict=True))
        metric.update_state(errors)
        return loss

    train = m.function(lambda x, y: strategy.reduce("SUM", strategy.run(step, (x, y)), axis=None))
    found = [train(x, y) for x, y in strategy.experimental_distribute_dataset(batches(m, 20, 8))]
    return found, layer.get_weights(), metric.result()


PROGRAMS = {
    "function": lambda m, s: training(m, s, 20, 8, True),
    "eager": lambda m, s: training(m, s, 20, 8, False),
    "partial batches": lambda m, s: training(m, s, 17, 7, True),
    "partial batches, eager": lambda m, s: training(m, s, 17, 7, False),
    "parts": parts,
    "reductions": reductions,
    "contexts": contexts,
    "aggregated": aggregated,
    "through reductions": through_reductions,
    "sizes": sizes,
    "keras": with_keras,
}


def plain(value):
    """Convert results to what JSON has."""
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return list(map(plain, value))
    return value if isinstance(value, str) else np.asarray(value).tolist()


def main(library: str) -> None:
    """Print the results of all programs, or their errors."""
    if library == "tf":
        import tensorflow as m

        # Replicas block a thread each in a collective, and wait forever if there are fewer.
        m.config.threading.set_inter_op_parallelism_threads(4 * REPLICAS)
        cpu = m.config.list_physical_devices("CPU")[0]
        m.config.set_logical_device_configuration(
            cpu, [m.config.LogicalDeviceConfiguration()] * REPLICAS
        )
    else:
        os.environ["KERAS_BACKEND"] = "jax"
        import shims as m
    found = {}
    strategy = m.distribute.MirroredStrategy([f"/cpu:{i}" for i in range(REPLICAS)])
    for name, program in PROGRAMS.items():
        try:
            found[name] = plain(program(m, strategy))
        except Exception as error:  # noqa: BLE001 - the test shows it
            found[name] = f"{type(error).__name__}: {error}"
    sys.stdout.write(json.dumps(found))


if __name__ == "__main__":
    main(sys.argv[1])
