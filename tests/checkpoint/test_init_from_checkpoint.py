"""Variables that begin with what a checkpoint holds, as in TensorFlow."""

import numpy as np
import pytest
import tensorflow

import shims.compat.v1 as ours
from shims._src.checkpoint.bundle_writer import write_bundle
from shims._src.checkpoint.partitioned import Partitioned

BOTH = {"theirs": tensorflow.compat.v1, "ours": ours}
HALVES = [((0,), np.full(2, 5, np.float32)), ((2,), np.full(2, 6, np.float32))]
TENSORS = {
    "bert/a": np.array([1, 2], np.float32),
    "bert/b": np.float32(3),
    "bert/p": Partitioned((4,), HALVES),
    "a": np.array([7, 8], np.float32),
    "b": np.float32(9),
    "x/p": np.arange(4, dtype=np.float32),
    "long": np.array([1, 2]),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("init")
    write_bundle(str(folder / "m"), TENSORS)
    BOTH["theirs"].train.update_checkpoint_state(str(folder), str(folder / "m"))
    return folder


CASES = {
    "a name and a variable": lambda a, b, p, o: {"bert/a": "mine/a", "bert/b": b},
    "pairs": lambda a, b, p, o: [("bert/p", "mine/x/p"), ("bert/a", o)],
    "parts": lambda a, b, p, o: {"bert/p": list(p)},
    "a whole in parts": lambda a, b, p, o: {"x/p": "mine/x/p"},
    "parts as a whole": lambda a, b, p, o: {"bert/p": o},
    "a scope": lambda a, b, p, o: {"bert/": "mine/x/"},
    "the root": lambda a, b, p, o: {"/": "mine/"},
    "a scope that lacks one": lambda a, b, p, o: {"bert/": "mine/"},
    "into the root": lambda a, b, p, o: {"bert/": "/"},
    "a name to a scope": lambda a, b, p, o: {"bert/a": "mine/"},
    "no such tensor": lambda a, b, p, o: {"bert/z": "mine/a"},
    "another shape": lambda a, b, p, o: {"bert/b": "mine/a"},
    "another dtype": lambda a, b, p, o: {"long": "mine/a"},
    "no such variable": lambda a, b, p, o: {"bert/a": "nothing"},
    "not by get_variable": lambda a, b, p, o: {"bert/a": "other"},
    "no such scope": lambda a, b, p, o: {"bert/": "nothing/"},
}


def outcome(call):
    try:
        return call()
    except Exception as error:  # noqa: BLE001, which one it is is what is compared
        return type(error).__name__, str(error) if isinstance(error, ValueError) else ""


def run(tf, path, case):
    """What the variables begin with, or the errors; and the names of initializers."""
    with tf.Graph().as_default(), tf.Session() as session:
        zeros = tf.zeros_initializer()
        with tf.variable_scope("mine"):
            a = tf.get_variable("a", [2], initializer=zeros, use_resource=False)
            b = tf.get_variable("b", [], initializer=zeros, use_resource=True)
            with tf.variable_scope("x", partitioner=tf.fixed_size_partitioner(2)):
                p = tf.get_variable("p", [4], initializer=zeros)
        other = tf.Variable([0.0, 0.0], name="other")
        chosen = CASES[case](a, b, p, other)
        found = [outcome(lambda: tf.train.init_from_checkpoint(path, chosen))]
        found.append(outcome(lambda: session.run(tf.global_variables_initializer())))
        if found[-1] is None:
            found += [(v.name, session.run(v).tolist()) for v in tf.global_variables()]
        else:
            found[-1] = found[-1][0]
        names = [v.initializer.name.removesuffix(":0") for v in (a, b, *p, other)]
        return found, names, a.initial_value.name


@pytest.mark.parametrize("case", CASES)
def test_as_in_tensorflow(case, folder):
    found = {side: run(tf, str(folder / "m"), case) for side, tf in BOTH.items()}
    if case == "no such tensor":  # the maps of shapes have other orders
        texts = [f[0][0][1] for f in found.values()]
        assert {t.split("{")[0] for t in texts} == {
            f"Tensor bert/z is not found in {folder}/m checkpoint "
        }
        return
    assert found["ours"] == found["theirs"]


def test_a_folder(folder):
    assert run(ours, folder, "pairs") == run(ours, folder / "m", "pairs")
