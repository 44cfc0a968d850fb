"""Calls with arrays of a different shape than usual: too wide, too short, without elements.

Sizes of 1 are among them: where TensorFlow wants equal sizes, nothing may broadcast in silence.
"""

import numpy as np


def z(*shape) -> np.ndarray:
    return np.linspace(0.1, 0.9, int(np.prod(shape)), dtype=np.float32).reshape(shape)


def i(*shape) -> np.ndarray:
    return np.zeros(shape, np.int32)


CALLS = {
    "a batch of a vector's elements": lambda tf: tf.gather(z(3), np.int32([0]), batch_dims=1),
    "no batch along axis 0": lambda tf: tf.gather(z(4), np.int32([3, 0]), axis=0, batch_dims=1),
    # losses
    "one row of labels": lambda tf: tf.nn.sigmoid_cross_entropy_with_logits(z(1, 3), z(2, 3)),
    "labels of one axis less": lambda tf: tf.nn.sigmoid_cross_entropy_with_logits(z(3), z(2, 3)),
    "one row of weighted labels": lambda tf: tf.nn.weighted_cross_entropy_with_logits(
        z(1, 3), z(2, 3), 2.0
    ),
    "a weight for each class": lambda tf: tf.nn.weighted_cross_entropy_with_logits(
        z(2, 3), z(2, 3), z(3)
    ),
    "one row of targets": lambda tf: tf.nn.log_poisson_loss(z(1, 3), z(2, 3)),
    "one bias": lambda tf: tf.nn.bias_add(z(2, 3), z(1)),
    "a matrix of biases": lambda tf: tf.nn.bias_add(z(2, 3), z(1, 3)),
    "one channel, three biases": lambda tf: tf.nn.bias_add(z(2, 1, 2), z(3), "NCW"),
    "a column of labels": lambda tf: tf.math.confusion_matrix(i(3, 1), np.int32([0, 1, 2])),
    "a column of predictions": lambda tf: tf.math.confusion_matrix(np.int32([2, 1]), i(2, 1), 3),
    "one label": lambda tf: tf.math.confusion_matrix(i(1), i(2)),
    "one weight": lambda tf: tf.math.confusion_matrix(i(2), i(2), weights=z(1)),
    "one slope to quantize": lambda tf: tf.quantization.fake_quant_with_min_max_args_gradient(
        z(1, 3), z(2, 3)
    ),
    "a norm for each row": lambda tf: tf.clip_by_norm(z(2, 3), np.float32([[0.1], [9]])),
    "a norm of more axes": lambda tf: tf.clip_by_norm(z(3), z(1, 3)),
    "one row to stitch": lambda tf: tf.dynamic_stitch([i(2)], [z(1, 3)]),
    "rows of two lengths to stitch": lambda tf: tf.dynamic_stitch([i(1), i(1)], [z(1, 3), z(1, 1)]),
    "one target": lambda tf: tf.math.in_top_k(i(1), z(3, 2), 1),
    # images
    "boxes of two numbers, none of them": lambda tf: tf.image.crop_and_resize(
        z(1, 2, 5, 1), z(0, 2), i(0), [3, 3]
    ),
    "boxes of two numbers": lambda tf: tf.image.crop_and_resize(
        z(1, 2, 5, 1), z(1, 2), i(1), [3, 3]
    ),
    "no boxes and no images": lambda tf: tf.image.crop_and_resize(
        z(0, 2, 5, 1), z(0, 4), i(0), [3, 3]
    ),
    "no boxes in an image without rows": lambda tf: tf.image.crop_and_resize(
        z(1, 0, 5, 1), z(0, 4), i(0), [3, 3]
    ),
    "classes' boxes of two numbers": lambda tf: tf.image.combined_non_max_suppression(
        z(1, 2, 1, 2), z(1, 2, 1), 3, 3
    ),
    "classes' boxes and too many scores": lambda tf: tf.image.combined_non_max_suppression(
        z(1, 2, 1, 4), z(1, 3, 1), 3, 3
    ),
    # convolutions
    "a result without channels": lambda tf: tf.nn.conv1d_transpose(
        z(2, 2, 3), z(2, 2, 3), [3, 2, 0], 2
    ),
    "a result without rows": lambda tf: tf.nn.conv2d_transpose(
        z(2, 0, 2, 3), z(2, 2, 2, 3), [2, 0, 4, 2], 2
    ),
    "rows of nothing": lambda tf: tf.nn.conv2d_transpose(
        z(2, 0, 2, 3), z(2, 2, 2, 3), [2, 4, 4, 2], 2
    ),
    "a transposed kernel of nothing": lambda tf: tf.nn.conv2d_transpose(
        z(2, 2, 2, 3), z(0, 2, 2, 3), [2, 4, 4, 2], 2
    ),
    "a result of other channels": lambda tf: tf.nn.conv1d_transpose(
        z(2, 2, 3), z(2, 2, 3), [2, 4, 1], 2
    ),
    "a kernel without outputs": lambda tf: tf.nn.conv2d(z(2, 4, 4, 3), z(2, 2, 3, 0), 2, "SAME"),
    "a kernel without rows": lambda tf: tf.nn.conv1d(z(2, 4, 3), z(0, 3, 1), 2, "SAME"),
    "an image without channels": lambda tf: tf.nn.conv2d(z(2, 4, 4, 0), z(2, 2, 3, 1), 1, "SAME"),
    "depthwise without outputs": lambda tf: tf.nn.depthwise_conv2d(
        z(2, 4, 4, 3), z(2, 2, 3, 0), [1, 1, 1, 1], "SAME"
    ),
    "depthwise, back from nothing": lambda tf: tf.nn.depthwise_conv2d_backprop_input(
        [2, 4, 4, 3], z(2, 2, 3, 1), z(2, 0, 2, 3), [1, 2, 2, 1], "SAME"
    ),
    "depthwise, back to nothing": lambda tf: tf.nn.depthwise_conv2d_backprop_filter(
        z(2, 4, 4, 0), [2, 2, 0, 1], z(2, 2, 2, 0), [1, 2, 2, 1], "SAME"
    ),
    "edges of one column": lambda tf: tf.image.sobel_edges(tf.constant(z(2, 4, 1, 3))),
    "edges of no image": lambda tf: tf.image.sobel_edges(tf.constant(z(0, 4, 4, 3))),
    "mirrored nothing": lambda tf: tf.pad(z(0, 3), [[0, 0], [1, 1]], mode="REFLECT"),
    "standardized nothing": lambda tf: tf.image.per_image_standardization(z(2, 4, 0, 3)),
    "a hue of a row": lambda tf: tf.image.adjust_hue(z(2, 3), 0.3),
    "a saturation of a row": lambda tf: tf.image.adjust_saturation(z(2, 3), 1.7),
    # the rest
    "one axis too many": lambda tf: tf.broadcast_to(z(1, 2, 1), [2, 3]),
    "labels of too many axes": lambda tf: tf.nn.sparse_softmax_cross_entropy_with_logits(
        i(2, 1), z(2, 3)
    ),
    "one order for two matrices": lambda tf: tf.linalg.lu_solve(z(2, 2, 2), i(2), z(2, 2, 1)),
    "an order too long": lambda tf: tf.linalg.lu_matrix_inverse(z(2, 2), i(3)),
    "orders of one matrix for two": lambda tf: tf.linalg.lu_reconstruct(z(2, 2, 2), i(1, 2)),
    "bands of nothing": lambda tf: tf.linalg.banded_triangular_solve(z(0, 3), z(3, 1)),
    "one size, two blocks": lambda tf: tf.required_space_to_batch_paddings(
        np.int32([5]), np.int32([2, 3])
    ),
    "two sizes, one block": lambda tf: tf.required_space_to_batch_paddings(
        np.int32([5, 7]), np.int32([2])
    ),
    "a row of labels for all logits": lambda tf: tf.nn.softmax_cross_entropy_with_logits(
        z(1, 4), z(3, 4)
    ),
    "labels in other axes": lambda tf: tf.nn.softmax_cross_entropy_with_logits(z(2, 3, 4), z(6, 4)),
    "a row of logits for all labels": lambda tf: tf.nn.softmax_cross_entropy_with_logits(
        z(3, 4), z(1, 4)
    ),
    "too few rows of labels": lambda tf: tf.nn.softmax_cross_entropy_with_logits(z(2, 4), z(3, 4)),
    "a row of weights": lambda tf: tf.nn.compute_average_loss(z(4), sample_weight=z(1, 4)),
    "a column of weights": lambda tf: tf.nn.compute_average_loss(z(4), sample_weight=z(4, 1)),
    "targets in a column": lambda tf: tf.math.in_top_k(i(3, 1), z(3, 4), 2),
    "hits among no samples": lambda tf: tf.nn.compute_accidental_hits(
        np.zeros((3, 2), np.int64), np.zeros(0, np.int64), 2
    ),
    "atrous, back from no channels": lambda tf: tf.nn.atrous_conv2d_transpose(
        z(2, 2, 3, 0), z(3, 3, 2, 1), [2, 2, 3, 2], 2, "SAME"
    ),
    # transforms
    "no frames": lambda tf: tf.signal.stft(z(3), 6, 4),
    "nothing to fill up": lambda tf: tf.signal.rfft(z(0, 3), [4]),
    "cosines of nothing": lambda tf: tf.signal.dct(z(0, 6)),
    "cosines of no samples": lambda tf: tf.signal.idct(z(2, 0)),
    "frames of an odd length": lambda tf: tf.signal.inverse_mdct(z(3, 5)),
    "moments of other sizes": lambda tf: tf.nn.normalize_moments(np.float32(2), z(4), z(3), None),
    "powers so high that terms overflow": lambda tf: tf.math.zeta(
        np.float32([np.inf, 1e5, np.inf, 1e5, 1e38]), np.float32([-1, 1, -0.5, 0.5, -0.5])
    ),
    # axes
    "an axis squeezed twice": lambda tf: tf.squeeze(z(1, 2, 1), [0, 2, -1]),
    "an axis reduced twice": lambda tf: tf.reduce_sum(z(2, 3), [0, -2]),
    "an axis shifted twice": lambda tf: tf.signal.ifftshift(z(2, 3), [1, -1]),
    "statistics of an axis named twice": lambda tf: tf.nn.sufficient_statistics(z(2, 3), [0, 0]),
    "classes of no labels": lambda tf: tf.math.confusion_matrix(i(0), i(0)),
    "no labels of three classes": lambda tf: tf.math.confusion_matrix(i(0), i(0), 3),
    "a range that is NaN": lambda tf: tf.histogram_fixed_width(z(3), np.float32([np.nan, 1]), 3),
    "no labels of no classes": lambda tf: tf.nn.sparse_softmax_cross_entropy_with_logits(
        i(0), z(0, 0)
    ),
    "no labels of two classes": lambda tf: tf.nn.sparse_softmax_cross_entropy_with_logits(
        i(0), z(0, 2)
    ),
    # what is written to arrays of no elements
    "an update of nothing": lambda tf: tf.tensor_scatter_nd_update(z(4, 0), i(1, 1), z(1, 0)),
    "a sum of nothing": lambda tf: tf.tensor_scatter_nd_add(z(4, 0), i(2, 1), z(2, 0)),
    "nothing scattered": lambda tf: tf.scatter_nd(i(1, 1), z(1, 0), [4, 0]),
    "rows ignored": lambda tf: tf.scatter_nd(i(1, 1), z(1, 3), [0, 3], bad_indices_policy="IGNORE"),
    "no updates of nothing": lambda tf: tf.tensor_scatter_nd_max(z(4, 0), i(0, 1), z(0, 0)),
    "no updates of rows": lambda tf: tf.tensor_scatter_nd_min(z(4, 3), i(0, 1), z(0, 3)),
    "coordinates of no numbers": lambda tf: tf.scatter_nd(i(1, 0), z(1, 2, 3), [2, 3]),
    "none of these coordinates": lambda tf: tf.tensor_scatter_nd_add(z(2, 3), i(0, 0), z(0, 2, 3)),
    "these coordinates of nothing": lambda tf: tf.scatter_nd(i(2, 0), z(2, 0, 3), [0, 3]),
    # images without pixels or channels
    "slopes of no rows": lambda tf: tf.image.image_gradients(tf.constant(z(2, 0, 3, 1))),
    "slopes of no columns": lambda tf: tf.image.image_gradients(tf.constant(z(2, 3, 0, 1))),
    "slopes of no pixels": lambda tf: tf.image.image_gradients(tf.constant(z(2, 0, 0, 1))),
    "slopes of no images": lambda tf: tf.image.image_gradients(tf.constant(z(0, 0, 3, 1))),
    "likeness of no channels": lambda tf: tf.image.ssim(z(2, 12, 12, 0), z(2, 12, 12, 0), 1.0),
    "likeness of no images": lambda tf: tf.image.ssim(z(0, 12, 12, 1), z(0, 12, 12, 1), 1.0),
    "glimpses at one number": lambda tf: tf.image.extract_glimpse(
        z(2, 4, 4, 1), [2, 2], z(2, 1), noise="zero"
    ),
    "glimpses at no numbers": lambda tf: tf.image.extract_glimpse(
        z(2, 4, 4, 1), [2, 2], z(2, 0), noise="zero"
    ),
    # what is said of nothing
    "an alignment of no sequences": lambda tf: tf.nn.ctc_loss(i(0, 2), z(4, 0, 3), i(0), i(0)),
    "an alignment of no labels": lambda tf: tf.nn.ctc_loss(
        i(2, 0), z(4, 2, 3), i(2), np.full(2, 4, np.int32)
    ),
    "an alignment of no frames": lambda tf: tf.nn.ctc_loss(
        np.ones((2, 3), np.int32), z(0, 2, 3), np.ones(2, np.int32), i(2)
    ),
    "an alignment of no classes": lambda tf: tf.nn.ctc_loss(i(2, 2), z(4, 2, 0), i(2), i(2)),
    "no distributions over no classes": lambda tf: tf.nn.softmax_cross_entropy_with_logits(
        z(0, 0), z(0, 0)
    ),
    "rows of no distributions": lambda tf: tf.nn.softmax_cross_entropy_with_logits(
        z(3, 0, 0), z(3, 0, 0)
    ),
    "two distributions over no classes": lambda tf: tf.nn.softmax_cross_entropy_with_logits(
        z(2, 0), z(2, 0)
    ),
    "a loss of no rows": lambda tf: tf.compat.v1.losses.softmax_cross_entropy(z(0, 0), z(0, 0)),
    "paddings of one side": lambda tf: tf.required_space_to_batch_paddings(
        [3], [2], np.ones((1, 1), np.int32)
    ),
    "no frames of no samples": lambda tf: tf.signal.overlap_and_add(z(2, 0, 0), 2),
    "frames of no samples": lambda tf: tf.signal.overlap_and_add(z(3, 0), 2),
    "no frames, one step": lambda tf: tf.signal.overlap_and_add(z(0, 0), 1),
    # vectors of other lengths
    "positions of nothing": lambda tf: tf.random_index_shuffle(i(0), i(3), i(2)),
    "no positions": lambda tf: tf.random_index_shuffle(i(0), i(3), 7),
    "a position among two": lambda tf: tf.random_index_shuffle(i(1), i(3), i(2)),
    "two positions among one": lambda tf: tf.random_index_shuffle(i(2), i(3), i(1)),
    "a key for two positions": lambda tf: tf.random_index_shuffle(i(2), i(1, 3), 7),
    "two keys": lambda tf: tf.random_index_shuffle(0, i(2, 3), 7),
    # divided by zero
    "a quotient by zero": lambda tf: tf.truncatediv(i(3), i(1)),
    "a remainder by zeros": lambda tf: tf.truncatemod(i(2), i(2)),
    "a floor by zero": lambda tf: tf.math.floordiv(i(3), i(1)),
    "a quotient of nothing by zero": lambda tf: tf.truncatediv(i(0), i(1)),
    "a remainder of nothing by zeros": lambda tf: tf.truncatemod(i(0, 1), i(3)),
    "a floor of nothing by zero": lambda tf: tf.math.floordiv(i(0), i()),
    "a modulus of nothing by zero": lambda tf: tf.math.floormod(i(2, 0), i(2, 1)),
}
