"""Datasets in programs: errors, random maps, training, and what a tensor on the host can do."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
import threading

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import tensorflow as tf

import shims
from shims._src.types.host_tensor import host
from tests.harness.outcomes import outcome, same_error

from .observing import plain_element

ERRORS = {
    "unequal rows": lambda m: m.data.Dataset.from_tensor_slices(([1, 2], [1])),
    "slices of a scalar": lambda m: m.data.Dataset.from_tensor_slices(3),
    "batch of other shapes": lambda m: list(
        m.data.Dataset.from_generator(lambda: iter([[1], [1, 2]]), m.int32, [None]).batch(2)
    ),
    "batch of no size": lambda m: list(m.data.Dataset.range(3).batch(0)),
    "length of unknown": lambda m: len(m.data.Dataset.range(3).filter(lambda x: x > 1)),
    "length of endless": lambda m: len(m.data.Dataset.range(3).repeat()),
    "end of an iterator": lambda m: [iter(m.data.Dataset.range(0)).get_next()],
    "single of none": lambda m: m.data.Dataset.range(0).get_single_element(),
    "single of two": lambda m: m.data.Dataset.range(2).get_single_element(),
    "concatenate other dtypes": lambda m: m.data.Dataset.range(2).concatenate(
        m.data.Dataset.from_tensors(1.5)
    ),
    "zip of no dataset": lambda m: m.data.Dataset.zip((1, 2)),
    "filter by a number": lambda m: list(m.data.Dataset.range(2).filter(lambda x: x)),
    "reduce to another dtype": lambda m: m.data.Dataset.range(2).reduce(0, lambda s, x: x),
    "padding to less": lambda m: list(
        m.data.Dataset.from_generator(lambda: iter([[1, 2]]), m.int32, [None]).padded_batch(1, [1])
    ),
    "padding with another dtype": lambda m: m.data.Dataset.from_tensors([1, 2]).padded_batch(
        1, padding_values=1.5
    ),
    "generator of a different shape": lambda m: list(
        m.data.Dataset.from_generator(lambda: iter([[1, 2]]), m.int32, [3])
    ),
    "generator without dtypes": lambda m: m.data.Dataset.from_generator(lambda: iter([1])),
    "wrong cardinality": lambda m: list(
        m.data.Dataset.range(2).apply(m.data.experimental.assert_cardinality(3))
    ),
    "wrong weights": lambda m: m.data.Dataset.sample_from_datasets(
        [m.data.Dataset.range(2)] * 2, [0.1, 0.2, 0.7]
    ),
    "no files": lambda m: m.data.Dataset.list_files("/nowhere/*"),
    "no file": lambda m: list(m.data.TextLineDataset("/nowhere/x")),
    "unknown option": lambda m: setattr(m.data.Options(), "speed", 1),
}


@pytest.mark.parametrize("name", ERRORS)
def test_error(name):
    want, got = outcome(ERRORS[name], tf).error, outcome(ERRORS[name], shims).error
    assert want is not None
    if name not in (
        "filter by a number",
        "generator of a different shape",
    ):  # wrapped by its runtime
        assert same_error(got, want), (got, want)
    assert got is not None


RANDOM_MAPS = {
    "uniform": lambda m: m.data.Dataset.range(4).map(lambda x: m.random.uniform([2])),
    "two draws": lambda m: m.data.Dataset.range(3).map(
        lambda x: (m.random.uniform([]), m.random.normal([2], seed=3))
    ),
    "stateless": lambda m: m.data.Dataset.range(3).map(
        lambda x: m.random.stateless_uniform([2], [1, 2])
    ),
}


@pytest.mark.parametrize("name", RANDOM_MAPS)
def test_random_numbers_in_functions(name):
    def run(m):
        m.random.set_seed(5)
        return [plain_element(e) for e in RANDOM_MAPS[name](m)]

    assert run(shims) == run(tf)


def test_reduce():
    def run(m):
        ds = m.data.Dataset.range(5)
        total = ds.reduce(np.int64(0), lambda s, x: s + x)
        pair = ds.reduce((np.int64(0), np.int64(1)), lambda s, x: (s[0] + x, s[1] * 2))
        return plain_element(total), plain_element(pair)

    assert run(shims) == run(tf)


def test_cache_in_a_file(tmp_path):
    calls = []
    name = str(tmp_path / "cache")

    def made():
        return shims.data.Dataset.range(3).map(lambda x: calls.append(1) or x).cache(name)

    assert [int(x) for x in made()] == [int(x) for x in made()] == [0, 1, 2]
    assert len(calls) == 3


def test_save_and_load(tmp_path):
    ds = shims.data.Dataset.from_tensor_slices({"a": [1, 2], "b": ["x", "y"]})
    ds.save(str(tmp_path))
    again = shims.data.Dataset.load(str(tmp_path))
    assert again.element_spec == ds.element_spec
    assert [plain_element(e) for e in again] == [plain_element(e) for e in ds]


def test_prefetch_computes_ahead():
    started = threading.Event()

    def note(x):
        if x == 1:
            started.set()
        return x

    elements = iter(shims.data.Dataset.range(3).map(note).prefetch(2))
    assert int(next(elements)) == 0
    assert started.wait(5)
    assert [int(x) for x in elements] == [1, 2]


def test_an_error_does_not_end_a_pass():
    def inverse(x):
        if x == 1:
            raise ValueError("one")
        return x

    for prefetched in (False, True):
        ds = shims.data.Dataset.range(4).map(inverse)
        elements = iter(ds.prefetch(2) if prefetched else ds)
        found = [outcome(next, elements) for _ in range(5)]
        assert [r.error is None for r in found] == [True, False, True, True, False]
        assert isinstance(found[-1].error, StopIteration)


TRAINED_BY_KERAS = """
import numpy as np
import shims
from shims import keras

