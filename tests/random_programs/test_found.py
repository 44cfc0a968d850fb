"""What random programs have found, by name: each differed from TensorFlow once."""

import dataclasses
import warnings
from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import tensorflow as tf

import shims
from tests.harness.compare import assert_same

NAN, INF = float("nan"), float("inf")


@dataclasses.dataclass(frozen=True)
class Found:
    """A program that gave something else than TensorFlow.

    Attributes:
      program: of the module and arrays; its name says what was wrong.
      inputs: the arrays.
      raises: the class of TensorFlow's error.
    """

    program: Callable
    inputs: tuple
    raises: str = ""

    @property
    def arrays(self) -> list[np.ndarray]:
        return [a if isinstance(a, np.ndarray) else np.asarray(a, np.float32) for a in self.inputs]


def ints(*values) -> np.ndarray:
    return np.asarray(values, np.int32)


def gradient_of_a_maximum_that_is_nan(tf, x):
    return tf.reduce_max(x, axis=1)


def norm_of_a_matrix_with_nan(tf, x):
    return tf.norm(x, ord=1, axis=[0, 1])


def bins_of_a_range_that_runs_backwards(tf, x):
    return tf.histogram_fixed_width_bins(x, tf.constant([2.0, 1.0]), nbins=5)


def gradient_through_a_selection_of_nothing(tf, x):
    return tf.asin(tf.boolean_mask(tf.math.log(x), x > 9.0))


def reshape_to_a_shape_that_does_not_fit(tf, x):
    return tf.reshape(x, [2, 2])


def tile_nothing_as_often_as_another_array_is_long(tf, x, y):
    return tf.tile(x, tf.shape(y))


def central_crop_of_all_that_is_no_image(tf, x):
    return tf.image.central_crop(x, 1.0)


def line_between_infinities(tf, x):
    return tf.linspace(x, x, num=3)


def squeeze_a_selection_of_one(tf, x):
    return tf.squeeze(tf.boolean_mask(x, x[:, 0] > 2.0))


def gradient_through_a_repetition_of_nothing(tf, x):
    return tf.repeat(tf.clip_by_norm(x, 1.0), [0, 0, 0], axis=0)


def gradient_through_positions_of_nothing(tf, x):
    return tf.gather(tf.math.log(x), tf.zeros([0], tf.int32))


def zeta_where_it_is_not_defined_and_of_the_largest(tf, x):
    return tf.math.zeta(x, x)


def inverse_of_a_matrix_that_begins_with_nan(tf, x):
    return tf.linalg.inv(x)


def bins_of_a_range_of_three_numbers(tf, x, limits):
    return tf.histogram_fixed_width_bins(x, limits, nbins=3)


def bins_of_a_range_that_turns_out_to_be_a_column(tf, x):
    column = tf.boolean_mask(x, tf.constant([False, True]), axis=1)
    return tf.histogram_fixed_width_bins(column, column, nbins=4)


def centers_that_fall_on_pixels(tf, x):
    image = tf.reshape(x, [1, -1, 1])
    methods = ("bilinear", "bicubic", "lanczos3", "lanczos5", "mitchellcubic", "gaussian")
    wide = [tf.image.resize(image, [1, 9], method=method) for method in methods]
    return [tf.image.resize_with_pad(image, 3, 9), *wide]


def products_of_products(tf, x):
    first = tf.math.unsorted_segment_prod(x, [2, 0, 2, 1], 3)
    return tf.math.unsorted_segment_prod(first, [2, 0, 2], 3)


def diagonal_of_selected_rows(tf, x, line):
    return tf.linalg.set_diag(tf.boolean_mask(x, x[:, 0] > 0.0), line)


def slope_of_what_is_repeated_for_a_sum(tf, x):
    return tf.reduce_mean(tf.repeat(x, 2)) + tf.reduce_sum(tf.tile(x, [3]))


def a_constant_in_rows_of_a_known_size(tf, x):
    n = tf.shape(x)[0]
    rows = tf.reshape(tf.fill([4 * n], 0.5), [n, 2, 2])
    return rows, tf.reduce_sum(rows, axis=[1, 2]), tf.reshape(tf.ones([n, 4]), [-1, 2])


def numbers_below_zero_without_a_sign(tf, x):
    return tf.cast(x, tf.uint32), tf.cast(x, tf.uint16), tf.cast(x, tf.uint8)


def as_often_as_data_say_for_all(tf, x, often):
    return tf.repeat(x, tf.boolean_mask(often, often > 1), axis=0)


def bins_of_a_column(tf, x, limits):
    return tf.histogram_fixed_width_bins(x, limits * tf.ones([1, 1]), nbins=3)


def slope_of_a_rounding_beyond_its_range_is_not_finite(tf, x, dy):
    return tf.quantization.fake_quant_with_min_max_args_gradient(dy, x, -1.0, 1.0)


def weights_without_elements(tf, x):
    return tf.math.bincount(ints(1, 3, 1), weights=tf.stop_gradient(x)) * tf.reduce_sum(x + 1)


def ids_out_of_range_of_no_data(tf, x):
    return tf.math.unsorted_segment_prod(x, 1, 1)


def slope_of_a_norm_of_nothing_that_is_not_selected(tf, x):
    return tf.boolean_mask(tf.math.reduce_euclidean_norm(x, axis=0), np.array([True, False]))


def halves_of_a_quantization(tf, x):
    return tf.quantization.fake_quant_with_min_max_args(x, min=-3.0, max=-1.0)


def rows_that_turn_out_to_be_one(tf, x):
    lines = tf.linspace(tf.math.rsqrt(x), np.float32([0.2, 0.4, 0.2]), 3)
    return tf.truncatediv(tf.reshape(x, [-1, 3]), lines)


def as_many_elements_as_known(tf, x):
    return tf.reshape(tf.dynamic_stitch([tf.range(tf.shape(x)[0])], [x]), [6]) * tf.range(6.0)


def positions_at_which_nothing_stands(tf, x):
    return tf.gather(x, ints(1, 5), axis=-1)


def gamma_functions_at_0(tf, x):
    return tf.math.igamma(x, tf.zeros_like(x)), tf.math.igammac(x, tf.zeros_like(x))


def repetitions_of_one_number(tf, x):
    return tf.repeat(tf.reduce_sum(x), [2], axis=0), tf.repeat(tf.reduce_sum(x), 3, axis=-1)


def colors_of_negative_pixels(tf, x):
    return tf.stop_gradient(tf.image.adjust_hue(tf.reshape(x, [-1, 1, 3]), 0.3))


def colors_of_infinite_pixels(tf, x):
    pixels = tf.stop_gradient(tf.reshape(x, [-1, 1, 3]))
    return tf.image.adjust_hue(pixels, 0.3), tf.image.adjust_saturation(pixels, 1.7)


