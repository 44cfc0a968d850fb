"""From device arrays to device arrays, operators bring nothing to the host but counts and flags.

The arrays of a CPU are taken for those of an accelerator.
"""

import warnings

import jax
import numpy as np
import pytest

import shims
from shims._src.platform import accelerators, device_arrays
from tests.platform.transfers import arrays_read
from tf2jax_port.diff.parity import port_side

from . import rows

# What these read, and why.
READ = {
    "linalg.sqrtm": "the matrices: computed on the host, see docs/accelerators.md",
    "linalg.logm": "the matrices: computed on the host, see docs/accelerators.md",
    "image.stateless_random_crop": "the shape of the crop, given as an array",
}


@pytest.fixture(autouse=True)
def elsewhere(monkeypatch):
    monkeypatch.setattr(accelerators, "on_cpu", lambda *_: False)
    monkeypatch.setattr(device_arrays, "SMALL", 0)


def on_arrays(row) -> list:
    return [p for p in rows.points_of(row) if jax.tree.leaves(port_side.split(p)[0])]


def parameters() -> list:
    """Return the operators as parameters; those of images, whose programs are large, in the long run only."""
    return [
        pytest.param(*p.values, id=p.id, marks=pytest.mark.long) if "image" in p.id else p
        for p in rows.parameters(on_arrays, every=60)
    ]


def unknown(arrays):
    return jax.tree.map(lambda x: shims.TensorSpec([None] * np.ndim(x), x.dtype), arrays)


@pytest.mark.parametrize("row", parameters())
def test_no_array_is_read(row):
    point = on_arrays(row)[0]
    arrays, _ = port_side.split(point)
    operator = port_side.of_arrays(point)
    function = shims.function(operator, [unknown(arrays)], autograph=False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", shims.errors.SpecializationWarning)
        for run in (operator, function):
            run(arrays)
            with arrays_read() as read:
                run(arrays)
            assert not read or row.name in READ, read


def test_a_function_of_padded_results_reads_nothing(monkeypatch):
    x = jax.numpy.arange(8.0)
    select = shims.function(
        lambda x: shims.boolean_mask(x, x > 3), [shims.TensorSpec([None])], unpad=False
    )
    select(x)
    monkeypatch.setattr(type(x), "_value", property(lambda _: pytest.fail("a number is read")))
    with arrays_read() as read:
        select(x)
    assert not read
