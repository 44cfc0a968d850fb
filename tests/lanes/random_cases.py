"""What draws with the numbers of `set_seed`, or with those of a generator."""

from __future__ import annotations

import functools

import numpy as np

from .case import Case

_IMAGE = np.float32(np.linspace(0, 1, 27).reshape(3, 3, 3))
# So much that two algorithms hardly ever draw the same by accident.
_IMAGES = np.float32(np.linspace(0, 1, 32 * 27).reshape(32, 3, 3, 3))
_LARGE_IMAGE = np.float32(np.linspace(0, 1, 500 * 8 * 3).reshape(500, 8, 3))
_LARGEST_BUCKET = 8  # of the tests
_NONE = "TensorFlow registers no gradient"
_ALGORITHM = "differs: XLA uses a different random algorithm"


def _seeded(program):
    """A program that starts from a seed: as a function of its own, which the seed is of."""

    def started(tf, *arrays):
        tf.random.set_seed(11)
        return tf.function(lambda *given: program(tf, *given), autograph=False)(*arrays)

    return started


def _image(name: str, *arguments, image=_IMAGE, no_gradient: str = "") -> Case:
    def program(tf, image):
        return getattr(tf.image, name)(image, *arguments, seed=4)

    return Case(
        f"image-{name.replace('_', '-')}",
        (f"image.{name}",),
        _seeded(program),
        (image,),
        (),
        ((*(None if n <= _LARGEST_BUCKET else n for n in image.shape[:-1]), 3),),
        1e-5,
        no_gradient,
        xla=_ALGORITHM,
        long=True,
    )


def _cut(tf, boxes):
    return tf.image.sample_distorted_bounding_box([100, 200, 3], boxes, seed=4)


@functools.cache
def _generator(tf):
    with tf.init_scope():
        return tf.random.Generator.from_seed(7)


def _drawn(tf, mean, deviation):
    generator = _generator(tf)
    generator.reset_from_seed(9)
    return generator.normal([2, 3], mean, deviation), generator.uniform([2], mean[0], 9.0)


def _sampled(name: str) -> Case:
    def program(tf, labels):
        return tuple(getattr(tf.random, name)(labels, 2, 4, True, 20, seed=7))

    return Case(
        name.replace("_", "-"),
        (f"random.{name}",),
        _seeded(program),
        (np.int64([[1, 2], [0, 5], [3, 3]]),),
        (),
        ((None, 2),),
        xla="unsupported: no kernel",
        long=True,
    )


CASES = (
    _sampled("uniform_candidate_sampler"),
    _sampled("log_uniform_candidate_sampler"),
    Case(
        "random-generator",
        ("random.Generator",),
        _drawn,
        (np.float32([0.5, -1, 2]), np.float32([[1], [2]])),
        (),
        ((3,), (2, 1)),
        xla=_ALGORITHM,
    ),
    Case(
        "sample-distorted-bounding-box",
        ("image.sample_distorted_bounding_box",),
        _seeded(_cut),
        (np.float32([[[0.1, 0.2, 0.5, 0.6], [0.3, 0.3, 0.9, 0.9]]]),),
        (),
        ((1, None, 4),),
        xla="unsupported: no kernel",
        long=True,
    ),
    _image("random_brightness", 0.3),
    _image("random_contrast", 0.5, 1.5, no_gradient=_NONE),
    _image("random_hue", 0.2, no_gradient=_NONE),
    _image("random_saturation", 0.5, 1.5, no_gradient=_NONE),
    _image("random_flip_left_right", image=_IMAGES),
    _image("random_flip_up_down", image=_IMAGES),
    _image("random_crop", [2, 2, 3], image=_LARGE_IMAGE),
)
