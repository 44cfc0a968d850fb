"""`Module` finds what TensorFlow's finds, in its order; averages of variables."""

import re

import numpy as np
import pytest
import tensorflow as tf

import shims


def model(m):
    class Inner(m.Module):
        def __init__(self, name=None):
            super().__init__(name=name)
            with self.name_scope:
                self.v = m.Variable(1.0, name="v")

    class Outer(m.Module):
        def __init__(self):
            super().__init__()
            self.z = m.Variable(1.0, name="z")
            self.a = [
                m.Variable(2.0, name="a0"),
                {"k": m.Variable(3.0, name="k", trainable=False), "b": m.Variable(4.0, name="b")},
            ]
            self.sub = Inner()
            self.again = self.z
            self.more = [Inner("q"), (Inner(),)]

        @m.Module.with_name_scope
        def __call__(self):
            if not hasattr(self, "w"):
                self.w = m.Variable(1.0, name="w")
            return self.w

    made = Outer()
    made()
    return made


def test_what_a_module_finds():
    found = []
    for m in (tf, shims):
        made = model(m)
        found.append(
            (
                [v.name for v in made.variables],
                [v.name for v in made.trainable_variables],
                [v.name for v in made.non_trainable_variables],
                [s.name for s in made.submodules],
                made.name,
                made.name_scope.name,
            )
        )
    assert found[1] == found[0]


@pytest.mark.parametrize("name", ["CNNBlock", "LSTMCell", "myThing", "A", "AB", "ResNet50V2"])
def test_names_of_classes(name):
    assert type(name, (shims.Module,), {})().name == type(name, (tf.Module,), {})().name


def test_a_name_must_be_an_identifier():
    texts = []
    for m in (tf, shims):
        with pytest.raises(ValueError) as raised:  # noqa: PT011 - compared whole
            m.Module("a b")
        texts.append(str(raised.value))
    assert texts[1] == texts[0]


def test_modules_in_scopes_and_functions():
    found = []
    for m in (tf, shims):
        with m.name_scope("outer"):
            made = model(m)
        step = m.function(lambda x, made=made: [v.assign_add(x) for v in made.trainable_variables])
        step(1.0)
        found.append([(v.name, float(v)) for v in made.variables])
    assert found[1] == found[0]


def averages(m, num_updates, compiled):
    average = m.train.ExponentialMovingAverage(0.9, num_updates=num_updates)
    v, w = m.Variable([1.0, 2.0], name="v"), m.Variable(3.0)
    step = lambda x: (v.assign_add(x), average.apply([v, w]))[0]
    run = m.function(step) if compiled else step
    for k in range(4):
        run(m.constant([1.0, 0.5]) * k)
    shadow = average.average(v)
    values = [*shadow.numpy(), float(average.average(w))]
    restored = {k: x.name for k, x in average.variables_to_restore([v]).items()}
    # TensorFlow numbers the names that a process has used before.
    return values, re.sub(r"_\d+", "", f"{shadow.name} {restored}"), shadow.trainable


@pytest.mark.parametrize("num_updates", [None, 3])
@pytest.mark.parametrize("compiled", [False, True])
def test_moving_averages(num_updates, compiled):
    theirs, ours = (averages(m, num_updates, compiled) for m in (tf, shims))
    np.testing.assert_allclose(ours[0], theirs[0], rtol=1e-6)
    assert ours[1:] == theirs[1:]


def test_moving_averages_refuse():
    for m in (tf, shims):
        average = m.train.ExponentialMovingAverage(0.9)
        assert average.average(m.Variable(1.0)) is None
        for wrong in (m.constant(1.0), m.Variable(1)):
            with pytest.raises(TypeError):
                average.apply([wrong])
    with pytest.raises(ValueError, match="`var_list` is missing"):
        shims.train.ExponentialMovingAverage(0.9).apply()
