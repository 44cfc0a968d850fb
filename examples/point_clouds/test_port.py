"""The port computes what the golden says: `python -m pytest --tf-goldens . test_port.py`."""

import pytest


@pytest.mark.tf_parity("original.py:voxels", "port.py:voxels", "cases.py", golden="voxels")
def test_port():
    """The mark compares."""
