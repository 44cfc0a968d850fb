"""Run a gated recurrent network over sequences of different lengths, and compute a loss."""

import jax
import jax.numpy as jnp


def cell(p, h, c, x):
    gates = x @ p["wx"] + h @ p["wh"] + p["b"]
    i, f, g, o = jnp.split(gates, 4, axis=1)
    c = jax.nn.sigmoid(f + 1.0) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
    return jax.nn.sigmoid(o) * jnp.tanh(c), c


def run(p, xs, lengths):
    steps = xs.shape[1]
    h = jnp.zeros((xs.shape[0], 4), xs.dtype)
    c = jnp.zeros_like(h)

    def body(carry, step):
        h, c = carry
        t, x = step
        new_h, new_c = cell(p, h, c, x)
        live = (t < lengths)[:, None]
        h = jnp.where(live, new_h, h)
        c = jnp.where(live, new_c, c)
        return (h, c), jnp.where(live, h, 0)

    (h, c), out = jax.lax.scan(body, (h, c), (jnp.arange(steps), xs.swapaxes(0, 1)))
    outputs = out.transpose(1, 0, 2)
    mask = (jnp.arange(steps)[None] < lengths[:, None]).astype(xs.dtype)
    logits = outputs @ p["head"]
    error = jnp.sum((logits - xs[:, :, :2]) ** 2, axis=-1) * mask
    per_row = jnp.sum(error, axis=1) / lengths
    decayed = jnp.cumsum(error[:, ::-1], axis=1)[:, ::-1] - error
    return {"loss": jnp.mean(per_row), "last": h, "ahead": decayed, "logits": logits}
