"""Read the generated JSON files that packages contain as data."""

from __future__ import annotations

import json
import pkgutil
from typing import Any


def read_data(package: str | None, name: str) -> dict[str, Any]:
    """Read the data file `name`.json of a package, from a folder or from a zipped wheel.

    Args:
      package: the package, `__package__` of the caller.
      name: the name of the file without its ending.
    """
    assert package is not None
    data = pkgutil.get_data(package, f"{name}.json")
    assert data is not None
    return json.loads(data)
