"""List calls of operators that have no row, or whose row's cases lack version 1's spelling.

Arrays become tensors in several forms; a function creates any other object.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import tensorflow as tf

_X = np.ones([2, 3], np.float32)
_IMAGES = np.ones([2, 4, 4, 3], np.float32)
_IDS = np.ones([4, 1], np.int64)
_TEXT = np.array(b"a", object)
_TEXTS = np.array([b"a", b"b"], object)


def _sparse() -> tf.SparseTensor:
    return tf.SparseTensor([[0, 0], [1, 0]], [1.0, 1.0], [2, 3])


def _sparse_ids() -> tf.SparseTensor:
    return tf.SparseTensor([[0, 0], [1, 0]], np.asarray([1, 1], np.int32), [2, 3])


CALLS: dict[str, list[dict[str, Any]]] = {
    **{
        f"nn.{name}": [
            {
                "weights": np.ones([10, 3], np.float32),
                "biases": np.ones([10], np.float32),
                "labels": _IDS,
                "inputs": np.ones([4, 3], np.float32),
                "num_sampled": 3,
                "num_classes": 10,
            }
        ]
        for name in ("nce_loss", "sampled_softmax_loss")
    },
    **{
        f"nn.{name}_candidate_sampler": [
            {"true_classes": _IDS, "num_true": 1, "num_sampled": 3, "unique": True, "range_max": 9}
        ]
        for name in ("log_uniform", "uniform")
    },
    **{
        f"sparse_{name}": [{"sp_input": _sparse}]
        for name in (
            "reduce_max",
            "reduce_sum",
            "reorder",
            "softmax",
            "tensor_to_dense",
            "transpose",
        )
    },
    "nn.batch_normalization": [
        {
            "x": _X,
            "mean": _X[0],
            "variance": _X[0],
            "offset": offset,
            "scale": scale,
            "variance_epsilon": 0.1,
        }
        for offset in (None, _X[0])
        for scale in (None, _X[0])
    ],
    "nn.ctc_greedy_decoder": [
        {"inputs": np.ones([5, 2, 3], np.float32), "sequence_length": np.asarray([5, 5], np.int32)}
    ],
    "nn.ctc_loss": [
        {
            "labels": _sparse_ids,
            "inputs": np.ones([5, 2, 3], np.float32),
            "sequence_length": np.asarray([5, 5], np.int32),
        }
    ],
    "nn.conv3d_transpose": [
        {
            "value": np.ones([1, 2, 2, 2, 1], np.float32),
            "filter": np.ones([2, 2, 2, 1, 1], np.float32),
            "output_shape": [1, 4, 4, 4, 1],
            "strides": [1, 2, 2, 2, 1],
        }
    ],
    "nn.convolution": [
        {"input": _IMAGES, "filter": np.ones([2, 2, 3, 1], np.float32), "padding": "SAME"}
    ],
    "nn.embedding_lookup_sparse": [
        {"params": _X, "sp_ids": _sparse_ids, "sp_weights": None, "combiner": c}
        for c in ("mean", "sum", "sqrtn")
    ],
    "nn.max_pool_with_argmax": [
        {"input": _IMAGES, "ksize": [1, 2, 2, 1], "strides": [1, 2, 2, 1], "padding": "SAME"}
    ],
    "random_crop": [{"value": _IMAGES, "size": [2, 2, 2, 3]}],
    "repeat": [
        {"input": _X, "repeats": r, "axis": a} for r in (2, 3, [1, 2], [3, 1]) for a in (0, -2)
    ],
    "self_adjoint_eig": [{"tensor": np.eye(3, dtype=np.float32)}],
    "sparse_add": [{"a": _sparse, "b": _sparse}],
    "sparse_concat": [{"axis": 0, "sp_inputs": lambda: [_sparse(), _sparse()]}],
    "sparse_reshape": [{"sp_input": _sparse, "shape": [3, 2]}],
    "sparse_retain": [{"sp_input": _sparse, "to_retain": [True, False]}],
    "sparse_tensor_dense_matmul": [{"sp_a": _sparse, "b": _X.T.copy()}],
    "svd": [{"tensor": np.eye(3, dtype=np.float32), "compute_uv": c} for c in (True, False)],
    "arg_max": [{"input": _X, "dimension": 1}],
    "arg_min": [{"input": _X, "dimension": 1}],
    "batch_gather": [{"params": _X, "indices": np.zeros([2, 1], np.int32)}],
    "batch_to_space": [
        {"input": np.ones([4, 1, 1, 1], np.float32), "crops": [[0, 0], [0, 0]], "block_size": 2}
    ],
    "div": [{"x": _X, "y": _X}],
    "extract_image_patches": [
        {
            "images": _IMAGES,
            "ksizes": [1, 2, 2, 1],
            "strides": [1, 2, 2, 1],
            "rates": [1, 1, 1, 1],
            "padding": "SAME",
        }
    ],
    "floor_div": [{"x": _X, "y": _X}],
    "image.crop_and_resize": [
        {
            "image": _IMAGES,
            "boxes": np.ones([1, 4], np.float32),
            "box_ind": np.zeros([1], np.int32),
            "crop_size": [2, 2],
        }
    ],
    **{
        f"image.resize_{method}": [{"images": _IMAGES, "size": [2, 2]}]
        for method in ("area", "bicubic", "bilinear", "nearest_neighbor")
    },
    "image.resize_images": [{"images": _IMAGES, "size": [2, 2]}],
    "multinomial": [{"logits": _X, "num_samples": 3}],
    "nn.avg_pool": [
        {"value": _IMAGES, "ksize": [1, 2, 2, 1], "strides": [1, 2, 2, 1], "padding": "SAME"}
    ],
    "nn.embedding_lookup": [
        {"params": _X, "ids": np.zeros([2], np.int32)},
        {"params": (_X, _X), "ids": np.zeros([2], np.int32)},
    ],
    "nn.fused_batch_norm": [
        {"x": _IMAGES, "scale": np.ones(3, np.float32), "offset": np.ones(3, np.float32)}
    ],
    "nn.max_pool": [
        {"value": _IMAGES, "ksize": [1, 2, 2, 1], "strides": [1, 2, 2, 1], "padding": "SAME"}
    ],
    "nn.moments": [{"x": _X, "axes": [0], "keep_dims": True}, {"x": _X, "axes": [0, 1]}],
    "nn.relu_layer": [
        {"x": _X, "weights": _X.T.copy(), "biases": np.ones([2], np.float32)},
    ],
    "nn.sparse_softmax_cross_entropy_with_logits": [{"labels": [0, 1], "logits": _X}],
    "nn.xw_plus_b": [
        {"x": _X, "weights": _X.T.copy(), "biases": np.ones([2], np.float32)},
    ],
    **{
        f"nn.{name}": [{"logits": _X, "axis": a} for a in (-1, 0, 1)]
        for name in ("log_softmax", "softmax")
    },
    "norm": [{"tensor": _X, "axis": a, "keepdims": k} for a in (0, 1) for k in (False, True)],
    "random_gamma": [{"shape": [2], "alpha": 0.5}],
    "random_uniform": [
        {"shape": [2]},
        {"shape": [2], "minval": -1.0, "maxval": 1.0},
        {"shape": [2], "maxval": 3.0},
        {"shape": [2], "maxval": 3, "dtype": tf.int32},
        {"shape": [2], "minval": 1, "maxval": 3, "dtype": tf.int32},
    ],
    "reduce_sum": [{"input_tensor": _X, "reduction_indices": 1}],
    "setdiff1d": [{"x": np.ones(3, np.int32), "y": np.ones(2, np.int32)}],
    "space_to_batch": [
        {"input": np.ones([1, 2, 2, 1], np.float32), "paddings": [[0, 0], [0, 0]], "block_size": 2}
    ],
    "sparse_to_dense": [
        {"sparse_indices": [[0, 1]], "output_shape": [2, 2], "sparse_values": [1.0]}
    ],
    "tensordot": [{"a": np.ones([2, 3, 4], np.float32), "b": _X.T.copy(), "axes": [[1], [0]]}],
    "decode_csv": [{"records": _TEXTS, "record_defaults": [[1], [""]]}],
    "decode_raw": [{"input_bytes": _TEXTS, "out_type": tf.uint8}],
    **{
        f"image.decode_{name}": [{"contents": _TEXT}]
        for name in ("bmp", "gif", "image", "jpeg", "png")
    },
    "image.decode_and_crop_jpeg": [{"contents": _TEXT, "crop_window": [0, 0, 1, 1]}],
    "image.encode_jpeg": [{"image": np.ones([2, 2, 3], np.uint8)}],
    "image.encode_png": [{"image": np.ones([2, 2, 3], np.uint8)}],
    "image.extract_jpeg_shape": [{"contents": _TEXT}],
    "image.is_jpeg": [{"contents": _TEXT}],
    "matching_files": [{"pattern": _TEXT}],
    "parse_example": [{"serialized": _TEXTS, "features": {"a": tf.io.VarLenFeature(tf.int64)}}],
    "parse_single_example": [
        {"serialized": _TEXT, "features": {"a": tf.io.FixedLenFeature([], tf.int64)}}
    ],
    "parse_tensor": [{"serialized": _TEXT, "out_type": tf.int64}],
    "read_file": [{"filename": _TEXT}],
    "serialize_tensor": [{"tensor": _X}],
    "string_split": [{"source": _TEXTS}],
    "string_to_number": [{"string_tensor": _TEXTS}],
    "strings.split": [{"input": _TEXTS}],
    "substr": [{"input": _TEXTS, "pos": 0, "len": 1}],
}
