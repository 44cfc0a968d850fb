"""Programs over ragged and sparse tensors stay on an accelerator, for which a CPU stands."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import shims
from shims._src.platform import accelerators, device_arrays
from tests.platform.compiled_texts import ACCELERATORS, faults, lowered, programs_run
from tests.platform.transfers import arrays_read
from tests.ragged import programs as of_ragged
from tests.sparse import programs as of_sparse

KINDS = {
    "ragged": (
        of_ragged.FLAT,
        lambda: shims.ragged.constant(of_ragged.ROWS["some"], dtype=np.float32),
        shims.RaggedTensorSpec([None, None], ragged_rank=1),
    ),
    "nested": (
        of_ragged.TWICE,
        lambda: shims.ragged.constant(of_ragged.NESTED["some"], dtype=np.float32, ragged_rank=2),
        shims.RaggedTensorSpec([None] * 3, ragged_rank=2),
    ),
    "sparse": (
        of_sparse.PROGRAMS,
        lambda: shims.sparse.from_dense(np.float32(of_sparse.MATRICES["some"])),
        shims.SparseTensorSpec([None, 4]),
    ),
}
# What these read, and why.
READ = {"_parts": "the shape of a sparse tensor, one number per axis"}
ALWAYS = {"to_tensor", "concat-1", "columns-stepped", "to_dense", "reduce_max", "add"}


def parameters():
    for kind, (programs, given, spec) in KINDS.items():
        for name, f in programs:
            marks = () if name in ALWAYS and kind != "nested" else pytest.mark.long
            yield pytest.param(f, given, spec, id=f"{kind}-{name}", marks=marks)


@pytest.mark.parametrize(("f", "given", "spec"), list(parameters()))
def test_no_array_is_read(f, given, spec, monkeypatch):
    monkeypatch.setattr(accelerators, "on_cpu", lambda *_: False)
    monkeypatch.setattr(device_arrays, "SMALL", 0)
    tensor = jax.tree.map(jnp.asarray, given())
    function = shims.function(lambda x: f(shims, x), [spec], autograph=False)
    for run in (lambda x: f(shims, x), function):
        with programs_run() as programs:
            run(tensor)
        with arrays_read() as read:
            run(tensor)
        assert not [what for what in read if what.rpartition(" ")[2] not in READ]
    for platform in ACCELERATORS:
        # Lengths and positions of rows are added up, and several of them may be one.
        assert not faults(lowered(*programs[-1], platform), platform, may_combine=True)
