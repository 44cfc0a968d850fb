"""Images of many sizes for `detection_tf.py`: nothing found, everything found, and all between.

`cases()` yields the arguments of `step`. Each family below aims at one size that data decides:
how large the feature map is, how many objects the ground truth has, how many scores pass.
`thorough()` yields these and some more (`--inputs cases.py:thorough`).
"""

import numpy as np

NUM_ANCHORS, NUM_CLASSES, STRIDE = 2, 3, 16.0

# Rows, columns and objects. All fit the buckets 8 x 8 x 4: the port is compiled once for them.
USUAL = (6, 5, 3)
TURNED = (5, 6, 3)
LARGE = (8, 7, 4)


def cases():
    """Yields `(deltas, logits, gt_boxes, gt_labels)` for `step`."""
    yield image(np.random.default_rng(0), *USUAL, -1.0, 1.5)
    yield one_detection()
    yield nothing_there()
    yield image(np.random.default_rng(1), *TURNED, 2.0, 1.0)  # most scores pass


def thorough():
    """Yields what `cases()` yields, and sizes that take longer."""
    yield from cases()
    yield image(np.random.default_rng(1), *LARGE, 2.0, 1.0)
    yield image(np.random.default_rng(2), *USUAL, -9.0, 0.5)  # objects, but no score passes
    yield no_objects()
    yield single_cell()


def image(rng, rows, columns, objects, mean, spread):
    """One random image.

    Args:
      rng: where the numbers come from.
      rows: of the feature map.
      columns: of the feature map.
      objects: how many the ground truth has.
      mean: of the logits; it decides how many scores pass.
      spread: of the logits.
    """
    boxes, labels = ground_truth(rng, rows, columns, objects)
    deltas = rng.normal(0.0, 0.2, (rows, columns, NUM_ANCHORS * 4))
    logits = rng.normal(mean, spread, (rows, columns, NUM_ANCHORS * (1 + NUM_CLASSES)))
    return as_arguments(deltas, logits, boxes, labels)


def ground_truth(rng, rows, columns, objects):
    """Boxes that lie in the image, and their labels."""
    centers = rng.uniform(0.0, 1.0, (objects, 2)) * [rows * STRIDE, columns * STRIDE]
    sizes = rng.uniform([20.0, 20.0], [50.0, 36.0], (objects, 2))
    boxes = np.concatenate([centers - sizes / 2, centers + sizes / 2], axis=1)
    return boxes, rng.integers(1, NUM_CLASSES + 1, objects)


def one_detection():
    """One score of the whole image passes, and predictions equal their targets.

    Every absolute value and nearly every maximum is a tie.
    """
    deltas, logits, boxes, labels = image(np.random.default_rng(100), *USUAL, 0.0, 0.0)
    boxes[:] = labels[:] = 0
    boxes[:2] = [[14.0, 30.0, 34.0, 50.0], [15.0, 55.0, 65.0, 89.0]]  # two of the anchors
    labels[:2] = [1, 3]
    logits[3, 3, :2] = 6.0  # this anchor holds something, and it is of class 1
    return np.zeros_like(deltas), logits, boxes, labels


def nothing_there():
    """No objects, as a data set delivers it: rows of zeros. And no score passes."""
    deltas, logits, boxes, labels = image(np.random.default_rng(101), *USUAL, -9.0, 1.5)
    return deltas, logits, np.zeros_like(boxes), np.zeros_like(labels)


def no_objects():
    """No objects, but scores that pass."""
    deltas, logits, boxes, labels = image(np.random.default_rng(102), *LARGE, -1.0, 1.5)
    return deltas, logits, np.zeros_like(boxes), np.zeros_like(labels)


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
