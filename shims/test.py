"""Re-export the names of `tf.test` that have a counterpart."""

from shims._src.debugging.testing import TestCase as TestCase
from shims._src.debugging.testing import gpu_device_name as gpu_device_name
from shims._src.debugging.testing import is_built_with_cuda as is_built_with_cuda
from shims._src.debugging.testing import is_built_with_gpu_support as is_built_with_gpu_support
from shims._src.debugging.testing import is_built_with_rocm as is_built_with_rocm
from shims._src.debugging.testing import is_built_with_xla as is_built_with_xla
from shims._src.debugging.testing import is_gpu_available as is_gpu_available
from shims._src.debugging.testing import main as main
from shims._src.facade import bindings as _bindings  # noqa: F401 - binds
from shims._src.facade import missing as _missing

__getattr__ = _missing.of("shims.test")
