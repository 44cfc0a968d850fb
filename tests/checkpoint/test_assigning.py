"""Fine-tuning as slim does it: variables chosen by scope, assigned from a checkpoint."""

import numpy as np
import pytest

import shims.compat.v1 as tf
from shims._src.errors import errors

slim = tf.contrib.slim


@pytest.fixture
def session():
    with tf.Graph().as_default(), tf.Session() as session:
        ones, zeros = tf.ones_initializer(), tf.zeros_initializer()
        tf.get_variable("net/conv/weights", [2, 3], initializer=ones)
        tf.get_variable("net/conv/biases", [3], initializer=zeros)
        tf.get_variable("net/logits/weights", [3], initializer=zeros)
        tf.get_variable("weights", [1], initializer=zeros, trainable=False)
        with tf.variable_scope("cut", partitioner=tf.fixed_size_partitioner(2)):
            tf.get_variable("p", [5], initializer=tf.constant_initializer(4.0))
        tf.add_to_collection(tf.GraphKeys.MODEL_VARIABLES, tf.global_variables()[0])
        tf.get_local_variable("local", [1], initializer=zeros)
        session.run(tf.global_variables_initializer())
        yield session


@pytest.fixture
def path(session, tmp_path):
    """A checkpoint of the variables; after that all of them are 0."""
    path = tf.train.Saver().save(session, str(tmp_path / "m"))
    zero(session)
    return path


def zero(session):
    session.run([v.assign(tf.zeros_like(v)) for v in tf.global_variables()])


def names(variables):
    return [v.name.removesuffix(":0") for v in variables]


def test_choices(session):
    conv, biases, logits, top, *parts = tf.global_variables()
    with tf.variable_scope("net") as scope:
        pass
    everything = [conv, biases, logits, top, *parts]
    chosen = [
        (slim.get_variables(), everything),
        (slim.get_variables("net/conv"), [conv, biases]),
        (slim.get_variables(scope, "weights"), [conv, logits]),
        (slim.get_variables_by_name("weights"), [conv, logits, top]),
        (slim.get_variables_by_name("weights", "net"), [conv, logits, top]),  # as in slim
        (slim.get_variables_by_suffix("biases"), [biases]),
        (slim.get_model_variables(), [conv]),
        (slim.get_local_variables(), tf.local_variables()),
        (slim.get_trainable_variables("weights"), []),
        (slim.get_variables_to_restore(), everything),
        (slim.get_variables_to_restore(["net"], ["net/logits"]), [conv, biases]),
        (slim.get_variables_to_restore(exclude=["net", "cut"]), [top]),
        (slim.filter_variables(everything, ["conv"], ["biases"]), [conv]),
        (slim.filter_variables(everything, ["conv"], reg_search=False), []),
        (slim.filter_variables([conv, top]), [conv, top]),
    ]
    assert [names(found) for found, _ in chosen] == [names(expected) for _, expected in chosen]
    assert slim.get_unique_variable("net/conv/weights") is conv
    assert [slim.get_variable_full_name(v) for v in (conv, parts[1])] == [
        "net/conv/weights",
        "cut/p",
    ]


def assigned(session, call):
    """The sums of the variables that a function of the session changes."""
    zero(session)
    call(session)
    sums = {v.name.removesuffix(":0"): float(session.run(v).sum()) for v in tf.global_variables()}
    return {name: total for name, total in sums.items() if total}


def test_assigning(session, path):
    conv, biases, _, _, *parts = tf.global_variables()

    def run(var_list, **options):
        operation, feeds = slim.assign_from_checkpoint(path, var_list, **options)
        return assigned(session, lambda s: s.run(operation, feeds))

    def restored(var_list, **options):
        return assigned(session, slim.assign_from_checkpoint_fn(path, var_list, **options))

    pieces = {"cut/p/part_0": 12.0, "cut/p/part_1": 8.0}
    assert run([conv, *parts]) == {"net/conv/weights": 6.0} | pieces
    assert run({"cut/p": parts, "net/conv/weights": conv}) == {"net/conv/weights": 6.0} | pieces
    assert run({"z": conv, "cut/p": parts}, ignore_missing_vars=True) == pieces
    assert restored(slim.get_variables_to_restore(["net", "cut"])) == (
        {"net/conv/weights": 6.0} | pieces
    )
    assert restored([conv, biases], ignore_missing_vars=True) == {"net/conv/weights": 6.0}
    flat = tf.get_variable("flat", [6])
    session.run(flat.initializer)
    assert restored({"net/conv/weights": flat}, reshape_variables=True) == {"flat": 6.0}
    assert slim.assign_from_checkpoint_fn(path, {"z": conv}, ignore_missing_vars=True) is None
    values = {"net/conv/biases": np.array([1.0, 2.0, 3.0]), "weights": np.array([[9.0]])}
    assert assigned(session, slim.assign_from_values_fn(values)) == {
        "net/conv/biases": 6.0,
        "weights": 9.0,
    }


REFUSED = {
    "Couldn't find variable z": lambda path, v: slim.get_unique_variable("z"),
    "Variable net does not uniquely identify a variable": lambda path, v: slim.get_unique_variable(
        "net"
    ),
    "Variable z wasn't found": lambda path, v: slim.assign_from_values({"z": np.zeros(1)}),
    "Variable net doesn't uniquely identify a variable": lambda path, v: slim.assign_from_values(
        {"net": np.zeros(1)}
    ),
    "Checkpoint is missing variable [z]": lambda path, v: slim.assign_from_checkpoint(
        path, {"z": v}
    ),
    "Total size of new array must be unchanged for weights lh_shape: [(1,)], rh_shape: [(2, 3)]": (
        lambda path, v: slim.assign_from_checkpoint(path, {"weights": v})
    ),
    "var_list cannot be empty": lambda path, v: slim.assign_from_checkpoint_fn(path, []),
}


def test_refusals(session, path):
    conv = tf.global_variables()[0]
    found = []
    for call in REFUSED.values():
        with pytest.raises(ValueError) as caught:  # noqa: PT011, the whole text is compared below
            call(path, conv)
        found.append(str(caught.value))
    assert found == list(REFUSED)
    for which in ("include", "exclude"):
        with pytest.raises(TypeError, match=f"{which} is provided but is not a list or a tuple"):
            slim.get_variables_to_restore(**{which: "net"})
    with pytest.raises(errors.NotFoundError, match="Key z not found in checkpoint"):
        slim.assign_from_checkpoint_fn(path, {"z": conv})(session)
