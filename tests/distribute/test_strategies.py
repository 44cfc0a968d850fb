"""Strategies of one replica answer as TensorFlow's do on one device."""

from __future__ import annotations

import numpy as np
import pytest
import tensorflow as tf

import shims
from tests.harness.outcomes import outcome, same_error

STRATEGIES = {
    "default": lambda d: d.get_strategy(),
    "one device": lambda d: d.OneDeviceStrategy("/cpu:0"),
    "mirrored": lambda d: d.MirroredStrategy(
        ["/cpu:0"], cross_device_ops=d.HierarchicalCopyAllReduce()
    ),
}


def training(m, strategy):
    """Train in the form of TensorFlow's guide."""
    with strategy.scope():
        weight = m.Variable([1.0, 2.0])
    features = np.arange(12, dtype=np.float32).reshape(6, 2)
    batches = m.data.Dataset.from_tensor_slices((features, features.sum(1))).batch(4)

    def step(x, y):
        with m.GradientTape() as tape:
            loss = m.reduce_sum((m.linalg.matvec(x, weight) - y) ** 2) / 4.0
        gradient = m.distribute.get_replica_context().all_reduce("sum", tape.gradient(loss, weight))
        weight.assign_sub(0.001 * gradient)
        return loss

    @m.function
    def train(x, y):
        per_replica = strategy.run(step, args=(x,), kwargs={"y": y})
        return strategy.reduce(m.distribute.ReduceOp.SUM, per_replica, axis=None)

    losses = [train(x, y) for x, y in strategy.experimental_distribute_dataset(batches)]
    return [float(loss) for loss in losses], weight.numpy().tolist()


def contexts(m, strategy):
    """Observe who is asked for the strategy and the replica."""
    d = m.distribute
    seen = []

    def look(tag):
        replica = d.get_replica_context()
        seen.append((tag, d.has_strategy(), d.in_cross_replica_context(), replica is None))
        seen.append(d.get_strategy() is strategy)
        return replica

    look("outside")
    with strategy.scope() as inner:
        seen.append(inner is strategy)
        look("scope")

    def run(x):
        replica = look("run")
        seen.append((int(replica.replica_id_in_sync_group), replica.num_replicas_in_sync))
        replica.merge_call(lambda s, y: look("merge"), args=(x,))
        return x + 1

    value = strategy.run(run, (m.constant(1.0),))
    look("after")
    return seen, float(value)


def values(m, strategy):
    x = m.constant([1.0, 3.0])
    reduced = [
        float(strategy.reduce(op, x, axis=0))
        for op in ("SUM", "mean", m.distribute.ReduceOp.SUM, m.distribute.ReduceOp.MEAN)
    ]
    made = strategy.distribute_datasets_from_function(
        lambda c: m.data.Dataset.range(
            c.get_per_replica_batch_size(8) + c.num_input_pipelines + c.input_pipeline_id
        )
    )
    local = strategy.experimental_local_results(strategy.run(lambda: x))
    return (
        reduced,
        [int(e) for e in made],
        strategy.gather(x, axis=0).numpy().tolist(),
        [v.numpy().tolist() for v in local],
        strategy.num_replicas_in_sync,
        strategy.cluster_resolver,
    )


ERRORS = {
    "unknown reduction": lambda m, s: s.reduce("MAX", m.constant([1.0]), axis=0),
    "wrong arguments": lambda m, s: s.run(lambda x: x, args=(1, 2)),
    "error in the function": lambda m, s: s.run(lambda: {}["a"]),
}


@pytest.mark.parametrize("name", STRATEGIES)
@pytest.mark.parametrize("program", [training, contexts, values])
def test_programs(program, name):
    with shims.enable_tensor_methods():
        got = program(shims, STRATEGIES[name](shims.distribute))
    want = program(tf, STRATEGIES[name](tf.distribute))
    if program is training:
        np.testing.assert_allclose(got[0], want[0], rtol=1e-6)
        np.testing.assert_allclose(got[1], want[1], rtol=1e-6)
    else:
        assert got == want


@pytest.mark.parametrize("name", ERRORS)
def test_errors(name):
    found = [
        outcome(ERRORS[name], m, m.distribute.OneDeviceStrategy("/cpu:0")) for m in (shims, tf)
    ]
    assert same_error(found[0].error, found[1].error)
    assert not shims.distribute.has_strategy()


def test_set_strategy():
    for m in (shims, tf):
        strategy = m.distribute.OneDeviceStrategy("/cpu:0")
        m.distribute.experimental_set_strategy(strategy)
        assert m.distribute.get_strategy() is strategy
        m.distribute.experimental_set_strategy(None)
        assert not m.distribute.has_strategy()


def test_devices_that_do_not_exist_are_an_error():
    with pytest.raises(ValueError, match="its own device"):
        shims.distribute.MirroredStrategy(["cpu:0", "cpu:1"])
    with pytest.raises(shims.errors.NotFoundError, match="no TPU on this machine"):
        shims.distribute.TPUStrategy()
