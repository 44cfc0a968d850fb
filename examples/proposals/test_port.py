"""The port computes what the golden says: `python -m pytest --tf-goldens . test_port.py`."""

import pytest


@pytest.mark.tf_parity("original.py:propose", "port.py:propose", "cases.py", golden="propose")
def test_port():
    """The mark compares."""
