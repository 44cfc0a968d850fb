"""Where inputs come from, and what is in them."""

from __future__ import annotations

import functools
import itertools
import sys
import warnings

import hypothesis.strategies as st
import jax
import jax.numpy as jnp
import numpy as np
import pytest

import shims
from tf2jax_port.diff import capture
from tf2jax_port.diff.functions.loading import DiffError
from tf2jax_port.diff.inputs.cases import collect, reported
from tf2jax_port.diff.inputs.constants import constants_of
from tf2jax_port.diff.inputs.sources import from_strategy, source_of


def loss(x, ids, keep=None, *, scale=1.0):
    return x


def made(spec, old=loss, seed=0):
    return list(source_of(spec, old, seed).calls())


def test_a_signature_gives_sizes_scales_and_edges():
    found = made("x: float32[n, 3]; ids: int32[n] in 0..n; keep: bool[n]; p: float32[m] in 0..1")
    assert [call[0].shape[0] for call in found] == [7, 8, 9, 5, 3, 16, 17, 6, 1, 0]
    scales = [np.abs(call[0]).max() for call in found[:5]]
    assert scales == pytest.approx([2.5, 2.5e-6, 2.5e-3, 25, 250], rel=0.6)
    edges = np.concatenate([call[0].ravel() for call in found[5:8]])
    assert np.isnan(edges).any()
    assert np.isinf(edges).any()
    assert np.any((edges == 0) & np.signbit(edges))
    assert np.any((edges != 0) & (np.abs(edges) < np.finfo(np.float32).tiny))
    for x, ids, keep, p in found:
        assert (x.dtype, ids.dtype, keep.dtype) == (np.float32, np.int32, bool)
        assert x.shape[0] == len(ids) == len(keep)
        assert not len(ids) or (ids.min() >= 0 and ids.max() < len(ids))
        assert not len(p) or (p.min() >= 0 and p.max() <= 1)
    assert {(bool(k.any()), bool(k.all())) for _, _, k, _ in found if len(k) > 1} == {
        (True, False),
        (False, False),
        (True, True),
    }
    assert {len(p) for *_, p in found} >= {0, 1}
    # Another size has another number, so that nobody takes one for the other.
    assert all(len(p) != len(x) for x, *_, p in found if len(x) > 1)


def test_a_size_is_computed_from_another_one():
    spec = "x: float32[n, c]; y: float32[n+1, c - 1]; z: float32[c*2]"
    for x, y, z in made(spec, lambda x, y, z: x):
        n, c = x.shape
        assert (y.shape, z.shape) == ((n + 1, max(0, c - 1)), (2 * c,))


def test_it_is_the_same_every_time_and_another_for_another_seed():
    spec = "x: float32[n]; z: complex64[2]; h: bfloat16[n]; n: int32"
    first, again, other = made(spec), made(spec), made(spec, seed=1)
    for a, b in zip(first, again, strict=True):
        for x, y in zip(a, b, strict=True):
            assert x.tobytes() == y.tobytes()
    assert not np.array_equal(first[0][0], other[0][0])
    assert [a.dtype.name for a in first[0]] == ["float32", "complex64", "bfloat16", "int32"]


def test_integers_by_the_role_of_their_name():
    found = made("lengths: int32[4]; segment_ids: int32[n]; label: int64[n]; other: int8[20]")
    lengths = {int(x) for call in found[:5] for x in call[0]}
    assert {0, 5} <= lengths
    assert all(np.all(np.diff(call[1]) >= 0) for call in found)
    assert all(call[2].min(initial=0) >= 0 for call in found)
    assert min(call[3].min() for call in found) < 0


def test_the_signature_of_a_function():
    signature = [shims.TensorSpec([None, 2], np.float32), {"m": shims.TensorSpec([None], bool)}]
    function = shims.function(lambda x, d: x, input_signature=signature)
    found = made("signature", function)
    assert [call[0].shape for call in found][-2:] == [(1, 2), (0, 2)]
    assert all(call[0].shape[0] == call[1]["m"].shape[0] for call in found)
    with pytest.raises(DiffError, match="the original has no input signature"):
        made("signature")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x: float32[n,3", "`x: float32\\[n,3` is not a valid argument"),
        ("x: float33[n]", "there is no type `float33`"),
        ("x: int64(n); y: float32[n]", "`x: int64\\(n\\)` is not a valid argument"),
        ("x: int64[n], y: float32[n]", "`;` is between arguments"),
        ("x float32[n]; y: float32[n]", "`x float32\\[n\\]` is not a valid argument"),
        ("x: float32[n/2]", "`n/2` is not a size"),
    ],
)
def test_a_signature_that_is_none(text, message):
    with pytest.raises(DiffError, match=message):
        made(text)