def boxes_that_begin_nowhere(tf, x):
    boxes = tf.reshape(x, [1, -1, 4])
    return tf.stop_gradient(tf.image.draw_bounding_boxes(tf.zeros([1, 3, 4, 1]), boxes, None))


def slope_that_is_nan_of_a_largest_number(tf, x):
    largest = tf.math.segment_max(x, ints(0, 0, 1))
    return tf.math.log(largest) * tf.math.sqrt(largest)


def slope_of_a_row_that_no_product_has(tf, x):
    return tf.math.unsorted_segment_prod(x, ints(0, -1, 1, 0), 2)


def slopes_of_the_incomplete_beta_function_at_its_ends(tf, x):
    a, b = np.float32([1, 2, 0.5, 1, 2]), np.float32([1, 3, 2, 2, 0.5])
    return tf.math.betainc(a, b, x), tf.math.betainc(np.full(5, INF, np.float32), b, x)


def quotients_that_are_halves(tf, x):
    return tf.quantization.fake_quant_with_min_max_vars(x, -6.0, 6.0)


def numbers_on_the_edges_of_bins(tf, x):
    limits = np.float32([-1, 1])
    x = tf.stop_gradient(x)
    return tf.histogram_fixed_width(x, limits, 20), tf.histogram_fixed_width_bins(x, limits, 49)


def slopes_of_the_nearly_largest_in_a_box(tf, x):
    return tf.nn.max_pool3d(tf.reshape(x, [-1, 2, 2, 2, 1]), 2, 2, "VALID")


def slopes_that_are_infinite_of_what_is_overwritten(tf, x):
    written = tf.tensor_scatter_nd_update(x, ints([0], [0]), x[:2])
    return tf.math.log(written), tf.math.log(
        tf.dynamic_stitch([ints(1), ints(0, 1)], [x[:1], x[1:]])
    )


def slopes_through_windows_of_nothing(tf, x):
    waves = tf.sin(x)
    return (
        tf.slice(waves, [0, 1], [0, 1]),
        tf.gather_nd(waves, tf.zeros([0, 1], tf.int32)),
        tf.split(tf.math.log(x), [0, 2], axis=0)[0],
    )


def slopes_that_are_nan_where_a_factor_is_0(tf, x):
    products = tf.math.xlogy(x, x), tf.math.xlog1py(x, x), tf.math.xdivy(x, x)
    return tuple(each * tf.stop_gradient(tf.math.log(x - 1)) for each in products)


def crops_beside_pixels_that_are_nan(tf, x, boxes):
    pixels = tf.reshape(x, [1, 2, -1, 1])
    return tuple(
        tf.image.crop_and_resize(pixels, boxes, ints(0, 0), [1, 2], method=method)
        for method in ("bilinear", "nearest")
    )


def slopes_of_the_incomplete_gamma_function_where_it_is_not_defined(tf, x):
    a = np.float32([-2.5, -2.5, -1, 0.5, 2])
    return tf.math.igamma(a, x), tf.math.igammac(x, np.flip(a).copy())


def channels_beside_one_that_is_nan(tf, x):
    pixels = tf.reshape(x, [1, 1, 1, -1])
    return tf.nn.local_response_normalization(pixels, depth_radius=1)


def windows_of_no_elements(tf, x):
    given = {"padding": "VALID", "data_format": "NHWC", "dilations": [1, 1, 1, 1]}
    images = tf.reshape(x, [0, 3, 3, 0])
    return tf.nn.dilation2d(images, np.zeros((0, 0, 0), np.float32), [1, 2, 1, 1], **given)


def moments_of_how_many_that_is_nan(tf, x):
    return tf.nn.normalize_moments(x, np.zeros(0, np.float32), np.zeros(0, np.float32), None)[0]


def order_that_is_none(tf, x):
    return tf.linalg.lu_reconstruct(x, ints(0, 0))


def image_without_a_largest_pixel(tf, x):
    return tf.nn.max_pool_with_argmax(tf.reshape(x, [0, 2, 2, 1]), 2, 2, "SAME")[0]


def as_many_rows_as_there_are_columns(tf, x):
    return tf.linalg.tensor_diag_part(tf.math.segment_min(x, ints(0, 0, 1)))


def labels_that_are_none(tf, x):
    labels, lengths = ints([6, -2, 1]), ints(3)
    return tf.nn.ctc_loss(labels, tf.reshape(x, [-1, 1, 3]), lengths, ints(2))


def longest_of_no_sequences(tf, x):
    return tf.nn.collapse_repeated(tf.cast(x, tf.int32), tf.zeros([0], tf.int32))[0]


def labels_of_two_columns(tf, x):
    labels = tf.cast(tf.reshape(x, [-1, 2]), tf.int32)
    return tf.math.confusion_matrix(labels, tf.reverse(labels, [0]), num_classes=4)


def rows_of_nothing_into_no_segments(tf, x):
    return tf.math.unsorted_segment_max(x, ints(0, 0), 0)


def infinite_pixels_of_the_same_size(tf, x):
    return tf.image.resize(tf.reshape(x, [2, 2, 1]), [2, 2])


def slope_that_is_nan_of_what_is_not_positive(tf, x):
    return tf.reduce_max(tf.nn.relu(x), axis=0)


def inverse_of_a_zero_below_0(tf, x):
    return 1 / tf.math.erfinv(x)


def slopes_that_are_not_finite_beside_the_largest(tf, x, updates):
    places = ints([0], [2])
    largest = tf.tensor_scatter_nd_max(x, places, updates)
    return tf.math.log(largest), tf.math.log(tf.tensor_scatter_nd_min(-x, places, -updates))


def slopes_that_are_infinite_between_pixels(tf, x, other):
    pixels = tf.reshape(x, [1, 2, 2, 1])
    return tf.math.log(tf.image.resize(pixels, [3, 3])), tf.image.resize(
        1 / pixels, tf.shape(other)
    )


def slopes_that_are_infinite_in_boxes(tf, x, boxes):
    pixels = tf.reshape(x, [1, 2, -1, 1])
    return tf.math.log(tf.image.crop_and_resize(pixels, boxes, ints(0), [3, 2]))


def glimpses_around_points_that_are_nan(tf, x, points):
    pixels = tf.reshape(x, [1, 2, 2, 1])
    pixels, points = tf.stop_gradient(pixels), tf.stop_gradient(points)
    given = {"centered": False, "noise": "zero"}
    return tf.image.extract_glimpse(pixels, [2, 2], points, **given)


def slopes_of_hues_that_are_not_finite(tf, x):
    return tf.math.log(tf.image.rgb_to_hsv(tf.reshape(x, [-1, 3])))


def image_with_an_infinite_pixel(tf, x):
    return tf.image.per_image_standardization(tf.reshape(x, [2, 2, 1]))


