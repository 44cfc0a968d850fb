"""Find the devices of replicas."""

from __future__ import annotations

import jax

from shims._src.errors import errors
from shims._src.recording.contexts import find_device


def devices_named(names) -> list:
    """Return the devices of JAX of TensorFlow's names.

    Raises:
      ValueError: a device does not exist, or is named twice.
    """
    found = [find_device(str(getattr(name, "name", name))) for name in names]
    if None in found or len(set(found)) != len(found):
        raise ValueError(
            errors.message(
                "MirroredStrategy",
                "each replica needs its own device.",
                required=f"different devices among {[_name(d) for d in jax.local_devices()]}",
                received=f"{list(map(str, names))}",
                do="name existing devices; to divide the CPU into several devices, call "
                "`shims.config.set_logical_device_configuration` before anything else",
            )
        )
    return found


def _name(device) -> str:
    return f"/{device.platform}:{device.id}"


def own_devices() -> list:
    """Return the accelerators of this process, or one CPU."""
    found = jax.local_devices()
    return found[:1] if found[0].platform == "cpu" else found


def devices_of_all() -> list:
    """Return the accelerators of all processes, or one CPU of each."""
    found = jax.devices()
    if found[0].platform != "cpu":
        return found
    return [next(d for d in found if d.process_index == i) for i in range(jax.process_count())]


def tpus() -> list:
    """Return the TPU cores.

    Raises:
      NotFoundError: there are none.
    """
    try:
        return jax.devices("tpu")
    except RuntimeError:
        raise errors.NotFoundError(
            errors.message(
                "TPUStrategy",
                "JAX has no TPU on this machine.",
                received=f"{jax.default_backend()} devices",
                do="use `shims.distribute.MirroredStrategy()`, which uses the existing devices",
            )
        ) from None
