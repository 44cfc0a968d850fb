"""The ports compute what TensorFlow did: `python -m pytest --tf-goldens . test_port.py`."""

import numpy as np
import pytest
import steps
from cases import cases


@pytest.fixture(scope="module")
def wanted():
    return np.load("steps.npz")


@pytest.mark.tf_parity("original.py:loss", "port.py:loss", "cases.py", golden="loss")
def test_loss():
    """The mark compares."""


def test_training(wanted):
    """The same start, by TensorFlow's random numbers; the same losses, and the same end."""
    found = steps.results("port")
    assert wanted.files == list(found)
    for name, values in found.items():
        np.testing.assert_allclose(values, wanted[name], rtol=1e-5, atol=1e-6, err_msg=name)


def test_training_with_flax(wanted):
    """From the start of the original, the same losses, and the same end."""
    pytest.importorskip("flax", reason="Flax is not installed")
    import flax_port

    weights = steps.weights_of_flax(flax_port.model)
    for name, weight in weights.items():
        weight[...] = wanted[f"start/{name}"]
    losses = flax_port.train(cases())
    np.testing.assert_allclose(losses, wanted["losses"], rtol=1e-5, atol=1e-6)
    for name, weight in weights.items():
        np.testing.assert_allclose(weight[...], wanted[name], rtol=1e-5, atol=1e-6, err_msg=name)