def signals_of_no_coefficients(tf, x):
    return tf.signal.inverse_mdct(x)


def transform_of_no_frames(tf, x):
    return tf.signal.dct(x, type=2)


def equations_without_a_solution(tf, x):
    return tf.linalg.tridiagonal_solve(x, tf.transpose(x))


def windows_with_pads_over_one_axis(tf, x):
    return tf.nn.max_pool1d(tf.reshape(x, [1, -1, 1]), 2, 2, [[0, 0], [1, 1], [0, 0]])


def quotients_of_the_largest_numbers(tf, x, y):
    largest = tf.reduce_max(y)
    return tf.realdiv(x, y), tf.realdiv(x, largest), tf.linalg.normalize(tf.reshape(x, [-1, 1]))[0]


def slopes_of_norms_that_overflow(tf, x):
    return 1 / tf.norm(x, axis=1), 1 / tf.math.reduce_euclidean_norm(x, axis=1)


def slope_of_an_infinite_cost(tf, x):
    costs = tf.nn.sparse_softmax_cross_entropy_with_logits(ints(0, 1), x)
    return tf.square(costs)


def signs_of_zeros(tf, x):
    return 1 / tf.sign(x), 1 / tf.math.special.dawsn(x)


def matrices_of_no_diagonal(tf, x):
    return tf.stop_gradient(tf.linalg.diag(x, k=1)), tf.stop_gradient(tf.linalg.diag(x, k=-2))


def windows_of_an_image_of_no_width(tf, x):
    sizes, strides = [1, 2, 3, 1], [1, 1, 2, 1]
    pixels = tf.reshape(x, [1, 3, -1, 1])
    glimpses = tf.image.extract_glimpse(pixels, [2, 2], tf.zeros([1, 2]), noise="zero")
    return tf.image.extract_patches(pixels, sizes, strides, [1, 1, 1, 1], "VALID"), tf.shape(
        glimpses
    )


def places_in_batches_that_are_none(tf, x):
    return tf.gather(tf.reshape(x, [0, 0, 0]), tf.zeros([0, 0], tf.int32), batch_dims=2)


def infinite_slopes_far_below_0(tf, x):
    return tf.math.log(tf.nn.elu(x) + 1), 1 / (tf.nn.selu(x) - tf.nn.selu(x - 9))


def soft_suppression_of_scores_below_zero(tf, x):
    boxes = tf.constant([[0.0, 0.0, 2.0, 2.0], [0.0, 0.0, 2.0, 2.2], [0.0, 1.0, 2.0, 3.0]])
    x = tf.stop_gradient(x)  # TensorFlow has no gradient
    return tf.image.non_max_suppression_with_scores(boxes, x, 6, soft_nms_sigma=0.5)


def soft_suppression_of_scores_that_fade_under_the_threshold(tf, x):
    boxes = tf.constant([[0.0, 0.0, 2.0, 2.0], [0.0, 0.0, 2.0, 2.2], [0.0, 1.0, 2.0, 3.0]])
    x = tf.stop_gradient(x)
    return tf.image.non_max_suppression_with_scores(
        boxes, x, 6, score_threshold=0.3, soft_nms_sigma=0.5
    )


def boxes_that_are_not_finite(tf, x, scores):
    x, scores = tf.reshape(tf.stop_gradient(x), [-1, 4]), tf.stop_gradient(scores)
    numbers, found = tf.image.non_max_suppression_with_scores(x, scores, 3)
    few, faded = tf.image.non_max_suppression_with_scores(x, scores, 3, soft_nms_sigma=0.5)
    table = tf.image.non_max_suppression_overlaps(x + x[:, :1], scores, 3)
    above = tf.image.non_max_suppression(x, scores, 3, score_threshold=0.1)
    return numbers, found, few, faded, table, above


def boxes_of_half_precision(tf, x, scores):
    boxes, scores = (tf.cast(tf.stop_gradient(a), tf.float16) for a in (x, scores))
    return tf.image.non_max_suppression(tf.reshape(boxes, [-1, 4]), scores, 3)


def crops_that_end_on_the_last_pixel(tf, x, corners):
    boxes = tf.concat([tf.reshape(corners, [-1, 2]), tf.ones([200, 2])], 1)
    owners = tf.zeros([200], tf.int32)
    return tf.image.crop_and_resize(tf.reshape(x, [1, 3, 3, 1]), boxes, owners, [7, 5])


def losses_of_no_labels(tf, x):
    logits = tf.reshape(x, [4, 2, 3])
    labels, none = tf.zeros([2, 0], tf.int32), ints(0, 0)
    return [
        tf.nn.ctc_loss(labels, logits, none, frames, blank_index=blank)
        for frames in (ints(4, 3), ints(0, 1))
        for blank in (0, -1)
    ]


def narrow_ranges_that_begin_at_infinity(tf, x, low):
    quantize = tf.quantization.fake_quant_with_min_max_vars
    return quantize(x, low, 1.0, narrow_range=True), quantize(x, low, INF, narrow_range=True)


def one_sample_that_stands_for_three(tf, inputs):
    weights = tf.constant([[-0.01], [0.8], [-1.2], [-0.8], [-1.9], [1.1]])
    biases = tf.constant([0.4, 1.8, 0.1, 1.0, -1.8, 0.8])
    sampled = tf.constant([0]), tf.constant([[0.5, 0.6], [0.5, 0.5]]), tf.constant([0.8])
    return tf.nn.sampled_softmax_loss(
        weights,
        biases,
        labels=tf.constant([[1, 4], [0, 2]]),
        inputs=inputs,
        num_sampled=3,
        num_classes=6,
        num_true=2,
        sampled_values=sampled,
    )


def two_samples_that_should_be_three(tf, inputs):
    weights = tf.constant([[-0.01], [0.8], [-1.2], [-0.8], [-1.9], [1.1]])
    biases = tf.constant([0.4, 1.8, 0.1, 1.0, -1.8, 0.8])
    sampled = tf.constant([0, 5]), tf.constant([[0.5], [0.5]]), tf.constant([0.8, 0.2])
    return tf.nn.nce_loss(
        weights,
        biases,
        labels=tf.constant([[1], [0]]),
        inputs=inputs,
        num_sampled=3,
        num_classes=6,
        sampled_values=sampled,
        remove_accidental_hits=True,
    )


def padded_selections(m, boxes, scores):
    options = {"iou_threshold": 0.5, "pad_to_max_output_size": True}
    boxes = m.reshape(m.stop_gradient(boxes), [1, -1, 4])
    scores = m.reshape(m.stop_gradient(scores), [1, -1])
    return m.image.non_max_suppression_padded(boxes, scores, 7, **options)


