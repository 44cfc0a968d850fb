"""Operators by whose name version 1 means something else, against TensorFlow."""

import numpy as np
import pytest

import shims.compat.v1 as ours
from tests.harness.compare import Dtypes, Tolerance, assert_same

IMAGES = np.arange(2 * 5 * 4 * 3, dtype=np.float32).reshape(2, 5, 4, 3) ** 1.5
LOGITS = np.float32([[1, 2, 0.5], [0.25, -3, 1]])
LABELS = np.float32([[0.2, 0.5, 0.3], [1, 0, 0]])
SIZES = [(3, 7), (10, 8), (1, 1), (5, 4)]

CALLS = {
    "div": lambda tf: [tf.div(7, 2), tf.div(-7, 2), tf.div(7.0, 2.0), tf.floor_div(-7, 2)],
    "argmax": lambda tf: [
        tf.argmax(LOGITS, dimension=1),
        tf.argmax(LOGITS, 1, None, None, "int32"),
    ],
    "argmax-default": lambda tf: tf.argmax(LOGITS),
    "reductions": lambda tf: [
        tf.reduce_sum(LOGITS, reduction_indices=1, keep_dims=True),
        tf.reduce_mean(LOGITS, [0], True),
        tf.reduce_max(LOGITS, 1, None, None, None, True),
        tf.reduce_all(LOGITS > 0, keepdims=None),
    ],
    "squeeze": lambda tf: [tf.squeeze(LOGITS[:1], squeeze_dims=[0]), tf.expand_dims(LOGITS, dim=1)],
    "shape": lambda tf: [tf.shape(LOGITS, "s", tf.int64), tf.size(LOGITS, None, tf.int64)],
    "zeros_like": lambda tf: [
        tf.zeros_like(tensor=LOGITS),
        tf.ones_like(LOGITS, tf.int32, "n", False),
    ],
    "softmax": lambda tf: [tf.nn.softmax(LOGITS, dim=0), tf.nn.log_softmax(LOGITS, dim=0)],
    "moments": lambda tf: tf.nn.moments(LOGITS, [0], None, "m", True),
    "in_top_k": lambda tf: tf.nn.in_top_k(LOGITS, [1, 1], 1),
    "sparse_cross_entropy": lambda tf: tf.nn.sparse_softmax_cross_entropy_with_logits(
        labels=[0, 2], logits=LOGITS
    ),
    "weighted_cross_entropy": lambda tf: tf.nn.weighted_cross_entropy_with_logits(
        targets=LABELS, logits=LOGITS, pos_weight=2.0
    ),
    "conv2d": lambda tf: [
        tf.nn.conv2d(IMAGES, np.ones([2, 2, 3, 1], np.float32), [1, 1, 1, 1], "SAME"),
        tf.nn.conv2d(
            IMAGES,
            filter=np.ones([2, 2, 3, 1], np.float32),
            strides=[1, 2, 2, 1],
            padding="VALID",
            use_cudnn_on_gpu=False,
        ),
    ],
    "pools": lambda tf: [
        tf.nn.max_pool(IMAGES, [1, 2, 2, 1], [1, 2, 2, 1], "SAME"),
        tf.nn.avg_pool(value=IMAGES, ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="VALID"),
    ],
    "conv1d": lambda tf: tf.nn.conv1d(IMAGES[0], np.ones([2, 3, 2], np.float32), 2, "SAME"),
    "fused_batch_norm": lambda tf: [
        *tf.nn.fused_batch_norm(IMAGES, [1.0, 2.0, 3.0], [0.0, 1.0, 2.0])[:3],
        tf.nn.fused_batch_norm(
            IMAGES,
            [1.0, 2.0, 3.0],
            [0.0, 1.0, 2.0],
            [1.0, 2.0, 3.0],
            [4.0, 5.0, 6.0],
            is_training=False,
        )[0],
    ],
    "spaces": lambda tf: [
        tf.space_to_batch(IMAGES[:, :4], [[0, 0], [0, 0]], 2),
        tf.batch_to_space(IMAGES[:, :4].reshape(8, 2, 2, 3), [[0, 1], [1, 0]], 2),
    ],
    "patches": lambda tf: tf.extract_image_patches(
        IMAGES, [1, 2, 2, 1], [1, 2, 2, 1], [1, 1, 1, 1], "VALID"
    ),
    "sparse_to_dense": lambda tf: [
        tf.sparse_to_dense([[0, 1], [1, 2]], [2, 3], [5, 6], -1),
        tf.sparse_to_dense([0, 2], [4], 1.0),
        tf.sparse_to_dense(2, [4], True, False),
    ],
    "embedding_lookup": lambda tf: [
        tf.nn.embedding_lookup([IMAGES[0, :3, 0], IMAGES[0, 3:, 0]], [[0, 3], [4, 1]]),
        tf.nn.embedding_lookup([IMAGES[0, :3, 0], IMAGES[0, 3:, 0]], [0, 4], "div"),
        tf.nn.embedding_lookup(IMAGES[0, :, 0], [0, 4], max_norm=1.0),
    ],
    "embedding_lookup_sparse": lambda tf: [
        lookup([LOGITS[:1], LOGITS[1:]], ids, *rest)
        for ids in [tf.SparseTensor([[0, 0], [1, 0], [1, 1]], [1, 0, 1], [2, 2])]
        for lookup, rest in (
            (tf.nn.embedding_lookup_sparse, [None]),
            (tf.nn.embedding_lookup_sparse, [None, "div", None, "sum"]),
            (tf.nn.safe_embedding_lookup_sparse, [None, "sum", None, None, "mod"]),
        )
    ],
    "crop_and_resize": lambda tf: tf.image.crop_and_resize(
        IMAGES, [[0.1, 0.2, 0.8, 0.9]], box_ind=[1], crop_size=[3, 3]
    ),
    "where": lambda tf: tf.where([True, False], LOGITS, LABELS),
    "gather": lambda tf: [tf.gather(LOGITS, [1], axis=1), tf.batch_gather(LOGITS, [[1], [2]])],
    "setdiff1d": lambda tf: [*tf.setdiff1d([1, 2, 3, 4], [2, 4])],
    "count_nonzero": lambda tf: tf.count_nonzero(LABELS, reduction_indices=[1], keep_dims=True),
    "norm": lambda tf: tf.norm(LOGITS, axis=1, keep_dims=True),
    "reverse_sequence": lambda tf: tf.reverse_sequence(LOGITS, [2, 3], seq_dim=1, batch_dim=0),
    "confusion_matrix": lambda tf: tf.confusion_matrix([0, 1], [1, 1], 2, tf.int32, None, [2, 3]),
    "depth_to_space": lambda tf: tf.depth_to_space(IMAGES.reshape(2, 5, 3, 4), 2, "n", "NHWC"),
    "depthwise_conv2d": lambda tf: tf.nn.depthwise_conv2d(
        IMAGES, np.ones([2, 2, 3, 1], np.float32), [1, 1, 1, 1], "VALID", [2, 2]
    ),
    **{
        f"{method}-{size}-{align}": lambda tf, m=method, s=size, a=align: getattr(tf.image, m)(
            IMAGES, s, align_corners=a
        )
        for method in ("resize_bilinear", "resize_nearest_neighbor", "resize_bicubic")
        for size in SIZES
        for align in (False, True)
    },
    "resize-halves": lambda tf: tf.image.resize_bilinear(IMAGES, [3, 7], half_pixel_centers=True),
    "resize_area": lambda tf: tf.image.resize_area(IMAGES, [3, 7]),
    "resize_images": lambda tf: [
        tf.image.resize_images(IMAGES, [3, 7], method)
        for method in (0, 1, 2, 3, tf.image.ResizeMethod.BICUBIC, "bilinear")
    ],
    "resize_images-same": lambda tf: tf.image.resize_images(IMAGES[0].astype(np.int32), [5, 4]),
    "resize_images-ratio": lambda tf: tf.image.resize_images(
        IMAGES, [3, 7], preserve_aspect_ratio=True
    ),
}


