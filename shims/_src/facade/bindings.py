"""Set the functions that lower packages call but cannot import.

Every facade module imports this module first, so that no public name is used before they are set.
"""

from shims._src.tensor_methods import advice
from shims._src.tracing import padded_operators
from shims._src.variables import keras_state

advice.bind()
padded_operators.bind()
keras_state.bind()
