"""Training loops of `Supervisor` and `slim`, metrics of `contrib`, and what their programs need of graphs."""

from __future__ import annotations

import subprocess
import sys
import threading

import numpy as np
import pytest
import tensorflow.compat.v1 as real

import shims.compat.v1 as tf


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as found:
        yield found


def descent():
    x = tf.Variable(1.0, name="x")
    step = tf.train.get_or_create_global_step()
    return x, step, tf.train.GradientDescentOptimizer(0.1).minimize(x * x, global_step=step)


# ---- loops ---------------------------------------------------------------------------------------


def test_a_supervisor_saves_and_restores(tmp_path):
    with tf.Graph().as_default():
        x, step, train = descent()
        supervisor = tf.train.Supervisor(logdir=str(tmp_path), save_model_secs=1000)
        with supervisor.managed_session() as session:
            for _ in range(4):
                session.run(train)
            supervisor.saver.save(session, supervisor.save_path, global_step=step)
        with pytest.raises(RuntimeError, match="finalized"):
            tf.constant(1)
    x, step, train = descent()
    supervisor = tf.train.Supervisor(logdir=str(tmp_path))
    session = supervisor.prepare_or_wait_for_session(start_standard_services=False)
    np.testing.assert_allclose(session.run([x, step]), [0.8**4, 4], rtol=1e-6)
    assert not supervisor.should_stop()
    supervisor.stop()
    assert supervisor.should_stop()


def test_a_supervisor_raises_errors_and_ends_with_the_input():
    x, _, _ = descent()
    supervisor = tf.train.Supervisor(init_fn=lambda session: x.load(5.0, session))
    with supervisor.managed_session() as session:
        assert session.run(x) == 5.0
        raise tf.errors.OutOfRangeError(None, None, "the end")
    with pytest.raises(KeyError), supervisor.managed_session():
        raise KeyError("a fault")
    with pytest.raises(tf.errors.UnimplementedError, match="no workers"):
        tf.train.Supervisor(is_chief=False)


def test_slim_trains_and_evaluates(tmp_path):
    slim = tf.contrib.slim
    x, _, _ = descent()
    train = slim.learning.create_train_op(x * x, tf.train.GradientDescentOptimizer(0.1))
    loss = slim.learning.train(train, str(tmp_path), number_of_steps=3)
    np.testing.assert_allclose(loss, 0.64**2, rtol=1e-5)
    path = tf.train.latest_checkpoint(str(tmp_path))
    assert path.endswith("model.ckpt-3")
    with tf.Graph().as_default():
        y = tf.Variable(1.0, name="x")
        tf.train.get_or_create_global_step()
        value, update = slim.metrics.streaming_mean(y)
        found = slim.evaluation.evaluate_once(
            "", path, None, num_evals=2, eval_op=update, final_op=value
        )
    np.testing.assert_allclose(found, 0.8**3, rtol=1e-6)


# ---- contrib.metrics -----------------------------------------------------------------------------

LABELS, GUESSES = np.array([0, 1, 1, 0, 1]), np.array([0, 1, 0, 0, 1])
SCORES = np.array([0.1, 0.8, 0.4, 0.3, 0.9], np.float32)
ROWS = np.random.RandomState(0).rand(5, 4).astype(np.float32)
WEIGHTS = np.array([1.0, 0.5, 2.0, 1.0, 0.0], np.float32)
CASES = [
    ("accuracy", GUESSES, LABELS, {}),
    ("auc", SCORES, LABELS, {"num_thresholds": 20}),
    ("false_negatives", GUESSES, LABELS, {}),
    ("mean_absolute_error", SCORES, SCORES[::-1].copy(), {}),
    ("mean_iou", GUESSES, LABELS, {"num_classes": 2}),
    ("precision", GUESSES, LABELS, {}),
    ("precision_at_thresholds", SCORES, LABELS.astype(bool), {"thresholds": [0.2, 0.5]}),
    ("recall", GUESSES, LABELS, {}),
    ("root_mean_squared_error", SCORES, SCORES[::-1].copy(), {}),
    ("specificity_at_sensitivity", SCORES, LABELS.astype(bool), {"sensitivity": 0.5}),
    ("sparse_recall_at_k", ROWS, LABELS[:, None].astype(np.int64), {"k": 2}),
]


def measured(module, prefix: str, names: dict, weights) -> list:
    """Return the updates, then the values of all cases; one run computes what all of them need."""
    pairs = []
    for name, guesses, labels, options in CASES:
        metric = getattr(
            module.contrib.metrics if prefix else module.metrics, prefix + names.get(name, name)
        )
        given = {
            "predictions": module.constant(guesses),
            "labels": module.constant(labels),
            "weights": None if weights is None else module.constant(weights),
        }
        if prefix:
            first = (given.pop("predictions"), given.pop("labels"))
            pairs.append(metric(*first, **given, **options))
        else:
            pairs.append(metric(**given, **options))
    with module.Session() as session:
        session.run(module.local_variables_initializer())
        updates = session.run([update for _, update in pairs])
        return [*updates, *session.run([value for value, _ in pairs])]


