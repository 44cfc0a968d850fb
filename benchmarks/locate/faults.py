"""List common porting faults, each a small edit of a correct port."""

from __future__ import annotations

from benchmarks.locate.fault import Fault, faults, two
from benchmarks.locate.faults_of_layers import (
    AUTOENCODER,
    CLASSIFIER,
    CONVNET,
    ENCODER,
    FOCAL,
    PAIRS,
)

RECURRENT = faults(
    "recurrent",
    ("order of gates", "i, f, g, o = jnp.split", "i, g, f, o = jnp.split"),
    ("missing term", "jax.nn.sigmoid(f + 1.0)", "jax.nn.sigmoid(f)"),
    (
        "wrong variable",
        "return jax.nn.sigmoid(o) * jnp.tanh(c), c",
        "return jax.nn.sigmoid(o) * jnp.tanh(g), c",
    ),
    ("missing mask", "h = jnp.where(live, new_h, h)", "h = new_h"),
    ("comparison", "live = (t < lengths)", "live = (t <= lengths)"),
    ("missing mask", "return (h, c), jnp.where(live, h, 0)", "return (h, c), h"),
    (
        "axis order",
        "outputs = out.transpose(1, 0, 2)",
        "outputs = out.reshape(xs.shape[0], steps, 4)",
    ),
    ("off by one", "(jnp.arange(steps), xs", "(jnp.arange(1, steps + 1), xs"),
    ("exclusive sum", "[:, ::-1] - error", "[:, ::-1]"),
    (
        "direction of a sum",
        "jnp.cumsum(error[:, ::-1], axis=1)[:, ::-1] - error",
        "jnp.cumsum(error, axis=1) - error",
    ),
    ("mean for sum", "jnp.sum(error, axis=1) / lengths", "jnp.mean(error, axis=1)"),
    ("missing term", ' + p["b"]', ""),
)

DETECTION = faults(
    "detection",
    (
        "swapped operands",
        "low = jnp.maximum(a[:, None, :2], b[None, :, :2])",
        "low = jnp.minimum(a[:, None, :2], b[None, :, :2])",
    ),
    ("missing term", " - common)", ")"),
    ("constant", "shift / 0.1", "shift / 0.2"),
    ("off by one", "(boxes[:, 3] - boxes[:, 1])", "(boxes[:, 3] - boxes[:, 1] + 1.0)"),
    (
        "sign",
        "shift = (boxes[:, :2] + 0.5 * other - middle) / size",
        "shift = (middle - boxes[:, :2] - 0.5 * other) / size",
    ),
    (
        "missing term",
        "[middle - 0.5 * size, middle + 0.5 * size]",
        "[middle - 0.5 * size, middle + size]",
    ),
    ("half of a square", "0.5 * x**2", "x**2"),
    ("comparison", "quality >= 0.4", "quality >= 0.1"),
    ("axis", "quality = jnp.max(iou, axis=1)", "quality = jnp.mean(iou, axis=1)"),
    (
        "rounding",
        "jnp.floor((anchors[:, 0] - 5.0) / 2.0).astype",
        "((anchors[:, 0] - 5.0) / 2.0).astype",
    ),
    ("integer division", "(cell - 3) // 2", "lax.div(cell - 3, jnp.asarray(2, cell.dtype))"),
    ("clip", "jnp.minimum(jnp.maximum(found, 0.0), 10.0)", "jnp.maximum(found, 0.0)"),
    ("order of a sort", "jnp.argsort(-quality)", "jnp.argsort(quality)"),
    ("gather", "boxes[best]", "boxes[jnp.zeros_like(best)]"),
)

TRAINING = faults(
    "training",
    ("epsilon inside the root", "(jnp.sqrt(scale) + 1e-3)", "jnp.sqrt(scale + 1e-3)"),
    ("bias correction", "fixed = m / (1.0 - 0.9**step)", "fixed = m"),
    ("constant", "m = 0.9 * m + 0.1 * gradient", "m = 0.95 * m + 0.05 * gradient"),
    ("weight decay", "(update + 0.01 * value)", "update"),
    ("clip by norm", "g * most / jnp.maximum(norm, most)", "g * most / norm"),
    (
        "mean for sum",
        "jnp.mean(jnp.sum((prediction - y) ** 2, axis=1))",
        "jnp.mean((prediction - y) ** 2)",
    ),
    ("rounding", "jnp.floor(step / 2.0)", "jnp.round(step / 2.0)"),
    (
        "order of operations",
        "average = 0.8 * average + 0.2 * w",
        "average = 0.2 * average + 0.8 * w",
    ),
    (
        "wrong variable",
        "b, mb, vb = adam(b, gb, mb, vb, step, rate)",
        "b, mb, vb = adam(b, gb, mb, mb, step, rate)",
    ),
    ("activation", "prediction = jnp.tanh(x @ w + b)", "prediction = jax.nn.sigmoid(x @ w + b)"),
)

GRAPH = faults(
    "graph",
    ("default slope", "jax.nn.leaky_relu(sent + here, 0.2)", "jax.nn.leaky_relu(sent + here)"),
    (
        "wrong variable",
        "total = jax.ops.segment_sum(weights, receivers, count)",
        "total = jax.ops.segment_sum(jnp.ones_like(weights), receivers, count)",
    ),
    ("swapped operands", '(nodes @ p["send"])[senders]', '(nodes @ p["send"])[receivers]'),
    ("missing residual", "h = h + layer(", "h = layer("),
    ("clip", "jnp.maximum(degree, 1.0)", "(degree + 1.0)"),
    (
        "mean for sum",
        "mean = segment_mean(sent, receivers, count)",
        "mean = jax.ops.segment_sum(sent, receivers, count)",
    ),
    ("empty segment", "return total / jnp.maximum(number, 1.0)", "return total / number"),
    (
        "size",
        "highest = jax.ops.segment_max(h, graphs, 2)",
        "highest = jax.ops.segment_max(h, graphs, 3)",
    ),
    ("order of a norm", 'axis=-1)\n    return {"pooled"', 'axis=-1, ord=1)\n    return {"pooled"'),
    ("missing scale", "h = nodes * jax.lax.rsqrt(jnp.maximum(degree, 1.0))", "h = nodes"),
)

