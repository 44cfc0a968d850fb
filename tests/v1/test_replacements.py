"""A name that `shims.compat.v1` does not have says so, and names what to use."""

import pytest

import shims.compat.v1 as tf
from shims._src.v1.names import names, replacements


def found(path: str):
    value = tf
    for part in path.split("."):
        value = getattr(value, part)
    return value


@pytest.mark.parametrize(
    ("path", "instead"),
    [
        ("contrib.seq2seq.dynamic_rnn_decoder", "dynamic_decode"),
        ("contrib.tpu.CrossShardOptimizer", "jax.sharding"),
        ("contrib.layers.joint_weighted_sum", "tf.layers"),
        ("contrib.metrics.cohen_kappa", "tf.metrics"),
        ("contrib.resampler.resampler", "TensorFlow 2 removed the function"),
        ("train.maybe_batch", "feed NumPy arrays"),
        ("estimator.BaselineClassifier", "MonitoredTrainingSession"),
        ("GraphDef", "import-graph"),
        ("saved_model.loader", "import-graph"),
        ("LMDBReader", "tf.data.Dataset"),
        ("train.SessionManager", "MonitoredTrainingSession"),
    ],
)
def test_it_names_what_to_use(path, instead):
    with pytest.raises(AttributeError, match=rf"has no `tf\..*`\. Instead: .*{instead}"):
        found(path)


def test_nothing_that_is_there_has_a_replacement():
    there = {name for name in names.every_name() if "." not in name}
    assert [name for name in there if replacements.instead_of(name)] == []


def test_what_never_was_is_told_apart():
    with pytest.raises(AttributeError, match=r"TensorFlow 1 has no `tf\.matmull`.*`tf\.matmul`"):
        found("matmull")
