"""Programs drawn from a grammar: the same numbers as Python over exact arrays, or an error."""

import pytest

from tests.drawn_programs import grammar, running

FEW, MANY = range(6), range(6, 600)
# JAX raises while it traces the body of a loop, also if no iteration reads the element; see docs/jax-scorecard.md.
LEFT_TO_JAX = "index is out of bounds for axis 0 with size 0"


def _is_allowed(state: str) -> bool:
    return state == "right" or state.startswith("refused") or LEFT_TO_JAX in state


def _check(seed, lane, folder):
    module = running.load([grammar.program(seed)], folder / f"drawn_{seed}.py")
    found = running.outcomes(module.program, lane)
    wrong = {name: state for name, state in found.items() if not _is_allowed(state)}
    assert not wrong, grammar.program(seed)


@pytest.mark.parametrize("lane", ["function", "jit"])
@pytest.mark.parametrize("seed", FEW)
def test_a_drawn_program(seed, lane, tmp_path):
    _check(seed, lane, tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("lane", running.LANES)
@pytest.mark.parametrize("seed", MANY)
def test_many_drawn_programs(seed, lane, tmp_path):
    _check(seed, lane, tmp_path)


def test_a_wrong_number_is_found():
    """A judge that calls everything right would make the other tests worthless."""
    assert running.judged(running.np.float32(1), running.np.float32(2), "function").startswith(
        "wrong"
    )
    assert running.judged(running.np.float32(1), ValueError("no"), "jit").startswith("no error")
