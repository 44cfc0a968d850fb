"""Give `RaggedTensor` the functions that its methods call.

The modules of these functions import the class, so the class cannot import them. The package imports this
file before any ragged tensor exists.
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
