"""Load TensorFlow's names from `data/tf_names.json`.

MODULES: TensorFlow 1 or 2 names that are modules, not operators.
V1_ALIASES: a dict from names that only version 1 has to the names of the same objects in version 2.
V1_ONLY: names of objects that only version 1 has.
V1_PARAMS: names that mean another object in version 1, with its parameters if it is a function.
"""

from __future__ import annotations

from tf2jax_port.rewrite.data import read_data

_DATA = read_data("tf_names")

MODULES: frozenset[str] = frozenset(_DATA["modules"])
V1_ALIASES: dict[str, str] = _DATA["v1_aliases"]
V1_ONLY: frozenset[str] = frozenset(_DATA["v1_only"])
V1_PARAMS: dict[str, str] = _DATA["v1_params"]
