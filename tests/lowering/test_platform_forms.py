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
from shims._src.platform import accelerators
from shims._src.sizes.on_device import scattered_to_front
from tests.platform.compiled_texts import ACCELERATORS, lowered, operations, programs_run

ROOT = Path(shims.__file__).parent
# Answers about the machine that users ask for.
ASK_ABOUT_THE_MACHINE = {
    "platform/accelerators.py",
    "platform/device_memory.py",
    "config/execution.py",
    "distribute/devices.py",
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


# What takes time on an accelerator, beside what XLA fuses with it.
HEAVY = ("sort", "scan", "reduce_window", "scatter", "gather", "top_k", "while", "dynamic_slice")


def heavy(text) -> dict[str, int]:
    """The operations of a program that are not fused with others."""
    found = operations(text)
    return {name: found[name] for name in HEAVY if found[name]}


@pytest.mark.parametrize("platform", ACCELERATORS)
@pytest.mark.parametrize("name", SELECTIONS)
def test_selections_are_packed_by_unique_scatters_on_an_accelerator(name, platform):
    f, args = SELECTIONS[name]
    text = lowered(shims.dynamic(f), args, platform)
    assert "unique_indices = true" in text
    assert "callback" not in text
    assert "unique_indices = true" not in lowered(shims.dynamic(f), args, "cpu")


def best_packing(x, m):
    """The fastest form that plain JAX has on the measured GPU."""
    n, slots = x.shape[0], jnp.arange(x.shape[0])
    places = jnp.where(m, jnp.cumsum(m) - 1, n + slots)
    return jnp.zeros_like(x).at[places].set(x, mode="drop", unique_indices=True)


@pytest.mark.parametrize("platform", ACCELERATORS)
def test_a_packed_vector_has_the_operations_of_the_best_form(platform):
    packed = shims.dynamic(lambda x, m: shims.boolean_mask(x, m))
    found = heavy(lowered(packed, (X, MASK), platform))
    assert found == heavy(lowered(best_packing, (X, MASK), platform))
    four = shims.dynamic(lambda x, i: shims.dynamic_partition(x, i, 4))
    found_of_four = heavy(lowered(four, (X, MASK.astype(np.int32)), platform))
    assert found_of_four == {name: 4 * n for name, n in found.items()}


def masked_mean(x, m):
    return jnp.sum(jnp.where(m, x, 0)) / jnp.sum(m)


def with_tape(x, m):
    with shims.GradientTape() as tape:
        tape.watch(x)
        out = shims.reduce_mean(shims.boolean_mask(x, m))
    return out, tape.gradient(out, x)


MEANS = {
    "gradient outside": jax.value_and_grad(
        shims.dynamic(lambda x, m: jnp.mean(shims.boolean_mask(x, m)))
    ),
    "gradient inside": shims.dynamic(lambda x, m: jax.value_and_grad(lambda x: jnp.mean(x[m]))(x)),
    "tape inside": shims.dynamic(with_tape),
    "standardized": shims.dynamic(
        lambda x, m: jax.grad(lambda x: jnp.sum(jnp.tanh(x[m] - x[m].mean()) / x[m].std()))(x)
    ),
}


@pytest.mark.parametrize("platform", [*ACCELERATORS, "cpu"])
@pytest.mark.parametrize("name", MEANS)
def test_a_masked_reduction_and_its_gradient_move_nothing(name, platform):
    assert heavy(lowered(MEANS[name], (X, MASK), platform)) == {}
    assert heavy(lowered(jax.value_and_grad(masked_mean), (X, MASK), platform)) == {}


IDS = np.zeros(70_000, np.int32)


def of_segments(name):
    """The operator, and JAX's own for sorted ids."""
    plain = getattr(jax.ops, f"segment_{name}")
    sorted_ones = lambda x, i: plain(x, i, 16, indices_are_sorted=True)
    return getattr(shims.math, f"segment_{name}"), sorted_ones, (X, IDS)


SEGMENTS = {name: of_segments(name) for name in ("sum", "prod", "max", "min")}
PLAIN = {
    "sort": (shims.sort, jnp.sort, (X,)),
    "argsort": (shims.argsort, jnp.argsort, (X,)),
    "cumsum": (shims.cumsum, jnp.cumsum, (X,)),
    "cumsum of integers": (shims.cumsum, jnp.cumsum, (IDS,)),
    "top_k": (lambda x: shims.math.top_k(x, 9), lambda x: jax.lax.top_k(x, 9), (X,)),
    "unsorted_segment_sum": (
        lambda x, i: shims.math.unsorted_segment_sum(x, i, 16),
        lambda x, i: jax.ops.segment_sum(x, i, 16),
        (X, IDS),
    ),
    **SEGMENTS,
}
# What comes on top: numbers of few elements, a comparison of neighbors, whether a segment is empty.
BESIDE = {
    "top_k": {"gather": 2},
    **{name: {"gather": 1} for name in SEGMENTS},
    **{name: {"gather": 1, "scatter": 1} for name in ("max", "min")},
}


@pytest.mark.parametrize("platform", ACCELERATORS)
@pytest.mark.parametrize("name", PLAIN)
def test_functions_of_unknown_sizes_have_the_operations_of_plain_jax(name, platform, monkeypatch):
    monkeypatch.setattr(accelerators, "on_cpu", lambda *_: False)
    ours, theirs, args = PLAIN[name]
    spec = [shims.TensorSpec([None], a.dtype) for a in args]
    with programs_run() as programs:
        shims.function(ours, spec, autograph=False)(*map(jnp.asarray, args))
    text, plain = lowered(*programs[-1], platform), lowered(theirs, args, platform)
    more = BESIDE.get(name, {})
    expected = {k: heavy(plain).get(k, 0) + more.get(k, 0) for k in {*heavy(plain), *more}}
    assert heavy(text) == expected
    sorted_ones = [t.count("indices_are_sorted = true") for t in (text, plain)]
    assert sorted_ones[0] == sorted_ones[1] + more.get("scatter", 0)


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
