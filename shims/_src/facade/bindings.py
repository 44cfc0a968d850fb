"""The registry of what higher rooms do for the classes and slots of lower ones.

Every façade module imports this one before it hands out a name, so that nothing is used unbound.
"""

from shims._src.tracing import padded_operators

padded_operators.bind()
