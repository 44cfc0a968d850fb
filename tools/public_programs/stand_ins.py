"""Replace what a program downloads or draws, in the same way under both libraries.

Pictures and tables of data sets are small and synthetic, plots draw nothing, training is short and reads
arrays in order, and Keras on JAX draws TensorFlow's random numbers, so that both sides start from the same
weights.
"""

from __future__ import annotations

import functools
import importlib.util
import inspect
import sys
import timeit
import types
from collections.abc import Callable
from typing import Any
from unittest import mock

import numpy as np

from tools.public_programs import downloads, games

EPOCHS, STEPS = 2, 4
_PLOTS = (
    *("matplotlib", "matplotlib.pyplot", "matplotlib.colors", "matplotlib.cm", "matplotlib.image"),
    *("seaborn", "IPython", "IPython.display", "imageio", "tensorflow_docs", "graphviz"),
    *("tensorflow_docs.vis", "tensorflow_docs.vis.embed", "tensorflow_docs.plots", "pydot"),
    *("tensorflow_docs.modeling", "matplotlib.gridspec", "tqdm", "tqdm.notebook", "mpl_toolkits"),
    *("mpl_toolkits.mplot3d", "cv2", "wandb", "prettytable"),
)


# Tables and reports; Keras looks for pandas when it is imported.
_TABLES = (
    *("pandas", "sklearn", "sklearn.metrics", "sklearn.model_selection"),
    "tensorflow_probability",
)


def install() -> None:
    """Replace plots, and measured times, which are no results."""
    _replace(_PLOTS)
    timeit.timeit = _run_once  # type: ignore[assignment]
    plot = sys.modules.get("matplotlib.pyplot")
    if isinstance(plot, mock.MagicMock):
        plot.subplots.side_effect = _subplots
    tqdm = sys.modules.get("tqdm")
    if isinstance(tqdm, mock.MagicMock):
        tqdm.tqdm = lambda values, *rest, **options: values


def _run_once(statement: Callable[[], Any], *rest: Any, **options: Any) -> float:
    del rest, options
    statement()
    return 0.0


def _replace(names: tuple[str, ...]) -> None:
    """Let packages that are not installed do nothing."""
    roots = {name.split(".")[0] for name in names}
    missing = {root for root in roots if importlib.util.find_spec(root) is None}
    for name in names:
        if name.split(".")[0] in missing:
            sys.modules[name] = mock.MagicMock()


def install_in_library(tf, library: str) -> None:
    """Replace data sets, and let training be short and in order."""
    _replace(_TABLES)
    keras = sys.modules["keras"]
    for name, (shape, kind) in _DATASETS.items():
        getattr(keras.datasets, name).load_data = functools.partial(_pictures, shape, kind)
    for name in ("imdb", "reuters"):
        getattr(keras.datasets, name).load_data = _texts
    keras.datasets.boston_housing.load_data = _houses
    downloads.install(keras)
    keras.Model.fit = _short_fit(keras.Model.fit)
    if importlib.util.find_spec("gym") is None:
        sys.modules["gym"] = games.module()
    if importlib.util.find_spec("tensorflow_datasets") is None:
        sys.modules["tensorflow_datasets"] = _tensorflow_datasets(tf)
    if library == "shims":
        _draw_as_tensorflow()


def seed(keras) -> None:
    """Set the seeds of Python, NumPy and Keras."""
    keras.utils.set_random_seed(1)


def _subplots(nrows=1, ncols=1, **options) -> tuple[Any, Any]:
    del options
    axes = np.array([[mock.MagicMock() for _ in range(ncols)] for _ in range(nrows)], object)
    return mock.MagicMock(), axes[0, 0] if nrows == ncols == 1 else axes.squeeze()


_DATASETS = {
    "mnist": ((28, 28), 10),
    "fashion_mnist": ((28, 28), 10),
    "cifar10": ((32, 32, 3), 10),
    "cifar100": ((32, 32, 3), 12),
}