def diagonals_of_truth_values(tf, x):
    return (
        tf.linalg.diag_part(x > 0, k=(-1, 1)),
        tf.linalg.diag_part(x > 0, k=(-1, 1), padding_value=2),
        tf.linalg.diag(x[0] > 0),
    )


def slope_of_a_sign_that_is_0_times_infinity(tf, x):
    return tf.sign(tf.truediv(x, x))


def nothing_selected_and_reshaped(tf, x):
    rows = tf.boolean_mask(x, x[:, 0] > 9)
    return tf.reshape(rows, [-1, 0]), tf.reshape(rows, [0, -1, 1])


def integers_in_vectors_and_behind_them(tf, x):
    many = tf.tile(x, [7])
    kinds = ("uint8", "int8", "uint16", "int16", "uint32")
    return [tf.cast(tf.cast(many, kind), "int32") for kind in kinds]


def no_boxes_in_no_images(tf, x):
    boxes = tf.boolean_mask(x, x[:, 0] > 5)
    images = tf.zeros([0, 3, 5, 3])
    return tf.image.crop_and_resize(images, boxes, tf.zeros([0], "int32"), [3, 3])


def bins_of_ranges_in_a_row(tf, x, limits):
    return tf.histogram_fixed_width_bins(x, limits[:2], nbins=3)


def diagonal_of_a_selection_in_wide_rows(tf, x):
    return tf.linalg.diag(tf.boolean_mask(x, x > 0), num_cols=4)


def transform_of_a_selection_of_a_given_size(tf, x):
    return tf.signal.dct(tf.boolean_mask(x, x > 0), n=4), tf.signal.idct(x, n=2)


def colors_as_many_as_data_say(tf, sizes):
    image = tf.ones([2, 1, tf.reduce_max(sizes)]) / 4
    changes = (tf.image.rgb_to_grayscale, tf.image.rgb_to_yuv, tf.image.rgb_to_hsv)
    return [change(image) for change in changes]


def three_diagonals_that_are_selected(tf, x):
    d = tf.boolean_mask(x, x > 0)
    rhs = tf.constant([[1.0, 2.0], [2.0, 4.0], [3.0, 1.0]])
    solved = tf.linalg.tridiagonal_solve([d, d + 5.0, d], rhs, diagonals_format="sequence")
    return solved, tf.linalg.tridiagonal_matmul([d, d, d], rhs, diagonals_format="sequence")


def a_selection_of_one_that_must_be_squeezed(tf, x):
    row = tf.squeeze(tf.boolean_mask(x, x[:, 0] > 2.0))
    return tf.einsum("ij,j->i", x, row), tf.sort(row)[:1] + tf.linalg.matvec(x, row)


def products_under_an_ellipsis(tf, x):
    kept = tf.boolean_mask(x, x[:, 0] > 0.0)
    three = tf.constant([[1.0, 2.0], [0.5, -1.0], [3.0, 4.0]])
    return tf.einsum("...i,...i->...", kept, three), tf.einsum("...i,i...->...", x[:1], kept[0])


def a_shape_of_many_sizes(tf, sizes):
    ones = tf.ones(sizes[1] * tf.constant([1, 2, 1, 3, 1, 1, 2, 1]))
    return tf.reduce_sum(ones, [0, 1, 2, 4]), tf.shape(ones)


def largest_of_half_of_a_selection(tf, x):
    first, second = tf.split(tf.boolean_mask(x, x > 0.0), 2)
    return tf.argmax(first, output_type="int32"), tf.argmin(second, output_type="int32")


def largest_of_nothing_that_is_selected(tf, x):
    return tf.argmax(tf.boolean_mask(x, x > 0.0), output_type="int32")


def least_of_nothing_that_is_selected(tf, x):
    return tf.argmin(tf.boolean_mask(x, x > 0.0), output_type="int32")


def matrices_in_other_numbers(tf, x):
    return tf.matmul(tf.ones([2, 3, 3]) * x, tf.ones([4, 3, 3]))


def no_parts(tf, x):
    return tf.split(x, tf.zeros([0], "int32"))


def images_that_turn_out_to_be_smaller_than_the_window(tf, x):
    image = tf.reshape(tf.boolean_mask(x, x > 0.0), [1, -1, 2, 1])
    return tf.image.ssim(image, image, 1.0, filter_size=3)


def parts_of_which_one_is_larger(tf, x):
    return tf.split(tf.boolean_mask(x, x > 0.0), [-1, 4])


def zero_in_the_middle_of_a_line(tf, x):
    line = tf.linspace(x, -x, 7)
    return line, tf.math.count_nonzero(line, dtype="int32")


def line_from_nan(tf, x):
    return tf.linspace(x, tf.zeros_like(x) - 1, 7)


def infinity_in_no_running_sum(tf, x):
    ahead = tf.math.cumulative_logsumexp(x, exclusive=True)
    return ahead, tf.math.cumulative_logsumexp(x, exclusive=True, reverse=True)


def integral_up_to_the_largest_number(tf, x):
    least_of_none = tf.math.unsorted_segment_min(x, tf.zeros([0], tf.int32), 3)
    return tf.math.special.spence(least_of_none)


def whole_powers_that_wrap_around(tf, x):
    whole = tf.cast(x, tf.int32)
    return tf.pow(whole, whole * whole), tf.pow(whole, whole * 0 + 64)


def coordinates_without_rows(tf, x):
    return tf.tensor_scatter_nd_min(tf.zeros([4, 3]), tf.shape(x), x)


def a_vector_of_no_coordinates(tf, x):
    return tf.shape(tf.tensor_scatter_nd_update(x, tf.zeros([0], tf.int32), x))


def signs_of_running_sums_of_one_element(tf, x):
    return 1 / tf.cumsum(x), 1 / tf.cumsum(x, reverse=True), 1 / tf.cumsum(x[0])


def sums_over_pairs_whose_products_are_equal(tf, x, y):
    return tf.tensordot(x, y, axes=2), tf.tensordot(y, x, axes=[[1, 0], [0, 1]])


def sums_over_pairs_that_do_not_fit(tf, x, y):
    return tf.tensordot(x, y, axes=2)


def gradient_by_a_choice_of_nothing(tf, x):
    total = tf.reduce_sum(x)
    return tf.where(total < 2, tf.zeros([0]), tf.math.log(total))


def products_of_no_rows(tf, x):
    return tf.math.unsorted_segment_prod(x, tf.zeros([0], tf.int32), num_segments=3)


def nan_that_a_slice_leaves_out(tf, x):
    return tf.atan(x[-3:-1]), tf.sin(x[:-2])


def one_expected_count_for_all_examples(tf, x):
    counts = tf.constant([[0.5, 0.25]]), tf.constant([0.7, 0.5])
    return tf.nn.nce_loss(
        weights=x,
        biases=x[:, 0],
        labels=tf.constant([[0, 1], [1, 0]]),
        inputs=tf.ones([2, 2]),
        num_sampled=2,
        num_classes=2,
        num_true=2,
        sampled_values=(tf.constant([0, 1]), *counts),
    )


