"""What a lowering believes to stand in the padding stands there.

A value may claim a number for all its invalid slots, and whoever wants that number there leaves them
as they are. Each claim is checked where it is made, while the program runs.
"""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import shims
from shims._src.lowering import interpreter
from shims._src.lowering.context import Context
from tests.sizes.test_spread_arrays import SPREADS

X, Y = np.float32([3, 0.5, 2]), np.float32([1, 2, 3, 4, 5])


@pytest.fixture
def claims(monkeypatch):
    """What the claims turned out to be: one entry for each, false ones with their primitive."""
    told: list[tuple[bool, str]] = []
    lower = interpreter._lower_or_defer

    def checked(ctx, eqn, values):
        outs = lower(ctx, eqn, values)
        for out in outs:
            if out.pad is not None and out.dynamic:
                # A context of its own: what is asked here must not be there for the program.
                valid = Context(ctx.root, ctx.env).valid_over(out)
                if valid is not None:
                    holds = jnp.all(valid | (out.array == np.asarray(out.pad, out.array.dtype)))
                    jax.debug.callback(functools.partial(note, name=eqn.primitive.name), holds)
        return outs

    def note(holds, *, name):
        told.append((bool(holds), name))

    monkeypatch.setattr(interpreter, "_lower_or_defer", checked)
    return told


def _run(f, *arrays) -> None:
    signature = [shims.TensorSpec([None] * a.ndim, a.dtype) for a in arrays]
    run = shims.function(f, input_signature=signature, autograph=False)
    jax.block_until_ready(run(*arrays))
    jax.effects_barrier()


@pytest.mark.parametrize("spread", SPREADS, ids=lambda f: f.__name__.strip("_"))
def test_of_spread_arrays(claims, spread):
    def f(x, y):
        found = spread(shims, x, y)
        return [jnp.sum(found * 2 + found), shims.concat([found, found], 0) - 1, found.reshape(-1)]

    _run(f, X, Y)
    assert claims
    assert [name for holds, name in claims if not holds] == []


def test_of_what_is_added_and_turned(claims):
    def f(x, y):
        rows = (x[:, None] + y[None, :]) * 2
        turned = jnp.flip(rows.T, 0)
        joined = jnp.concatenate([turned, -turned], 1)
        return jnp.sum(jnp.tile(joined, (1, 2)) + jnp.maximum(joined[:, :1], 0))

    _run(f, X, Y)
    assert claims
    assert [name for holds, name in claims if not holds] == []


def test_claims_are_made_and_seen(claims, monkeypatch):
    def materialized(self, value, i):
        found = real(self, value, i)
        return type(found)(found.array, found.axes, np.float32(0), found.bounds)

    real = Context.materialize
    monkeypatch.setattr(Context, "materialize", materialized)
    # Of integers: what could be NaN is filled with 0.
    wide = lambda x, y: shims.broadcast_to(x[:, None], [x.shape[0], y.shape[0]]).reshape(-1)
    _run(wide, X.astype(np.int32), X.astype(np.int32))
    assert [name for holds, name in claims if not holds]
