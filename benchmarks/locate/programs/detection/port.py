"""Match anchors to boxes, and convert boxes to offsets and back."""

import jax.numpy as jnp


def area(boxes):
    return (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])


def overlap(a, b):
    low = jnp.maximum(a[:, None, :2], b[None, :, :2])
    high = jnp.minimum(a[:, None, 2:], b[None, :, 2:])
    size = jnp.maximum(high - low, 0.0)
    common = size[..., 0] * size[..., 1]
    return common / (area(a)[:, None] + area(b)[None] - common)


def encode(boxes, anchors):
    size = anchors[:, 2:] - anchors[:, :2]
    middle = anchors[:, :2] + 0.5 * size
    other = boxes[:, 2:] - boxes[:, :2]
    shift = (boxes[:, :2] + 0.5 * other - middle) / size
    return jnp.concatenate([shift / 0.1, jnp.log(other / size) / 0.2], axis=1)


def decode(codes, anchors):
    size = anchors[:, 2:] - anchors[:, :2]
    middle = anchors[:, :2] + 0.5 * size
    middle = middle + codes[:, :2] * 0.1 * size
    size = jnp.exp(codes[:, 2:] * 0.2) * size
    return jnp.concatenate([middle - 0.5 * size, middle + 0.5 * size], axis=1)


def smooth(x):
    magnitude = jnp.abs(x)
    return jnp.where(magnitude < 1.0, 0.5 * x**2, magnitude - 0.5)


def run(boxes, anchors, codes):
    iou = overlap(anchors, boxes)
    best = jnp.argmax(iou, axis=1)
    quality = jnp.max(iou, axis=1)
    positive = quality >= 0.4
    target = encode(boxes[best], anchors)
    losses = jnp.sum(smooth(codes - target), axis=1)
    count = jnp.maximum(jnp.sum(positive.astype(codes.dtype)), 1.0)
    loss = jnp.sum(jnp.where(positive, losses, 0.0)) / count
    found = decode(codes, anchors)
    found = jnp.minimum(jnp.maximum(found, 0.0), 10.0)
    cell = jnp.floor((anchors[:, 0] - 5.0) / 2.0).astype(jnp.int32)
    order = jnp.argsort(-quality)
    return {
        "loss": loss,
        "boxes": found,
        "ranked": quality[order],
        "cell": cell,
        "bucket": (cell - 3) // 2,
    }
