"""Define parameters and one batch for the encoder of 110 million parameters."""

from collections.abc import Iterator
from typing import Any

import numpy as np

LAYERS, WIDTH, INNER, HEADS, VOCABULARY, POSITIONS = 12, 768, 3072, 12, 30522, 512


def shapes() -> dict[str, tuple[int, ...]]:
    """Return names and shapes of all parameters of BERT's base model with its pooler."""
    found: dict[str, tuple[int, ...]] = {
        "embeddings/word": (VOCABULARY, WIDTH),
        "embeddings/position": (POSITIONS, WIDTH),
        "embeddings/type": (2, WIDTH),
        "embeddings/norm/scale": (WIDTH,),
        "embeddings/norm/offset": (WIDTH,),
        "pooler/kernel": (WIDTH, WIDTH),
        "pooler/bias": (WIDTH,),
    }
    for layer in range(LAYERS):
        for name in ("query", "key", "value", "attended"):
            found[f"layer_{layer}/{name}/kernel"] = (WIDTH, WIDTH)
            found[f"layer_{layer}/{name}/bias"] = (WIDTH,)
        found[f"layer_{layer}/inner/kernel"] = (WIDTH, INNER)
        found[f"layer_{layer}/inner/bias"] = (INNER,)
        found[f"layer_{layer}/outer/kernel"] = (INNER, WIDTH)
        found[f"layer_{layer}/outer/bias"] = (WIDTH,)
        for norm in ("norm_attended", "norm_outer"):
            found[f"layer_{layer}/{norm}/scale"] = (WIDTH,)
            found[f"layer_{layer}/{norm}/offset"] = (WIDTH,)
    return found


def parameters(rng: np.random.Generator) -> dict[str, np.ndarray]:
    """Return BERT's initial values, with nonzero biases, so that a fault in one is visible."""
    made = {}
    for name, shape in shapes().items():
        drawn = 0.02 * rng.standard_normal(shape, dtype=np.float32)
        made[name] = 1 + drawn if name.endswith("scale") else drawn
    return made


def cases() -> Iterator[tuple[Any, ...]]:
    """Yield one batch of two rows of sixteen words, the second row with five of padding."""
    rng = np.random.default_rng(0)
    words = rng.integers(0, VOCABULARY, (2, 16)).astype(np.int32)
    mask = (np.arange(16) < np.array([[16], [11]])).astype(np.int32)
    kinds = (np.arange(16) >= np.array([[8], [5]])).astype(np.int32)
    yield parameters(rng), words, mask, kinds
