"""Sampled classes and the losses over them, with the numbers of `set_seed`.

Classes are integers; those of the logarithmic sampler are cut from a float64 exponential, of which only a
whole number would show the last place. Expected counts have a tolerance.
"""

import numpy as np
import pytest
import tensorflow as tf

import shims

RNG = np.random.default_rng(2)
LABELS = np.int64([[1, 2], [0, 5], [3, 3]])
SAMPLERS = ("uniform_candidate_sampler", "log_uniform_candidate_sampler")
# Classes, samples: few, all, many.
SIZES = [(20, 4), (10, 10), (5000, 60)]
WEIGHTS, BIASES, INPUTS = (
    RNG.normal(size=size).astype(np.float32) for size in ((30, 4), (30,), (3, 4))
)


def samples(library, name, classes, count, unique):
    """Calls with a seed of their own and without one, eagerly and in a function."""
    library.random.set_seed(3)
    call = getattr(library.random, name)
    draw = lambda labels, **seed: call(labels, 2, count, unique, classes, **seed)
    inside = library.function(lambda labels: [*draw(labels), *draw(labels, seed=5)])
    eager = [draw(LABELS, seed=7), draw(LABELS, seed=7), draw(LABELS), draw(LABELS)]
    return [x for parts in (*eager, inside(LABELS), inside(LABELS)) for x in parts]


@pytest.mark.symbols("random.{name}", lanes=("eager", "function"))
@pytest.mark.parametrize("name", SAMPLERS)
@pytest.mark.parametrize("unique", [False, True])
@pytest.mark.parametrize(("classes", "count"), SIZES)
def test_samples(name, unique, classes, count):
    ours, theirs = (samples(m, name, classes, count, unique) for m in (shims, tf))
    for place, (found, wanted) in enumerate(zip(ours, theirs, strict=True)):
        if place % 3:
            np.testing.assert_allclose(found, wanted, rtol=2e-6)
        else:
            np.testing.assert_array_equal(found, wanted)


REFUSED = {
    "too-many": (np.int64([[1]]), 1, 5, True, 4),
    "columns": (np.int64([[1]]), 2, 2, True, 4),
    "vector": (np.int64([1]), 1, 2, True, 4),
    "none": (np.int64([[1]]), 1, 0, True, 4),
    "no-such-class": (np.int64([[9]]), 1, 2, True, 4),
}


@pytest.mark.parametrize("arguments", REFUSED.values(), ids=REFUSED)
def test_refused(arguments):
    for m in (tf, shims):
        with pytest.raises(m.errors.InvalidArgumentError):
            m.random.uniform_candidate_sampler(*arguments)


def losses(library):
    """Both losses and a slope, with the classes that they sample themselves."""
    library.random.set_seed(8)
    weights = library.constant(WEIGHTS)
    rest = (BIASES, LABELS, library.constant(INPUTS), 6, 30, 2)
    with library.GradientTape() as tape:
        tape.watch(weights)
        found = [
            library.nn.sampled_softmax_loss(weights, *rest),
            library.nn.sampled_softmax_loss(weights, *rest, seed=4),
            library.nn.nce_loss(weights, *rest),
        ]
    slope = tape.gradient(found[0], weights)
    return [*map(np.asarray, found), np.asarray(library.convert_to_tensor(slope))]


def test_losses():
    for found, wanted in zip(losses(shims), losses(tf), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=2e-5, atol=1e-6)
