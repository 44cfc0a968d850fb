"""Convert operators whose Python call depends on their attributes, not just on their inputs."""

from __future__ import annotations

from collections.abc import Callable

from tf2jax_port.importing.graph import Node
from tf2jax_port.importing.rule import Rule, UnsupportedError, dtype_text, python_text, template


def _layout(node: Node, usual: str = "NHWC") -> str:
    """Return the source of the `data_format` argument; empty if it has the default value."""
    given = node.attribute("data_format", usual)
    return "" if given == usual else f", data_format={given!r}"


def _padding(node: Node) -> str:
    if node.attribute("padding") != "EXPLICIT":
        return repr(node.attribute("padding"))
    flat = node.attribute("explicit_paddings")
    return python_text([list(pair) for pair in zip(flat[::2], flat[1::2], strict=True)])


def _convolution(function: str, usual: str) -> Callable[[Node, list[str]], str]:
    def spell(node: Node, inputs: list[str]) -> str:
        strides, dilations = node.attribute("strides"), node.attribute("dilations", [])
        call = f"{function}({inputs[0]}, {inputs[1]}, {strides}, {_padding(node)}"
        if any(rate != 1 for rate in dilations):
            call += f", dilations={dilations}"
        return call + _layout(node, usual) + ")"

    return spell


def _depthwise(node: Node, inputs: list[str]) -> str:
    rates = node.attribute("dilations", [])
    call = f"tf.nn.depthwise_conv2d({inputs[0]}, {inputs[1]}, {node.attribute('strides')}, "
    call += _padding(node)
    if any(rate != 1 for rate in rates):
        start = 2 if node.attribute("data_format") == "NCHW" else 1
        call += f", dilations={rates[start : start + 2]}"
    return call + _layout(node) + ")"


def _transposed(node: Node, inputs: list[str]) -> str:
    """Convert the gradient of a convolution to a call of `conv2d_transpose`."""
    sizes, kernel, images = inputs
    call = f"tf.nn.conv2d_transpose({images}, {kernel}, {sizes}, {node.attribute('strides')}, "
    call += _padding(node)
    rates = node.attribute("dilations", [])
    if any(rate != 1 for rate in rates):
        call += f", dilations={rates}"
    return call + _layout(node) + ")"


def _max_pool(node: Node, inputs: list[str]) -> str:
    """Convert max pooling; `MaxPoolV2` has window and strides as inputs, `MaxPool` as attributes."""
    window, strides = node.attribute("ksize"), node.attribute("strides")
    if node.op == "MaxPoolV2":
        window, strides = inputs[1:]
    call = f"tf.nn.max_pool2d({inputs[0]}, {window}, {strides}, {_padding(node)}"
    return call + _layout(node) + ")"


def _batch_norm(node: Node, inputs: list[str]) -> str:
    """Convert fused batch normalization; only the first output, the normalized images, is provided.

    In training mode, the moments are computed from the batch; otherwise they are inputs of the operator.
    """
    images, scale, offset, mean, variance = inputs
    if node.attribute("data_format", "NHWC") not in ("NHWC", "NDHWC"):
        raise UnsupportedError("the channels are not the last axis")
    if node.attribute("T") != node.attribute("U", node.attribute("T")):
        raise UnsupportedError("the moments and the images have different dtypes")
    epsilon = python_text(float(node.attribute("epsilon", 1e-4)))
    if node.attribute("is_training", True):
        axes = [0, 1, 2, 3] if node.attribute("data_format") == "NDHWC" else [0, 1, 2]
        return (
            f"tf.nn.batch_normalization({images}, *tf.nn.moments({images}, {axes}), "
            f"{offset}, {scale}, {epsilon})"
        )
    return f"tf.nn.batch_normalization({images}, {mean}, {variance}, {offset}, {scale}, {epsilon})"


def _divide(node: Node, inputs: list[str]) -> str:
    """Convert version 1 division, which truncates the quotient of integers."""
    whole = "int" in str(node.attribute("T"))
    return f"tf.{'truncatediv' if whole else 'divide'}({inputs[0]}, {inputs[1]})"


def _squeeze(node: Node, inputs: list[str]) -> str:
    axes = node.attribute("squeeze_dims") or []
    return f"tf.squeeze({inputs[0]}, {axes})" if axes else f"tf.squeeze({inputs[0]})"


def _concat(node: Node, inputs: list[str]) -> str:
    """Convert concatenation; the axis is the last input, in the old operator `Concat` the first one."""
    axis, parts = (inputs[0], inputs[1:]) if node.op == "Concat" else (inputs[-1], inputs[:-1])
    return f"tf.concat([{', '.join(parts)}], {axis})"


def _stitch(node: Node, inputs: list[str]) -> str:
    half = len(inputs) // 2
    return f"tf.dynamic_stitch([{', '.join(inputs[:half])}], [{', '.join(inputs[half:])}])"


