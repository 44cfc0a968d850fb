"""Define the outputs and the input placeholders that model functions declare for an exported model."""

from __future__ import annotations

from typing import Any, NamedTuple

from shims._src.v1.graph.conversion import convert_to_tensor
from shims._src.v1.graph.placeholders import placeholder


class ExportOutput:
    """The base class of the outputs of an exported model."""

    __module__ = "shims.compat.v1.estimator.export"


class PredictOutput(ExportOutput):
    """Outputs by name.

    Args:
      outputs: a dict of tensors, or a tensor.
    """

    __module__ = "shims.compat.v1.estimator.export"

    def __init__(self, outputs):
        given = outputs if isinstance(outputs, dict) else {"output": outputs}
        self.outputs = {key: convert_to_tensor(value) for key, value in given.items()}


class ClassificationOutput(ExportOutput):
    """The scores of classes, or their names.

    Args:
      scores: a floating-point tensor.
      classes: a tensor of strings.

    Raises:
      ValueError: both are missing, or a dtype is wrong.
    """

    __module__ = "shims.compat.v1.estimator.export"

    def __init__(self, scores=None, classes=None):
        if scores is None and classes is None:
            raise ValueError(
                "Cannot create a ClassificationOutput with empty arguments. At least one of `scores` "
                "and `classes` must be defined."
            )
        if scores is not None and not scores.dtype.is_floating:
            raise ValueError(f"Classification scores must be a float32 Tensor; got {scores}")
        if classes is not None and classes.dtype.name != "string":
            raise ValueError(f"Classification classes must be a string Tensor; got {classes}")
        self.scores, self.classes = scores, classes


class RegressionOutput(ExportOutput):
    """The value of a regression.

    Args:
      value: a floating-point tensor.

    Raises:
      ValueError: the dtype is wrong.
    """

    __module__ = "shims.compat.v1.estimator.export"

    def __init__(self, value):
        if not value.dtype.is_floating:
            raise ValueError(f"Regression output value must be a float32 Tensor; got {value}")
        self.value = value


class ServingInputReceiver(NamedTuple):
    """The features that a served model receives, and the tensors that are fed."""

    features: Any
    receiver_tensors: Any
    receiver_tensors_alternatives: Any = None


def build_raw_serving_input_receiver_fn(features, default_batch_size=None):
    """Return a function that creates a placeholder like each feature.

    Args:
      features: a dict of tensors, whose first axis is that of examples.
      default_batch_size: the number of examples; `None` allows any number.
    """

    def receive() -> ServingInputReceiver:
        made = {
            key: placeholder(t.dtype, [default_batch_size, *t.shape.as_list()[1:]], t.op.name)
            for key, t in features.items()
        }
        return ServingInputReceiver(made, dict(made))

    return receive