def cross_entropy_of_selected_classes(tf, x):
    some = tf.boolean_mask(x, x > 0.4)
    return tf.nn.sparse_softmax_cross_entropy_with_logits(labels=1, logits=some)


def deviation_of_nothing_repeated(tf, x):
    return tf.math.reduce_std(tf.repeat(x, tf.cast(x > 9.0, tf.int32)))


def slopes_without_end_of_pairs(tf, x):
    some = tf.boolean_mask(x, x >= 0)
    return tf.math.ndtri(tf.reshape(some[:, None] + some[None], [-1]))


def cross_entropy_of_as_many_columns_as_both_have(tf, logits, labels):
    n = tf.minimum(tf.shape(logits)[1], tf.shape(labels)[1])
    return tf.nn.sparse_softmax_cross_entropy_with_logits(
        labels=labels[:, :n], logits=logits[:, :n]
    )


def one_length_for_all_sequences(tf, x):
    labels = tf.cast(x, tf.int32)
    length = tf.cast(tf.boolean_mask(x[:, 0], x[:, 0] > 1), tf.int32)
    return tf.nn.collapse_repeated(labels, length), tf.nn.collapse_repeated(labels, ints(3))


def no_columns_beside_matrices(tf, x):
    columns = tf.reshape(tf.boolean_mask(x, x > 9), [2, -1])
    return tf.linalg.lu_solve(tf.ones([1, 2, 2]), ints([0, 1]), columns)


def no_columns_beside_a_matrix(tf, x):
    columns = tf.reshape(tf.boolean_mask(x, x > 9), [2, -1])
    return tf.linalg.lu_solve(tf.ones([2, 2]), ints(0, 1), columns)


def range_that_is_not_used(tf, x):
    low = tf.boolean_mask(x, x > 1)
    return tf.quantization.quantize_and_dequantize(x, low, low + 1, axis=0)


def places_in_columns_that_are_none(tf, x):
    rows = tf.stack([tf.boolean_mask(x, x > 1)[1:]] * 2)
    return tf.gather_nd(rows, ints([0], [1]))


def places_in_columns_of_which_there_is_one(tf, x):
    rows = tf.stack([tf.boolean_mask(x, x > 1)] * 2)
    return tf.gather_nd(rows, ints([1], [0]))


def hits_among_no_classes(tf, x):
    scores = tf.stack([tf.boolean_mask(x, x > 1)[1:]] * 2)
    return tf.math.in_top_k(ints(0, 0), scores, 1)


def labels_of_no_frames(tf, x):
    scores = tf.reshape(tf.boolean_mask(x, x > 9), [-1, 1, 2])
    return tf.nn.ctc_greedy_decoder(scores, ints(0))[1]


def likeliest_labels_of_no_frames(tf, x):
    scores = tf.reshape(tf.boolean_mask(x, x > 9), [-1, 1, 2])
    return tf.nn.ctc_beam_search_decoder(scores, ints(0))[1]


def sums_that_begin_with_the_first_of_the_rest(tf, x):
    some = tf.boolean_mask(x, x > -1)[1:]
    return tf.scan(lambda a, v: a + v, some), tf.foldr(lambda a, v: a * v, some)


def margins_that_are_a_tensor(tf, x):
    margins = tf.constant([[0, 1], [2, 0]])
    blocks = tf.space_to_batch(tf.reshape(x, [1, 3, -1, 1]), [2, 2], margins)
    return blocks, tf.batch_to_space(blocks, [2, 2], crops=margins)


def second_matrix_that_is_singular(tf, x):
    right = tf.reshape(tf.linspace(-1.9, 1.1, 12), [2, 3, 2])
    return tf.linalg.banded_triangular_solve(tf.reshape(x, [2, 2, 3]), right)


def upper_matrix_that_is_singular(tf, x):
    right = tf.reshape(tf.linspace(-1.9, 1.1, 12), [2, 3, 2])
    return tf.linalg.banded_triangular_solve(tf.reshape(x, [2, 2, 3]), right, lower=False)


def equations_that_are_none(tf, x):
    column = tf.boolean_mask(x, x > 1)[:, None]
    return tf.linalg.lstsq(column, column), tf.linalg.lstsq(column, column, l2_regularizer=0.5)


def more_diagonals_than_columns(tf, x):
    bands, right = tf.reshape(x, [3, -1]), x[:, None][::3]
    solved = [
        tf.linalg.banded_triangular_solve(bands, right, lower=lower, adjoint=adjoint)
        for lower in (True, False)
        for adjoint in (True, False)
    ]
    return tf.stop_gradient(tf.concat(solved, 1))  # TensorFlow has no gradient of it


