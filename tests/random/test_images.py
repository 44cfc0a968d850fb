"""Images changed by chance: with the numbers of `set_seed`, eagerly and inside functions."""

import numpy as np
import pytest
import tensorflow as tf

import shims

IMAGES = np.random.default_rng(0).random((4, 5, 6, 3)).astype(np.float32)
CALLS = (
    ("random_brightness", (0.3,)),
    ("random_contrast", (0.5, 1.5)),
    ("random_hue", (0.2,)),
    ("random_saturation", (0.5, 1.5)),
    ("random_flip_left_right", ()),
    ("random_flip_up_down", ()),
    ("random_crop", ([2, 3, 4, 1],)),
)


def _changed(library, name, arguments, images):
    """Three calls, the last of them with a seed of its own."""
    library.random.set_seed(11)
    call = getattr(library.image, name)
    found = [call(images, *arguments), call(images, *arguments), call(images, *arguments, seed=4)]
    return [np.asarray(x) for x in found]


@pytest.mark.symbols("image.{name}", lanes=("eager",))
@pytest.mark.parametrize(("name", "arguments"), CALLS, ids=[c[0] for c in CALLS])
def test_numbers_of_set_seed(name, arguments):
    theirs, ours = (_changed(m, name, arguments, IMAGES) for m in (tf, shims))
    for a, b in zip(theirs, ours, strict=True):
        np.testing.assert_allclose(b, a, rtol=1e-5, atol=1e-5)


def _augmented(library):
    """A function over images of unknown sizes, called twice."""
    library.random.set_seed(5)

    @library.function(input_signature=[library.TensorSpec([None, None, 3])])
    def augment(image):
        image = library.image.random_flip_left_right(image)
        image = library.image.random_brightness(image, 0.2)
        return library.image.random_crop(image, [2, 2, 3])

    return [np.asarray(augment(x)) for x in (IMAGES[0], IMAGES[1], IMAGES[2, 1:, :4])]


def test_inside_a_function():
    for a, b in zip(_augmented(tf), _augmented(shims), strict=True):
        np.testing.assert_allclose(b, a, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("target", [(7, 7), (3, 9)])
def test_resize_with_pad_of_unknown_sizes(target):
    @shims.function(input_signature=[shims.TensorSpec([None, None, 3])])
    def framed(image):
        return shims.image.resize_with_pad(image, *target)

    for image in (IMAGES[0], IMAGES[0, :3], IMAGES[0, 1:, :4]):
        wanted = tf.image.resize_with_pad(image, *target).numpy()
        np.testing.assert_allclose(np.asarray(framed(image)), wanted, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(("old", "new"), [(26, 11), (62, 7), (84, 10)])
def test_resizing_divides_as_tensorflow_does(old, new):
    """XLA would multiply by the reciprocal of a known size, and read the pixel beside the right one.

    Equality rests on an exact quotient and on `rounded_product`: it holds on every processor.
    """

    @shims.function(input_signature=[shims.TensorSpec([None, 1, 1])])
    def resized(image):
        return shims.image.resize(image, [new, 1], method="nearest")

    image = np.arange(old, dtype=np.float32).reshape(old, 1, 1)
    wanted = tf.image.resize(image, [new, 1], method="nearest").numpy()
    assert np.asarray(resized(image)).tolist() == wanted.tolist()
