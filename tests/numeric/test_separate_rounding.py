"""Products that are added to something are rounded first, whatever the processor can fuse.

These tests rest on NumPy rounding after each operation. Where processors differ, the compiled text is
read: it must hold no product whose rounding a compiler is free to leave out.
"""

import re

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
import pytest

import shims
from shims._src.numeric.separate_rounding import multiply_add, round_to_dtype, rounded_product

DTYPES = ("float16", "bfloat16", "float32", "float64")
# Of (1 + a)(1 - a) - 1 fusing leaves -a * a, two steps leave 0.
_SMALL = {"float16": 2.0**-8, "bfloat16": 2.0**-5, "float32": 2.0**-20, "float64": 2.0**-40}
_UNCHANGING = ("broadcast", "bitcast", "reshape", "copy", "transpose", "slice")


@pytest.fixture(autouse=True)
def _wide():
    with jax.enable_x64(True):
        yield


def numbers_of(dtype, count=1, size=1 << 16):
    """Normal numbers of a dtype."""
    drawn = np.random.default_rng(0).normal(size=(count, size))
    return drawn.astype(ml_dtypes.bfloat16 if dtype == "bfloat16" else dtype)


def check_bits(got, want):
    """Every bit agrees; NaN have no bits of their own."""
    got, want = np.asarray(got), np.asarray(want)
    assert got.dtype == want.dtype
    word = f"u{got.dtype.itemsize}"
    same = (got.view(word) == want.view(word)) | ((got != got) & (want != want))
    assert same.all(), f"{np.mean(~same):.2%} of the numbers differ"


def fusible(f, *operands):
    """Lines of the compiled text in which a sum takes a product of its dtype, or halves are computed."""
    text = jax.jit(f).lower(*operands).compile().as_text()
    lines = re.findall(r"%(\S+) = (\w+)\[\S* ([\w-]+)\(([^)]*)\)", text)
    made = {name: (op, re.findall(r"%([\w.-]+)", inside)) for name, _, op, inside in lines}

    def source(name):
        op, operands = made.get(name, ("", []))
        return source(operands[0]) if op in _UNCHANGING and operands else op

    sums = [line for line in lines if line[2] in ("add", "subtract")]
    fused = [x for x in sums if "multiply" in map(source, made[x[0]][1])]
    halves = [x for x in lines if x[1] in ("f16", "bf16") and x[2] in ("add", "multiply")]
    return fused + halves


@pytest.mark.parametrize("dtype", DTYPES)
def test_two_roundings(dtype):
    x, y, z = numbers_of(dtype, 3)
    check_bits(jax.jit(rounded_product)(x, y), x * y)
    check_bits(jax.jit(lambda *v: rounded_product(*v[:2]) + v[2])(x, y, z), x * y + z)
    check_bits(jax.jit(multiply_add)(x, y, z), x * y + z)


@pytest.mark.parametrize("dtype", DTYPES)
def test_inputs_that_tell_one_rounding_from_two(dtype):
    a = _SMALL[dtype]
    x, y, z = (jnp.full((64,), v, dtype) for v in (1 + a, 1 - a, -1))
    assert (x.astype("float64") == 1 + a).all()  # so that one rounding gives -a * a
    assert (multiply_add(x, y, z) == 0).all()
    assert (jax.jit(lambda *v: rounded_product(*v[:2]) + v[2])(x, y, z) == 0).all()


@pytest.mark.parametrize("dtype", DTYPES)
def test_no_product_can_be_fused(dtype):
    operands = numbers_of(dtype, 3)
    assert not fusible(multiply_add, *operands)
    if dtype != "bfloat16":  # XLA has no arithmetic of it on CPU
        assert fusible(lambda x, y, z: x * y + z, *operands)  # what the search would find


@pytest.mark.parametrize("dtype", DTYPES[:2])
def test_no_draw_computes_in_halves(dtype):
    def drawn(low, high):
        return shims.random.stateless_uniform([64], [1, 2], low, high, dtype)

    assert not [x for x in fusible(drawn, *jnp.asarray([-1.7, 1.6], dtype)) if x[1] == "f16"]


def test_every_float16():
    halves = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
    generator = np.random.default_rng(0)
    with np.errstate(all="ignore"):
        for _ in range(8):
            y, z = generator.permutation(halves), generator.permutation(halves)
            check_bits(jax.jit(rounded_product)(halves, y), halves * y)
            check_bits(jax.jit(multiply_add)(halves, y, z), halves * y + z)
        # Products of small numbers are subnormal, and not 0.
        x, y = numbers_of("float16", 2) * np.float16(2**-8)
        check_bits(jax.jit(rounded_product)(x, y), x * y)
    check_bits(jax.jit(lambda x: round_to_dtype(x, jnp.float16))(halves.astype(np.float32)), halves)


def test_what_is_special_in_float64():
    x = np.asarray([0.0, -0.0, np.inf, -np.inf, np.nan, 1e-300, -2e-306, 1e308, 3.0])
    with np.errstate(all="ignore"):
        check_bits(rounded_product(x, np.full_like(x, 7.1)), x * 7.1)


@pytest.mark.parametrize("dtype", DTYPES[:2])
def test_a_wider_dtype_behind_it_changes_nothing(dtype):
    def drawn():
        return shims.random.stateless_normal([4096], [1, 2], -1.7, 0.3, dtype)

    compiled = jax.jit(lambda: drawn().astype("float32"))()
    check_bits(compiled, np.asarray(drawn()).astype("float32"))


def test_derivatives():
    x, y, z = (jnp.asarray(v) for v in (2.0, 3.0, 5.0))
    assert jax.grad(multiply_add, (0, 1, 2))(x, y, z) == (3, 2, 1)
    assert jax.grad(rounded_product, (0, 1))(x, y) == (3, 2)
    rows = jax.vmap(multiply_add, (0, None, None))(jnp.arange(3.0), y, z)
    check_bits(rows, np.arange(3.0) * 3 + 5)
