"""TensorFlow's operators on JAX: `import shims as tf` while a program moves over.

Arrays in and out are JAX arrays. Sizes may depend on data, inside `jax.jit` too: see
`shims.function` and `shims.dynamic`.
"""

from shims._src.jax_private import check_version as _check_version

_check_version()

# The engine: hand-written; the operators' façades follow below.
from shims import errors as errors  # noqa: E402
from shims._src.dynamic import dynamic as dynamic  # noqa: E402
from shims._src.errors import CapacityError as CapacityError  # noqa: E402
from shims._src.errors import InvalidArgumentError as InvalidArgumentError  # noqa: E402
from shims._src.function import function as function  # noqa: E402
from shims._src.padded import Padded as Padded  # noqa: E402
from shims._src.primitives import bounded as bounded  # noqa: E402
from shims._src.primitives import same_size as same_size  # noqa: E402
from shims._src.tensor_shape import TensorShape as TensorShape  # noqa: E402
from shims._src.tensor_spec import TensorSpec as TensorSpec  # noqa: E402
from shims._src.variable import Variable as Variable  # noqa: E402
from shims._src.version import __version__ as __version__  # noqa: E402

# isort: split
# The operators: generated from the table.
from shims import dtypes as dtypes  # noqa: E402
from shims import image as image  # noqa: E402
from shims import linalg as linalg  # noqa: E402
from shims import math as math  # noqa: E402
from shims import nn as nn  # noqa: E402
from shims._src.facade.root import *  # noqa: E402, F403
