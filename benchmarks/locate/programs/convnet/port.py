"""Run a small image network: strided convolutions, batch norm, pooling, a resized skip."""

import jax
import jax.numpy as jnp

LAYOUT = ("NHWC", "HWIO", "NHWC")


def conv(x, kernel, stride, groups=1):
    return jax.lax.conv_general_dilated(
        x, kernel, (stride, stride), "SAME", dimension_numbers=LAYOUT, feature_group_count=groups
    )


def window(x, initial, operation, size, stride, padding):
    shape, strides = (1, size, size, 1), (1, stride, stride, 1)
    return jax.lax.reduce_window(x, initial, operation, shape, strides, padding)


def average(x):
    total = window(x, 0.0, jax.lax.add, 2, 2, "SAME")
    return total / window(jnp.ones_like(x), 0.0, jax.lax.add, 2, 2, "SAME")


def normalize(p, name, x):
    mean = jnp.mean(x, axis=(0, 1, 2))
    variance = jnp.var(x, axis=(0, 1, 2))
    x = (x - mean) / jnp.sqrt(variance + 1e-3) * p[name + "/g"] + p[name + "/b"]
    return x, 0.9 * p[name + "/mean"] + 0.1 * mean


def run(p, images):
    x = images * 2.0 - 1.0
    x = conv(x, p["conv1"], 2)
    x, mean = normalize(p, "bn1", x)
    x = jax.nn.relu6(x)
    skip = x
    x = conv(x, p["conv2"], 1)
    x = x + p["bias2"]
    x = jax.nn.elu(x)
    x = average(x)
    x = conv(x, p["depth"].reshape(3, 3, 1, 3), 1, groups=3)
    x = jax.image.resize(x, (x.shape[0], *skip.shape[1:3], 3), "bilinear", antialias=False)
    x = jnp.concatenate([x, skip], axis=-1)
    x = window(x, -jnp.inf, jax.lax.max, 3, 2, "VALID")
    energy = jnp.sqrt(jnp.sum(x**2, axis=(1, 2)) + 1e-6)
    x = jnp.mean(x, axis=(1, 2))
    x = x * jax.lax.rsqrt(jnp.maximum(jnp.sum(x**2, axis=1, keepdims=True), 1e-12))
    return {"features": x, "mean": mean, "energy": energy, "scores": x @ p["head"]}
