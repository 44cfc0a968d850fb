"""What an operator gives when eager calls repeat, and it is compiled: the same, errors too."""

import jax
import jax.numpy as jnp
import pytest

import shims
from shims._src.tracing.repeated import Repeated
from tests.harness.compare import differences
from tf2jax_port.diff.parity import port_side

from . import cases


@pytest.fixture(autouse=True)
def compiled_at_once(monkeypatch):
    """A call whose kind is new is compiled; what it gives would otherwise be seen much later."""
    monkeypatch.setattr(Repeated, "after", 0)


@pytest.fixture
def step_by_step(monkeypatch):
    """Calls a function without any compiled operator."""

    def call(function, *args):
        with monkeypatch.context() as patch:
            patch.setattr(Repeated, "__call__", lambda self, *a, **k: self.step_by_step(*a, **k))
            return function(*args)

    return call


@pytest.mark.long
@pytest.mark.parametrize("point", cases.points(cases.succeeds))
def test_value_and_dtype(point, step_by_step):
    found = differences(
        port_side.eager(point), step_by_step(port_side.eager, point), point.row.tolerance
    )
    assert not found, found


@pytest.mark.parametrize("point", cases.points(lambda p: bool(p.case.raises)))
def test_errors(point, step_by_step):
    with pytest.raises(Exception) as expected:  # noqa: PT011 - test_values says which
        step_by_step(port_side.eager, point)
    with pytest.raises(type(expected.value)) as raised:
        port_side.eager(point)
    first = [str(e.value).splitlines()[0] for e in (raised, expected)]
    assert first[0] == first[1]


def test_what_is_refused_in_the_data_of_a_repeated_call(monkeypatch):
    monkeypatch.setattr(Repeated, "after", 1)
    rows, good, bad = jnp.arange(5.0), jnp.array([0, 4]), jnp.array([0, 5])
    for _ in range(3):
        assert shims.gather(rows, good).tolist() == [0.0, 4.0]
    with pytest.raises(shims.errors.InvalidArgumentError, match=r"indices\[1\] = 5"):
        shims.gather(rows, bad)
    assert shims.gather(rows, good).tolist() == [0.0, 4.0]


BOXES = [[0.0, 0.0, 1.0, 1.0], [0.0, 0.0, 1.0, 1.1], [2.0, 2.0, 3.0, 3.0]]
SUPPRESSIONS = {
    "plain": lambda b, s: shims.image.non_max_suppression(b, s, 3),
    "with scores": lambda b, s: shims.image.non_max_suppression_with_scores(b, s, 3),
    "soft": lambda b, s: shims.image.non_max_suppression_with_scores(b, s, 3, soft_nms_sigma=0.5),
    "overlaps": lambda b, s: shims.image.non_max_suppression_overlaps(b @ b.T, s, 3),
    "padded": lambda b, s: shims.image.non_max_suppression_padded(
        b[None], s[None], 3, pad_to_max_output_size=True
    ),
    "unpadded": lambda b, s: shims.image.non_max_suppression_padded(b, s, 3),
    "combined": lambda b, s: shims.image.combined_non_max_suppression(
        b[None, :, None], s[None, :, None], 3, 3
    ),
}


@pytest.mark.parametrize("suppress", SUPPRESSIONS.values(), ids=SUPPRESSIONS)
def test_loop_of_suppression_is_built_once(suppress, monkeypatch, step_by_step):
    boxes, scores = jnp.array(BOXES), jnp.array([0.5, 0.9, 0.7])
    expected = jax.tree.map(lambda x: x.tolist(), step_by_step(suppress, boxes, scores))
    suppress(boxes, scores)

    def refuse(*args, **kwargs):
        raise AssertionError("a loop is built again")

    monkeypatch.setattr(jax.lax, "while_loop", refuse)
    assert jax.tree.map(lambda x: x.tolist(), suppress(boxes, scores)) == expected
    with pytest.raises(AssertionError, match="built again"):
        step_by_step(suppress, boxes, scores)


def test_zeros_of_both_signs_are_two_kinds_of_call():
    x = jnp.ones(2)
    for zero in (0.0, -0.0, 0.0, -0.0):
        assert str((shims.multiply(x, zero))[0]) == str(jnp.float32(zero))


def test_a_repeated_call_under_a_tape_has_its_gradient():
    x = jnp.array([1.0, 2.0, 3.0])
    for _ in range(7):
        with shims.GradientTape() as tape:
            tape.watch(x)
            y = shims.math.unsorted_segment_sum(x * x, jnp.array([0, 0, 1]), 2)
        assert tape.gradient(y, x).tolist() == [2.0, 4.0, 6.0]


@pytest.mark.parametrize("operator", [shims.shape, shims.size, shims.rank])
def test_a_result_that_is_known_while_tracing_is_compiled(operator, monkeypatch):
    found = []
    look_up = Repeated._look_up

    def noted(self, key, *rest):
        program = look_up(self, key, *rest)
        found.append((self, key))
        return program

    monkeypatch.setattr(Repeated, "_look_up", noted)
    x = jnp.ones([2, 7])
    results = [operator(x) for _ in range(2)]
    assert all(isinstance(r, jax.Array) and r.dtype == "int32" for r in results)
    assert all(self._programs[key] is not None for self, key in found)
    assert operator is shims.rank or found
