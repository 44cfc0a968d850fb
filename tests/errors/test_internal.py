"""A fault of the shims' own code ends a trace; no other way to run the program hides it."""

import jax
import jax.numpy as jnp
import pytest

import shims
from shims._src.errors import internal
from shims._src.lowering import interpreter

LANES = {
    "function": shims.function,
    "dynamic": shims.dynamic,
    "jit": lambda f: jax.jit(shims.dynamic(f)),
}


@pytest.mark.parametrize("lane", LANES)
@pytest.mark.parametrize("fault", [AttributeError, NameError, IndexError, KeyError, AssertionError])
def test_a_fault_is_not_hidden(fault, lane, monkeypatch):
    faults = {
        AttributeError: "object().no_such_name",
        NameError: "no_such_name",
        IndexError: "[][0]",
        KeyError: "{}[0]",
        AssertionError: "check()",
    }
    scope = {"__name__": "shims._src.lowering.faulty"}
    exec("def check():\n    assert False", scope)
    exec(f"def run(*args):\n    return {faults[fault]}", scope)
    monkeypatch.setattr(interpreter, "run", scope["run"])
    with pytest.raises(fault) as raised:
        LANES[lane](lambda x: x[x > 0].sum())(jnp.ones(4))
    assert any("Please report" in note for note in raised.value.__notes__)


def test_what_is_raised_on_purpose_is_no_fault():
    with pytest.raises(AttributeError) as raised:
        _ = shims.no_such_operator
    internal.raise_if_internal(raised.value)
