"""The port computes what the golden says: `python -m pytest --tf-goldens . test_port.py`."""

import pytest


@pytest.mark.tf_parity(
    "original.py:sequence_loss", "port.py:sequence_loss", "cases.py", golden="sequence_loss"
)
def test_port():
    """The mark compares."""
