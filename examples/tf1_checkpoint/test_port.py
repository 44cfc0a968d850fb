"""The port and the exported function compute what TensorFlow did: `python -m pytest test_port.py`."""

import jax
import numpy as np
import pytest
import scorer
import steps
from cases import requests


@pytest.fixture(scope="module")
def expected():
    return np.load("expected.npz")


def test_the_port(expected):
    """It serves and trains on from TensorFlow's checkpoint, with the state of the optimizer."""
    found = steps.results("port")
    assert expected.files == list(found)
    for name, values in found.items():
        np.testing.assert_allclose(values, expected[name], rtol=1e-5, atol=1e-6, err_msg=name)


def test_the_exported_function(expected, tmp_path):
    """What came back from the file has the values and gradients of the session."""
    (tmp_path / "scorer.bin").write_bytes(scorer.stored(scorer.read("weights.npz")))
    score = scorer.loaded(tmp_path / "scorer.bin")
    for i, batch in enumerate(requests()):
        events, lengths = batch["events"], batch["lengths"]
        total, slopes = jax.value_and_grad(lambda e, n: score(e, n).sum())(events, lengths)
        wanted = expected[f"scores/{i}"]
        np.testing.assert_allclose(score(events, lengths), wanted, rtol=1e-5, atol=1e-6)
        np.testing.assert_allclose(total, wanted.sum(), rtol=1e-5, atol=1e-6)
        np.testing.assert_allclose(slopes, expected[f"slopes/{i}"], rtol=1e-5, atol=1e-6)


def test_padding_is_not_seen(expected):
    """A service may pad events as it likes."""
    weights = scorer.read("weights.npz")
    for i, batch in enumerate(requests()):
        wider = np.pad(batch["events"], [(0, 0), (0, 5), (0, 0)], constant_values=np.inf)
        found = jax.jit(scorer.scores)(weights, wider, batch["lengths"])
        np.testing.assert_allclose(found, expected[f"scores/{i}"], rtol=1e-5, atol=1e-6)