def flat(value):
    return [np.asarray(v) for v in (value if isinstance(value, (list, tuple)) else [value])]


@pytest.fixture(scope="module")
def in_graphs():
    """What a graph of each library gives for every call: one run of one session each."""
    import tensorflow.compat.v1 as theirs

    found = []
    for tf in (theirs, ours):
        with tf.Graph().as_default():
            fetches = {}
            for name, call in CALLS.items():
                value = call(tf)
                fetches[name] = list(value) if isinstance(value, (list, tuple)) else [value]
            with tf.Session() as session:
                found.append((fetches, session.run(fetches)))
    return found


@pytest.mark.parametrize("name", CALLS)
def test_it_is_tensorflows(in_graphs, name):
    (theirs, wanted), (mine, found) = in_graphs
    assert [t.shape.as_list() for t in mine[name]] == [t.shape.as_list() for t in theirs[name]]
    for a, b in zip(found[name], wanted[name], strict=True):
        assert_same(a, b, Tolerance(relative=2e-5, absolute=1e-5), Dtypes.SAME)


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (
            lambda: ours.reduce_sum([1.0], 0, keepdims=True, keep_dims=True),
            ValueError,
            "Cannot specify both 'keep_dims' and 'keepdims'",
        ),
        (lambda: ours.reduce_sum(LOGITS, axes=0), TypeError, "unexpected keyword argument 'axes'"),
        (
            lambda: ours.nn.max_pool_with_argmax(
                IMAGES, [1, 2, 2, 1], [1, 2, 2, 1], "SAME", Targmax=ours.int32
            ),
            NotImplementedError,
            "the TensorFlow 1 argument `Targmax` has no counterpart here",
        ),
    ],
    ids=["twice", "unknown", "no-counterpart"],
)
def test_what_is_refused(call, kind, message):
    with ours.Graph().as_default(), pytest.raises(kind, match=message):
        call()


def test_the_search_for_accidental_hits_consumes_a_seed():
    """As in TensorFlow 2.21, where the samplers of three `sampled_softmax_loss` have the seeds 0, 2 and 4."""
    with ours.Graph().as_default() as graph:
        graph.seed = 7
        weights, biases = ours.zeros([50, 8]), ours.zeros([50])
        given = weights, biases, ours.zeros([4, 1], ours.int64), ours.zeros([4, 8]), 10, 50
        for _ in range(2):
            ours.nn.sampled_softmax_loss(*given)
        ours.nn.nce_loss(*given)
        ours.nn.nce_loss(*given, remove_accidental_hits=True)
        seeds = [
            op.attributes["seeds"] for op in graph.get_operations() if "seeds" in op.attributes
        ]
        assert seeds == [[(7, 0)], [(7, 2)], [(7, 4)], [(7, 5)]]
        assert graph.next_seed() == 7
