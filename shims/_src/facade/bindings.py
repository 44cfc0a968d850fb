"""Set the functions that lower packages call but cannot import.

Every facade module imports this module first, so that no public name is used before they are set.
"""

from shims._src.ragged.spec import RaggedTensorSpec
from shims._src.ragged.tensor import RaggedTensor
from shims._src.sparse.spec import SparseTensorSpec
from shims._src.sparse.tensor import SparseTensor
from shims._src.tensor_methods import advice
from shims._src.tracing import padded_operators
from shims._src.types.composite_specs import register_spec
from shims._src.variables import keras_state

advice.bind()
padded_operators.bind()
keras_state.bind()
register_spec(RaggedTensor, RaggedTensorSpec.from_value)
register_spec(SparseTensor, SparseTensorSpec.from_value)
