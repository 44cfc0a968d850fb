"""Arrays of a kind that TensorFlow has no kernel for are refused, where it refuses them."""

import ast

import jax.numpy as jnp
import numpy as np
import pytest
import tensorflow as tf

from tests.harness.outcomes import outcome, same_error
from tests.harness.tensorflow_side import quiet
from tf2jax_port.diff.parity import original_side, port_side

from . import cases

KINDS = (np.int32, np.bool_)


def required(row) -> list[str]:
    """The parameters that a call cannot leave out."""
    arguments = ast.parse(f"def f({row.params}): pass").body[0].args
    names = [a.arg for a in arguments.args]
    return names[: len(names) - len(arguments.defaults)]


def is_only_of_arrays(row) -> bool:
    """Whether arrays alone make a call: no sizes, names of formats or lists of strides."""
    return not row.inputs or set(required(row)) <= set(row.inputs[0].arrays())


ROWS = [
    pytest.param(row, id=row.name)
    for row in cases.operators()
    if row.takes and is_only_of_arrays(row)
]


@pytest.mark.parametrize("row", ROWS)
@pytest.mark.parametrize("kind", KINDS, ids=lambda k: k.__name__)
def test_kernels_that_are_not_there(row, kind):
    array = np.asarray([1, 1, 1], kind)
    names = required(row)
    with quiet():
        given = dict.fromkeys(names, tf.constant(array))
        error = outcome(original_side.function_of(row), **given).error
    call = lambda: port_side.function_of(row)(**dict.fromkeys(names, jnp.asarray(array)))
    if error is None:
        call()
        return
    with pytest.raises(Exception) as raised:  # noqa: PT011 - TensorFlow decides the class
        call()
    if isinstance(error, (AttributeError, IndexError)):
        return  # TensorFlow's own code fails before it can refuse
    assert same_error(raised.value, error), repr(error)