@pytest.mark.parametrize("weights", [None, WEIGHTS], ids=["equal", "weighted"])
def test_metrics_take_the_predictions_first(weights):
    ours = measured(tf, "streaming_", {}, weights)
    with real.Graph().as_default():
        theirs = measured(real, "", {"sparse_recall_at_k": "recall_at_k"}, weights)
    names = [name for name, *_ in CASES]
    for name, a, b in zip([*names, *names], ours, theirs, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-6, err_msg=name)


def test_accuracy_of_a_batch():
    accuracy = tf.contrib.metrics.accuracy
    found = [
        accuracy(tf.constant(GUESSES), tf.constant(LABELS)),
        accuracy(tf.constant(GUESSES), tf.constant(LABELS), weights=WEIGHTS),
    ]
    np.testing.assert_allclose(tf.Session().run(found), [0.8, 2.5 / 4.5], rtol=1e-6)
    with pytest.raises(ValueError, match="integer"):
        accuracy(tf.constant(SCORES), tf.constant(SCORES))


# ---- words and flags -----------------------------------------------------------------------------


def test_words_are_numbered_by_first_use_or_by_count(tmp_path):
    processor = tf.contrib.learn.preprocessing.VocabularyProcessor(4)
    rows = list(processor.fit_transform(["a b a", "c b a d e"]))
    assert [r.tolist() for r in rows] == [[1, 2, 1, 0], [3, 2, 1, 4]]
    assert [r.tolist() for r in processor.transform(["e z"])] == [[5, 0, 0, 0]]
    processor.save(str(tmp_path / "words"))
    again = type(processor).restore(str(tmp_path / "words"))
    assert list(again.reverse([[1, 5, 0]])) == ["a e <UNK>"]
    counted = type(processor)(3, min_frequency=1)
    assert [r.tolist() for r in counted.fit_transform(["b a a", "b b c"])] == [[1, 2, 2], [1, 1, 0]]


def test_flags_can_be_listed():
    from absl import flags

    if "listed_number" not in flags.FLAGS:
        tf.flags.DEFINE_integer("listed_number", 3, "A number.")
    assert getattr(tf.flags.FLAGS, "__flags")["listed_number"].default == 3


# ---- graphs --------------------------------------------------------------------------------------


def test_an_operand_of_unknown_rank_may_have_any_rank():
    x = tf.placeholder(tf.float32)
    found = x[:, :, :, :, 0:2] * tf.reshape(x, [-1])[0]
    fed = np.arange(24.0).reshape(1, 2, 2, 2, 3) + 1
    np.testing.assert_allclose(tf.Session().run(found, {x: fed}), fed[..., 0:2])


def test_reshape_may_divide_unknown_sizes():
    x = tf.placeholder(tf.float32, [None, None])
    found = tf.reshape(x, [2, tf.shape(x)[1], -1])
    assert found.shape.as_list() == [2, None, None]
    assert tf.Session().run(found, {x: np.ones((4, 3))}).shape == (2, 3, 2)


def test_the_size_of_a_window_may_be_a_dimension():
    x = tf.ones([1, 4, 6, 2])
    found = tf.contrib.slim.avg_pool2d(x, x.get_shape()[1:3])
    assert found.shape.as_list() == [1, 1, 1, 2]


DTYPES = ["int8", "uint8", "int16", "int64"]
OF_LISTS = {
    "add": lambda m, k, x: m.add([k], [k]),
    "concat": lambda m, k, x: m.concat([[k], [x]], 0),
    "convert_to_tensor": lambda m, k, x: m.convert_to_tensor([[k], [k]]),
    "expand_dims": lambda m, k, x: m.expand_dims([k], 0),
    "gather": lambda m, k, x: m.gather([k, k], [0]),
    "reduce_sum": lambda m, k, x: m.reduce_sum([k, k]),
    "stack": lambda m, k, x: m.stack([k, x]),
    "tile": lambda m, k, x: m.tile([k], [2]),
}


def test_constants_in_lists_keep_their_dtype():
    def answers(m):
        with m.Graph().as_default(), m.Session() as session:
            tensors, feeds = {}, {}
            for dtype in DTYPES:
                k, x = m.constant(5, dtype), m.placeholder(dtype, [])
                feeds[x] = 7
                tensors.update({(dtype, name): f(m, k, x) for name, f in OF_LISTS.items()})
            assert all(t.dtype.name == dtype for (dtype, _), t in tensors.items())
            return session.run(tensors, feeds)

    ours, theirs = answers(tf), answers(real)
    for case, value in theirs.items():
        assert ours[case].dtype == value.dtype, case
        np.testing.assert_array_equal(ours[case], value, err_msg=str(case))


