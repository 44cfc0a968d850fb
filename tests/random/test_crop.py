"""Rectangles cut out by chance: repeatable with a seed of their own, and only then.

Equality rests on integers and on quotients, which IEEE rounds. The aspect ratio is a product and a sum that a
processor may fuse; no guard is there, and a ratio on the edge of a pixel would show it.
"""

import numpy as np
import pytest
import tensorflow as tf

import shims

BOXES = np.float32([[[0.1, 0.2, 0.5, 0.6], [0.3, 0.3, 0.9, 0.9]]])


def rectangles(library, **options):
    """Three rectangles, and then a number that follows from `set_seed`."""
    library.random.set_seed(5)
    call = library.image.sample_distorted_bounding_box
    found = [call([100, 200, 3], BOXES, **options) for _ in range(3)]
    return [np.asarray(x) for parts in found for x in parts], library.random.uniform([2])


@pytest.mark.symbols("image.sample_distorted_bounding_box", lanes=("eager",))
def test_eagerly():
    theirs, ours = rectangles(tf, seed=4), rectangles(shims, seed=4)
    for found, wanted in zip([*ours[0], ours[1]], [*theirs[0], theirs[1]], strict=True):
        np.testing.assert_array_equal(found, wanted)


def in_function(library, seed):
    """What two calls of a function give, with a number of `set_seed` in each."""

    @library.function
    def run(boxes):
        parts = library.image.sample_distorted_bounding_box([100, 200, 3], boxes, seed=seed)
        return [*parts, library.random.uniform([2])]

    library.random.set_seed(5)
    return [np.asarray(x) for _ in range(2) for x in run(BOXES)]


@pytest.mark.symbols("image.sample_distorted_bounding_box", lanes=("function",))
def test_inside_a_function():
    for found, wanted in zip(in_function(shims, 3), in_function(tf, 3), strict=True):
        np.testing.assert_array_equal(found, wanted)


def test_without_a_seed_nothing_repeats_and_no_seed_is_used_up():
    theirs, ours, again = in_function(tf, 0), in_function(shims, 0), in_function(shims, 0)
    for place in (3, 7):
        np.testing.assert_array_equal(ours[place], theirs[place])
    drawn = [tuple(found[i].tolist()) for found in (ours, again) for i in (0, 4)]
    assert len(set(drawn)) > 1
    eager = [rectangles(shims)[0][0].tolist() for _ in range(2)]
    assert eager[0] != eager[1] or rectangles(shims)[0][0].tolist() != eager[0]


def test_a_rectangle_is_cut_out():
    image = np.arange(100 * 200, dtype=np.float32).reshape(100, 200, 1)
    begin, size, box = shims.image.stateless_sample_distorted_bounding_box(
        image.shape, BOXES, [1, 2]
    )
    (top, left, _), (tall, wide, _) = np.asarray(begin), np.asarray(size)
    cut = shims.slice(image, begin, size)
    np.testing.assert_array_equal(cut, image[top : top + tall, left : left + wide])
    edges = np.asarray(box)[0, 0] * [100, 200, 100, 200]
    np.testing.assert_allclose(edges, [top, left, top + tall, left + wide], rtol=1e-6)
