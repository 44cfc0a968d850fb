"""The ports compute what TensorFlow did: `python -m pytest --tf-goldens . test_port.py`."""

import numpy as np
import pytest
import records
import steps


@pytest.mark.tf_parity("original.py:loss", "port.py:loss", "cases.py", golden="loss")
def test_loss():
    """The mark compares."""


@pytest.fixture
def path(tmp_path):
    records.write(str(tmp_path / "sentences.tfrecord"))
    return str(tmp_path / "sentences.tfrecord")


def test_training(path):
    """Batches are TensorFlow's, in its random order, too; so are losses and the trained table."""
    wanted = np.load("steps.npz")
    found = steps.trained("port", path, {"in_order": None, "shuffled": 7})
    assert wanted.files == list(found)
    for name, values in found.items():
        np.testing.assert_allclose(values, wanted[name], rtol=1e-5, atol=1e-6, err_msg=name)


def test_training_with_grain(path):
    """The same batches; the random order is another one."""
    pytest.importorskip("grain", reason="Grain is not installed")
    wanted = np.load("steps.npz")
    found = steps.trained("grain_port", path, {"in_order": None})
    assert list(found) == [name for name in wanted.files if name.startswith("in_order")]
    for name, values in found.items():
        np.testing.assert_allclose(values, wanted[name], rtol=1e-5, atol=1e-6, err_msg=name)


def test_a_position_of_grain_can_be_saved(path):
    """An epoch in a random order, cut in two: each sentence comes once."""
    pytest.importorskip("grain", reason="Grain is not installed")
    import grain_port

    whole, cut = (iter(grain_port.batches(path, epochs=1, seed=7)) for _ in range(2))
    begun = [next(cut) for _ in range(3)]
    again = iter(grain_port.batches(path, epochs=1, seed=7))
    again.set_state(cut.get_state())
    found, wanted = [*begun, *again], list(whole)
    for (tokens, scores), batch in zip(found, wanted, strict=True):
        np.testing.assert_array_equal(tokens, batch[0])
        np.testing.assert_array_equal(scores, batch[1])
    every = [float(s) for _, scores in grain_port.batches(path, epochs=1) for s in scores]
    assert sorted(every) == sorted(float(s) for _, scores in found for s in scores)