FOUND = (
    Found(more_diagonals_than_columns, ([2, 0.5, 3, -1, 0.7, 4],)),
    Found(more_diagonals_than_columns, ([2, 0.5, 3],)),
    Found(equations_that_are_none, ([0, 0.5],)),
    Found(equations_that_are_none, ([0, 1.5, 3],)),
    Found(second_matrix_that_is_singular, ([[[1, 1, 1], [0, 0, 0]], [[0, 0, 0], [0, 1, 1]]],)),
    Found(upper_matrix_that_is_singular, ([[[0, 0, 3], [1, 2, 1]], [[1, 1, 0], [0, 0, 2]]],)),
    Found(places_in_columns_that_are_none, ([1, 2],), raises="InvalidArgumentError"),
    Found(places_in_columns_of_which_there_is_one, ([1, 2],)),
    Found(hits_among_no_classes, ([1, 2],)),
    Found(coordinates_without_rows, ([1, 2, 3],), raises="InvalidArgumentError"),
    Found(labels_of_no_frames, ([1, 2],), raises="InvalidArgumentError"),
    Found(likeliest_labels_of_no_frames, ([1, 2],), raises="InvalidArgumentError"),
    Found(sums_that_begin_with_the_first_of_the_rest, ([1, 2, -3, 0.5, 3],)),
    Found(margins_that_are_a_tensor, ([1, 2, 3, 4, 5, 6],)),
    Found(one_length_for_all_sequences, ([[2, 2, 1, 1], [1, 3, 3, 3], [0, 0, 0, 1]],)),
    Found(no_columns_beside_matrices, ([1, 2],), raises="InvalidArgumentError"),
    Found(no_columns_beside_a_matrix, ([1, 2],)),
    Found(range_that_is_not_used, ([0.3, -1, 2, 4, 0.7],)),
    Found(
        cross_entropy_of_as_many_columns_as_both_have,
        (np.cos(np.arange(24, dtype=np.float32)).reshape(2, 4, 3), ints([0, 1, 2], [2, 1, 0])),
    ),
    Found(one_expected_count_for_all_examples, ([[0.3, -0.5], [1, 0.2]],)),
    Found(cross_entropy_of_selected_classes, ([1, 2, 0.4, 3],)),
    Found(deviation_of_nothing_repeated, ([1, 2, 0.4, 3],)),
    Found(slopes_without_end_of_pairs, ([-0.7, 0.3, -1, 1, 0],)),
    Found(nan_that_a_slice_leaves_out, ([0, 0, NAN, INF],)),
    Found(products_of_no_rows, ([],)),
    Found(gradient_of_a_maximum_that_is_nan, ([[1, NAN, 3], [4, 4, 3]],)),
    Found(norm_of_a_matrix_with_nan, ([[NAN, 1], [2, 3], [0, 1]],)),
    Found(bins_of_a_range_that_runs_backwards, ([0, 1, 2, 3],)),
    Found(gradient_through_a_selection_of_nothing, ([0, 0.5, -1, 0.3],)),
    Found(reshape_to_a_shape_that_does_not_fit, ([1, 2, 3],), raises="InvalidArgumentError"),
    Found(
        tile_nothing_as_often_as_another_array_is_long,
        (np.zeros((0, 2), np.float32), np.zeros((0, 2), np.float32)),
    ),
    Found(central_crop_of_all_that_is_no_image, ([[1, 2, 3], [4, 5, 6]],)),
    Found(
        inverse_of_a_matrix_that_begins_with_nan,
        ([[NAN, 1], [1, 2]],),
        raises="InvalidArgumentError",
    ),
    Found(bins_of_a_range_of_three_numbers, ([0, 0.4, 1.1], [0, 1, 2])),
    Found(slope_of_what_is_repeated_for_a_sum, ([1, 2, 3],)),
    Found(a_constant_in_rows_of_a_known_size, ([1, 2, 3],)),
    Found(numbers_below_zero_without_a_sign, ([-2.5, -1, -0.5, -300.7, -70000, 3, 0, -7, -9],)),
    Found(as_often_as_data_say_for_all, ([1, 2, 3], np.int32([0, 2, 1]))),
    Found(as_often_as_data_say_for_all, ([1, 2, 3], np.int32([3, 2, 4]))),
    Found(bins_of_a_column, ([0, 0.4, 1.1], [[0], [1], [2]])),
    Found(
        slope_of_a_rounding_beyond_its_range_is_not_finite,
        ([9, -9, 0.5], [NAN, INF, 1]),
    ),
    Found(line_between_infinities, ([INF, 1, -INF, NAN],)),
    Found(squeeze_a_selection_of_one, ([[1, 2], [3, 4], [0, 0]],)),
    Found(gradient_through_a_repetition_of_nothing, ([1, NAN, 2],)),
    Found(gradient_through_positions_of_nothing, ([0, 1, 2],)),
    Found(zeta_where_it_is_not_defined_and_of_the_largest, ([-2.5, 0, 3.4028235e38],)),
    Found(weights_without_elements, (np.zeros((0, 2), np.float32),)),
    Found(ids_out_of_range_of_no_data, (np.zeros(0, np.float32),)),
    Found(slope_of_a_norm_of_nothing_that_is_not_selected, (np.zeros((3, 2), np.float32),)),
    Found(halves_of_a_quantization, ([-1, -0.5, 0, -2.5],)),
    Found(rows_that_turn_out_to_be_one, ([3, 0.5, NAN],)),
    Found(as_many_elements_as_known, ([[1, 2, 3], [4, 5, 6]],)),
    Found(repetitions_of_one_number, ([1, 2],)),
    Found(colors_of_negative_pixels, ([[-1, -2, -3], [-0.5, 2, -1]],)),
    Found(colors_of_infinite_pixels, ([[-INF, 1, 0.5], [2, INF, 3], [INF, -INF, 1]],)),
    Found(boxes_that_begin_nowhere, ([[[NAN, 0, 1, 1], [0, -INF, 0.5, 1e19], [0, 0, 1e10, 0.5]]],)),
    Found(slope_that_is_nan_of_a_largest_number, ([3, -1, 0],)),
    Found(slope_of_a_row_that_no_product_has, ([NAN, -2.5, 0, 3],)),
    Found(slopes_of_the_incomplete_beta_function_at_its_ends, ([0, 1, 0, 1, 0.5],)),
    Found(quotients_that_are_halves, ([2, -3, 0.5, 1],)),
    Found(numbers_on_the_edges_of_bins, (np.linspace(-1, 1, 21, dtype=np.float32),)),
    Found(
        slopes_of_the_nearly_largest_in_a_box,
        ([[1, 1.000001, 0.9999, 1, 0, 0, 0, -1], [INF, INF, 1, 2, 3, 4, 5, NAN]],),
    ),
    Found(slopes_that_are_infinite_of_what_is_overwritten, ([NAN, 0, 2],)),
    Found(gamma_functions_at_0, ([2, 1, -1, 0, NAN],)),
    Found(positions_at_which_nothing_stands, (np.zeros((0, 2), np.float32),)),
    Found(slopes_through_windows_of_nothing, ([[0.3, -1, INF], [0, 2, NAN]],)),
    Found(slopes_that_are_nan_where_a_factor_is_0, ([[0, 0, 2], [0.5, -1, 0]],)),
    Found(
        crops_beside_pixels_that_are_nan,
        ([[1, 0.5, NAN], [2, -1, 3]], [[0.1, 0.1, 0.9, 0.4], [-1, 0, -0.5, 1]]),
    ),
    Found(slopes_of_the_incomplete_gamma_function_where_it_is_not_defined, ([INF, 0, 2, 1, INF],)),
    Found(channels_beside_one_that_is_nan, ([NAN, 1, 2, 3, 4],)),
    Found(windows_of_no_elements, (np.zeros((0, 3), np.float32),)),
    Found(moments_of_how_many_that_is_nan, (NAN,)),
    Found(as_many_rows_as_there_are_columns, ([[0, 2], [-1, 0], [-1, 2]],)),
    Found(labels_that_are_none, ([-1.1, 1, -1.8, -0.8, -1.6, 1.4],)),
    Found(
        longest_of_no_sequences,
        (np.zeros((0, 5), np.float32),),
        raises="InvalidArgumentError",
    ),
    Found(labels_of_two_columns, ([[1, 3], [2, 0], [2, 3]],)),
    Found(rows_of_nothing_into_no_segments, (np.zeros((2, 0), np.float32),)),
    Found(infinite_pixels_of_the_same_size, ([INF, 1, -INF, 2],)),
    Found(slope_that_is_nan_of_what_is_not_positive, ([[-0.7, 1, NAN], [-1, 0.5, NAN]],)),
    Found(order_that_is_none, ([[2, 1], [0.5, 3]],), raises="InvalidArgumentError"),
    Found(
        image_without_a_largest_pixel,
        (np.zeros((0, 4), np.float32),),
        raises="InvalidArgumentError",
    ),
    Found(inverse_of_a_zero_below_0, ([-0.0, 0, 1, -1, 2],)),
    Found(slopes_that_are_not_finite_beside_the_largest, ([-1, 0, 0, -2], [-2, 1])),
    Found(slopes_that_are_infinite_between_pixels, ([0, 0, 2, 3], [[0, 0], [0, 0]])),
    Found(
        slopes_that_are_infinite_in_boxes,
        ([[0, 0, 0], [1, 2, 3]], [[0.93, 0.82, 0, 0.23]]),
    ),
    Found(glimpses_around_points_that_are_nan, ([1, 2, 3, 4], [[0.3, NAN]])),
    Found(slopes_of_hues_that_are_not_finite, ([0, 0.2, 0.3, 0, 1, 0, INF, 0.5, -1, 0, 0, 0],)),
    Found(image_with_an_infinite_pixel, ([1, INF, 0, 2],)),
    Found(signals_of_no_coefficients, (np.zeros((3, 0), np.float32),)),
    Found(
        transform_of_no_frames,
        (np.zeros((0, 4), np.float32),),
        raises="InvalidArgumentError",
    ),
    Found(equations_without_a_solution, ([[0, 1, 1], [0, 0, 0], [1, 1, 0]],)),
    Found(windows_with_pads_over_one_axis, ([3, 1, 4, 1, 5],)),
    Found(quotients_of_the_largest_numbers, ([[1e38], [3.4e38]], [-1e38, 3.4e38, 1e20])),
    Found(slopes_of_norms_that_overflow, ([[3.4e38, 1e20], [2, 1]],)),
    Found(slope_of_an_infinite_cost, ([[0, 1, 2], [1, -INF, 0]],)),
    Found(signs_of_zeros, ([-0.0, 0],)),
    Found(matrices_of_no_diagonal, (np.zeros(0, np.float32),)),
    Found(windows_of_an_image_of_no_width, (np.zeros((3, 0), np.float32),)),
    Found(places_in_batches_that_are_none, (np.zeros(0, np.float32),)),
    Found(infinite_slopes_far_below_0, ([-30, -100, 2, 0],)),
    Found(narrow_ranges_that_begin_at_infinity, ([-1, 0, 2, INF, -INF, NAN], -INF)),
    Found(losses_of_no_labels, (np.linspace(-1, 2, 24).astype(np.float32),)),
    Found(
        crops_that_end_on_the_last_pixel,
        (
            [0.3, 1, 2, -1, 4, 0.5, 3, 2, 5],
            np.random.default_rng(5).uniform(0, 1, (200, 2)).astype(np.float32),
        ),
    ),
    Found(soft_suppression_of_scores_below_zero, ([0.0, -1.0, -0.7],)),
    Found(soft_suppression_of_scores_that_fade_under_the_threshold, ([0.9, 0.8, 0.5],)),
    Found(
        boxes_that_are_not_finite,
        (
            [[0, 0, INF, INF], [0, 0, 1, 1], [-INF, 0, INF, 2], [NAN, 0, 6, 6]],
            [0.9, -0.2, 0.7, -0.5],
        ),
    ),
    Found(
        boxes_that_are_not_finite,
        ([[NAN, 0, 1, 1], [0, NAN, 1, 1], [0, 0, 3e38, 3e38], [0, 0, 2, 2]], [0.9, 0.8, INF, 0]),
    ),
    Found(
        boxes_of_half_precision,
        ([[0, 0, 300, 400], [0, 0, 300, 401], [1, 2, 900, 901], [0, 0, 1, 1]], [1, 2, 3, 4]),
    ),
    Found(one_sample_that_stands_for_three, ([[1.8], [-1.3]],)),
    Found(two_samples_that_should_be_three, ([[1.8], [-1.3]],), raises="InvalidArgumentError"),
    Found(integers_in_vectors_and_behind_them, ([300, -1, NAN, 0.5, -40000, 3e9, INF],)),
    Found(no_boxes_in_no_images, ([[0, 0, 1, 1]],)),
    Found(bins_of_ranges_in_a_row, ([0, 0.4, 1.1], [[0, 1, -1], [1, 2, 4], [5, 6, 7]])),
    Found(bins_of_ranges_in_a_row, ([[0, 0.4, 1.1]], [[0], [1], [4]])),
    Found(diagonal_of_a_selection_in_wide_rows, ([1, -1, 2, 3],)),
    Found(transform_of_a_selection_of_a_given_size, ([1, -1, 2, 3, 4, 5, 6],)),
    Found(transform_of_a_selection_of_a_given_size, ([1, -1, 2],)),
    Found(colors_as_many_as_data_say, (ints(2, 1, 2, 3),)),
    Found(three_diagonals_that_are_selected, ([1, -1, 2, 3],)),
    Found(a_selection_of_one_that_must_be_squeezed, ([[1, 2], [3, 4], [0, 0]],)),
    Found(products_under_an_ellipsis, ([[1, 2], [3, 4], [5, 6], [-1, 1]],)),
    Found(a_shape_of_many_sizes, (ints(0, 3),)),
    Found(largest_of_half_of_a_selection, ([3, 1, -1, 5, 2, -3],)),
    Found(
        largest_of_nothing_that_is_selected,
        ([-1, -2],),
        raises="InvalidArgumentError",
    ),
    Found(least_of_nothing_that_is_selected, ([-1, -2],), raises="InvalidArgumentError"),
    Found(matrices_in_other_numbers, ([1, 2, 3],), raises="InvalidArgumentError"),
    Found(no_parts, ([1, 2, 3],), raises="InvalidArgumentError"),
    Found(
        images_that_turn_out_to_be_smaller_than_the_window,
        ([1, 2, 3, 4, -1],),
        raises="InvalidArgumentError",
    ),
    Found(parts_of_which_one_is_larger, ([1, 2, -3],), raises="InvalidArgumentError"),
    Found(zero_in_the_middle_of_a_line, ([1, 0.3, -0.7, 1e-3, 2.7, 11],)),
    Found(infinity_in_no_running_sum, ([[np.inf, 0, 1], [0.5, 1, -np.inf], [2, np.inf, 3]],)),
    Found(integral_up_to_the_largest_number, (np.zeros(0, np.float32),)),
    Found(line_from_nan, ([np.nan, 0, np.inf, -0.0],)),
    Found(padded_selections, ([[[0, 0, 2, 2], [0, 0, 2, 2.2], [0, 1, 2, 3]]], [[NAN, 0, 0]])),
    Found(
        padded_selections,
        ([[i, 0, i + 3, 1] for i in range(7)], np.linspace(1, 0, 7).astype(np.float32)),
    ),
    Found(bins_of_a_range_that_turns_out_to_be_a_column, ([[5, 0], [5, 2], [5, 1]],)),
    Found(diagonal_of_selected_rows, ([[1, 2, 3], [-4, 5, 6], [7, 8, 9]], [-1, -2])),
    Found(diagonal_of_selected_rows, ([[-1, 2, 3], [-4, 5, 6]], [])),
    Found(diagonal_of_selected_rows, ([[1, 2], [3, 5], [7, 8]], [-1, -2])),
    Found(centers_that_fall_on_pixels, ([0, NAN, 1],)),
    Found(centers_that_fall_on_pixels, ([0, 2, NAN, 1, 1],)),
    Found(products_of_products, ([[0, 0, 2], [0, NAN, NAN], [0, 3, 0], [0, 0, 0]],)),
    Found(products_of_products, ([[NAN, 0, 2], [1, 0, NAN], [0, 0, 4], [5, 2, NAN]],)),
    Found(diagonals_of_truth_values, ([[1, -1, 2], [0, 3, NAN], [1, 1, 1]],)),
    Found(slope_of_a_sign_that_is_0_times_infinity, ([0, 1, -2],)),
    Found(nothing_selected_and_reshaped, ([[1, 2, 3], [4, 5, 6]],)),
    Found(padded_selections, ([[0, 0, INF, 2], [0, 0, 2, 2], [-INF, 0, 1, 1]], [1, INF, -INF])),
    Found(
        sums_over_pairs_whose_products_are_equal, ([[1, 2], [3, 4], [5, 6]], [[1, 2, 3], [4, 5, 6]])
    ),
    Found(
        sums_over_pairs_that_do_not_fit,
        ([[1, 2], [3, 4], [5, 6]], [[1, 2], [4, 5]]),
        raises="InvalidArgumentError",
    ),
    Found(gradient_by_a_choice_of_nothing, ([1, NAN, 0],)),
    Found(gradient_by_a_choice_of_nothing, ([1, 0.5, 0],)),
    Found(whole_powers_that_wrap_around, ([3, 16, 0, 9, 20, -1, -7],)),
    Found(a_vector_of_no_coordinates, (np.zeros(0, np.float32),)),
    Found(signs_of_running_sums_of_one_element, ([[0, -1, -0.0]],)),
)


