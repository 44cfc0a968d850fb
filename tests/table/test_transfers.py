"""From device arrays to device arrays, operators bring nothing to the host but counts and flags.

The arrays of a CPU are taken for those of an accelerator. The programs are also lowered for CUDA and TPU: they
neither compute nor copy anything on the host, pack by scatters to unique positions, and do not loop over
elements.
"""

import fnmatch
import warnings

import jax
import numpy as np
import pytest

import shims
from shims._src.platform import accelerators, device_arrays
from tests.platform.compiled_texts import ACCELERATORS, faults, lowered, programs_run
from tests.platform.transfers import arrays_read
from tf2jax_port.diff.parity import port_side

from . import rows

# What these read, and why.
READ = {
    "linalg.sqrtm": "the matrices: computed on the host, see docs/accelerators.md",
    "linalg.logm": "the matrices: computed on the host, see docs/accelerators.md",
    "image.stateless_random_crop": "the shape of the crop, given as an array",
}
ON_THE_HOST = {name for name, why in READ.items() if "on the host" in why}
# These draw in float64 from the bits of a number, which a TPU does not have.
BITS_OF_FLOAT64 = (
    *("random.*categorical", "random.*poisson", "random.*gamma", "random.stateless_binomial"),
)
# These loop on every platform: over rounds of hashing, boxes, terms of series, digits, drawn numbers.
LOOPS = (
    *("unique", "unique_with_counts", "raw_ops.UniqueV2", "raw_ops.UniqueWithCountsV2"),
    *("image.non_max_suppression*", "image.combined_non_max_suppression"),
    *("image.stateless_sample_distorted_bounding_box", "searchsorted", "nn.ctc_loss"),
    *("linalg.expm", "linalg.banded_triangular_solve", "linalg.matrix_rank", "linalg.pinv"),
    *("math.igamma", "math.igammac", "math.betainc", "math.special.expint"),
    *("random.*", "random_index_shuffle"),
)
# These combine several updates of one element, or let the last of them count.
COMBINE = (
    *("*segment_*", "scatter_nd", "tensor_scatter_nd_*", "dynamic_stitch", "math.bincount"),
    *("histogram_fixed_width", "math.confusion_matrix", "math.invert_permutation"),
    *("unique*", "raw_ops.Unique*", "image.*non_max_suppression*", "signal.*fft*"),
)


def is_in(row, patterns) -> bool:
    return any(fnmatch.fnmatchcase(row.name, pattern) for pattern in patterns)


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
            with programs_run() as programs:
                run(arrays)
            with arrays_read() as read:
                run(arrays)
            assert not read or row.name in READ, read
    may = {"may_loop": is_in(row, LOOPS), "may_combine": is_in(row, COMBINE)}
    for platform in ACCELERATORS if row.name not in ON_THE_HOST else ():
        if platform == "tpu" and is_in(row, BITS_OF_FLOAT64):
            assert any(
                "not on a TPU" in fault
                for fault in faults(lowered(*programs[-1], platform), platform, **may)
            )
            continue
        assert not faults(lowered(*programs[-1], platform), platform, **may)


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
