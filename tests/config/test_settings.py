"""Settings of devices and execution, beside TensorFlow's on the same machine."""

import subprocess
import sys

import jax
import pytest
import tensorflow as tf

import shims


def test_devices_are_listed_as_in_tensorflow():
    for function in ("list_physical_devices", "list_logical_devices", "get_visible_devices"):
        for module in ("config", "config.experimental"):
            ours, theirs = shims, tf
            for part in module.split("."):
                ours, theirs = getattr(ours, part), getattr(theirs, part)
            for kind in ("CPU", "GPU"):
                found = getattr(ours, function)(kind)
                wanted = (
                    getattr(theirs, function)(kind) if jax.default_backend() == "cpu" else found
                )
                names = [(d.name, d.device_type) for d in found]
                assert names[:1] == [(d.name, d.device_type) for d in wanted][:1]


def test_functions_run_eagerly():
    counts = []

    @shims.function
    def f(x):
        counts.append(1)
        return x + 1

    class Model:
        @shims.function
        def step(self, x):
            counts.append(1)
            return x * 2

    model = Model()
    shims.config.run_functions_eagerly(True)
    try:
        assert shims.config.functions_run_eagerly()
        assert [int(f(1.0)), int(f(1.0)), int(model.step(2.0)), int(model.step(2.0))] == [
            2,
            2,
            4,
            4,
        ]
        assert len(counts) == 4
    finally:
        shims.config.run_functions_eagerly(False)
    x = shims.constant(1.0)
    assert [int(f(x)), int(f(x))] == [2, 2]
    assert len(counts) == 5


@pytest.mark.parametrize(
    ("module", "name", "value"),
    [
        ("threading", "inter_op_parallelism_threads", 3),
        ("threading", "intra_op_parallelism_threads", 2),
        ("optimizer", "jit", "autoclustering"),
        ("optimizer", "experimental_options", {"constant_folding": True}),
        ("experimental", "synchronous_execution", False),
        ("experimental", "device_policy", "warn"),
        ("debugging", "log_device_placement", True),
    ],
)
def test_settings_without_effect_are_stored(module, name, value):
    place = shims.debugging if module == "debugging" else getattr(shims.config, module)
    before = getattr(place, f"get_{name}")()
    getattr(place, f"set_{name}")(value)
    assert getattr(place, f"get_{name}")() == value
    getattr(place, f"set_{name}")(before)


def test_precision_of_products():
    assert shims.config.experimental.tensor_float_32_execution_enabled()
    shims.config.experimental.enable_tensor_float_32_execution(False)
    try:
        assert jax.config.jax_default_matmul_precision == "highest"
        assert not shims.config.experimental.tensor_float_32_execution_enabled()
    finally:
        shims.config.experimental.enable_tensor_float_32_execution(True)
    shims.config.experimental.enable_op_determinism()


def test_choosing_devices():
    assert shims.config.set_visible_devices([], "GPU") is None
    assert shims.config.get_visible_devices("GPU") == []
    with pytest.raises(ValueError, match="Unrecognized device"):
        shims.config.set_visible_devices(shims.config.PhysicalDevice("nothing", "GPU"), "GPU")
    (cpu,) = shims.config.list_physical_devices("CPU")
    with pytest.raises(ValueError, match="not of type"):
        shims.config.set_visible_devices([cpu], "GPU")
    with pytest.raises(ValueError, match="not measured"):
        shims.config.experimental.get_memory_info("CPU:0")


PROGRAM = """
import shims as tf
(cpu,) = tf.config.list_physical_devices("CPU")
tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)
print(len(tf.config.list_logical_devices("CPU")), len(tf.config.get_logical_device_configuration(cpu)))
try:
    tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()])
except RuntimeError as error:
    print("RuntimeError")
"""


def test_the_cpu_is_divided_before_jax_starts():
    run = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True
    )
    assert run.stdout.split() == ["2", "2", "RuntimeError"]