def weighted(outputs):
    """A cotangent for each output that is not alike everywhere."""
    return [np.cos(np.arange(np.size(o))).reshape(np.shape(o)).astype(np.float32) for o in outputs]


def called(program, module, given):
    """What a program gives; AutoGraph gives up on functions of TensorFlow's own that warn."""
    with warnings.catch_warnings():
        if module is tf:
            warnings.simplefilter("ignore")
        return program(module, *given)


def both(found):
    """Outputs and gradients with either library, run operator by operator."""
    results = []
    for module, array in ((tf, tf.constant), (shims, jnp.asarray)):
        given = [array(a) for a in found.arrays]
        with module.GradientTape() as tape:
            tape.watch(given)
            outputs = module.nest.flatten(called(found.program, module, given))
        floats = [o for o in outputs if np.asarray(o).dtype.kind == "f"]
        sources = [g for g in given if np.asarray(g).dtype.kind == "f"]
        weights = [array(w) for w in weighted(floats)]
        slopes = []
        if floats:
            slopes = tape.gradient(floats, sources, weights, unconnected_gradients="zero")
        results.append([np.asarray(v) for v in (*outputs, *slopes)])
    return results


def inside_a_function(found):
    """The same from one function of unknown sizes."""
    floats = [i for i, a in enumerate(found.arrays) if a.dtype.kind == "f"]

    def total(sources, given):
        for i, x in zip(floats, sources, strict=True):
            given[i] = x
        outputs = jax.tree.leaves(found.program(shims, *given))
        numbers = [o for o in outputs if jnp.issubdtype(o.dtype, jnp.floating)]
        flat = [o.reshape((-1,)) for o in numbers]
        sums = [jnp.sum(o * jnp.cos(jnp.arange(o.shape[0], dtype=o.dtype))) for o in flat]
        return sum(sums, jnp.zeros(())), outputs

    signature = [shims.TensorSpec([None] * a.ndim, a.dtype) for a in found.arrays]

    @shims.function(input_signature=signature, autograph=False)
    def run(*given):
        sources = [given[i] for i in floats]
        slopes, outputs = jax.grad(total, has_aux=True)(sources, list(given))
        is_float = any(jnp.issubdtype(o.dtype, jnp.floating) for o in outputs)
        return [*outputs, *(slopes if is_float else [])]

    return [np.asarray(v) for v in run(*found.arrays)]


