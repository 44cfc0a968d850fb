"""Re-export the names of `tf.config.optimizer`; XLA always compiles and optimizes."""

from shims._src.config.execution import get_experimental_options as get_experimental_options
from shims._src.config.execution import get_jit as get_jit
from shims._src.config.execution import set_experimental_options as set_experimental_options
from shims._src.config.execution import set_jit as set_jit
