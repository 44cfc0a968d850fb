"""Provide the modules of `tensorflow.python` whose names TensorFlow 1 also exports publicly.

Programs import `tensorflow.python.ops.array_ops` and its kin. Here such a module looks each name up in the
public namespaces that export what it defines.
"""

from __future__ import annotations

import sys
import types
from typing import Any

# Modules by the public namespaces in which their names are looked up, in this order; `.` is `tf` itself.
_MODULES = {
    # Kernels, whose parameters are not those of public names: they can be imported, not used.
    "": "ops.gen_array_ops ops.gen_control_flow_ops ops.gen_data_flow_ops ops.gen_image_ops "
    "ops.gen_math_ops ops.gen_nn_ops ops.gen_random_ops ops.gen_sparse_ops ops.gen_state_ops "
    "ops.gen_string_ops ops.gen_training_ops training.training_ops",
    ". debugging": "ops.check_ops",
    ".": "client.session framework.constant_op framework.ops framework.random_seed "
    "framework.function framework.sparse_tensor framework.tensor_shape framework.tensor_util "
    "framework.indexed_slices ops.array_ops ops.clip_ops ops.control_flow_ops ops.custom_gradient ops.data_flow_ops "
    "ops.functional_ops ops.gradients ops.gradients_impl ops.logging_ops ops.map_fn "
    "ops.partitioned_variables ops.script_ops ops.standard_ops ops.state_ops ops.template "
    "ops.tensor_array_ops ops.variable_scope ops.variables ops.while_loop ops.cond",
    ". initializers": "ops.init_ops",
    ". io": "lib.io.python_io ops.io_ops ops.parsing_ops",
    ". linalg": "ops.linalg_ops",
    ". math": "ops.math_ops",
    ". random": "ops.random_ops",
    ". sparse": "ops.sparse_ops",
    ". strings": "ops.string_ops",
    "app": "platform.app",
    "compat": "util.compat",
    "data": "data data.ops.dataset_ops data.ops.iterator_ops",
    "dtypes .": "framework.dtypes",
    "flags": "platform.flags",
    "gfile": "platform.gfile",
    "image": "ops.image_ops ops.image_ops_impl",
    "layers": "layers.base layers.convolutional layers.core layers.layers layers.normalization "
    "layers.pooling layers.utils",
    "logging": "platform.tf_logging",
    "lookup contrib.lookup .": "ops.lookup_ops",
    "losses": "ops.losses.losses ops.losses.losses_impl",
    "metrics": "ops.metrics",
    "nest": "util.nest",
    "nn .": "ops.candidate_sampling_ops ops.ctc_ops ops.embedding_ops ops.nn ops.nn_impl ops.nn_ops "
    "ops.rnn",
    "nn.rnn_cell": "ops.rnn_cell ops.rnn_cell_impl",
    "python_io": "lib.io.tf_record",
    "summary": "summary.summary",
    "train": "pywrap_tensorflow training.adagrad training.adam training.basic_session_run_hooks "
    "training.checkpoint_utils training.ftrl training.gradient_descent "
    "training.learning_rate_decay training.momentum training.monitored_session "
    "training.moving_averages training.optimizer training.rmsprop training.saver "
    "training.session_run_hook training.slot_creator training.training training.training_util",
}
# Names that have another public name, or none.
_RENAMED = {
    "framework.function.Defun": "python.framework.function.Defun",
    "framework.tensor_util.constant_value": "get_static_value",
    "layers.utils.smart_cond": "python.layers.utils.smart_cond",
    "ops.control_flow_ops.with_dependencies": "python.ops.control_flow_ops.with_dependencies",
}


class _Internal(types.ModuleType):
    """A module of `tensorflow.python`: it finds names in public namespaces."""

    def __init__(self, name: str, inner: str, namespaces: tuple[str, ...]):
        super().__init__(name, f"Export the public names of `tensorflow.python.{inner}`.")
        self.__path__: list[str] = []
        self._inner, self._namespaces = inner, namespaces

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        from shims._src.v1.names import names

        inner = f"{self._inner}.{name}"
        places = [f"{n}.{name}".removeprefix("..") for n in self._namespaces]
        for place in [_RENAMED[inner]] if inner in _RENAMED else places:
            try:
                found = names.resolve(place)
            except AttributeError:
                continue
            setattr(self, name, found)
            return found
        raise AttributeError(
            f"shims.compat.v1 has no `tensorflow.python.{inner}`: it is internal to TensorFlow, and no "
            "supported public name of TensorFlow 1 replaces it."
        )


def install(package: str) -> None:
    """Add the modules to a package; they are cheap, and look up nothing before it is used."""
    for namespaces, modules in _MODULES.items():
        for inner in modules.split():
            parts = inner.split(".")
            for i in range(1, len(parts) + 1):
                _add(
                    package,
                    ".".join(parts[:i]),
                    tuple(namespaces.split()) if i == len(parts) else (),
                )


def _add(package: str, inner: str, namespaces: tuple[str, ...]) -> None:
    name = f"{package}.{inner}"
    module = sys.modules.get(name)
    if module is None:
        sys.modules[name] = module = _Internal(name, inner, namespaces)
        outer, _, last = name.rpartition(".")
        setattr(sys.modules[outer], last, module)
    elif namespaces and isinstance(module, _Internal):
        module._namespaces = namespaces
