"""Faults that porters make, each a small edit of a port that is right."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Fault:
    """A port with a fault, or with one and another behind it.

    Attributes:
      program: which one.
      kind: of the first fault.
      edits: old text and new text, the first fault first.
    """

    program: str
    kind: str
    edits: tuple[tuple[str, str], ...]


def _faults(program: str, *rows: tuple[str, str, str]) -> tuple[Fault, ...]:
    return tuple(Fault(program, kind, ((old, new),)) for kind, old, new in rows)


def _two(program: str, kind: str, *edits: tuple[str, str]) -> Fault:
    return Fault(program, kind, edits)


FOCAL = _faults(
    "focal",
    ("comparison", "(labels != -1)", "(labels > 0)"),
    ("sigmoid for softmax", "p = jax.nn.sigmoid(logits)", "p = jax.nn.softmax(logits)"),
    ("constant", "(1.0 - pt) ** 2", "(1.0 - pt) ** 1.5"),
    ("missing term", "(target * alpha + (1.0 - target) * (1.0 - alpha))", "(target * alpha)"),
    ("axis", "jnp.sum(weight * ce, axis=1) * keep", "jnp.mean(weight * ce, axis=1) * keep"),
    ("missing mask", "axis=1) * keep", "axis=1)"),
    ("mean for sum", "return jnp.sum(loss) / count, loss", "return jnp.mean(loss), loss"),
    (
        "gradient at zero",
        "jnp.where(logits >= 0, logits, 0)",
        "jax.lax.stop_gradient(logits) * 0 + jnp.maximum(jax.lax.stop_gradient(logits), 0)",
    ),
)

CLASSIFIER = _faults(
    "classifier",
    ("gelu", "approximate=False", "approximate=True"),
    (
        "variance",
        "jnp.var(x, axis=-1, keepdims=True)",
        "jnp.var(x, axis=-1, keepdims=True, ddof=1)",
    ),
    ("epsilon inside the root", "jnp.sqrt(variance + 1e-3)", "(jnp.sqrt(variance) + 1e-3)"),
    ("constant", "variance + 1e-3", "variance + 1e-5"),
    (
        "axis",
        "mean = jnp.mean(x, axis=-1, keepdims=True)",
        "mean = jnp.mean(x, axis=0, keepdims=True)",
    ),
    ("missing term", ' + params["norm/offset"]', ""),
    ("dropout scale", "h = h * kept / 0.8", "h = h * kept"),
    ("default slope", 'params, "second", h), 0.2)', 'params, "second", h))'),
    ("label smoothing", "0.1 / logits.shape[1]", "0.1"),
    ("mean for sum", "jnp.sum(losses * weights) / jnp.sum(weights)", "jnp.mean(losses * weights)"),
    ("comparison", "(labels > 0)", "(labels >= 0)"),
    ("half of a square", "sum(squares) / 2.0", "sum(squares)"),
    ("axis", "jnp.argmax(logits, axis=1)", "jnp.argmin(logits, axis=1)"),
    ("missing residual", "h = h + jax.nn.leaky_relu(", "h = jax.nn.leaky_relu("),
    (
        "order of operations",
        "h = layer_norm(params, h)\n    h = h * kept / 0.8",
        "h = layer_norm(params, h * kept / 0.8)",
    ),
    ("wrong variable", 'dense(params, "last", h)', 'dense(params, "last", h - h.mean())'),
)

ENCODER = _faults(
    "encoder",
    ("missing scale", 'x = p["table"][ids] * np.sqrt(WIDTH)', 'x = p["table"][ids]'),
    ("missing scale", " / np.sqrt(WIDTH // HEADS)", " / np.sqrt(WIDTH)"),
    (
        "axis order",
        "return x.transpose(0, 2, 1, 3)",
        "return x.reshape(batch, HEADS, length, WIDTH // HEADS)",
    ),
    ("axis order", "(weights @ v).transpose(0, 2, 1, 3)", "(weights @ v)"),
    (
        "mask after the softmax",
        "scores = jnp.where(mask[:, None, None, :], scores, -1e9)\n    weights = jax.nn.softmax(scores)",
        "weights = jax.nn.softmax(scores) * mask[:, None, None, :]",
    ),
    ("mask value", "scores, -1e9)", "scores, 0.0)"),
    ("gelu", "approximate=True", "approximate=False"),
    ("constant", "variance + 1e-6", "variance + 1e-2"),
    (
        "axis order",
        "jnp.stack([jnp.sin(angles), jnp.cos(angles)], -1).reshape(length, WIDTH)",
        "jnp.concatenate([jnp.sin(angles), jnp.cos(angles)], -1)",
    ),
    ("constant", "np.log(10000.0)", "np.log(1000.0)"),
    ("comparison", "[None, :] < lengths[:, None]", "[None, :] <= lengths[:, None]"),
    (
        "norm before or after",
        'x = x + feed_forward(p, layer, norm(p, layer + "/norm2", x))',
        'x = norm(p, layer + "/norm2", x + feed_forward(p, layer, x))',
    ),
    (
        "missing residual",
        'x = x + attend(p, layer, norm(p, layer + "/norm1", x), mask)',
        'x = attend(p, layer, norm(p, layer + "/norm1", x), mask)',
    ),
    (
        "wrong variable",
        'k = split_heads(x @ p[layer + "/k"])',
        'k = split_heads(x @ p[layer + "/q"])',
    ),
    (
        "mean for sum",
        "jnp.sum(x * weights, axis=1) / jnp.sum(weights, axis=1)",
        "jnp.mean(x * weights, axis=1)",
    ),
    ("off by one", "jnp.tanh(x[:, 0]", "jnp.tanh(x[:, 1]"),
    ("missing activation", 'first = jnp.tanh(x[:, 0] @ p["pool"])', 'first = x[:, 0] @ p["pool"]'),
    ("axis", "weights = jax.nn.softmax(scores)", "weights = jax.nn.softmax(scores, axis=-2)"),
)

RECURRENT = _faults(
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

DETECTION = _faults(
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

CONVNET = _faults(
    "convnet",
    (
        "padding",
        'x = conv(x, p["conv1"], 2)',
        'x = jax.lax.conv_general_dilated(x, p["conv1"], (2, 2), [(1, 1), (1, 1)], dimension_numbers=LAYOUT)',
    ),
    ("kernel flipped", 'conv(x, p["conv2"], 1)', 'conv(x, p["conv2"][::-1, ::-1], 1)'),
    (
        "variance",
        "variance = jnp.var(x, axis=(0, 1, 2))",
        "variance = jnp.var(x, axis=(0, 1, 2), ddof=1)",
    ),
    ("constant", '0.9 * p[name + "/mean"] + 0.1 * mean', '0.99 * p[name + "/mean"] + 0.01 * mean'),
    ("activation", "jax.nn.relu6(x)", "jax.nn.relu(x)"),
    ("activation", "jax.nn.elu(x)", "jax.nn.relu(x)"),
    ("missing term", 'x = x + p["bias2"]\n    ', ""),
    ("resize", ', "bilinear", antialias=False)', ', "nearest")'),
    ("axis order", "jnp.concatenate([x, skip], axis=-1)", "jnp.concatenate([skip, x], axis=-1)"),
    ("missing term", "axis=(1, 2)) + 1e-6)", "axis=(1, 2)))"),
    ("axis", "x = jnp.mean(x, axis=(1, 2))", "x = jnp.max(x, axis=(1, 2))"),
    ("constant", "x = images * 2.0 - 1.0", "x = images * 2.0 - 0.5"),
    (
        "pooling",
        'return total / window(jnp.ones_like(x), 0.0, jax.lax.add, 2, 2, "SAME")',
        "return total / 2.0",
    ),
    (
        "missing square",
        "jnp.sum(x**2, axis=1, keepdims=True)",
        "jnp.sum(jnp.abs(x), axis=1, keepdims=True)",
    ),
)

AUTOENCODER = _faults(
    "autoencoder",
    ("activation", "jax.nn.softplus(x", "jax.nn.relu(x"),
    ("activation", "jax.nn.selu(z", "jax.nn.elu(z"),
    ("missing scale", "jnp.exp(0.5 * log_variance)", "jnp.exp(log_variance)"),
    ("clip", 'jnp.clip(h @ p["var"], -2.0, 2.0)', 'jnp.clip(h @ p["var"], -1.0, 1.0)'),
    ("missing term", "inner = 1.0 + log_variance", "inner = log_variance"),
    ("sign", "divergence = -0.5 *", "divergence = 0.5 *"),
    (
        "axis",
        "likelihood = jnp.sum(likelihood, axis=1)",
        "likelihood = jnp.mean(likelihood, axis=1)",
    ),
    ("deviation", "jnp.std(z, axis=0)", "jnp.std(z, axis=0, ddof=1)"),
    ("missing term", " - jnp.log(x.shape[0])", ""),
    ("gradient not stopped", "(jax.lax.stop_gradient(mean) - z) ** 2", "(mean - z) ** 2"),
    (
        "gradient stopped",
        "bound = jnp.mean(likelihood - 0.7 * divergence)",
        "bound = jnp.mean(likelihood - 0.7 * jax.lax.stop_gradient(divergence))",
    ),
    ("constant", "np.log(2.0 * np.pi)", "np.log(np.pi)"),
)

TRAINING = _faults(
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

GRAPH = _faults(
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

AUDIO = _faults(
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
    ("missing scale", "(real**2 + imaginary**2) / SIZE", "real**2 + imaginary**2"),
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

CRF = _faults(
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
    _two(
        "classifier",
        "gelu",
        ("approximate=False", "approximate=True"),
        ('params, "second", h), 0.2)', 'params, "second", h))'),
    ),
    _two(
        "encoder",
        "constant",
        ("np.log(10000.0)", "np.log(1000.0)"),
        (" / np.sqrt(WIDTH // HEADS)", " / np.sqrt(WIDTH)"),
    ),
    _two(
        "recurrent",
        "missing term",
        ("jax.nn.sigmoid(f + 1.0)", "jax.nn.sigmoid(f)"),
        ("jnp.sum(error, axis=1) / lengths", "jnp.mean(error, axis=1)"),
    ),
    _two(
        "convnet",
        "activation",
        ("jax.nn.relu6(x)", "jax.nn.relu(x)"),
        ("x = jnp.mean(x, axis=(1, 2))", "x = jnp.max(x, axis=(1, 2))"),
    ),
    _two(
        "audio",
        "base of a logarithm",
        ("jnp.log10(jnp.maximum(power, 1e-10))", "jnp.log(jnp.maximum(power, 1e-10))"),
        ("(padded[:, 2:] - padded[:, :-2]) / 2.0", "padded[:, 2:] - padded[:, :-2]"),
    ),
    _two(
        "autoencoder",
        "activation",
        ("jax.nn.softplus(x", "jax.nn.relu(x"),
        ("likelihood = jnp.sum(likelihood, axis=1)", "likelihood = jnp.mean(likelihood, axis=1)"),
    ),
)

FAULTS = (
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
    *TWO,
)
