"""`train.Checkpoint` reads what TensorFlow wrote, and TensorFlow reads what it wrote."""

import logging
import subprocess
import sys

import numpy as np
import pytest
import tensorflow as tf

import shims
from shims._src.checkpoint.opening import open_checkpoint
from shims._src.checkpoint.trackable_graph import read_graph

from . import bundles

DTYPES = ["float32", "int32", "bool", "bfloat16", "float16", "uint8", "complex64"]


def program(tf, values=True):
    """Build one object of each kind; a second call builds others with other values."""

    def variable(value, dtype="float32", **options):
        value = np.asarray(value) if values else np.zeros_like(np.asarray(value))
        return tf.Variable(tf.cast(tf.constant(value), getattr(tf, dtype)), **options)

    class Inner(tf.Module):
        def __init__(self):
            super().__init__()
            self.kernel = variable([[1.5, 2.5]], name="kernel")
            self.number = 3
            self._hidden = variable([7.0])

    class Outer(tf.Module):
        def __init__(self):
            super().__init__()
            self.layers = [Inner(), 5, Inner()]
            self.named = {"a": variable(3.0), "b/c.d": [variable(4, "int32")]}
            self.pair = (variable(9.0), "text")
            self.shared = self.layers[0].kernel
            self.numbers, self.empty, self.plain = [1, 2], [], (1, 2)
            self.generator = tf.random.Generator.from_seed(5 if values else 6)

    kinds = {name: variable([1, 0, 1], name) for name in DTYPES}
    return tf.train.Checkpoint(
        model=Outer(),
        step=variable(12, "int32"),
        kinds=kinds,
        nested=tf.train.Checkpoint(inner=Inner(), more=[variable(2.0)]),
    )


def contents(prefix):
    """The tensors of a checkpoint apart from the object graph."""
    return {k: v for k, v in bundles.read(prefix).items() if not k.startswith("_CHECK")}


def edges(prefix):
    """The names that lead to values, for each object."""
    nodes = read_graph(open_checkpoint(str(prefix)))
    return sorted((a.key, a.name, a.full_name) for node in nodes for a in node.attributes)


@pytest.fixture(scope="module")
def theirs(tmp_path_factory):
    return program(tf).save(tmp_path_factory.mktemp("theirs") / "ckpt")


@pytest.fixture(scope="module")
def ours(tmp_path_factory):
    return program(shims).save(tmp_path_factory.mktemp("ours") / "ckpt")


def test_files_agree(theirs, ours):
    bundles.assert_same(contents(ours), contents(theirs))
    assert edges(ours) == edges(theirs)


def test_reads_theirs(theirs, tmp_path):
    checkpoint = program(shims, values=False)
    checkpoint.restore(theirs).assert_consumed().assert_nontrivial_match()
    bundles.assert_same(contents(checkpoint.write(tmp_path / "again")), contents(theirs))
    assert int(checkpoint.save_counter) == 1


def test_they_read_ours(ours, tmp_path):
    checkpoint = program(tf, values=False)
    checkpoint.restore(ours).assert_consumed()
    bundles.assert_same(contents(checkpoint.write(tmp_path / "again")), contents(ours))


@pytest.mark.parametrize("with_keyword", [False, True])
def test_root(with_keyword, tmp_path):
    def saved(tf, folder):
        module = tf.Module()
        module.w = tf.Variable([1.0, 2.0], name="w")
        more = {"other": tf.Variable(3.0)} if with_keyword else {}
        return tf.train.Checkpoint(module, **more).save(tmp_path / folder / "m"), module

    (theirs, _), (ours, module) = saved(tf, "theirs"), saved(shims, "ours")
    bundles.assert_same(contents(ours), contents(theirs))
    module.w.assign([0.0, 0.0])
    shims.train.Checkpoint(module).restore(theirs).expect_partial()
    assert module.w.numpy().tolist() == [1, 2]
    variable = shims.Variable(0.0)
    shims.train.Checkpoint(variable).read(
        tf.train.Checkpoint(tf.Variable(4.0)).write(tmp_path / "v")
    )
    assert float(variable) == 4


class Late(shims.Module):
    """A module that creates its variables in the first call."""

    def __init__(self):
        super().__init__()
        self.w = None

    @shims.function
    def __call__(self, x):
        if self.w is None:
            self.w, self.parts = shims.Variable(shims.ones([2])), [shims.Variable(x * 3)]
        return x * self.w + self.parts[0]


def test_variables_that_are_created_later(tmp_path):
    first = Late()
    first(shims.constant(2.0))
    first.w.assign([5.0, 6.0])
    first.parts[0].assign(100.0)
    path = shims.train.Checkpoint(late=first).save(tmp_path / "m")
    second = Late()
    checkpoint = shims.train.Checkpoint()
    status = checkpoint.restore(path)
    with pytest.raises(AssertionError, match=r"Unresolved object in checkpoint \(root\).late.w"):
        status.assert_consumed()
    checkpoint.late = second
    assert second(shims.constant(2.0)).tolist() == [110, 112]
    assert second(shims.constant(1.0)).tolist() == [105, 106]
    status.assert_consumed()


def test_optimizer_of_shims(tmp_path):
    def trained():
        variable = shims.Variable([1.0, 2.0])
        return variable, shims.optax.Optimizer(shims.optax.adam(0.1))

    def step(pair):
        pair[1].apply_gradients([(pair[0] * 2, pair[0])])

    first, second = trained(), trained()
    step(first)
    path = shims.train.Checkpoint(v=first[0], o=first[1]).save(tmp_path / "m")
    status = shims.train.Checkpoint(v=second[0], o=second[1]).restore(path)
    for pair in (first, second):
        step(pair)
    status.assert_consumed()
    np.testing.assert_array_equal(first[0], second[0])


