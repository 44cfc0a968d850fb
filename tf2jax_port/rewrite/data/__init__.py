"""Read the generated JSON files with TensorFlow's and Keras's names; `make generate` writes them."""

from __future__ import annotations

import json
import pkgutil
from typing import Any


def read_data(name: str) -> dict[str, Any]:
    """Read the data file `name`.json, from a folder or from a zipped wheel.

    It uses `pkgutil`, since importing `importlib.resources` would add 4 ms to each start of `scan`.
    """
    data = pkgutil.get_data(__name__, f"{name}.json")
    assert data is not None
    return json.loads(data)
