"""List and choose devices, by TensorFlow's names for them."""

from __future__ import annotations

import os
import warnings
from collections.abc import Sequence
from typing import NamedTuple

import jax

from shims._src.errors import errors


class PhysicalDevice(NamedTuple):
    """A device of this machine.

    https://www.tensorflow.org/api_docs/python/tf/config/PhysicalDevice
    """

    name: str
    device_type: str


class LogicalDevice(NamedTuple):
    """A device that computes; the CPU can be divided into several.

    https://www.tensorflow.org/api_docs/python/tf/config/LogicalDevice
    """

    name: str
    device_type: str


class LogicalDeviceConfiguration(NamedTuple):
    """The configuration of a logical device; JAX has no memory limit per device.

    https://www.tensorflow.org/api_docs/python/tf/config/LogicalDeviceConfiguration
    """

    memory_limit: float | None = None
    experimental_priority: int | None = None
    experimental_device_ordinal: int | None = None


_CPU = PhysicalDevice("/physical_device:CPU:0", "CPU")
_visible: dict[str, list[PhysicalDevice]] = {}
_divisions: dict[PhysicalDevice, list[LogicalDeviceConfiguration]] = {}
_growth: dict[str, bool] = {}


def list_physical_devices(device_type: str | None = None) -> list[PhysicalDevice]:
    """List the devices that JAX has: the CPU, and each accelerator.

    Args:
      device_type: `"CPU"`, `"GPU"` or `"TPU"`; all of them when `None`.

    Returns:
      A list of `PhysicalDevice`s, empty for a type that JAX does not have.

    Differs from TensorFlow:
      The accelerators are those that JAX lists, which requires a `jaxlib` for these accelerators.

    Under jit:
      A Python value.

    https://www.tensorflow.org/api_docs/python/tf/config/list_physical_devices
    """
    kinds = ["CPU", "GPU", "TPU"] if device_type is None else [device_type]
    found = []
    for kind in kinds:
        # JAX need not start for the CPU, so it can still be divided.
        count = 1 if kind == "CPU" else len(_devices(kind))
        found += [PhysicalDevice(f"/physical_device:{kind}:{i}", kind) for i in range(count)]
    return found


def _devices(kind: str) -> list[jax.Device]:
    try:
        return jax.local_devices(backend=kind.lower())
    except RuntimeError:  # JAX has no such platform here
        return []


def list_logical_devices(device_type: str | None = None) -> list[LogicalDevice]:
    """List the devices that compute.

    Args:
      device_type: `"CPU"`, `"GPU"` or `"TPU"`; all of them when `None`.

    Returns:
      A list of `LogicalDevice`s.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      A Python value.

    https://www.tensorflow.org/api_docs/python/tf/config/list_logical_devices
    """
    kinds = ["CPU", "GPU", "TPU"] if device_type is None else [device_type]
    return [
        LogicalDevice(f"/device:{kind}:{i}", kind)
        for kind in kinds
        for i in range(len(_devices(kind)) if kind not in _visible else _count_visible(kind))
    ]


def _count_visible(kind: str) -> int:
    return len(_devices(kind)) if kind == "CPU" and _visible[kind] else len(_visible[kind])


def get_visible_devices(device_type: str | None = None) -> list[PhysicalDevice]:
    """List the devices that the program may use.

    Args:
      device_type: as for `list_physical_devices`.

    Returns:
      A list of `PhysicalDevice`s.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      A Python value.

    https://www.tensorflow.org/api_docs/python/tf/config/get_visible_devices
    """
    return [d for d in list_physical_devices(device_type) if d in _visible.get(d.device_type, [d])]


def set_visible_devices(devices, device_type: str | None = None) -> None:
    """Choose the devices that the program may use; the first one becomes JAX's default device.

    Args:
      devices: a `PhysicalDevice` or a list of them; an empty list hides all devices of a type.
      device_type: the type of the devices; all types when `None`.

    Raises:
      ValueError: a device does not exist, or has a different type.

    Differs from TensorFlow:
      The function sets JAX's default device. `jax.devices()` still lists hidden devices.

    Under jit:
      Call this function before tracing.

    https://www.tensorflow.org/api_docs/python/tf/config/set_visible_devices
    """
    chosen = (
        list(devices)
        if isinstance(devices, list | tuple) and not _is_device(devices)
        else [devices]
    )
    for device in chosen:
        if device not in list_physical_devices():
            raise ValueError(f"Unrecognized device: {device!r}")
        if device_type not in (None, device.device_type):
            raise ValueError(f"Device {device!r} is not of type {device_type}.")
    for kind in ["CPU", "GPU", "TPU"] if device_type is None else [device_type]:
        _visible[kind] = [d for d in chosen if d.device_type == kind]
    order = [d for kind in ("TPU", "GPU", "CPU") for d in get_visible_devices(kind)]
    if order and len(order) < len(list_physical_devices()):
        first = order[0]
        device = _devices(first.device_type)[int(first.name.rpartition(":")[2])]
        jax.config.update("jax_default_device", device)


