"""Pass messages along a graph's edges, with attention over the incoming edges of a node."""

import jax
import jax.numpy as jnp


def segment_softmax(scores, receivers, count):
    top = jax.ops.segment_max(scores, receivers, count)
    weights = jnp.exp(scores - top[receivers])
    total = jax.ops.segment_sum(weights, receivers, count)
    return weights / total[receivers]


def segment_mean(values, ids, count):
    total = jax.ops.segment_sum(values, ids, count)
    number = jax.ops.segment_sum(jnp.ones_like(values), ids, count)
    return total / jnp.maximum(number, 1.0)


def layer(p, nodes, senders, receivers):
    count = nodes.shape[0]
    sent = (nodes @ p["send"])[senders]
    here = (nodes @ p["receive"])[receivers]
    scores = jnp.sum(jax.nn.leaky_relu(sent + here, 0.2) * p["query"], axis=-1)
    weights = segment_softmax(scores, receivers, count)
    mixed = jax.ops.segment_sum(weights[:, None] * sent, receivers, count)
    mean = segment_mean(sent, receivers, count)
    return jax.nn.relu(mixed + mean + nodes @ p["own"])


def run(p, nodes, senders, receivers, graphs):
    ones = jnp.ones((senders.shape[0], 1), nodes.dtype)
    degree = jax.ops.segment_sum(ones, receivers, nodes.shape[0])
    h = nodes * jax.lax.rsqrt(jnp.maximum(degree, 1.0))
    for _ in range(2):
        h = h + layer(p, h, senders, receivers)
    pooled = segment_mean(h, graphs, 2)
    highest = jax.ops.segment_max(h, graphs, 2)
    distance = jnp.linalg.norm(pooled[:, None] - pooled[None] + 1e-3, axis=-1)
    return {"pooled": pooled, "highest": highest, "distance": distance}
