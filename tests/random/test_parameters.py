"""Parameters of random numbers that do not fit each other: TensorFlow's error, eagerly and in functions."""

import numpy as np
import pytest
import tensorflow as tf

import shims

_TWO, _THREE = np.float32([0.25, 0.5]), np.float32([1, 2, 3])
_UNFIT = {
    "stateless_uniform": lambda m, a, b: m.random.stateless_uniform([3], [1, 2], a, b),
    "stateless_normal": lambda m, a, b: m.random.stateless_normal([3], [1, 2], a, b),
    "stateless_truncated_normal": lambda m, a, b: m.random.stateless_truncated_normal(
        [3], [1, 2], a, b
    ),
    "stateless_gamma": lambda m, a, b: m.random.stateless_gamma([3], [1, 2], a, b),
    "stateless_binomial": lambda m, a, b: m.random.stateless_binomial([3], [1, 2], b, a),
    "uniform": lambda m, a, b: m.random.uniform([3], a, b),
    "normal": lambda m, a, b: m.random.normal([3], a, b),
    "truncated_normal": lambda m, a, b: m.random.truncated_normal([3], a, b),
    "Generator.normal": lambda m, a, b: m.random.Generator.from_seed(1).normal([3], a, b),
}


@pytest.mark.filterwarnings("ignore::shims.errors.SpecializationWarning")
@pytest.mark.parametrize("name", _UNFIT)
@pytest.mark.parametrize("sizes", [(2, 3), (3, 2)], ids=str)
def test_refused(name, sizes):
    arrays = [{2: _TWO, 3: _THREE}[n] for n in sizes]
    for m in (tf, shims):
        call = lambda a, b, m=m: _UNFIT[name](m, a, b)
        given = [m.constant(a) for a in arrays]
        runs = [call]
        if not name.startswith("Generator"):  # of which TensorFlow makes none inside
            runs += [m.function(call, input_signature=[m.TensorSpec([None])] * 2, autograph=False)]
        for run in runs:
            with pytest.raises(m.errors.InvalidArgumentError):
                run(*given)