def _is_device(value) -> bool:
    return isinstance(value, PhysicalDevice)


def get_logical_device_configuration(device: PhysicalDevice):
    """Return the configurations that `set_logical_device_configuration` set; `None` without any.

    Args:
      device: a `PhysicalDevice`.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      A Python value.

    https://www.tensorflow.org/api_docs/python/tf/config/get_logical_device_configuration
    """
    return _divisions.get(device)


def set_logical_device_configuration(
    device: PhysicalDevice, logical_devices: Sequence[LogicalDeviceConfiguration]
) -> None:
    """Divide the CPU into several devices, before JAX starts.

    Args:
      device: the CPU.
      logical_devices: one `LogicalDeviceConfiguration` for each device.

    Raises:
      RuntimeError: JAX has started already.
      UnimplementedError: the device is an accelerator, which JAX does not divide.

    Differs from TensorFlow:
      Accelerators are not divided, and there is no memory limit.

    Under jit:
      Call this function before tracing.

    https://www.tensorflow.org/api_docs/python/tf/config/set_logical_device_configuration
    """
    if device.device_type != "CPU":
        raise errors.UnimplementedError(
            errors.message(
                "config.set_logical_device_configuration",
                "JAX cannot split an accelerator into several devices.",
                received=device.name,
                do=(
                    "set `XLA_PYTHON_CLIENT_MEM_FRACTION` in the environment to limit the memory "
                    "of the device"
                ),
            )
        )
    jax.config.update("jax_num_cpu_devices", len(logical_devices))
    _divisions[device] = list(logical_devices)


def set_memory_growth(device: PhysicalDevice, enable: bool) -> None:
    """Request that memory of an accelerator is allocated as needed.

    JAX reads `XLA_PYTHON_CLIENT_PREALLOCATE` from the environment when it starts. If this variable
    does not turn preallocation off, the request has no effect, and a warning says so.

    Args:
      device: a `PhysicalDevice`.
      enable: whether to allocate as needed.

    Differs from TensorFlow:
      The function changes no setting. It records the request, and warns if JAX preallocates memory.

    Under jit:
      Call this function before tracing.

    https://www.tensorflow.org/api_docs/python/tf/config/experimental/set_memory_growth
    """
    _growth[device.name] = bool(enable)
    allocates = os.environ.get("XLA_PYTHON_CLIENT_PREALLOCATE", "true").lower() in ("true", "1")
    if device.device_type != "CPU" and enable and allocates:
        warnings.warn(
            "config.experimental.set_memory_growth: JAX preallocates memory. Set "
            "XLA_PYTHON_CLIENT_PREALLOCATE=false in the environment before the program starts.",
            stacklevel=2,
        )


def get_memory_growth(device: PhysicalDevice) -> bool:
    """Return whether `set_memory_growth` requested that memory is allocated as needed.

    Args:
      device: a `PhysicalDevice`.

    Differs from TensorFlow:
      Nothing.

    Under jit:
      A Python value.

    https://www.tensorflow.org/api_docs/python/tf/config/experimental/get_memory_growth
    """
    return _growth.get(device.name, False)


def get_memory_info(device: str) -> dict[str, int]:
    """Return the current and the peak use of memory of an accelerator, in bytes.

    Args:
      device: a name such as `"GPU:0"`.

    Returns:
      A dict with the keys `current` and `peak`.

    Raises:
      ValueError: JAX does not measure the device's memory, as on a CPU.

    Differs from TensorFlow:
      The numbers are those of JAX's allocator.

    Under jit:
      A Python value.

    https://www.tensorflow.org/api_docs/python/tf/config/experimental/get_memory_info
    """
    kind, _, index = device.rpartition("device:")[2].strip("/").partition(":")
    devices = _devices(kind)
    stats = devices[int(index or 0)].memory_stats() if devices else None
    if not stats:
        raise ValueError(f"Memory of the device {device!r} is not measured.")
    return {"current": stats["bytes_in_use"], "peak": stats["peak_bytes_in_use"]}
