"""The names of `tf.autodiff`."""

from shims._src.forward_accumulator import ForwardAccumulator as ForwardAccumulator
from shims._src.tape import GradientTape as GradientTape
