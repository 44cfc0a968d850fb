"""Programs are traced the same for every platform; the form for a CPU or an accelerator is chosen when they are lowered.

JAX lowers a program for CUDA where there is no GPU.
"""

import re
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import shims
from shims._src.lowering import packing
from shims._src.sizes.on_device import scattered_to_front

ROOT = Path(shims.__file__).parent
# Answers about the machine that users ask for.
ASK_ABOUT_THE_MACHINE = {
    "platform/accelerators.py",
    "platform/device_memory.py",
    "config/execution.py",
    "v1/platform/test_case.py",
}
X, MASK = np.zeros(70_000, np.float32), np.zeros(70_000, bool)
SELECTIONS = {
    "boolean_mask": (lambda x, m: shims.boolean_mask(x, m), (X, MASK)),
    "boolean_mask of rows": (
        lambda x, m: shims.boolean_mask(x, m),
        (np.zeros((9, 2), np.float32), MASK[:9]),
    ),
    "where": (lambda m: shims.where(m), (MASK,)),
    "dynamic_partition": (
        lambda x, i: shims.dynamic_partition(x, i, 3),
        (X, MASK.astype(np.int32)),
    ),
    "unique": (lambda x: shims.unique(x).y, (X,)),
}


def lowered(f, args, platform):
    return jax.jit(f).trace(*args).lower(lowering_platforms=(platform,)).as_text()


@pytest.mark.parametrize("name", SELECTIONS)
def test_selections_are_packed_by_unique_scatters_on_an_accelerator(name):
    f, args = SELECTIONS[name]
    text = lowered(shims.dynamic(f), args, "cuda")
    assert "unique_indices = true" in text
    assert "callback" not in text
    assert "unique_indices = true" not in lowered(shims.dynamic(f), args, "cpu")


def test_a_mask_and_a_reduction_pack_nothing():
    mean = shims.dynamic(lambda x: jnp.mean(shims.boolean_mask(x, x > 0)))
    for f in (mean, jax.grad(mean)):
        assert "scatter" not in lowered(f, (X,), "cuda")


@pytest.mark.parametrize("capacity", [3, 8, 20])
@pytest.mark.parametrize("rows", [np.eye(8, dtype=bool), np.tri(8, dtype=bool)])
def test_the_forms_agree(rows, capacity):
    x = np.arange(8, dtype=np.float32) + 1
    for mask in rows:
        want = np.flatnonzero(mask)[:capacity]
        for places in (packing.positions(mask, capacity), scattered_to_front(mask, capacity)):
            np.testing.assert_array_equal(places[: len(want)], want)
            assert places.shape == (capacity,)
        for moved in (packing.direct(x, mask, capacity), scattered_to_front(mask, capacity, x)):
            np.testing.assert_array_equal(moved[: len(want)], x[want])


def test_integers_are_not_convolved_elsewhere():
    image, kernel = np.ones((1, 4, 4, 1), np.int32), np.ones((2, 2, 1, 1), np.int32)
    f = lambda x, k: shims.nn.conv2d(x, k, 1, "VALID")
    lowered(f, (image, kernel), "cpu")
    with pytest.raises(
        shims.errors.UnimplementedError, match=r"(?s)no kernel.*test_platform_forms"
    ):
        lowered(f, (image, kernel), "cuda")


def test_quotients_are_corrected_elsewhere_only():
    f = lambda x: shims.math.floordiv(x, x + 1)
    assert "reduce_precision" in lowered(f, (X,), "cuda")
    assert "reduce_precision" not in lowered(f, (X,), "cpu")


def test_the_user_s_own_choice_is_kept_in_a_dynamic_program():
    def f(x):
        y = shims.boolean_mask(x, x > 0)
        return jax.lax.platform_dependent(y, cpu=lambda y: jnp.sum(jnp.sin(y)), default=jnp.sum)

    assert "stablehlo.sine" in lowered(shims.dynamic(f), (X,), "cpu")
    assert "stablehlo.sine" not in lowered(shims.dynamic(f), (X,), "cuda")
    x = np.float32([1, -1, 2])
    np.testing.assert_allclose(shims.function(f)(x), np.sin([1, 2]).sum(), rtol=1e-6)


def test_the_default_platform_decides_nothing_else():
    found = {
        str(path.relative_to(ROOT / "_src"))
        for path in (ROOT / "_src").rglob("*.py")
        if re.search(r"default_backend\(|\.platform ==|\.platform !=", path.read_text())
    }
    assert found == ASK_ABOUT_THE_MACHINE
