"""Bind implementations of higher packages to the hooks of lower ones.

Every facade module imports this module first, so that no public name is used unbound.
"""

from shims._src.tracing import padded_operators
from shims._src.variables import keras_state

padded_operators.bind()
keras_state.bind()