def test_object_without_values_at_the_end(tmp_path):
    path = shims.train.Checkpoint(a=shims.Variable(3.0), z=[]).write(tmp_path / "m")
    for framework in (tf, shims):
        variable = framework.Variable(0.0)
        framework.train.Checkpoint(a=variable, z=[]).read(path).assert_consumed()
        assert float(variable) == 3


def test_late_elements_of_lists_are_named(tmp_path, caplog):
    path = shims.train.Checkpoint(l=[shims.Variable(5.0)]).save(tmp_path / "m")
    with caplog.at_level(logging.WARNING):
        shims.train.Checkpoint(l=[]).restore(path).expect_partial()
    assert "(root).l has no element '0' yet" in caplog.text


ERRORS = {
    "number": lambda tf, path: tf.train.Checkpoint(a=1),
    "array": lambda tf, path: tf.train.Checkpoint(a=np.ones(2)),
    "root": lambda tf, path: tf.train.Checkpoint(3),
    "tuple": lambda tf, path: tf.train.Checkpoint(a=(1, 2)),
    "shape": lambda tf, path: tf.train.Checkpoint(a=tf.Variable([1.0])).restore(path),
    "dtype": lambda tf, path: tf.train.Checkpoint(a=tf.Variable([1, 2])).restore(path),
    "missing": lambda tf, path: tf.train.Checkpoint().restore(path + "x"),
    "missing_read": lambda tf, path: tf.train.Checkpoint().read(path + "x"),
    "unmatched": lambda tf, path: (
        tf.train.Checkpoint(b=tf.Variable(1.0)).restore(path).assert_existing_objects_matched()
    ),
    "unused": lambda tf, path: tf.train.Checkpoint().read(path).assert_consumed(),
    "none": lambda tf, path: tf.train.Checkpoint().restore(None).assert_consumed(),
    "key": lambda tf, path: tf.train.Checkpoint(d={1: tf.Variable(1.0)}).save(path),
    "zero": lambda tf, path: tf.train.CheckpointManager(tf.train.Checkpoint(), path, 0),
    "interval": lambda tf, path: tf.train.CheckpointManager(
        tf.train.Checkpoint(), path, 1, checkpoint_interval=2
    ),
}


@pytest.mark.parametrize("name", ERRORS)
def test_errors(name, tmp_path):
    path = tf.train.Checkpoint(a=tf.Variable([1.0, 2.0])).save(tmp_path / "m")
    kinds = []
    for framework in (tf, shims):
        with pytest.raises((ValueError, AssertionError, framework.errors.OpError)) as caught:
            ERRORS[name](framework, path)
        kinds.append(type(caught.value).__name__)
    assert kinds[0] == kinds[1]


def test_a_mismatch_changes_nothing(tmp_path):
    path = tf.train.Checkpoint(a=tf.Variable(1.0), b=tf.Variable([1.0, 2.0])).save(tmp_path / "m")
    a, b = shims.Variable(0.0), shims.Variable([1.0])
    with pytest.raises(ValueError, match="Received incompatible tensor with shape"):
        shims.train.Checkpoint(a=a, b=b).restore(path)
    assert float(a) == 0


def test_wide_values(tmp_path):
    path = tf.train.Checkpoint(n=tf.Variable(7, dtype=tf.int64)).save(tmp_path / "m")
    n = shims.Variable(0)
    shims.train.Checkpoint(n=n).restore(path).assert_consumed()
    assert int(n) == 7
    path = tf.train.Checkpoint(n=tf.Variable(2**40, dtype=tf.int64)).save(tmp_path / "m")
    with pytest.raises(shims.errors.InvalidArgumentError, match="jax_enable_x64"):
        shims.train.Checkpoint(n=n).restore(path)


def test_damaged_files(tmp_path):
    def restore():
        shims.train.Checkpoint(a=shims.Variable([1.0, 2.0])).restore(path)

    path = tf.train.Checkpoint(a=tf.Variable([1.0, 2.0])).save(tmp_path / "m")
    data = tmp_path / "m-1.data-00000-of-00001"
    whole = data.read_bytes()
    for at in range(0, len(whole), 5):
        data.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
        with pytest.raises(shims.errors.DataLossError):
            restore()
    data.unlink()
    with pytest.raises(shims.errors.NotFoundError, match="No such file"):
        restore()


def test_checkpoint_of_version_1(tmp_path):
    values = {"a": np.float32(3), "b": np.float32(4)}
    bundles.write(tmp_path / "m", values)
    a = shims.Variable(0.0, name="a")
    status = shims.train.Checkpoint(x=[a]).restore(tmp_path / "m")
    assert float(a) == 3
    status.assert_existing_objects_matched()
    with pytest.raises(AssertionError, match=r"\['b'\]"):
        status.assert_consumed()


def test_not_in_a_function(tmp_path):
    checkpoint = shims.train.Checkpoint(a=shims.Variable(1.0))
    with pytest.raises(NotImplementedError, match="outside of the traced function"):
        shims.function(lambda: checkpoint.save(tmp_path / "m"))()


def test_without_tensorflow(theirs):
    code = (
        "import sys, shims; v = shims.Variable(0);"
        f"shims.train.Checkpoint(step=v).restore({theirs!r}).expect_partial();"
        "assert int(v) == 12 and 'tensorflow' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)