def test_a_reference_by_name_is_the_variable():
    v = tf.Variable([1.0, 2.0], name="v")
    step = tf.Variable(0, name="global_step", trainable=False)
    reference = tf.get_default_graph().get_tensor_by_name("v:0")
    train = tf.train.GradientDescentOptimizer(0.1).minimize(
        tf.reduce_sum(v * v), global_step=tf.train.get_global_step()
    )
    gradient = tf.gradients(tf.reduce_sum(v * v), reference)[0]
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        np.testing.assert_allclose(session.run(gradient), [2.0, 4.0])
        session.run(train)
        np.testing.assert_allclose(session.run([step, v[0]]), [1, 0.8])
        assert session.run(tf.assign_add(reference, [1.0, 1.0]))[0] == np.float32(1.8)
        assert session.run(tf.scatter_update(reference, [0], [9.0]))[0] == 9.0
    with pytest.raises(TypeError, match="requires a variable"):
        tf.assign(tf.constant(1.0), 2.0)
    with tf.Graph().as_default(), pytest.raises(ValueError, match="same graph"):
        tf.constant(1.0) + reference


def test_a_state_may_hold_a_history():
    memory = np.random.RandomState(0).rand(2, 3, 4).astype(np.float32)
    mechanism = tf.contrib.seq2seq.BahdanauAttention(4, memory)
    cell = tf.contrib.seq2seq.AttentionWrapper(
        tf.nn.rnn_cell.GRUCell(4), mechanism, alignment_history=True
    )
    outputs, state = tf.nn.dynamic_rnn(cell, tf.ones([2, 5, 4]), dtype=tf.float32)
    history = state.alignment_history.stack()
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        found, weights = session.run([outputs, history])
    assert found.shape == (2, 5, 4)
    assert weights.shape == (5, 2, 3)
    np.testing.assert_allclose(weights.sum(-1), np.ones((5, 2)), rtol=1e-5)


# ---- input ---------------------------------------------------------------------------------------


def test_functions_of_datasets_use_tensors_around_them():
    constant, fed = tf.constant(5, tf.int64), tf.placeholder(tf.int64, [])
    variable = tf.Variable(4, dtype=tf.int64)
    dataset = tf.data.Dataset.range(2).map(lambda x: (x + fed, tf.concat([[constant], [x]], 0)))
    dataset = dataset.map(lambda a, b: (a * variable, b, constant))
    dataset = dataset.filter(lambda a, b, c: a > fed)
    iterator = dataset.make_initializable_iterator()
    element = iterator.get_next()
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for value in (7, 9):  # each initialization takes the values of its own
            session.run(iterator.initializer, {fed: value})
            found = session.run(element)
            assert [found[0], *found[1], found[2]] == [value * 4, 5, 0, 5]


def test_threads_take_turns_at_an_iterator_and_a_reader(tmp_path):
    paths = [str(tmp_path / f"{i}") for i in range(3)]
    for path in paths:
        with open(path, "w") as file:
            file.write(path)
    _, text = tf.WholeFileReader().read(tf.train.string_input_producer(paths, shuffle=False))
    batch = tf.train.batch([text], batch_size=30, num_threads=6, capacity=90)
    element = tf.data.Dataset.range(60).map(lambda x: x * 2).make_one_shot_iterator().get_next()
    found: list[int] = []

    def take(session):
        try:
            while True:
                found.append(int(session.run(element)))
        except tf.errors.OutOfRangeError:
            pass

    with tf.Session() as session:
        coordinator = tf.train.Coordinator()
        tf.train.start_queue_runners(session, coordinator)
        texts = session.run(batch)
        assert {t.decode() for t in texts} == set(paths)
        coordinator.request_stop()
        threads = [threading.Thread(target=take, args=(session,)) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert sorted(found) == list(range(0, 120, 2))


UNSTOPPED = """
import shims.compat.v1 as tf
tf.disable_v2_behavior()
queue = tf.FIFOQueue(8, [tf.float32], shapes=[[]])
enqueue = queue.enqueue(tf.random_uniform([]))
tf.train.add_queue_runner(tf.train.QueueRunner(queue, [enqueue] * 4))
session, many = tf.Session(), queue.dequeue_many(3)
tf.train.start_queue_runners(session)
for _ in range(4):
    session.run(many)
"""


def test_a_program_that_does_not_stop_its_threads_ends():
    ended = subprocess.run(
        [sys.executable, "-c", UNSTOPPED], capture_output=True, text=True, timeout=120
    )
    assert ended.returncode == 0, ended.stderr
