"""Let a written module draw the random numbers of a session, to compare the two."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import jax
import jax.numpy as jnp


@jax.tree_util.register_pytree_node_class
class Key:
    """A random key that refers to positions in the random streams of a session.

    Args:
      places: for each path through `split` the words at which the stream of that operation starts.
      path: the path of this key.
    """

    def __init__(self, places: dict[tuple[int, ...], Any], path: tuple[int, ...]):
        self.places, self.path = places, path

    def tree_flatten(self) -> Any:
        """Return the words, for JAX."""
        return tuple(self.places.values()), (tuple(self.places), self.path)

    @classmethod
    def tree_unflatten(cls, kept: Any, words: Any) -> Key:
        """Return a key from its words, for JAX."""
        paths, path = kept
        return cls(dict(zip(paths, words, strict=True)), path)

    def split(self, count: int) -> list[Key]:
        """Return the keys that `jax.random.split` returns."""
        return [Key(self.places, (*self.path, i)) for i in range(count)]


class _Random:
    """Replaces `jax.random` in a module."""

    def __getattr__(self, name: str) -> Any:
        return getattr(jax.random, name)

    def split(self, key: Any, num: int = 2) -> Any:
        """Return several keys."""
        return key.split(num) if isinstance(key, Key) else jax.random.split(key, num)

    def uniform(
        self, key: Any, shape: Any = (), dtype: Any = float, minval: Any = 0.0, maxval: Any = 1.0
    ) -> Any:
        """Return the numbers that the session draws."""
        if not isinstance(key, Key):
            return jax.random.uniform(key, shape, dtype, minval, maxval)
        import shims

        kind = jnp.float32 if dtype is float else dtype
        low, high = (0, 1) if (minval, maxval) == (0.0, 1.0) else (minval, maxval)
        return _drawn(key, lambda: shims.random.uniform(shape, low, high, dtype=kind))

    def normal(self, key: Any, shape: Any = (), dtype: Any = float) -> Any:
        """Return the numbers that the session draws."""
        if not isinstance(key, Key):
            return jax.random.normal(key, shape, dtype)
        import shims

        return _drawn(
            key, lambda: shims.random.normal(shape, dtype=jnp.float32 if dtype is float else dtype)
        )

    def truncated_normal(
        self, key: Any, lower: Any, upper: Any, shape: Any = (), dtype: Any = float
    ) -> Any:
        """Return the numbers that the session draws."""
        if not isinstance(key, Key):
            return jax.random.truncated_normal(key, lower, upper, shape, dtype)
        import shims

        kind = jnp.float32 if dtype is float else dtype
        return _drawn(key, lambda: shims.random.truncated_normal(shape, dtype=kind))

    def randint(self, key: Any, shape: Any, minval: Any, maxval: Any, dtype: Any = int) -> Any:
        """Return the numbers that the session draws."""
        if not isinstance(key, Key):
            return jax.random.randint(key, shape, minval, maxval, dtype)
        import shims

        return _drawn(key, lambda: shims.random.uniform(shape, minval, maxval, jnp.int32))


def _drawn(key: Key, draw: Any) -> Any:
    from shims._src.random import streams

    words = key.places[key.path]
    with streams.drawn_from(lambda kernel, seed, blocks: words):
        return draw()


def _candidates(key: Any, count: int, classes: int) -> Any:
    """Return the classes that the session draws, and how often it expects each."""
    import shims

    true = jnp.arange(classes)[:, None]
    sample = shims.random.log_uniform_candidate_sampler
    drawn, expected, _ = _drawn(key, lambda: sample(true, 1, count, True, classes))
    return drawn, expected[:, 0]


class _Jax:
    """Replaces `jax` in a module."""

    random = _Random()

    def __getattr__(self, name: str) -> Any:
        return getattr(jax, name)


@contextlib.contextmanager
def replaying(module: Any) -> Iterator[None]:
    """Let a module draw from the streams of a session where it gets a `Key`."""
    replaced = {"jax": _Jax(), "log_uniform_candidates": _candidates}
    kept = {name: getattr(module, name) for name in replaced if hasattr(module, name)}
    for name in kept:
        setattr(module, name, replaced[name])
    try:
        yield
    finally:
        for name, value in kept.items():
            setattr(module, name, value)
