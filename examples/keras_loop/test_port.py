"""The ports compute what TensorFlow did: `KERAS_BACKEND=jax python -m pytest --tf-goldens . test_port.py`."""

import numpy as np
import pytest
import steps


@pytest.mark.tf_parity(
    "original.py:masked_loss", "port.py:masked_loss", "cases.py", golden="masked_loss"
)
def test_loss():
    """The mark compares."""


@pytest.mark.parametrize("port", ["port", "plain"])
def test_training(port):
    """Losses and weights after each step are the same but for rounding."""
    wanted, found = np.load("steps.npz"), steps.trained(port)
    assert wanted.files == list(found)
    for name, values in found.items():
        np.testing.assert_allclose(values, wanted[name], rtol=1e-5, atol=1e-6, err_msg=name)