def _resize(method: str) -> Callable[[Node, list[str]], str]:
    def spell(node: Node, inputs: list[str]) -> str:
        options = ("align_corners", "half_pixel_centers")
        given = "".join(f", {option}=True" for option in options if node.attribute(option))
        return f"v1.image.resize_{method}({inputs[0]}, {inputs[1]}{given})"

    return spell


def _resize_area(node: Node, inputs: list[str]) -> str:
    corners = ", align_corners=True" if node.attribute("align_corners") else ""
    return f"v1.image.resize_area({inputs[0]}, {inputs[1]}{corners})"


def _sparse_product(node: Node, inputs: list[str]) -> str:
    """Convert the product of a sparse matrix (indices, values and shape) and a dense matrix."""
    call = f"tf.sparse.sparse_dense_matmul(tf.SparseTensor({', '.join(inputs[:3])}), {inputs[3]}"
    for side in ("adjoint_a", "adjoint_b"):
        call += f", {side}=True" if node.attribute(side) else ""
    return call + ")"


def _cross_entropy(name: str) -> Callable[[Node, list[str]], str]:
    def spell(node: Node, inputs: list[str]) -> str:
        return f"(tf.nn.{name}(labels={inputs[1]}, logits={inputs[0]}),)"

    return spell


def _list_shape(node: Node, known: str) -> str:
    """Return the source of the `element_shape` argument; empty if the shape is unknown."""
    shape = node.attribute(known)
    return f", element_shape={shape}" if shape is not None else ""


def _array(node: Node, inputs: list[str]) -> str:
    call = f"tf.TensorArray({dtype_text(node.attribute('dtype'))}, size={inputs[0]}"
    if node.attribute("dynamic_size"):
        call += ", dynamic_size=True"
    call += ", clear_after_read=False" + _list_shape(node, "element_shape")
    if not node.attribute("identical_element_shapes") and not node.attribute("element_shape"):
        call += ", infer_shape=False"
    return call + ")"


def _filled(node: Node, inputs: list[str]) -> str:
    """Convert a tensor list made from the rows of a tensor to a `tf.TensorArray`."""
    dtype = dtype_text(node.attribute("element_dtype"))
    rows = inputs[0]
    array = f"tf.TensorArray({dtype}, size=tf.shape({rows})[0], clear_after_read=False)"
    return f"{array}.unstack({rows})"


SHAPED: dict[str, Rule] = {
    "Conv2D": Rule(_convolution("tf.nn.conv2d", "NHWC")),
    "Conv3D": Rule(_convolution("tf.nn.conv3d", "NDHWC")),
    "DepthwiseConv2dNative": Rule(_depthwise),
    "Conv2DBackpropInput": Rule(_transposed),
    "MaxPool": Rule(_max_pool),
    "MaxPoolV2": Rule(_max_pool),
    "FusedBatchNorm": Rule(_batch_norm),
    "FusedBatchNormV2": Rule(_batch_norm),
    "FusedBatchNormV3": Rule(_batch_norm),
    "Div": Rule(_divide),
    "Squeeze": Rule(_squeeze),
    "Concat": Rule(_concat),
    "ConcatV2": Rule(_concat),
    "DynamicStitch": Rule(_stitch),
    "ParallelDynamicStitch": Rule(_stitch),
    "ResizeBilinear": Rule(_resize("bilinear")),
    "ResizeNearestNeighbor": Rule(_resize("nearest_neighbor")),
    "ResizeBicubic": Rule(_resize("bicubic")),
    "ResizeArea": Rule(_resize_area),
    "SparseTensorDenseMatMul": Rule(_sparse_product),
    "SoftmaxCrossEntropyWithLogits": Rule(
        _cross_entropy("softmax_cross_entropy_with_logits"), ("loss",)
    ),
    "SparseSoftmaxCrossEntropyWithLogits": Rule(
        _cross_entropy("sparse_softmax_cross_entropy_with_logits"), ("loss",)
    ),
    # Tensor arrays. Version 1 has two outputs, handle and flow; here the flow holds the data.
    "TensorArrayV3": Rule(_array),
    "TensorArrayReadV3": template("{2}.read({1}"),
    "TensorArrayWriteV3": template("{3}.write({1}, {2}"),
    "TensorArrayGatherV3": template("{2}.gather({1}"),
    "TensorArrayScatterV3": template("{3}.scatter({1}, {2}"),
    "TensorArraySizeV3": template("{1}.size("),
    "TensorArrayConcatV3": template("{1}.concat("),
    "TensorListFromTensor": Rule(_filled),
    "TensorListGetItem": template("{0}.read({1}"),
    "TensorListSetItem": template("{0}.write({1}, {2}"),
    "TensorListStack": template("{0}.stack("),
    "TensorListLength": template("{0}.size("),
}