x = np.arange(24, dtype=np.float32).reshape(8, 3) / 24
y = x.sum(1, keepdims=True)
ds = shims.data.Dataset.from_tensor_slices((x, y)).batch(3)

def trained(*data, **options):
    model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(1, kernel_initializer="ones")])
    model.compile("sgd", "mse")
    history = model.fit(*data, epochs=2, shuffle=False, verbose=0, **options)
    evaluated = model.evaluate(ds, verbose=0)
    return history.history["loss"], evaluated, model.predict(ds.map(lambda a, b: a), verbose=0)

for got, want in zip(trained(ds), trained(x, y, batch_size=3)):
    np.testing.assert_allclose(got, want, rtol=1e-6)

# The first epoch is the first pass, although Keras looks at a batch before. As in TensorFlow, every
# second pass is an epoch: Keras begins another one at the end of each.
for size, steps in ((3, None), (8, None), (3, 2), (3, 1)):
    model = keras.Sequential([keras.layers.Dense(1, kernel_initializer="ones")])
    model.compile("sgd", "mse")
    shuffled = lambda: shims.data.Dataset.from_tensor_slices((x, y)).shuffle(8, seed=3).batch(size)
    passes, seen = shuffled(), []
    batches = [list(passes) for _ in range(6)]
    batches = sum(batches if steps else batches[::2], [])
    data = shuffled().map(lambda a, b: (seen.append(np.array(a)), (a, b))[1])
    model.fit(data.repeat() if steps else data, epochs=3, steps_per_epoch=steps, verbose=0)
    wanted = batches[: 3 * steps] if steps else batches
    for (got, (want, _)) in zip(seen[: len(wanted)], wanted, strict=True):
        np.testing.assert_array_equal(got, want)