AUDIO = faults(
    "audio",
    (
        "window",
        "0.5 - 0.5 * jnp.cos(2.0 * np.pi * n / SIZE)",
        "0.5 - 0.5 * jnp.cos(2.0 * np.pi * n / (SIZE - 1))",
    ),
    (
        "off by one",
        "STEP * np.arange(count)[:, None]",
        "1 + STEP * np.arange(count)[:, None] - (np.arange(count)[:, None] == count - 1)",
    ),
    (
        "base of a logarithm",
        "jnp.log10(jnp.maximum(power, 1e-10))",
        "jnp.log(jnp.maximum(power, 1e-10))",
    ),
    ("axis", "jnp.max(level, axis=(1, 2), keepdims=True) - 30.0", "jnp.max(level) - 30.0"),
    ("missing square", "(real**2 + imaginary**2) / SIZE", "(abs(real) + abs(imaginary)) / SIZE"),
    (
        "deviation",
        "jnp.std(level, axis=1, keepdims=True)",
        "jnp.std(level, axis=1, keepdims=True, ddof=1)",
    ),
    ("padding", 'mode="reflect"', 'mode="symmetric"'),
    ("missing scale", "(padded[:, 2:] - padded[:, :-2]) / 2.0", "padded[:, 2:] - padded[:, :-2]"),
    ("rounding", "jnp.round(level * 4.0).astype", "(level * 4.0).astype"),
    ("direction of a roll", "jnp.roll(level, 1, axis=1)", "jnp.roll(level, -1, axis=1)"),
    ("axis", "jnp.roll(level, 1, axis=1)", "jnp.roll(level, 1)"),
    (
        "precision",
        "real = frames @ cosines",
        "real = (frames.astype(jnp.bfloat16) @ cosines.astype(jnp.bfloat16)).astype(frames.dtype)",
    ),
)

CRF = faults(
    "crf",
    (
        "swapped operands",
        "scores = alpha[:, :, None] + transitions[None]",
        "scores = alpha[:, :, None] + transitions.T[None]",
    ),
    ("axis", "new = jax.nn.logsumexp(scores, axis=1)", "new = jax.nn.logsumexp(scores, axis=2)"),
    ("off by one", "fori_loop(1, steps, forward", "fori_loop(1, steps - 1, forward"),
    ("comparison", "live = (t < lengths)", "live = (t <= lengths)"),
    ("off by one", "mask[:, 1:], axis=1)", "mask[:, :-1], axis=1)"),
    (
        "swapped operands",
        "transitions[tags[:, :-1], tags[:, 1:]]",
        "transitions[tags[:, 1:], tags[:, :-1]]",
    ),
    (
        "sum for maximum",
        "margin = jnp.max(best, axis=1)",
        "margin = jax.nn.logsumexp(best, axis=1)",
    ),
    ("missing mask", "jnp.sum(picked * mask, axis=1)", "jnp.sum(picked, axis=1)"),
    (
        "missing term",
        "path = jnp.max(best[:, :, None] + transitions[None], axis=1) + unary[:, t]",
        "path = jnp.max(best[:, :, None] + transitions[None], axis=1)",
    ),
)

TWO = (
    two(
        "pairs",
        "missing scale",
        (" * (WIDTH // HEADS) ** -0.5", ""),
        ("jnp.mean(rows + columns) / 2.0", "jnp.mean(rows + columns)"),
    ),
    two(
        "classifier",
        "gelu",
        ("approximate=False", "approximate=True"),
        ('params, "second", h), 0.2)', 'params, "second", h))'),
    ),
    two(
        "encoder",
        "constant",
        ("np.log(10000.0)", "np.log(1000.0)"),
        (" / np.sqrt(WIDTH // HEADS)", " / np.sqrt(WIDTH)"),
    ),
    two(
        "recurrent",
        "missing term",
        ("jax.nn.sigmoid(f + 1.0)", "jax.nn.sigmoid(f)"),
        ("jnp.sum(error, axis=1) / lengths", "jnp.mean(error, axis=1)"),
    ),
    two(
        "convnet",
        "activation",
        ("jax.nn.relu6(x)", "jax.nn.relu(x)"),
        ("x = jnp.mean(x, axis=(1, 2))", "x = jnp.max(x, axis=(1, 2))"),
    ),
    two(
        "audio",
        "base of a logarithm",
        ("jnp.log10(jnp.maximum(power, 1e-10))", "jnp.log(jnp.maximum(power, 1e-10))"),
        ("(padded[:, 2:] - padded[:, :-2]) / 2.0", "padded[:, 2:] - padded[:, :-2]"),
    ),
    two(
        "autoencoder",
        "activation",
        ("jax.nn.softplus(x", "jax.nn.relu(x"),
        ("likelihood = jnp.sum(likelihood, axis=1)", "likelihood = jnp.mean(likelihood, axis=1)"),
    ),
)

FAULTS: tuple[Fault, ...] = (
    *FOCAL,
    *CLASSIFIER,
    *ENCODER,
    *RECURRENT,
    *DETECTION,
    *CONVNET,
    *AUTOENCODER,
    *TRAINING,
    *GRAPH,
    *AUDIO,
    *CRF,
    *PAIRS,
    *TWO,
)
