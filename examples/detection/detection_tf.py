"""Single-shot detection head for one image: anchors, matching, training loss, post-processing.

Written for TensorFlow 2. The feature map may have any height and width and an image any number of
objects, so nearly every intermediate tensor has a size that only the data knows.

Conventions: boxes are `[y1, x1, y2, x2]` in pixels; label 0 is background, 1..NUM_CLASSES are
objects, -1 is "ignore".
"""

import numpy as np
import tensorflow as tf

NUM_CLASSES = 3
STRIDE = 16.0
ANCHOR_SIZES = np.array([[20.0, 20.0], [50.0, 34.0]], np.float32)
NUM_ANCHORS = len(ANCHOR_SIZES)

POSITIVE_IOU = 0.45
NEGATIVE_IOU = 0.3
NEGATIVES_PER_POSITIVE = 3
MIN_NEGATIVES = 4
FOCAL_ALPHA = 0.25
FOCAL_GAMMA = 2.0
MAX_LOG_SCALE = 4.0

SCORE_THRESHOLD = 0.3
NMS_IOU = 0.5
MAX_PER_CLASS = 8
MAX_DETECTIONS = 12

# What the network delivers for one image, and what the data set says about it.
HEAD = [
    tf.TensorSpec([None, None, NUM_ANCHORS * 4], tf.float32),
    tf.TensorSpec([None, None, NUM_ANCHORS * (1 + NUM_CLASSES)], tf.float32),
]
GROUND_TRUTH = [tf.TensorSpec([None, 4], tf.float32), tf.TensorSpec([None], tf.int32)]


# Anchors and boxes.


def make_anchors(height, width):
    """All anchors of a `height` x `width` feature map, row by row: [height * width * A, 4]."""
    ys = (tf.cast(tf.range(height), tf.float32) + 0.5) * STRIDE
    xs = (tf.cast(tf.range(width), tf.float32) + 0.5) * STRIDE
    ys = tf.tile(tf.expand_dims(ys, 1), [1, width])
    xs = tf.tile(tf.expand_dims(xs, 0), [height, 1])
    centers = tf.reshape(tf.stack([ys, xs], axis=-1), [-1, 1, 2])
    corners = tf.concat([centers - ANCHOR_SIZES / 2, centers + ANCHOR_SIZES / 2], axis=-1)
    return tf.reshape(corners, [-1, 4])


def center_and_size(boxes):
    low, high = boxes[:, :2], boxes[:, 2:]
    return (low + high) / 2.0, high - low


def decode_boxes(deltas, anchors):
    """Applies predicted offsets to anchors."""
    center, size = center_and_size(anchors)
    center = center + deltas[:, :2] * size
    size = size * tf.exp(tf.minimum(deltas[:, 2:], MAX_LOG_SCALE))
    return tf.concat([center - size / 2.0, center + size / 2.0], axis=1)


def encode_boxes(boxes, anchors):
    """The offsets that `decode_boxes` would turn into `boxes`."""
    center, size = center_and_size(boxes)
    anchor_center, anchor_size = center_and_size(anchors)
    return tf.concat(
        [(center - anchor_center) / anchor_size, tf.math.log(size / anchor_size)], axis=1
    )


def box_area(boxes):
    return (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])


def pairwise_iou(first, second):
    """[len(first), len(second)] of intersection over union."""
    low = tf.maximum(first[:, None, :2], second[None, :, :2])
    high = tf.minimum(first[:, None, 2:], second[None, :, 2:])
    side = tf.maximum(high - low, 0.0)
    shared = side[..., 0] * side[..., 1]
    union = box_area(first)[:, None] + box_area(second)[None, :] - shared
    return tf.math.divide_no_nan(shared, union)


# Matching ground truth to anchors.


def drop_padding(gt_boxes, gt_labels):
    """Data sets pad the ground truth with rows of zeros."""
    real = tf.reduce_sum(tf.abs(gt_boxes), axis=1) > 0.0
    return tf.boolean_mask(gt_boxes, real), tf.boolean_mask(gt_labels, real)


def match_anchors(anchors, gt_boxes, gt_labels):
    """Labels each anchor: its object's class, 0 for background, -1 in between.

    Returns the labels and, for each anchor, the ground truth box it matches best.
    """
    gt_boxes, gt_labels = drop_padding(gt_boxes, gt_labels)
    # One background row in front, so that an image without objects needs no special case.
    gt_boxes = tf.concat([tf.zeros([1, 4]), gt_boxes], axis=0)
    gt_labels = tf.concat([tf.zeros([1], tf.int32), gt_labels], axis=0)

    iou = pairwise_iou(gt_boxes, anchors)
    best = tf.reduce_max(iou, axis=0)
    which = tf.argmax(iou, axis=0)
    background = tf.where(best < NEGATIVE_IOU, 0, -1)
    labels = tf.where(best >= POSITIVE_IOU, tf.gather(gt_labels, which), background)
    return labels, tf.gather(gt_boxes, which)


# Training.


def box_loss(deltas, anchors, matched, labels):
    """Smooth L1 over the matched anchors."""
    positive = tf.where(labels > 0)[:, 0]
    target = encode_boxes(tf.gather(matched, positive), tf.gather(anchors, positive))
    error = tf.abs(tf.gather(deltas, positive) - target)
    loss = tf.where(error < 1.0, 0.5 * tf.square(error), error - 0.5)
    return tf.reduce_mean(tf.reduce_sum(loss, axis=1))


