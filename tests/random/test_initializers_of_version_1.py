"""The initializers of version 1 give TensorFlow's numbers, and refuse what TensorFlow refuses.

Equality rests on what `test_bits.py` says: factor and shift are applied by `multiply_add`.
"""

import numpy as np
import pytest
import tensorflow as tf

import shims

from .bits import check_all_same

MADE = (
    ("zeros_initializer", {}),
    ("ones_initializer", {}),
    ("constant_initializer", {"value": 3}),
    ("random_uniform_initializer", {}),
    ("random_uniform_initializer", {"minval": -1, "maxval": 2, "seed": 3}),
    ("random_normal_initializer", {"seed": 2, "stddev": 0.5}),
    ("truncated_normal_initializer", {}),
    ("truncated_normal_initializer", {"stddev": 0.02, "seed": 7}),
    ("uniform_unit_scaling_initializer", {}),
    ("variance_scaling_initializer", {}),
    ("variance_scaling_initializer", {"scale": 2.0, "mode": "fan_avg", "distribution": "uniform"}),
    ("variance_scaling_initializer", {"mode": "fan_out", "distribution": "untruncated_normal"}),
    ("glorot_uniform_initializer", {"seed": 1}),
    ("glorot_normal_initializer", {}),
    ("initializers.he_normal", {}),
    ("initializers.he_uniform", {}),
    ("initializers.lecun_normal", {"seed": 3}),
    ("initializers.lecun_uniform", {}),
    ("initializers.identity", {"gain": 2.0}),
)
REFUSED = (
    ("constant_initializer", {"value": [1, 2, 3]}, [2], TypeError),
    ("constant_initializer", {"value": [1, 2], "verify_shape": True}, [2, 1], TypeError),
    ("constant_initializer", {"value": 1.5, "dtype": "int32"}, [2], TypeError),
    ("constant_initializer", {"value": {}}, [2], TypeError),
    ("variance_scaling_initializer", {"scale": -1.0}, [2], ValueError),
    ("variance_scaling_initializer", {"mode": "fan"}, [2], ValueError),
    ("variance_scaling_initializer", {"distribution": "cauchy"}, [2], ValueError),
    ("truncated_normal_initializer", {"dtype": "int32"}, [2], ValueError),
    ("initializers.identity", {}, [2], ValueError),
)


def _initializer(library, name, arguments):
    found = tf.compat.v1 if library is tf else shims.v1
    for part in name.split("."):
        found = getattr(found, part)
    return found(**arguments)


def _arrays(library, name, arguments):
    library.random.set_seed(4)
    made = _initializer(library, name, arguments)
    shapes = ([3, 4],) if name.endswith("identity") else ([3, 4], [2, 2, 3, 4], [5], [3, 4])
    return [*(made(s) for s in shapes), made([2, 2], library.float16)]


@pytest.mark.symbols("v1.{name}", lanes=("eager",))
@pytest.mark.parametrize(("name", "arguments"), MADE, ids=[f"{n}-{len(a)}" for n, a in MADE])
def test_numbers(name, arguments):
    check_all_same(_arrays(shims, name, arguments), _arrays(tf, name, arguments))


def _inside(library):
    """What all of them give in two calls of one function."""
    library.random.set_seed(4)
    made = [_initializer(library, name, arguments) for name, arguments in MADE]
    run = library.function(lambda: [initializer([3, 2]) for initializer in made])
    return [*run(), *run()]


@pytest.mark.symbols(*(f"v1.{name}" for name, _ in MADE), lanes=("function",))
def test_numbers_inside_a_function():
    check_all_same(_inside(shims), _inside(tf))


@pytest.mark.parametrize(("name", "arguments"), MADE, ids=[f"{n}-{len(a)}" for n, a in MADE])
def test_configurations(name, arguments):
    theirs, ours = (_initializer(m, name, arguments) for m in (tf, shims))
    assert ours.get_config() == theirs.get_config()
    again = type(ours).from_config(ours.get_config())
    shims.random.set_seed(1)
    first = np.asarray(ours([3, 3]))
    shims.random.set_seed(1)
    assert np.asarray(again([3, 3])).tolist() == first.tolist()


@pytest.mark.parametrize(("name", "arguments", "shape", "error"), REFUSED)
def test_refused(name, arguments, shape, error):
    for library in (tf, shims):
        with pytest.raises(error):
            _initializer(library, name, arguments)(shape)


def test_there_are_no_partitions():
    with pytest.raises(ValueError, match="`shims` has no partitioned variables"):
        shims.v1.zeros_initializer()([2], partition_info=object())
