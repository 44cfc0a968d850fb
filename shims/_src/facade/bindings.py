"""The registry of what higher rooms do for the classes and slots of lower ones.

Every facade module imports this one before it hands out a name, so that nothing is used unbound.
"""

from shims._src.tracing import padded_operators
from shims._src.variables import keras_state

padded_operators.bind()
keras_state.bind()