def objectness_loss(logits, labels):
    """Cross-entropy over all objects and the hardest of the background."""
    target = tf.cast(labels > 0, tf.float32)
    loss = tf.nn.sigmoid_cross_entropy_with_logits(labels=target, logits=logits)
    num_positive = tf.reduce_sum(tf.cast(labels > 0, tf.int32))
    negative = tf.boolean_mask(loss, tf.equal(labels, 0))
    wanted = tf.maximum(NEGATIVES_PER_POSITIVE * num_positive, MIN_NEGATIVES)
    hardest = tf.math.top_k(negative, k=tf.minimum(wanted, tf.size(negative))).values
    total = tf.reduce_sum(tf.boolean_mask(loss, labels > 0)) + tf.reduce_sum(hardest)
    return total / tf.cast(tf.maximum(num_positive, 1), tf.float32)


def class_loss(logits, labels):
    """Focal loss over the anchors that are not ignored."""
    used = tf.where(tf.not_equal(labels, -1))
    logits = tf.gather_nd(logits, used)
    labels = tf.gather_nd(labels, used)
    target = tf.one_hot(labels - 1, NUM_CLASSES)
    entropy = tf.nn.sigmoid_cross_entropy_with_logits(labels=target, logits=logits)
    prob = tf.sigmoid(logits)
    right = target * prob + (1.0 - target) * (1.0 - prob)
    weight = target * FOCAL_ALPHA + (1.0 - target) * (1.0 - FOCAL_ALPHA)
    focal = weight * tf.pow(1.0 - right, FOCAL_GAMMA) * entropy
    num_positive = tf.reduce_sum(tf.cast(labels > 0, tf.float32))
    return tf.reduce_sum(focal) / tf.maximum(num_positive, 1.0)


def flatten_head(deltas, logits):
    """[h, w, A * k] to [h * w * A, k]; channel 0 of `logits` is "there is something"."""
    deltas = tf.reshape(deltas, [-1, 4])
    logits = tf.reshape(logits, [-1, 1 + NUM_CLASSES])
    return deltas, logits[:, 0], logits[:, 1:]


def training_loss(deltas, logits, gt_boxes, gt_labels):
    """The scalar that is minimized, and how many anchors found an object."""
    anchors = make_anchors(tf.shape(deltas)[0], tf.shape(deltas)[1])
    deltas, objectness, classes = flatten_head(deltas, logits)
    labels, matched = match_anchors(anchors, gt_boxes, gt_labels)
    num_positive = tf.reduce_sum(tf.cast(labels > 0, tf.int32))
    if num_positive > 0:
        localization = box_loss(deltas, anchors, matched, labels)
    else:  # nothing to find: keep the offsets small
        localization = tf.reduce_mean(tf.square(deltas))
    loss = localization + objectness_loss(objectness, labels) + class_loss(classes, labels)
    return loss, num_positive


# Post-processing.


def suppress_class(boxes, scores, label):
    """What one class keeps: boxes, scores, and the label repeated."""
    likely = tf.where(scores > SCORE_THRESHOLD)[:, 0]
    boxes, scores = tf.gather(boxes, likely), tf.gather(scores, likely)
    kept = tf.image.non_max_suppression(boxes, scores, MAX_PER_CLASS, iou_threshold=NMS_IOU)
    return tf.gather(boxes, kept), tf.gather(scores, kept), tf.fill(tf.shape(kept), label)


def class_confidence(scores, classes):
    """The classes present, in order of their best detection, and their mean scores."""
    present, slot = tf.unique(classes)
    return present, tf.math.unsorted_segment_mean(scores, slot, tf.size(present))


@tf.function(input_signature=HEAD)
def detect(deltas, logits):
    """The best detections of one image, best first: boxes, scores, classes; and a summary."""
    height, width = tf.shape(deltas)[0], tf.shape(deltas)[1]
    deltas, objectness, classes = flatten_head(deltas, logits)
    boxes = decode_boxes(deltas, make_anchors(height, width))
    probs = tf.sigmoid(objectness)[:, None] * tf.nn.softmax(classes)

    all_boxes, all_scores, all_classes = [], [], []
    for c in range(NUM_CLASSES):
        kept_boxes, kept_scores, kept_classes = suppress_class(boxes, probs[:, c], c + 1)
        all_boxes.append(kept_boxes)
        all_scores.append(kept_scores)
        all_classes.append(kept_classes)
    scores = tf.concat(all_scores, axis=0)
    best = tf.math.top_k(scores, k=tf.minimum(MAX_DETECTIONS, tf.size(scores))).indices

    boxes = tf.gather(tf.concat(all_boxes, axis=0), best)
    scores = tf.gather(scores, best)
    classes = tf.gather(tf.concat(all_classes, axis=0), best)
    present, confidence = class_confidence(scores, classes)
    return boxes, scores, classes, present, confidence


@tf.function(input_signature=HEAD + GROUND_TRUTH)
def step(deltas, logits, gt_boxes, gt_labels):
    """What the training loop asks for at each image: the loss, and detections to look at."""
    loss, num_positive = training_loss(deltas, logits, gt_boxes, gt_labels)
    found = detect(tf.stop_gradient(deltas), tf.stop_gradient(logits))
    return loss, num_positive, *found
