"""List edits that keep a port correct: other algorithms, orders and spellings."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np

from benchmarks.locate.ports import NAMES, Edit, edited, port_text

SAME: dict[str, tuple[Edit, ...]] = {
    "focal": (
        ("jax.nn.sigmoid(logits)", "1.0 / (1.0 + jnp.exp(-logits))"),
        ("jnp.sum(weight * ce, axis=1)", "jnp.einsum('ij,ij->i', weight, ce)"),
        ("(1.0 - pt) ** 2", "jnp.square(1.0 - pt)"),
        ("jnp.sum(loss) / count, loss", "jnp.sum(loss[::-1] / count), loss"),
        ("target * p + (1.0 - target) * (1.0 - p)", "1.0 - target - p + 2.0 * target * p"),
        ("(labels != -1).astype(logits.dtype)", "jnp.where(labels == -1, 0.0, 1.0)"),
    ),
    "classifier": (
        ("return x @ params", "return jnp.einsum('ij,jk->ik', x, params"),
        ("jnp.mean(x, axis=-1, keepdims=True)", "jnp.sum(x, axis=-1, keepdims=True) / x.shape[-1]"),
        (
            "jnp.var(x, axis=-1, keepdims=True)",
            "jnp.mean(x * x, axis=-1, keepdims=True) - mean * mean",
        ),
        ("(x - mean) / jnp.sqrt(variance + 1e-3)", "(x - mean) * jax.lax.rsqrt(variance + 1e-3)"),
        ("h * kept / 0.8", "h * (kept / 0.8)"),
        (
            "-jnp.sum(target * jax.nn.log_softmax(logits), axis=-1)",
            "jax.nn.logsumexp(logits, axis=-1) * jnp.sum(target, -1) - jnp.sum(target * logits, -1)",
        ),
        ("jnp.sum(params[n] ** 2)", "jnp.vdot(params[n], params[n])"),
        ("0.01 * sum(squares) / 2.0", "0.005 * (squares[2] + squares[1] + squares[0])"),
        ("jax.nn.softmax(logits)}", "jnp.exp(jax.nn.log_softmax(logits))}"),
    ),
    "encoder": (
        ('x @ p[layer + "/q"]', 'jnp.einsum("btd,de->bte", x, p[layer + "/q"])'),
        ("q @ k.swapaxes(-1, -2)", 'jnp.einsum("bhqd,bhkd->bhqk", q, k)'),
        ("(weights @ v).transpose(0, 2, 1, 3)", 'jnp.einsum("bhqk,bhkd->bqhd", weights, v)'),
        ("jnp.mean(x, axis=-1, keepdims=True)", "jnp.sum(x, axis=-1, keepdims=True) / x.shape[-1]"),
        ("jnp.var(x, axis=-1, keepdims=True)", "jnp.mean((x - mean) ** 2, axis=-1, keepdims=True)"),
        ('normal * p[name + "/g"] + p[name + "/b"]', 'p[name + "/b"] + p[name + "/g"] * normal'),
        ("scores, -1e9)", "scores, -1e30)"),
        (
            "x.reshape(batch, length, HEADS, WIDTH // HEADS)",
            "jnp.stack(jnp.split(x, HEADS, -1), 2)",
        ),
        ("/ np.sqrt(WIDTH // HEADS)", "* (WIDTH // HEADS) ** -0.5"),
        ("jnp.sum(x * weights, axis=1) /", "jnp.einsum('btd,btk->bd', x, weights) /"),
    ),
    "recurrent": (
        (
            'x @ p["wx"] + h @ p["wh"] + p["b"]',
            'jnp.concatenate([x, h], 1) @ jnp.concatenate([p["wx"], p["wh"]]) + p["b"]',
        ),
        ("jax.nn.sigmoid(f + 1.0)", "(0.5 * jnp.tanh(0.5 * f + 0.5) + 0.5)"),
        ("jnp.sum(error, axis=1) / lengths", "jnp.mean(error, axis=1) * (steps / lengths)"),
        (
            "jnp.cumsum(error[:, ::-1], axis=1)[:, ::-1] - error",
            "jnp.sum(error, 1, keepdims=True) - jnp.cumsum(error, axis=1)",
        ),
        ("(logits - xs[:, :, :2]) ** 2", "jnp.square(xs[..., :2] - logits)"),
        ('outputs @ p["head"]', 'jnp.tensordot(outputs, p["head"], 1)'),
        ("jnp.where(live, new_c, c)", "live * new_c + (1 - live) * c"),
    ),
    "detection": (
        (
            "return common / (area(a)[:, None] + area(b)[None] - common)",
            "return common / (area(a)[:, None] - common + area(b)[None])",
        ),
        ("size[..., 0] * size[..., 1]", "jnp.prod(size, axis=-1)"),
        ("shift / 0.1", "shift * 10.0"),
        ("jnp.log(other / size) / 0.2", "(jnp.log(other) - jnp.log(size)) * 5.0"),
        ("anchors[:, :2] + 0.5 * size", "0.5 * (anchors[:, :2] + anchors[:, 2:])"),
        ("jnp.argsort(-quality)", "jnp.argsort(quality)[::-1]"),
        (
            "jnp.sum(smooth(codes - target), axis=1)",
            "smooth(codes - target) @ jnp.ones(4, codes.dtype)",
        ),
        ("(cell - 3) // 2", "jnp.floor_divide(cell - 3, 2)"),
    ),
    "convnet": (
        ("jnp.var(x, axis=(0, 1, 2))", "jnp.mean(x * x, axis=(0, 1, 2)) - mean**2"),
        ("jnp.mean(x, axis=(0, 1, 2))", "jnp.mean(jnp.mean(x, axis=(1, 2)), axis=0)"),
        ("images * 2.0 - 1.0", "(images - 0.5) * 2.0"),
        ("jax.nn.relu6(x)", "jnp.minimum(jax.nn.relu(x), 6.0)"),
        (
            '0.9 * p[name + "/mean"] + 0.1 * mean',
            'p[name + "/mean"] + 0.1 * (mean - p[name + "/mean"])',
        ),
        ("jnp.mean(x, axis=(1, 2))", "jnp.sum(x, axis=(1, 2)) / (x.shape[1] * x.shape[2])"),
        ("/ jnp.sqrt(variance + 1e-3)", "* jax.lax.rsqrt(variance + 1e-3)"),
    ),
    "autoencoder": (
        ("jax.nn.softplus(x", "jnp.logaddexp(0.0, x"),
        ("jnp.exp(0.5 * log_variance)", "jnp.sqrt(jnp.exp(log_variance))"),
        ("jnp.sum(inner, axis=1)", "jnp.sum(inner[:, ::-1], axis=1)"),
        ("jnp.std(z, axis=0)", "jnp.sqrt(jnp.mean((z - z.mean(0)) ** 2, axis=0))"),
        (
            "jnp.mean(likelihood - 0.7 * divergence)",
            "jnp.mean(likelihood) - 0.7 * jnp.mean(divergence)",
        ),
        (
            "jnp.sum(z**2 + np.log(2.0 * np.pi), axis=1)",
            "(jnp.sum(z**2, axis=1) + z.shape[1] * np.log(2.0 * np.pi))",
        ),
        (
            "jax.nn.logsumexp(likelihood + prior)",
            "jnp.log(jnp.sum(jnp.exp(likelihood + prior + 20.0))) - 20.0",
        ),
    ),
    "training": (
        ("x @ w + b", "jnp.einsum('ij,jk->ik', x, w) + b"),
        (
            "jnp.mean(jnp.sum((prediction - y) ** 2, axis=1))",
            "jnp.sum((prediction - y) ** 2) / x.shape[0]",
        ),
        ("g * most / jnp.maximum(norm, most)", "g * jnp.minimum(1.0, most / norm)"),
        ("m = 0.9 * m + 0.1 * gradient", "m = m + 0.1 * (gradient - m)"),
        ("value - rate * (update + 0.01 * value)", "value * (1.0 - 0.01 * rate) - rate * update"),
        ("0.8 * average + 0.2 * w", "average - 0.2 * (average - w)"),
        ("sum(jnp.sum(g**2) for g in gradients)", "sum(jnp.vdot(g, g) for g in gradients)"),
    ),
    "graph": (
        ("jnp.exp(scores - top[receivers])", "jnp.exp(scores - jnp.max(scores))"),
        ('(nodes @ p["send"])[senders]', 'nodes[senders] @ p["send"]'),
        (
            'jnp.sum(jax.nn.leaky_relu(sent + here, 0.2) * p["query"], axis=-1)',
            'jax.nn.leaky_relu(sent + here, 0.2) @ p["query"]',
        ),
        ('mixed + mean + nodes @ p["own"]', 'nodes @ p["own"] + (mean + mixed)'),
        (
            "nodes * jax.lax.rsqrt(jnp.maximum(degree, 1.0))",
            "nodes / jnp.sqrt(jnp.maximum(degree, 1.0))",
        ),
        (
            "jnp.linalg.norm(pooled[:, None] - pooled[None] + 1e-3, axis=-1)",
            "jnp.sqrt(jnp.sum((pooled[:, None] - pooled[None] + 1e-3) ** 2, axis=-1))",
        ),
    ),
    "audio": (
        (
            "10.0 * jnp.log10(jnp.maximum(power, 1e-10))",
            "jnp.log(jnp.maximum(power, 1e-10)) * (10.0 / np.log(10.0))",
        ),
        ("0.5 - 0.5 * jnp.cos(2.0 * np.pi * n / SIZE)", "jnp.sin(np.pi * n / SIZE) ** 2"),
        ("frames @ cosines\n", "jnp.einsum('btn,nk->btk', frames, cosines)\n"),
        (
            "(real**2 + imaginary**2) / SIZE",
            "jnp.abs(jax.lax.complex(real, imaginary)) ** 2 / SIZE",
        ),
        (
            "jnp.std(level, axis=1, keepdims=True)",
            "jnp.sqrt(jnp.mean((level - mean) ** 2, axis=1, keepdims=True))",
        ),
        ("jnp.roll(level, 1, axis=1)", "jnp.concatenate([level[:, -1:], level[:, :-1]], axis=1)"),
        ("(padded[:, 2:] - padded[:, :-2]) / 2.0", "0.5 * padded[:, 2:] - 0.5 * padded[:, :-2]"),
    ),
    "pairs": (
        ("x = (images - mean) / deviation", "x = images / deviation - mean / deviation"),
        (
            "jnp.mean(x, axis=(1, 2), keepdims=True)",
            "x.mean(1, keepdims=True).mean(2, keepdims=True)",
        ),
        ("h = jax.nn.silu(h)\n", "h = h / (1.0 + jnp.exp(-h))\n"),
        ("jax.nn.leaky_relu(x, 0.1)", "jnp.maximum(x, 0.1 * x)"),
        ("scores + (1.0 - mask) * -1e9", "jnp.where(mask > 0, scores, -1e30)"),
        (
            "x * jax.lax.rsqrt(jnp.maximum(jnp.sum(x**2, axis=1, keepdims=True), 1e-12))",
            "x / jnp.linalg.norm(x, axis=1, keepdims=True)",
        ),
        ("z * h + (1.0 - z) * new", "new + z * (h - new)"),
        (
            "jnp.sum(weights[:, :, None] * patches, axis=1), weights",
            'jnp.einsum("bs,bsc->bc", weights, patches), weights',
        ),
        (
            'jnp.concatenate([p["table"][word], seen], axis=1)',
            'jnp.hstack([p["table"][word], seen])',
        ),
        (
            "jnp.cumsum(looks, axis=1) - looks",
            "jnp.cumsum(jnp.pad(looks, [(0, 0), (1, 0), (0, 0)])[:, :-1], 1)",
        ),
        ("jnp.sum(losses * mask) / jnp.sum(mask)", "jnp.average(losses, weights=mask)"),
        ("(similarities > own).astype(jnp.int32)", "jnp.where(similarities > own, 1, 0)"),
    ),
    "crf": (
        (
            "jax.nn.logsumexp(scores, axis=1) + unary",
            "jnp.log(jnp.sum(jnp.exp(scores), axis=1)) + unary",
        ),
        (
            "jnp.take_along_axis(unary, tags[:, :, None], axis=2)[:, :, 0]",
            "jnp.sum(unary * jax.nn.one_hot(tags, 3, dtype=unary.dtype), axis=2)",
        ),
        ("jnp.sum(picked * mask, axis=1)", "jnp.einsum('bt,bt->b', picked, mask)"),
        ("partition - emitted - moved", "partition - (moved + emitted)"),
        (
            "jnp.mean(loss / jnp.sum(mask, axis=1))",
            "jnp.sum(loss / jnp.sum(mask, axis=1)) / loss.shape[0]",
        ),
        (
            "jnp.where(live, path, best)",
            "jax.lax.select_n(jnp.broadcast_to(live, best.shape), best, path)",
        ),
    ),
}


def right_ports(count: int) -> Iterator[tuple[str, str]]:
    """Yield program and text of correct ports: subsets of the edits above, in a fixed order."""
    queues = [_variants(program) for program in NAMES]
    return itertools.islice((next(queue) for queue in itertools.cycle(queues)), count)


def _variants(program: str) -> Iterator[tuple[str, str]]:
    rng = np.random.default_rng(len(program))
    text, edits = port_text(program), SAME[program]
    yield program, text
    for edit in edits:
        yield program, _with(text, [edit])
    seen = set()
    while True:
        chosen = tuple(np.flatnonzero(rng.random(len(edits)) < 0.5))
        if len(chosen) > 1 and chosen not in seen:
            seen.add(chosen)
            yield program, _with(text, [edits[i] for i in chosen])


def _with(text: str, edits: list[Edit]) -> str:
    text = edited(text, edits)
    if "jnp.einsum('ij,jk->ik', x, params" in text:
        text = text.replace('x, params[name + "/w"] + params', 'x, params[name + "/w"]) + params')
    if "jax." in text and "import jax\n" not in text:
        text = text.replace("import jax.numpy as jnp", "import jax\nimport jax.numpy as jnp", 1)
    return text
