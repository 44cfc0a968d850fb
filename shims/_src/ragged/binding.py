"""Bind the functions that methods of `RaggedTensor` delegate to.

The package imports this file, so that no ragged tensor exists before they are bound.
"""

from __future__ import annotations

from shims._src.ragged import composites
from shims._src.ragged.delegates import DELEGATES

DELEGATES.call_operator = composites.call_operator
