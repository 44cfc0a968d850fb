"""List faults in networks: layers, losses, attention, convolutions."""

from __future__ import annotations

from benchmarks.locate.fault import faults

FOCAL = faults(
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

CLASSIFIER = faults(
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

ENCODER = faults(
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

CONVNET = faults(
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

AUTOENCODER = faults(
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

PAIRS = faults(
    "pairs",
    ("constant", "jnp.array([0.27, 0.26], images.dtype)", "jnp.array([0.26, 0.27], images.dtype)"),
    ("axis", "grouped.mean(axis=(1, 3), keepdims=True)", "grouped.mean(axis=3, keepdims=True)"),
    (
        "axis order",
        "x.reshape(x.shape[0], -1, GROUPS, WIDTH // GROUPS)",
        "x.reshape(x.shape[0], -1, WIDTH // GROUPS, GROUPS).swapaxes(2, 3)",
    ),
    ("wrong variable", 'h = conv(h, p[name + "/conv2"], 1)', 'h = conv(h, p[name + "/conv1"], 1)'),
    ("missing activation", "    h = jax.nn.silu(h)\n", ""),
    ("missing residual", "    return x + h\n", "    return h\n"),
    (
        "pooling",
        'jax.lax.reduce_window(ones, 0.0, jax.lax.add, window, strides, "SAME")',
        "(size * size)",
    ),
    ("default slope", "jax.nn.leaky_relu(x, 0.1)", "jax.nn.leaky_relu(x)"),
    ("swapped operands", "gate, value = jnp.split", "value, gate = jnp.split"),
    ("gelu", "approximate=False", "approximate=True"),
    ("missing mask", "mask[:, None, None, :] * causal[None, None]", "causal[None, None]"),
    ("wrong variable", 'layer_norm(p, name + "/norm2", x)', 'layer_norm(p, name + "/norm1", x)'),
    ("off by one", "(lengths - 1)[:, None, None]", "(lengths - 2)[:, None, None]"),
    ("axis", "jax.nn.log_softmax(logits, axis=0)", "jax.nn.log_softmax(logits, axis=1)"),
    ("missing square", "jnp.sum(x**2, axis=1, keepdims=True)", "jnp.sum(abs(x), 1, keepdims=True)"),
    ("order of gates", "xz, xr, xn = jnp.split", "xr, xz, xn = jnp.split"),
    ("order of operations", "jnp.tanh(xn + r * hn)", "jnp.tanh(r * (xn + hn))"),
    ("swapped operands", "z * h + (1.0 - z) * new", "(1.0 - z) * h + z * new"),
    ("missing mask", "jnp.sum(losses * mask) / jnp.sum(mask)", "jnp.sum(losses) / jnp.sum(mask)"),
    ("swapped operands", '[p["table"][word], seen]', '[seen, p["table"][word]]'),
    ("axis order", "looks.swapaxes(0, 1), h", "looks, h"),
    ("exclusive sum", "jnp.cumsum(looks, axis=1) - looks", "jnp.cumsum(looks, axis=1)"),
    ("variance", "jnp.var(image, axis=0, ddof=1)", "jnp.var(image, axis=0)"),
    ("comparison", "similarities > own", "similarities >= own"),
    ("constant", "TEMPERATURE = 0.2", "TEMPERATURE = 0.1"),
)
