"""Re-export the names of `tf.config` that have a counterpart."""

from shims._src.config.devices import LogicalDevice as LogicalDevice
from shims._src.config.devices import LogicalDeviceConfiguration as LogicalDeviceConfiguration
from shims._src.config.devices import PhysicalDevice as PhysicalDevice
from shims._src.config.devices import (
    get_logical_device_configuration as get_logical_device_configuration,
)
from shims._src.config.devices import get_visible_devices as get_visible_devices
from shims._src.config.devices import list_logical_devices as list_logical_devices
from shims._src.config.devices import list_physical_devices as list_physical_devices
from shims._src.config.devices import (
    set_logical_device_configuration as set_logical_device_configuration,
)
from shims._src.config.devices import set_visible_devices as set_visible_devices
from shims._src.config.execution import get_soft_device_placement as get_soft_device_placement
from shims._src.config.execution import set_soft_device_placement as set_soft_device_placement
from shims._src.facade import bindings as _bindings  # noqa: F401 - binds
from shims._src.facade import missing as _missing
from shims._src.function.eager_mode import functions_run_eagerly as functions_run_eagerly
from shims._src.function.eager_mode import run_functions_eagerly as run_functions_eagerly
from shims.config import experimental as experimental
from shims.config import optimizer as optimizer
from shims.config import threading as threading

experimental_functions_run_eagerly = functions_run_eagerly
experimental_run_functions_eagerly = run_functions_eagerly
__getattr__ = _missing.of("shims.config")
