"""Training that TensorFlow began goes on here from its checkpoint, and the other way round."""

import numpy as np
import pytest
import tensorflow

import shims.compat.v1 as ours

BOTH = {"theirs": tensorflow.compat.v1, "ours": ours}
STEPS = 4


def trained(tf, saved_at, restored_from=None):
    """Losses of some steps with Adam, from the start or from a checkpoint; saves at the end."""
    rng = np.random.default_rng(0)
    data, wanted = rng.normal(size=(16, 3)), rng.normal(size=(16, 2))
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [None, 3])
        y = tf.placeholder(tf.float32, [None, 2])
        w = tf.get_variable("w", initializer=np.linspace(-1, 1, 6, dtype=np.float32).reshape(3, 2))
        b = tf.get_variable("b", initializer=np.zeros(2, np.float32))
        step = tf.train.get_or_create_global_step()
        loss = tf.reduce_mean(tf.square(tf.tanh(tf.matmul(x, w) + b) - y))
        train = tf.train.AdamOptimizer(0.05).minimize(loss, global_step=step)
        saver = tf.train.Saver()
        if restored_from is None:
            session.run(tf.global_variables_initializer())
        else:
            saver.restore(session, restored_from)
        losses = [session.run([loss, train], {x: data, y: wanted})[0] for _ in range(STEPS)]
        path = saver.save(session, str(saved_at / "m"), global_step=step, write_meta_graph=False)
    return path, losses


@pytest.mark.parametrize(("first", "second"), [("theirs", "ours"), ("ours", "theirs")])
def test_training_goes_on(first, second, tmp_path):
    path, begun = trained(BOTH[first], tmp_path / "begun")
    assert path.endswith(f"m-{STEPS}")
    expected, rest = trained(BOTH["theirs"], tmp_path / "expected", path)
    found, losses = trained(BOTH[second], tmp_path / "found", path)
    assert found.endswith(f"m-{2 * STEPS}")
    np.testing.assert_allclose(losses, rest, rtol=1e-6)
    assert losses[-1] < losses[0] < begun[0]
    reader, reference = (ours.train.load_checkpoint(p) for p in (found, expected))
    shapes = reference.get_variable_to_shape_map()
    assert reader.get_variable_to_shape_map() == shapes
    assert {"beta1_power", "w/Adam", "w/Adam_1", "global_step"} <= set(shapes)
    for name in shapes:
        np.testing.assert_allclose(
            reader.get_tensor(name), reference.get_tensor(name), rtol=1e-5, atol=1e-8, err_msg=name
        )
