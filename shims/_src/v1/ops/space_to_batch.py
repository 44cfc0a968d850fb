"""Blocks, patches and dense arrays under version 1's parameters."""

from __future__ import annotations

import shims
from shims._src.errors import errors


def batch_to_space(input, crops, block_size, name=None, block_shape=None):
    """Elements of the batch put side by side in blocks, the opposite of `space_to_batch`.

    Args:
      input: array `[batch, height, width, channels]`.
      crops: `[[top, bottom], [left, right]]`, what is cut off.
      block_size: how many elements stand along each side of a block.
      name: the name of the operation.
      block_shape: `[rows, columns]`, instead of `block_size`.

    Differs from TensorFlow:
      Nothing.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/batch_to_space
    """
    return shims.batch_to_space(input, _block(block_size, block_shape), crops)


def space_to_batch(input, paddings, block_size=None, name=None, block_shape=None):
    """Elements of blocks put into the batch.

    Args:
      input: array `[batch, height, width, channels]`.
      paddings: `[[top, bottom], [left, right]]`, how many zeros go around.
      block_size: how many elements stand along each side of a block.
      name: the name of the operation.
      block_shape: `[rows, columns]`, instead of `block_size`.

    Differs from TensorFlow:
      Nothing.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/space_to_batch
    """
    return shims.space_to_batch(input, _block(block_size, block_shape), paddings)


def _block(size, shape):
    if shape is not None:
        return shape
    if size is None:
        raise ValueError("One of `block_size` and `block_shape` is needed.")
    return [size, size]


def extract_image_patches(
    images, ksizes=None, strides=None, rates=None, padding=None, name=None, sizes=None
):
    """Patches of images, their elements along the last axis.

    Args:
      images: array `[batch, height, width, channels]`.
      ksizes: `[1, rows, columns, 1]`, the sizes of a patch.
      strides: `[1, rows, columns, 1]`, how far patches are apart.
      rates: `[1, rows, columns, 1]`, how far the elements of a patch are apart.
      padding: `SAME` or `VALID`.
      name: the name of the operation.
      sizes: the same as `ksizes`.

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
    """A dense array with values at given positions.

    Args:
      sparse_indices: a position, a vector of positions, or an array `[n, rank]`.
      output_shape: the shape of the result.
      sparse_values: the values, or one for all positions.
      default_value: what stands elsewhere.
      validate_indices: whether the positions must be in order and differ, as they have to here.
      name: the name of the operation.

    Raises:
      UnimplementedError: `validate_indices` is off.

    Differs from TensorFlow:
      Positions are always checked.

    https://www.tensorflow.org/api_docs/python/tf/compat/v1/sparse_to_dense
    """
    if not validate_indices:
        raise errors.UnimplementedError(
            errors.message(
                "sparse_to_dense",
                "positions that are not in order, or stand twice, are not taken.",
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
