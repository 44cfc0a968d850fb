"""The port computes what the golden says: `python -m pytest --tf-goldens . test_port.py`."""

import pytest


@pytest.mark.tf_parity("original.py:pool", "port.py:pool", "cases.py", golden="pool")
def test_port():
    """The mark compares."""
