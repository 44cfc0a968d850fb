"""Re-export the names of `tf.config.experimental` that have a counterpart."""

from shims._src.config import devices as _devices
from shims._src.config.devices import get_memory_growth as get_memory_growth
from shims._src.config.devices import get_memory_info as get_memory_info
from shims._src.config.devices import get_visible_devices as get_visible_devices
from shims._src.config.devices import list_logical_devices as list_logical_devices
from shims._src.config.devices import list_physical_devices as list_physical_devices
from shims._src.config.devices import set_memory_growth as set_memory_growth
from shims._src.config.devices import set_visible_devices as set_visible_devices
from shims._src.config.execution import enable_op_determinism as enable_op_determinism
from shims._src.config.execution import (
    enable_tensor_float_32_execution as enable_tensor_float_32_execution,
)
from shims._src.config.execution import get_device_policy as get_device_policy
from shims._src.config.execution import get_synchronous_execution as get_synchronous_execution
from shims._src.config.execution import set_device_policy as set_device_policy
from shims._src.config.execution import set_synchronous_execution as set_synchronous_execution
from shims._src.config.execution import (
    tensor_float_32_execution_enabled as tensor_float_32_execution_enabled,
)
from shims._src.facade import missing as _missing

VirtualDeviceConfiguration = _devices.LogicalDeviceConfiguration
get_virtual_device_configuration = _devices.get_logical_device_configuration
set_virtual_device_configuration = _devices.set_logical_device_configuration
__getattr__ = _missing.of("shims.config.experimental")
