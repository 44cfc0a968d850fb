"""Set the functions that methods of `RaggedTensor` call but, being imported later, cannot import.

The package imports this file, so that these functions are set before any ragged tensor exists.
"""

from __future__ import annotations

from shims._src.ragged import composites, coordinates, dense, indexing, reshaping, uniform
from shims._src.ragged.delegates import DELEGATES

DELEGATES.call_operator = composites.call_operator
DELEGATES.from_sparse = coordinates.from_sparse
DELEGATES.from_tensor = dense.from_tensor
DELEGATES.from_uniform_row_length = uniform.from_uniform_row_length
DELEGATES.merge_dims = reshaping.merge_dims
DELEGATES.take = indexing.take
DELEGATES.to_sparse = coordinates.to_sparse
DELEGATES.to_tensor = dense.to_tensor
