"""Images of many sizes for `detection_tf.py`: nothing found, everything found, and all between.

`cases()` yields the arguments of `step`. Each family below aims at one size that data decides:
how large the feature map is, how many objects the ground truth has, how many scores pass.
"""

import numpy as np

NUM_ANCHORS, NUM_CLASSES, STRIDE = 2, 3, 16.0

# (rows, columns, objects, mean logit, spread). The mean decides how many scores pass. All of them fit
# the buckets 8 x 8 x 4, so that the port is compiled once for them.
SIZES = (
    (6, 5, 3, -1.0, 1.5),  # an ordinary image
    (8, 7, 4, 2.0, 1.0),  # as many rows and objects as the buckets hold, and most scores pass
    (6, 5, 3, -9.0, 0.5),  # no score passes
)


def cases():
    """Yields `(deltas, logits, gt_boxes, gt_labels)` for `step`."""
    for number, size in enumerate(SIZES):
        yield image(np.random.default_rng(number), *size)
    yield one_detection()
    yield no_objects()
    yield exact_hits()
    yield single_cell()


def image(rng, rows, columns, objects, mean, spread):
    """One random image."""
    deltas = rng.normal(0.0, 0.2, (rows, columns, NUM_ANCHORS * 4))
    logits = rng.normal(mean, spread, (rows, columns, NUM_ANCHORS * (1 + NUM_CLASSES)))
    centres = rng.uniform(0.0, 1.0, (objects, 2)) * [rows * STRIDE, columns * STRIDE]
    sizes = rng.uniform([20.0, 20.0], [50.0, 36.0], (objects, 2))
    boxes = np.concatenate([centres - sizes / 2, centres + sizes / 2], axis=1)
    labels = rng.integers(1, NUM_CLASSES + 1, objects)
    return as_arguments(deltas, logits, boxes, labels)


def one_detection():
    """Exactly one score of the whole image passes."""
    deltas, logits, boxes, labels = image(np.random.default_rng(100), 6, 5, 3, -9.0, 0.2)
    logits[3, 3, :2] = 6.0  # this anchor holds something, and it is of class 1
    return deltas, logits, boxes, labels


def no_objects():
    """As a data set delivers an image without objects: nothing but rows of zeros."""
    deltas, logits, boxes, labels = image(np.random.default_rng(101), 8, 7, 4, -1.0, 1.5)
    return deltas, logits, np.zeros_like(boxes), np.zeros_like(labels)


def exact_hits():
    """Predictions that equal their targets: every absolute value and every maximum is a tie."""
    deltas, logits, boxes, labels = image(np.random.default_rng(102), 8, 7, 4, 0.0, 0.0)
    boxes[:] = labels[:] = 0
    boxes[:2] = [[14.0, 30.0, 34.0, 50.0], [31.0, 87.0, 81.0, 121.0]]  # two of the anchors
    labels[:2] = [1, 3]
    return np.zeros_like(deltas), logits, boxes, labels


def single_cell():
    """The smallest image: one object, one anchor that finds it, every score kept."""
    deltas, logits, _, _ = image(np.random.default_rng(99), 1, 1, 0, 6.0, 0.1)
    return as_arguments(deltas, logits, np.array([[-1.5, -2.0, 18.0, 17.5]]), np.array([2]))


def as_arguments(deltas, logits, boxes, labels):
    return (
        deltas.astype(np.float32),
        logits.astype(np.float32),
        boxes.astype(np.float32),
        labels.astype(np.int32),
    )
