"""Re-export the names of `tf.autodiff`."""

from shims._src.facade import bindings as _bindings  # noqa: F401 - binds
from shims._src.gradients.forward_accumulator import ForwardAccumulator as ForwardAccumulator
from shims._src.gradients.tape import GradientTape as GradientTape