def around_a_function(found):
    """The same with a tape around the function: the compiled program is differentiated."""
    given = [jnp.asarray(a) for a in found.arrays]
    signature = [shims.TensorSpec([None] * a.ndim, a.dtype) for a in found.arrays]
    function = shims.function(
        lambda *arrays: jax.tree.leaves(found.program(shims, *arrays)), signature, autograph=False
    )
    with shims.GradientTape() as tape:
        tape.watch(given)
        outputs = function(*given)
    floats = [o for o in outputs if o.dtype.kind == "f"]
    sources = [g for g in given if g.dtype.kind == "f"]
    weights = [jnp.asarray(w) for w in weighted(floats)]
    slopes = []
    if floats:
        slopes = tape.gradient(floats, sources, weights, unconnected_gradients="zero")
    return [np.asarray(v) for v in (*outputs, *slopes)]


ANSWERED = [pytest.param(f, id=f.program.__name__) for f in FOUND if not f.raises]
REFUSED = [pytest.param(f, id=f.program.__name__) for f in FOUND if f.raises]


@pytest.mark.parametrize("found", ANSWERED)
def test_eagerly(found):
    theirs, ours = both(found)
    assert_same(ours, theirs, 1e-5)


@pytest.mark.parametrize("found", ANSWERED)
def test_in_a_function(found):
    theirs, _ = both(found)
    assert_same(inside_a_function(found), theirs, 1e-5)


@pytest.mark.parametrize("found", ANSWERED)
def test_around_a_function(found):
    theirs, _ = both(found)
    assert_same(around_a_function(found), theirs, 1e-5)


@pytest.mark.parametrize("found", REFUSED)
def test_refused(found):
    with pytest.raises(getattr(tf.errors, found.raises)):
        found.program(tf, *map(tf.constant, found.arrays))
    kind = getattr(shims.errors, found.raises)
    with pytest.raises(kind):
        found.program(shims, *map(jnp.asarray, found.arrays))
    with pytest.raises(kind):
        inside_a_function(found)
