"""Arrays are cut and padded on the device; a CPU's arrays stand for those of an accelerator."""

import collections
import gc

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
import pytest

from shims._src.platform import accelerators, device_arrays

DTYPES = (np.float32, bool, np.complex64, ml_dtypes.bfloat16)


@pytest.fixture(autouse=True)
def elsewhere(monkeypatch):
    """Take arrays for ones that lie on an accelerator."""
    monkeypatch.setattr(accelerators, "on_cpu", lambda *_: False)
    monkeypatch.setattr(device_arrays, "_seen", collections.Counter())


def array(shape, dtype=np.float32):
    return jnp.asarray(np.arange(np.prod(shape)).reshape(shape).astype(dtype))


@pytest.mark.parametrize("is_own", [True, False])
@pytest.mark.parametrize("dtype", DTYPES)
def test_cuts_of_every_axis_are_those_of_numpy(dtype, is_own):
    for shape in ((9,), (8, 3), (4, 5, 6)):
        x = array(shape, dtype)
        for cuts in np.ndindex(*(3,) * len(shape)):
            sizes = {i: (0, 2, n)[c] for i, (c, n) in enumerate(zip(cuts, shape, strict=True))}
            want = np.asarray(x)[tuple(slice(n) for n in sizes.values())]
            got = device_arrays.cut(array(shape, dtype), sizes, is_own=is_own)
            assert got.dtype == x.dtype
            np.testing.assert_array_equal(got, want)


def test_a_whole_array_is_not_copied():
    x = array((8,))
    assert device_arrays.cut(x, {0: 8}, is_own=False) is x


def test_a_view_shares_the_memory_of_its_own_buffer_only():
    x = array((8,))
    own, other = (device_arrays.cut(x, {0: 6}, is_own=b) for b in (True, False))
    assert own.unsafe_buffer_pointer() == x.unsafe_buffer_pointer()
    assert other.unsafe_buffer_pointer() != x.unsafe_buffer_pointer()
    again = device_arrays.cut(x, {0: 6}, is_own=False)
    assert again.unsafe_buffer_pointer() != other.unsafe_buffer_pointer()


def test_what_is_cut_and_padded_is_bound_to_a_device_as_it_was():
    """Otherwise a program would be compiled for both kinds of operands."""
    free = array((16, 4))
    bound = jax.device_put(free, jax.devices()[0])
    assert [free.committed, bound.committed] == [False, True]
    for x in (free, bound):
        for is_own in (True, False):
            assert device_arrays.cut(x, {0: 9}, is_own=is_own).committed is x.committed
            assert device_arrays.cut(x, {1: 3}, is_own=is_own).committed is x.committed
        assert device_arrays._cut_compiled(x, (9, 3)).committed is x.committed
        assert device_arrays.filled_up(x, (32, 4)).committed is x.committed


def test_a_view_keeps_its_buffer():
    view = device_arrays.cut(array((1000,)) + 1, {0: 900}, is_own=True)
    gc.collect()
    others = [jnp.full(1000, float(i)) for i in range(20)]
    np.testing.assert_array_equal(view, np.arange(900) + 1)
    del others


def test_a_view_of_little_of_a_buffer_does_not_keep_it():
    size = device_arrays.LEAST_WASTE // 4
    view = device_arrays.cut(array((size + 1,)), {0: 5}, is_own=True)
    assert device_arrays.buffer_of(view).shape == (8,)
    # One that is small is kept: no program is compiled.
    view = device_arrays.cut(array((size,)), {0: 5}, is_own=True)
    assert device_arrays.buffer_of(view).shape == (size,)


def test_a_view_is_padded_by_its_buffer():
    x = array((16, 2))
    view = device_arrays.cut(x, {0: 7}, is_own=True)
    assert device_arrays.filled_up(view, (16, 2)) is x
    short = device_arrays.filled_up(view, (8, 2))
    assert short.unsafe_buffer_pointer() == x.unsafe_buffer_pointer()
    np.testing.assert_array_equal(short, np.asarray(x)[:8])
    np.testing.assert_array_equal(device_arrays.filled_up(view, (32, 2))[:7], np.asarray(x)[:7])


def test_the_buffer_of_a_deleted_view_is_not_read():
    view = device_arrays.cut(array((16,)), {0: 9}, is_own=True)
    view.delete()
    assert device_arrays.buffer_of(view) is None


def test_buffers_are_forgotten_with_their_views():
    before = len(device_arrays._buffers)
    view = device_arrays.cut(array((16,)), {0: 9}, is_own=True)
    assert len(device_arrays._buffers) == before + 1
    del view
    gc.collect()
    assert len(device_arrays._buffers) == before


@pytest.mark.parametrize("small", [0, 1 << 20])
def test_padding_compiles_for_sizes_that_come_often(monkeypatch, small):
    monkeypatch.setattr(device_arrays, "SMALL", small)
    compiled = []
    original = device_arrays._padded
    monkeypatch.setattr(device_arrays, "_padded", lambda *a: compiled.append(a) or original(*a))
    x = array((5, 3))
    for _ in range(device_arrays.OFTEN + 2):
        got = device_arrays.filled_up(x, (8, 4))
        assert isinstance(got, jax.Array)
        np.testing.assert_array_equal(np.asarray(got)[:5, :3], x)
    assert len(compiled) == (2 if small else device_arrays.OFTEN + 2)


def test_arrays_without_a_view_are_cut():
    weak = jnp.full((8,), 2.0) * jnp.asarray(1.5)
    weak = jax.jit(lambda: jnp.broadcast_to(2.0, (8,)))() if not weak.aval.weak_type else weak
    for _ in range(3):
        got = device_arrays.cut(weak, {0: 5}, is_own=True)
        assert not got.aval.weak_type
        np.testing.assert_array_equal(got, np.asarray(weak)[:5])
    keys = jax.random.split(jax.random.key(0), 8)
    for _ in range(2):
        got = device_arrays._sliced(keys, (5,))
    np.testing.assert_array_equal(jax.random.key_data(got), jax.random.key_data(keys)[:5])


def test_programs_return_no_operand_itself():
    """Otherwise two views of one buffer would be handed out."""
    x = array((8,))
    same = jax.jit(lambda x: x)(x)
    assert same.unsafe_buffer_pointer() != x.unsafe_buffer_pointer()
