"""Define `Options`, which are stored but have no effect."""

from __future__ import annotations

import enum
from typing import Any, ClassVar


class AutoShardPolicy(enum.IntEnum):
    """The division of a dataset among processes.

    https://www.tensorflow.org/api_docs/python/tf/data/experimental/AutoShardPolicy
    """

    __module__ = "shims.data.experimental"

    OFF = -1
    AUTO = 0
    FILE = 1
    DATA = 2
    HINT = 3


class ExternalStatePolicy(enum.Enum):
    """The treatment of state when a dataset is serialized.

    https://www.tensorflow.org/api_docs/python/tf/data/experimental/ExternalStatePolicy
    """

    __module__ = "shims.data.experimental"

    WARN = 0
    IGNORE = 1
    FAIL = 2


class _Settings:
    """Named settings: `None` until they are set; other names are errors."""

    _names: ClassVar[tuple[str, ...]] = ()

    def __getattr__(self, name: str) -> Any:
        if name in self._names:
            return None
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def __setattr__(self, name: str, value) -> None:
        if name not in self._names and not hasattr(type(self), name):
            raise AttributeError(f"Cannot set the property {name} on {type(self).__name__}.")
        self.__dict__[name] = value

    def __eq__(self, other) -> bool:
        return type(self) is type(other) and self.__dict__ == other.__dict__

    __hash__ = None  # type: ignore[assignment]


class AutotuneOptions(_Settings):
    """Settings of the tuning of buffers and threads.

    https://www.tensorflow.org/api_docs/python/tf/data/experimental/AutotuneOptions
    """

    __module__ = "shims.data.experimental"
    _names = (
        *("enabled", "cpu_budget", "ram_budget", "autotune_algorithm"),
        *("initial_parallelism", "min_parallelism"),
    )


class DistributeOptions(_Settings):
    """Settings of the division among processes.

    https://www.tensorflow.org/api_docs/python/tf/data/experimental/DistributeOptions
    """

    __module__ = "shims.data.experimental"
    _names = ("auto_shard_policy", "num_devices")


class OptimizationOptions(_Settings):
    """Settings of the rewriting of pipelines.

    https://www.tensorflow.org/api_docs/python/tf/data/experimental/OptimizationOptions
    """

    __module__ = "shims.data.experimental"
    _names = (
        *("apply_default_optimizations", "filter_fusion", "filter_parallelization"),
        *("inject_prefetch", "seq_interleave_prefetch", "map_and_batch_fusion"),
        *("map_and_filter_fusion", "map_fusion", "map_parallelization", "noop_elimination"),
        *("parallel_batch", "shuffle_and_repeat_fusion", "batch_parallelization"),
    )


class ThreadingOptions(_Settings):
    """Settings of threads.

    https://www.tensorflow.org/api_docs/python/tf/data/ThreadingOptions
    """

    __module__ = "shims.data"
    _names = ("max_intra_op_parallelism", "private_threadpool_size")


class Options(_Settings):
    """Settings of a dataset.

    Differs from TensorFlow:
      Options are stored but have no effect: elements are computed one after another, in order.

    https://www.tensorflow.org/api_docs/python/tf/data/Options
    """

    __module__ = "shims.data"
    _names = (
        *("autotune", "deterministic", "experimental_deterministic", "dataset_name"),
        *("experimental_distribute", "experimental_external_state_policy"),
        *("experimental_optimization", "experimental_slack", "experimental_symbolic_checkpoint"),
        *("experimental_threading", "experimental_warm_start", "framework_type", "threading"),
    )

    def __init__(self):
        self.autotune = AutotuneOptions()
        self.experimental_distribute = DistributeOptions()
        self.experimental_optimization = OptimizationOptions()
        self.threading = self.experimental_threading = ThreadingOptions()

    def merge(self, options: Options) -> Options:
        """Return these settings, replaced by those that are set in `options`."""
        out = Options()
        for name in self._names:
            mine, other = getattr(self, name), getattr(options, name)
            if isinstance(mine, _Settings) and isinstance(other, _Settings):
                out.__dict__[name] = type(mine)()
                out.__dict__[name].__dict__.update({**mine.__dict__, **other.__dict__})
            else:
                out.__dict__[name] = mine if other is None else other
        return out