def test_an_archive(tmp_path):
    path = str(tmp_path / "a.npz")
    x, ids = np.float32([[1, 2]]), np.int32([0])
    np.savez(path, **{"0/x/w": x, "0/ids": ids, "2/x": x + 1, "2/ids": ids})
    first, second = made(path)
    np.testing.assert_array_equal(first[0]["w"], x)
    np.testing.assert_array_equal(second[0], x + 1)
    np.savez(path, x, ids)
    assert [a.tolist() for a in made(path)[0]] == [[[1, 2]], [0]]
    np.savez(path, x=x, idx=ids)
    with pytest.raises(DiffError) as error:
        made(path)
    assert str(error.value) == (
        f"{path}: its names do not fit the function.\n"
        "  Required: x, ids, keep\n  Received: no parameter is called idx"
    )
    np.savez(path, keep=ids, x=x)
    with pytest.raises(DiffError, match="there is no array for ids"):
        made(path)
    np.savez(path, x=np.array([object()]))
    with pytest.raises(DiffError, match="the golden cannot be read"):
        made(path)


def test_a_strategy():
    strategy = st.tuples(st.integers(0, 9).map(np.int32), st.just(2))
    found = from_strategy(strategy, 5, seed=3)
    assert len(found) == 5
    assert found == from_strategy(strategy, 5, seed=3)
    assert all(n == 2 for _, n in found)
    assert from_strategy(st.just(1.5), 1, 0) == [(1.5,)]


def test_a_strategy_in_a_file(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "path", list(sys.path))
    (tmp_path / "s.py").write_text(
        "from hypothesis import strategies as st\ncalls = st.just(1)\nno = 3\n"
    )
    assert made(f"{tmp_path}/s.py:calls") == [(1,)] * 1
    with pytest.raises(DiffError, match="this is not a source of inputs"):
        made(f"{tmp_path}/s.py:no")


def test_real_calls_are_kept(tmp_path):
    path = tmp_path / "calls.safetensors"

    @capture(path, limit=3)
    def norm(x, order, *, axis=None):
        return jnp.sum(jnp.abs(x) ** order)

    assert norm(jnp.float32([1, 2]), order=2) == 5
    norm(jnp.float32([1, 2]), 2)  # the same again
    norm({"a": np.float32(1)}["a"], 1)
    calls = made(str(path))
    assert len(calls) == 2
    assert (calls[0][0].tolist(), calls[0][1]) == ([1, 2], 2)
    for n in range(5):
        norm(np.float32(n), 7)
    assert len(made(str(path))) == 3


def test_what_cannot_be_kept_is_a_warning_and_no_more(tmp_path):
    captured = capture(tmp_path / "calls.safetensors")(lambda x, *, k=0: x)
    with pytest.warns(UserWarning, match="are no longer captured: .*k: keyword-only arguments"):
        assert captured(1, k=2) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert captured(2, k=2) == 2
    traced = capture(tmp_path / "calls.safetensors")(lambda x: x)
    with pytest.warns(
        UserWarning, match="are no longer captured: TracerArrayConversionError|The numpy"
    ):
        assert jax.jit(traced)(1.5) == 1.5


def test_cases_without_an_end():
    with pytest.raises(DiffError, match="the generator yielded more than 10,000 calls") as caught:
        collect(lambda: ((n,) for n in itertools.count()), lambda x: x)
    assert "Do:       end the loop, for example `for _ in range(100):`" in str(caught.value)

    def cases():
        for _ in range(100):
            yield (1,)

    assert len(collect(cases, lambda x: x)) == 100
    told = []
    calls = reported(lambda: iter([(1,), (2,)]), told.append)
    assert list(calls()) == [(1,), (2,)]
    assert told == ["cases()"]


EPSILON = 1e-7


def _inner(x, limit=0.3):
    return x > limit


def clipping(x):
    return _inner(x.clip(EPSILON, 1 - EPSILON)) * 2.5


def test_generated_inputs_have_the_numbers_of_the_source():
    found = constants_of(clipping)
    assert set(found) == {2.5, -2.5, EPSILON, 1 - EPSILON, -EPSILON, 0.3, 0.7, -0.3}
    for wrapped in (shims.function(clipping), functools.partial(clipping)):
        assert constants_of(wrapped) == found
    bounded = made("x: float32[n] in 0..1", clipping)
    elements = np.concatenate([call[0] for call in bounded[5:8]])
    assert {np.float32(EPSILON), np.float32(1 - EPSILON)} <= {*elements}
    assert elements.min() >= 0
    assert np.float32(2.5) in made("x: float32[n]", clipping)[5][0]
    assert constants_of(len) == ()
