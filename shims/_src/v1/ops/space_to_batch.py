"""Provide `space_to_batch`, image patches and `sparse_to_dense` with TensorFlow 1 parameters."""

from __future__ import annotations

import shims
from shims._src.errors import errors


def batch_to_space(input, crops, block_size, name=None, block_shape=None):
    """Rearrange batch elements into spatial blocks; the inverse of `space_to_batch`.

    Args:
      input: array `[batch, height, width, channels]`.
      crops: `[[top, bottom], [left, right]]`, the elements to cut off.
      block_size: the number of elements along each side of a block.
      name: the name of the operation.
      block_shape: `[rows, columns]`, instead of `block_size`.

    Differs from TensorFlow:
      Nothing.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/batch_to_space
    """
    return shims.batch_to_space(input, _block_shape(block_size, block_shape), crops)


def space_to_batch(input, paddings, block_size=None, name=None, block_shape=None):
    """Rearrange spatial blocks into the batch axis.

    Args:
      input: array `[batch, height, width, channels]`.
      paddings: `[[top, bottom], [left, right]]`, the number of zeros to pad.
      block_size: the number of elements along each side of a block.
      name: the name of the operation.
      block_shape: `[rows, columns]`, instead of `block_size`.

    Differs from TensorFlow:
      Nothing.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/space_to_batch
    """
    return shims.space_to_batch(input, _block_shape(block_size, block_shape), paddings)


def _block_shape(size, shape):
    if shape is not None:
        return shape
    if size is None:
        raise ValueError("One of `block_size` and `block_shape` is needed.")
    return [size, size]


def extract_image_patches(
    images, ksizes=None, strides=None, rates=None, padding=None, name=None, sizes=None
):
    """Extract patches of images into the last axis.

    Args:
      images: array `[batch, height, width, channels]`.
      ksizes: `[1, rows, columns, 1]`, the size of a patch.
      strides: `[1, rows, columns, 1]`, the distance between patches.
      rates: `[1, rows, columns, 1]`, the distance between the elements of a patch.
      padding: `SAME` or `VALID`.
      name: the name of the operation.
      sizes: another name of `ksizes`.

    Raises:
      ValueError: both `ksizes` and `sizes` are given.

    Differs from TensorFlow:
      Nothing.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/extract_image_patches
    """
    if ksizes is not None and sizes is not None:
        raise ValueError("Cannot specify both 'sizes' and 'ksizes'")
    return shims.image.extract_patches(
        images, ksizes if sizes is None else sizes, strides, rates, padding
    )


def sparse_to_dense(
    sparse_indices, output_shape, sparse_values, default_value=0, validate_indices=True, name=None
):
    """Create a dense array with values at given indices.

    Args:
      sparse_indices: an index, a vector of indices, or an array `[n, rank]`.
      output_shape: the shape of the result.
      sparse_values: the values, or one value for all indices.
      default_value: the value of all other elements.
      validate_indices: must be true, because only sorted and distinct indices are supported.
      name: the name of the operation.

    Raises:
      UnimplementedError: `validate_indices` is false.

    Differs from TensorFlow:
      Indices are always checked.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/sparse_to_dense
    """
    if not validate_indices:
        raise errors.UnimplementedError(
            errors.message(
                "sparse_to_dense",
                "unsorted or repeated indices are not supported.",
                received="validate_indices=False",
                do="use `tf.scatter_nd`, or `tf.tensor_scatter_update` of `tf.fill`.",
            )
        )
    indices = shims.convert_to_tensor(sparse_indices)
    if indices.ndim < 2:
        indices = shims.reshape(indices, [-1, 1])
    values = shims.convert_to_tensor(sparse_values)
    if not values.ndim:
        values = shims.fill([shims.shape(indices)[0]], values)
    sparse = shims.SparseTensor(
        shims.cast(indices, shims.int64), values, shims.cast(output_shape, shims.int64)
    )
    default = shims.cast(default_value, values.dtype)
    return shims.sparse.to_dense(sparse, default, validate_indices=True)
