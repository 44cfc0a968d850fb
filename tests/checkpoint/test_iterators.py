"""A checkpoint saves the position of an iterator over a dataset."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
import tensorflow as tf

import shims
from shims._src.data import positions
from tests.data.observing import plain_element

PIPELINES = {
    "range": lambda m: m.data.Dataset.range(9),
    "shuffle": lambda m: m.data.Dataset.range(9).shuffle(4, seed=3).repeat(2).batch(2),
    "prefetch": lambda m: m.data.Dataset.range(9).map(lambda x: x * 2).prefetch(2),
    "tuples": lambda m: m.data.Dataset.from_tensor_slices(
        ({"a": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]}, ["a", "b", "c", "d", "e", "f"])
    ).shuffle(4, seed=1),
    "interleave": lambda m: m.data.Dataset.range(4).interleave(
        lambda x: m.data.Dataset.range(x, x + 3), cycle_length=2
    ),
    "zip": lambda m: m.data.Dataset.zip((m.data.Dataset.range(9), m.data.Dataset.range(3, 30))),
}


class Holder(shims.Module):
    """A module with an iterator."""

    def __init__(self, iterator):
        super().__init__()
        self.count = shims.Variable(0)
        self.iterator = iterator


@pytest.mark.parametrize("name", PIPELINES)
def test_position(tmp_path, name):
    def continued(m):
        first, second = iter(PIPELINES[name](m)), iter(PIPELINES[name](m))
        for _ in range(3):
            next(first)
        path = m.train.Checkpoint(iterator=first).save(str(tmp_path / m.__name__))
        rest = [plain_element(e) for e in first]
        m.train.Checkpoint(iterator=second).restore(path).assert_consumed()
        return rest, [plain_element(e) for e in second]

    (rest, again), (wanted, _) = continued(shims), continued(tf)
    assert rest == again == wanted


def test_attribute_of_a_module(tmp_path):
    """An iterator that is an attribute is saved, too."""
    module = Holder(iter(shims.data.Dataset.range(5)))
    next(module.iterator)
    path = shims.train.Checkpoint(model=module).write(str(tmp_path / "c"))
    other = Holder(iter(shims.data.Dataset.range(5)))
    shims.train.Checkpoint(model=other).read(path).assert_consumed()
    assert int(next(other.iterator)) == 1
    names = [name for name, _ in shims.train.list_variables(path)]
    assert "model/iterator/.ATTRIBUTES/ITERATOR" in names


def test_a_position_of_tensorflow_is_an_error(tmp_path):
    path = tf.train.Checkpoint(iterator=iter(tf.data.Dataset.range(3))).save(str(tmp_path / "c"))
    ours = shims.train.Checkpoint(iterator=iter(shims.data.Dataset.range(3)))
    with pytest.raises(shims.errors.NotFoundError, match=r"iterator.*ITERATOR"):
        ours.restore(path)


class Code:
    """An object whose bytes would run code."""

    def __reduce__(self):
        return print, ("run",)


def test_no_code_of_a_file_runs(capsys):
    with pytest.raises(shims.errors.DataLossError, match=r"builtins\.print"):
        positions.decode(pickle.dumps([Code()]))
    with pytest.raises(shims.errors.DataLossError):
        positions.decode(b"")
    assert not capsys.readouterr().out
    with pytest.raises(shims.errors.UnimplementedError, match="buffered element"):
        positions.encode([Code()])


def test_elements_are_tensors():
    """Elements, arrays and traced values are instances of `Tensor`; variables and NumPy's arrays are not."""
    for m in (shims, tf):
        element = next(iter(m.data.Dataset.range(3)))
        variable = m.Variable(1.0)
        assert isinstance(element, m.Tensor)
        assert isinstance(m.constant(1.0), m.Tensor)
        assert isinstance(m.constant("a"), m.Tensor)
        assert not isinstance(variable, m.Tensor)
        assert not isinstance(np.ones(2), m.Tensor)
        assert issubclass(type(m.constant(1.0)), m.Tensor)
        assert m.function(lambda x, m=m: m.constant(isinstance(x, m.Tensor)))(m.constant(1.0))
    with pytest.raises(TypeError):
        shims.Tensor()
