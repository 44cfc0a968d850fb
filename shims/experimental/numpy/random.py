"""Re-export the names of `tf.experimental.numpy.random`."""

from shims._src.facade import missing as _missing
from shims._src.numpy_api.random import normal as normal
from shims._src.numpy_api.random import poisson as poisson
from shims._src.numpy_api.random import rand as rand
from shims._src.numpy_api.random import randint as randint
from shims._src.numpy_api.random import randn as randn
from shims._src.numpy_api.random import random as random
from shims._src.numpy_api.random import seed as seed
from shims._src.numpy_api.random import standard_normal as standard_normal
from shims._src.numpy_api.random import uniform as uniform

__getattr__ = _missing.of("shims.experimental.numpy.random")
