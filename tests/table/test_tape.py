"""A tape over an eager call gives TensorFlow's gradients, `None` where TensorFlow's are `None`.

Inside a function of unknown sizes it gives what it gives outside. What flows back there is a constant of
unknown size: rules that treat constants otherwise than arrays are tested by nothing else.
"""

import warnings

import jax
import numpy as np
import pytest
import tensorflow as tf

import shims
from tests.harness import row_answers
from tests.harness.compare import differences
from tf2jax_port.diff.parity import original_side, port_side

from . import cases
from .test_function import signature
from .test_gradients import has_gradient


def first_of_each_row():
    """The first case of a row that has numbers to differentiate by."""
    found = {}
    for point in cases.POINTS:
        if has_gradient(point) and not point.row.no_gradient and not point.case.differs:
            given = cases.arguments(point)
            arrays = jax.tree.leaves([given[name] for name in cases.floating(point)])
            if all(np.size(a) for a in arrays):
                found.setdefault(point.row.name, point)
    return set(found.values())


def theirs(point):
    given = original_side.tensors(cases.arguments(point))
    sources = [given[name] for name in cases.floating(point)]
    with tf.GradientTape() as tape:
        tape.watch(sources)
        result = cases.apply(original_side.function_of(point.row), point.row, given)
        outputs = [o for o in original_side.flat(result) if original_side.is_floating(o)]
    return tf.nest.flatten(tape.gradient(outputs, sources))


def of_tape(point, given, call=None):
    """The gradients of the case, or of `call`, by a tape around it."""
    call = port_side.of_arrays(point) if call is None else call
    sources = [given[name] for name in cases.floating(point)]
    with shims.GradientTape() as tape:
        tape.watch(sources)
        outputs = port_side.floating_outputs(call(given))
    found = tape.gradient(outputs, sources)
    return jax.tree.leaves(found, is_leaf=lambda g: g is None or isinstance(g, shims.IndexedSlices))


CHOSEN = first_of_each_row()


@pytest.mark.parametrize("point", cases.points(lambda p: p in CHOSEN))
def test_gradient(point):
    if not any(o.dtype.kind == "f" for o in row_answers.eager(point).outputs):
        assert not port_side.floating_outputs(port_side.eager(point))
        return
    wanted, found = theirs(point), of_tape(point, port_side.split(point)[0])
    assert [g is None for g in found] == [g is None for g in wanted]
    for a, b in zip(found, wanted, strict=True):
        if b is not None:
            assert isinstance(a, shims.IndexedSlices) == isinstance(b, tf.IndexedSlices)
            b = tf.convert_to_tensor(b).numpy()
            assert not differences([np.asarray(a)], [b], 10 * point.row.tolerance)


@pytest.mark.parametrize("point", cases.points(lambda p: p in CHOSEN))
def test_gradient_in_a_function(point):
    given, _ = port_side.split(point)

    def dense(given):
        return [shims.convert_to_tensor(g) for g in of_tape(point, given) if g is not None]

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", shims.errors.SpecializationWarning)
        found = shims.function(dense, [signature(given)], autograph=False)(given)
    wanted = list(map(np.asarray, dense(given)))
    assert not differences(list(map(np.asarray, found)), wanted, 10 * point.row.tolerance)


@pytest.mark.parametrize("point", cases.points(lambda p: p in CHOSEN))
def test_gradient_around_a_function(point):
    given, _ = port_side.split(point)
    function = shims.function(port_side.of_arrays(point), [signature(given)], autograph=False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", shims.errors.SpecializationWarning)
        found = of_tape(point, given, function)
    wanted = of_tape(point, given)
    assert len(found) == len(wanted)
    for a, b in zip(found, wanted, strict=True):
        a, b = (np.float32(0) if g is None else shims.convert_to_tensor(g) for g in (a, b))
        assert not differences([np.asarray(a)], [np.asarray(b)], 10 * point.row.tolerance)
