"""Record the tolerances and versions of a comparison as data with a hash.

The hash changes if somebody relaxes a tolerance, so a report can tell.
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.metadata
import json
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from tf2jax_port.diff.closeness import closeness, perturb
from tf2jax_port.diff.functions.loading import Loaded
from tf2jax_port.diff.values.arguments import Arguments
from tf2jax_port.diff.values.observation import COTANGENTS
from tf2jax_port.diff.vocabulary.extras import NOTHING, Extras
from tf2jax_port.diff.vocabulary.lanes import LANES, STAGES


def terms(
    old: Loaded,
    cases: Sequence[Arguments],
    seed: int,
    x64: bool,
    extras: Extras = NOTHING,
) -> dict[str, Any]:
    """Return all settings that determine the verdict, other than the port itself, as a dict.

    The original is identified by its name and its source, the inputs by their elements; the paths of
    the files do not matter.
    """
    inputs = hashlib.sha256("".join(case.digest() for case in cases).encode()).hexdigest()
    return {
        "stages": list(STAGES),
        "lanes": [lane.id for lane in LANES],
        "cotangents": list(COTANGENTS),
        "limit": closeness.LIMIT,
        "limit_for_few": closeness.FEW,
        "floor_ulp": closeness.FLOOR_ULP,
        "floor_ulp_without_float64": closeness.FLOOR_ULP_WITHOUT_TRUTH,
        "lanes_apart": closeness.LANES_APART,
        "perturbation_ulp": [perturb.SMALL, perturb.LARGE],
        "seed": seed,
        "x64": x64,
        "old": {"name": old.name, "sha256": old.sha256},
        "inputs": {"cases": len(cases), "sha256": inputs},
        **extras.terms(),
    }


def fingerprint(contract: Mapping[str, Any]) -> str:
    """Return the SHA-256 of the canonical JSON of a comparison's terms, as `sha256:...`."""
    text = json.dumps(contract, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()


def versions() -> dict[str, str]:
    """Return the versions of Python and of the libraries in use."""
    found = {"python": ".".join(str(part) for part in sys.version_info[:3])}
    for name in ("tensorflow", "jax", "jaxlib", "numpy", "tf2jax-port"):
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    # Keras decides on its back end when it is imported, so only a process that has imported it knows.
    for name in ("keras", "tf_keras"):
        if name in sys.modules:
            found[name] = importlib.metadata.version(name.replace("_", "-"))
    if "keras" in sys.modules:
        found["keras"] += f" on {importlib.import_module('keras').backend.backend()}"
    return found
