"""Define session settings such as `ConfigProto`: names are checked, values are ignored.

JAX controls threads, devices and memory. A setting with an unknown name is an error, as in
TensorFlow's protocol messages.
"""

from __future__ import annotations

from typing import Any, ClassVar


class Options:
    """The base class of settings objects, which accept a fixed set of names.

    Args:
      **settings: values of settings; settings not given have the default value of their type.

    Raises:
      ValueError: a name is unknown.
    """

    __module__ = "shims.compat.v1"
    settings: ClassVar[dict[str, Any]] = {}

    def __init__(self, **settings):
        for name, value in settings.items():
            if name not in self.settings:
                raise ValueError(f'Protocol message {type(self).__name__} has no "{name}" field.')
            object.__setattr__(self, name, value)

    def __getattr__(self, name):
        if name not in self.settings:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        value = self.settings[name]()
        object.__setattr__(self, name, value)
        return value

    def __setattr__(self, name, value):
        if name not in self.settings:
            raise AttributeError(f'Protocol message {type(self).__name__} has no "{name}" field.')
        object.__setattr__(self, name, value)

    def __repr__(self):
        given = ", ".join(f"{k}={v!r}" for k, v in sorted(vars(self).items()))
        return f"{type(self).__name__}({given})"


class OptimizerOptions(Options):
    """The options of TensorFlow's graph optimizer; ignored, as XLA optimizes.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/OptimizerOptions
    """

    L0, L1 = 0, -1
    DEFAULT, OFF, ON_1, ON_2 = 0, -1, 1, 2
    settings: ClassVar = {
        "do_common_subexpression_elimination": bool,
        "do_constant_folding": bool,
        "max_folded_constant_in_bytes": int,
        "do_function_inlining": bool,
        "opt_level": int,
        "global_jit_level": int,
        "cpu_global_jit": bool,
    }


class RewriterConfig(Options):
    """The options of TensorFlow's graph rewriter; ignored."""

    DEFAULT, ON, OFF, AGGRESSIVE = 0, 1, 2, 3
    NO_MEM_OPT, MANUAL, SWAPPING_HEURISTICS, RECOMPUTATION_HEURISTICS = 1, 2, 4, 5
    settings: ClassVar = dict.fromkeys(
        [
            "layout_optimizer",
            "constant_folding",
            "shape_optimization",
            "remapping",
            "arithmetic_optimization",
            "dependency_optimization",
            "loop_optimization",
            "function_optimization",
            "debug_stripper",
            "auto_mixed_precision",
            "memory_optimization",
            "meta_optimizer_iterations",
            "pin_to_host_optimization",
            "common_subgraph_elimination",
        ],
        int,
    ) | {"disable_model_pruning": bool, "disable_meta_optimizer": bool, "optimizers": list}


class GraphOptions(Options):
    """The options of running a graph; ignored.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/GraphOptions
    """

    settings: ClassVar = {
        "enable_recv_scheduling": bool,
        "optimizer_options": OptimizerOptions,
        "build_cost_model": int,
        "build_cost_model_after": int,
        "infer_shapes": bool,
        "place_pruned_graph": bool,
        "enable_bfloat16_sendrecv": bool,
        "timeline_step": int,
        "rewrite_options": RewriterConfig,
    }


class GPUOptions(Options):
    """The options of sharing a GPU; ignored, as JAX reads environment variables instead.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/GPUOptions
    """

    settings: ClassVar = {
        "per_process_gpu_memory_fraction": float,
        "allow_growth": bool,
        "allocator_type": str,
        "deferred_deletion_bytes": int,
        "visible_device_list": str,
        "polling_active_delay_usecs": int,
        "polling_inactive_delay_msecs": int,
        "force_gpu_compatible": bool,
    }


class ConfigProto(Options):
    """The settings of a session.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/ConfigProto
    """

    settings: ClassVar = {
        "device_count": dict,
        "intra_op_parallelism_threads": int,
        "inter_op_parallelism_threads": int,
        "use_per_session_threads": bool,
        "session_inter_op_thread_pool": list,
        "placement_period": int,
        "device_filters": list,
        "gpu_options": GPUOptions,
        "allow_soft_placement": bool,
        "log_device_placement": bool,
        "graph_options": GraphOptions,
        "operation_timeout_in_ms": int,
        "isolate_session_state": bool,
        "share_cluster_devices_in_session": bool,
    }


class RunOptions(Options):
    """The settings of one run.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/RunOptions
    """

    NO_TRACE, SOFTWARE_TRACE, HARDWARE_TRACE, FULL_TRACE = 0, 1, 2, 3
    settings: ClassVar = {
        "trace_level": int,
        "timeout_in_ms": int,
        "inter_op_thread_pool": int,
        "output_partition_graphs": bool,
        "report_tensor_allocations_upon_oom": bool,
    }


class RunMetadata(Options):
    """The metadata of a run; always empty.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/RunMetadata
    """

    settings: ClassVar = {"step_stats": list, "partition_graphs": list, "function_graphs": list}