def _pictures(shape: tuple[int, ...], kinds: int, *rest, **options):
    """Make pictures whose brightest row tells their class."""
    del rest, options
    random = np.random.RandomState(3)

    def part(count: int) -> tuple[np.ndarray, np.ndarray]:
        labels = random.randint(0, kinds, count)
        pixels = random.randint(0, 90, (count, *shape))
        for picture, label in zip(pixels, labels, strict=True):
            picture[2 * label : 2 * label + 3] += 150
        wanted = labels if len(shape) == 2 else labels[:, None]
        return pixels.astype(np.uint8), wanted.astype(np.uint8)

    return part(320), part(96)


def _texts(num_words=1000, maxlen=None, **options):
    """Make lists of the numbers of words, of two kinds: the first word tells which."""
    del options
    random = np.random.RandomState(3)

    def part(count: int) -> tuple[np.ndarray, np.ndarray]:
        kinds = random.randint(0, 2, count)
        texts = np.empty(count, object)
        for number, kind in enumerate(kinds):
            words = random.randint(4, min(num_words or 1000, 1000), random.randint(5, maxlen or 40))
            texts[number] = [1, int(kind) + 2, *words.tolist()]
        return texts, kinds

    return part(160), part(64)


def _houses(*rest, **options):
    """Make a table of 13 columns and a price that depends on them."""
    del rest, options
    random = np.random.RandomState(3)

    def part(count: int) -> tuple[np.ndarray, np.ndarray]:
        table = random.uniform(0, 10, (count, 13))
        return table, table @ np.linspace(-1, 1, 13) + random.uniform(20, 22, count)

    return part(128), part(32)


def _tensorflow_datasets(tf) -> types.ModuleType:
    """Return a module whose `load` gives pictures of digits, as datasets or as arrays."""
    module = types.ModuleType("tensorflow_datasets")

    def load(name, split=None, batch_size=None, with_info=False, **options):
        del name, options
        train, test = _pictures((28, 28), 10)

        def part(wanted: str):
            x, y = test if wanted.startswith("test") else train
            values = x[..., None], y.astype(np.int64)
            if batch_size == -1:
                return tuple(map(tf.constant, values))
            return tf.data.Dataset.from_tensor_slices(values)

        if split is None:
            found = {"train": part("train"), "test": part("test")}
        else:
            found = part(split) if isinstance(split, str) else [part(wanted) for wanted in split]
        return (found, mock.MagicMock()) if with_info else found

    module.load = load  # type: ignore[attr-defined]
    return module


def _short_fit(fit):
    signature = inspect.signature(fit)

    @functools.wraps(fit)
    def short(*arguments, **options):
        given = signature.bind(*arguments, **options).arguments
        given["epochs"] = min(given.get("epochs", 1), EPOCHS + given.get("initial_epoch", 0))
        given["shuffle"], given["verbose"] = False, 0
        if given.get("steps_per_epoch") is not None:
            given["steps_per_epoch"] = min(given["steps_per_epoch"], STEPS)
        return fit(**given)

    return short


def _draw_as_tensorflow() -> None:
    """Let Keras on JAX draw the random numbers that Keras on TensorFlow draws from a seed."""
    import jax.numpy as jnp
    from keras.src.backend.jax import random as own  # type: ignore[import-untyped]
    from keras.src.random.seed_generator import draw_seed  # type: ignore[import-untyped]

    import shims

    def seed_of(seed):
        return jnp.asarray(draw_seed(seed)).astype(jnp.int32)

    def normal(shape, mean=0.0, stddev=1.0, dtype=None, seed=None):
        return shims.random.stateless_normal(shape, seed_of(seed), mean, stddev, dtype or "float32")

    def truncated_normal(shape, mean=0.0, stddev=1.0, dtype=None, seed=None):
        return shims.random.stateless_truncated_normal(
            shape, seed_of(seed), mean, stddev, dtype or "float32"
        )

    def uniform(shape, minval=0.0, maxval=1.0, dtype=None, seed=None):
        return shims.random.stateless_uniform(
            shape, seed_of(seed), minval, maxval, dtype or "float32"
        )

    def dropout(inputs, rate, noise_shape=None, seed=None):
        if rate in (0.0, 1.0):
            return inputs * (1 - rate)
        return shims.nn.experimental.stateless_dropout(
            inputs, rate, seed_of(seed), noise_shape=noise_shape
        )

    for function in (normal, truncated_normal, uniform, dropout):
        setattr(own, function.__name__, function)
