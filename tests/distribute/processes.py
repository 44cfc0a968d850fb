"""Train in one of several processes: `python -m tests.distribute.processes PORT COUNT NUMBER` prints the numbers.

With a count of 1, one device computes everything.
"""

from __future__ import annotations

import json
import sys

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import AxisType, NamedSharding
from jax.sharding import PartitionSpec as P

import shims

X = np.random.default_rng(0).normal(size=(32, 3)).astype(np.float32)
Y = X.sum(1)


@shims.dynamic
def loss(weights, x, y):
    error = jnp.abs(x @ weights - y)
    return jnp.mean(error[error > 0.5])


def sharded_training(count: int, number: int) -> list:
    """Train on the hard examples of all processes."""
    mesh = jax.make_mesh((count,), ("batch",), axis_types=(AxisType.Auto,))
    rows = NamedSharding(mesh, P("batch"))
    own = slice(number * 32 // count, (number + 1) * 32 // count)
    x, y = (jax.make_array_from_process_local_data(rows, a[own]) for a in (X, Y))
    step = jax.jit(jax.value_and_grad(loss))
    weights, losses = jnp.zeros(3), []
    for _ in range(5):
        value, gradient = step(weights, x, y)
        weights = np.asarray(weights - 0.1 * np.asarray(gradient))
        losses.append(float(value))
    return [losses, weights.tolist()]


def strategy_training(count: int) -> list:
    """Train with a strategy of a replica in each process; the last batch is a partial one."""
    strategy = shims.distribute.MultiWorkerMirroredStrategy()
    assert strategy.num_replicas_in_sync == count
    with strategy.scope():
        weights = shims.Variable([0.0, 0.0, 0.0])
    dataset = strategy.distribute_datasets_from_function(
        lambda context: (
            shims.data.Dataset.from_tensor_slices((X[:28], Y[:28]))
            .shard(context.num_input_pipelines, context.input_pipeline_id)
            .batch(context.get_per_replica_batch_size(16))
        )
    )

    def step(x, y):
        with shims.GradientTape() as tape:
            error = (shims.linalg.matvec(x, weights) - y) ** 2
            mean = shims.nn.compute_average_loss(error, global_batch_size=16)
        gradient = tape.gradient(mean, weights)
        gradient = shims.distribute.get_replica_context().all_reduce("SUM", gradient)
        weights.assign_sub(0.1 * gradient)
        return mean

    @shims.function
    def train(x, y):
        return strategy.reduce("SUM", strategy.run(step, (x, y)), axis=None)

    losses = [float(train(x, y)) for x, y in dataset]
    return [losses, np.asarray(weights.numpy()).tolist()]


def main(port: str, count: int, number: int) -> None:
    """Join the other processes, train, and print the losses and the weights."""
    if count > 1:
        jax.distributed.initialize(f"127.0.0.1:{port}", count, number)
    sys.stdout.write(json.dumps([sharded_training(count, number), strategy_training(count)]))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