"""


def test_keras_reads_datasets():
    environment = {**os.environ, "KERAS_BACKEND": "jax"}
    command = [sys.executable, "-c", TRAINED_BY_KERAS]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 0, done.stderr


def test_elements_in_compiled_functions():
    w = shims.Variable(np.ones((2, 1), np.float32))

    @shims.function
    def step(x, y):
        with shims.GradientTape() as tape:
            loss = shims.reduce_mean((shims.matmul(x, w) - y) ** 2)
        w.assign_sub(0.1 * tape.gradient(loss, w))
        return loss

    x = np.arange(12, dtype=np.float32).reshape(6, 2)
    ds = shims.data.Dataset.from_tensor_slices((x, x[:, :1])).batch(4)
    losses = [float(step(a, b)) for a, b in ds]
    assert losses[0] > 0
    assert len(losses) == 2
    assert float(jax.jit(jnp.sum)(next(iter(ds))[0])) == x[:4].sum()


VALUES = {
    "int32": np.int32([3, -2]),
    "int64": np.int64([3, -2]),
    "uint8": np.uint8([3, 200]),
    "float32": np.float32([2.5, -1]),
    "float64": np.float64([2.5, -1]),
    "bool": np.array([True, False]),
    "text": np.array([b"a", b"b"], object),
}
OPERANDS = [2, 1.5, True, np.float64(1.5), np.int64(2), [1, 2], "a", "self", "other", None]
OPERATIONS = {
    "add": lambda a, b: a + b,
    "subtract from": lambda a, b: b - a,
    "multiply": lambda a, b: a * b,
    "divide": lambda a, b: a / b,
    "floor": lambda a, b: a // b,
    "modulo": lambda a, b: a % b,
    "power": lambda a, b: a**b,
    "and": lambda a, b: a & b,
    "less": lambda a, b: a < b,
    "equal": lambda a, b: a == b,
    "not equal": lambda a, b: a != b,
}


@pytest.mark.parametrize(("value", "name"), [*itertools.product(VALUES, OPERATIONS)])
def test_operators_of_host_tensors(value, name):
    """A result is TensorFlow's; where TensorFlow refuses, there is an error, or NumPy's own result."""
    for operand in OPERANDS:

        def run(make, operand=operand):
            x = make(VALUES[value])
            other = {"self": x, "other": make(VALUES["float32"])}
            y = other.get(operand, operand) if isinstance(operand, str) else operand
            return OPERATIONS[name](x, y)

        got, want = outcome(run, host), outcome(run, tf.constant)
        # There TensorFlow leaves the operation to NumPy, which computes with the operand.
        by_numpy = name == "multiply" and value in ("bool", "text")
        by_numpy |= name == "divide" and value == "bool"
        if want.error is None and not by_numpy:
            assert got.error is None, (operand, got.error)
            found, right = np.asarray(got.result), np.asarray(want.result)
            assert found.dtype == right.dtype, operand
            if right.dtype == object:
                assert found.tolist() == right.tolist()
            else:
                np.testing.assert_allclose(found, right, rtol=1e-15)


def _records(path, broken: int | None):
    """Write three records; a bit of the one of number `broken` is wrong."""
    with tf.io.TFRecordWriter(str(path)) as file:
        for record in (b"1", b"2", b"3"):
            file.write(record)
    data = bytearray(path.read_bytes())
    if broken is not None:
        data[broken * len(data) // 3 + 12] ^= 1
    path.write_bytes(bytes(data))
    return str(path)


class _Failing:
    """Counts to 6; some numbers raise an error instead."""

    def __init__(self):
        self.at = 0

    def __iter__(self):
        return self

    def __next__(self):
        self.at += 1
        if self.at in (2, 4):
            raise ValueError("no such number")
        if self.at > 6:
            raise StopIteration
        return self.at


def _raising():
    yield 1
    raise ValueError("no more")


@pytest.mark.parametrize("broken", [0, 1, 2])
def test_errors_of_records_are_ignored(tmp_path, broken):
    """The rest of a file behind a damaged record is left out."""
    paths = [_records(tmp_path / "a", broken), _records(tmp_path / "b", None)]
    found = [
        [plain_element(e) for e in m.data.TFRecordDataset(paths).ignore_errors()]
        for m in (shims, tf)
    ]
    assert found[0] == found[1]


@pytest.mark.parametrize("generator", [_Failing, _raising, lambda: iter([0, "a", 2])])
def test_errors_of_generators_are_ignored(generator):
    def observed(m):
        signature = m.TensorSpec([], m.int32)
        values = m.data.Dataset.from_generator(generator, output_signature=signature)
        return [plain_element(e) for e in values.ignore_errors()]

    assert observed(shims) == observed(tf)


def _unreadable(d):
    """Return sources that raise the same error again and again; TensorFlow waits forever."""
    paths = ["/nowhere/x"]
    numbers, missing = d.Dataset.range(3), lambda i: d.TextLineDataset(paths)

    def raising():
        raise ValueError("no generator")

    spec = shims.TensorSpec([], shims.int32)
    return {
        "lines": d.TextLineDataset(paths),
        "records": d.TFRecordDataset(paths),
        "blocks": d.FixedLengthRecordDataset(paths, 1),
        "table": d.experimental.CsvDataset(paths, [shims.int32]),
        "generator": d.Dataset.from_generator(raising, output_signature=spec),
        "flat_map": numbers.flat_map(missing),
        "interleave": numbers.interleave(missing),
        "zip": d.Dataset.zip((numbers.repeat(), d.TextLineDataset(paths))),
        "concatenate": d.TextLineDataset(paths).concatenate(d.Dataset.from_tensors("a")),
        "shuffle, batch": d.TextLineDataset(paths).shuffle(3).batch(2).repeat(),
        "prefetch": d.TextLineDataset(paths).prefetch(2),
        "choose": d.Dataset.choose_from_datasets(
            [d.TextLineDataset(paths)], d.Dataset.from_tensors(np.int64(0)).repeat()
        ),
        "group": numbers.group_by_window(lambda x: x, lambda k, g: missing(k), 2),
        "no group": numbers.group_by_window(lambda x: x, lambda k, g: raising(), 2),
    }


@pytest.mark.parametrize("name", _unreadable(shims.data))
def test_a_source_that_cannot_be_read_is_an_error(name):
    with pytest.raises(shims.errors.FailedPreconditionError, match="times in a row") as caught:
        list(_unreadable(shims.data)[name].ignore_errors())
    assert caught.value.__cause__ is not None


@pytest.mark.parametrize(
    "build",
    [
        lambda d: d.Dataset.zip((d.Dataset.range(3), d.TextLineDataset("/nowhere/x"))),
        lambda d: d.Dataset.range(7).map(_odd_only(d)),
        lambda d: d.Dataset.range(6).map(_odd_only(d)).batch(2),
        lambda d: d.Dataset.range(8).map(_no_one(d)).batch(3),
        lambda d: d.Dataset.range(8).map(_no_one(d)).batch(3, drop_remainder=True),
        lambda d: d.Dataset.range(8).map(_no_one(d)).batch(3, num_parallel_calls=2),
        lambda d: d.Dataset.range(8).map(_no_one(d)).prefetch(1).batch(3),
        lambda d: d.Dataset.range(8).map(_no_one(d), num_parallel_calls=2).batch(3).prefetch(1),
    ],
)
def test_errors_behind_a_source_that_ends_are_ignored(build):
    found = [[plain_element(e) for e in build(m.data).ignore_errors()] for m in (shims, tf)]
    assert found[0] == found[1]


def _odd_only(d):
    """Return a function that raises an error for even numbers."""
    m = shims if d is shims.data else tf
    return lambda i: m.debugging.check_numerics(1.0 / m.cast(i % 2, m.float32), "even")


def _no_one(d):
    """Return a function that raises an error for 1."""
    m = shims if d is shims.data else tf
    return lambda i: m.debugging.check_numerics(1.0 / m.cast(i - 1, m.float32), "one")
