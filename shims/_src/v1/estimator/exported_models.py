"""Write a trained model as a SavedModel of `shims.saved_model`: a function for each signature, and the variables."""

from __future__ import annotations

import os
import time
from typing import Any

import numpy as np

import shims
from shims._src.function.function import Function
from shims._src.saved_model.saving import save
from shims._src.types.tensor_spec import TensorSpec
from shims._src.v1.estimator.export import (
    ClassificationOutput,
    ExportOutput,
    PredictOutput,
    RegressionOutput,
    ServingInputReceiver,
)
from shims._src.v1.estimator.specs import EstimatorSpec
from shims._src.v1.saving.signature_constants import DEFAULT_SERVING_SIGNATURE_DEF_KEY
from shims._src.v1.session.export import to_function


class _Model(shims.Module):
    """The variables of a model, by their names in the graph."""

    def __init__(self):
        super().__init__()
        self.variables_by_name: dict[str, Any] = {}
        self.functions: dict[str, Any] = {}


def write_model(graph, session, spec: EstimatorSpec, receiver: ServingInputReceiver, base) -> bytes:
    """Write the model of a prediction to a new folder, and return the path of the folder.

    Args:
      graph: the graph of the prediction.
      session: a session with the trained variables.
      spec: the result of the model function.
      receiver: the features, and the placeholders that are fed.
      base: the folder in which the new folder is created.
    """
    fed = receiver.receiver_tensors
    fed = fed if isinstance(fed, dict) else {"input": fed}
    model = _Model()
    for key, output in _signatures(spec).items():
        model.functions[key] = _function(graph, session, model, _tensors(output), fed)
    folder = _new_folder(os.fspath(base))
    save(model, folder, signatures=dict(model.functions))
    return folder.encode()


def _signatures(spec: EstimatorSpec) -> dict[str, ExportOutput]:
    """Return the outputs by the names of signatures, with a default one."""
    given = spec.export_outputs
    if given is None:
        return {DEFAULT_SERVING_SIGNATURE_DEF_KEY: PredictOutput(spec.predictions)}
    if not isinstance(given, dict) or not all(isinstance(v, ExportOutput) for v in given.values()):
        raise TypeError(f"export_outputs must be a dict of ExportOutput objects. Given: {given}")
    if DEFAULT_SERVING_SIGNATURE_DEF_KEY in given:
        return dict(given)
    if len(given) > 1:
        raise ValueError(
            "Multiple export_outputs were provided, but none of them is specified as the default. Do this "
            f"by naming one of them with {DEFAULT_SERVING_SIGNATURE_DEF_KEY!r}."
        )
    (only,) = given.values()
    return {**given, DEFAULT_SERVING_SIGNATURE_DEF_KEY: only}


def _tensors(output: ExportOutput) -> dict[str, Any]:
    """Return the tensors of an output, by TensorFlow's names for them."""
    if isinstance(output, ClassificationOutput):
        found = {"classes": output.classes, "scores": output.scores}
        return {key: tensor for key, tensor in found.items() if tensor is not None}
    if isinstance(output, RegressionOutput):
        return {"outputs": output.value}
    assert isinstance(output, PredictOutput)
    return output.outputs


def _function(graph, session, model: _Model, outputs: dict, fed: dict) -> Function:
    pure = to_function(graph, outputs, list(fed.values()))
    kept = model.variables_by_name
    for name, value in pure.values_in(session).items():
        kept.setdefault(name, shims.Variable(np.asarray(value), name=name))

    def call(*arguments):
        return pure({name: kept[name].read_value() for name in pure.variables}, *arguments)

    specs = [
        TensorSpec(None if t.shape.rank is None else t.shape.as_list(), t.dtype, key)
        for key, t in fed.items()
    ]
    made: Function = shims.function(call, input_signature=specs)
    return made


def _new_folder(base: str) -> str:
    """Return the path of a folder that does not exist, named after the seconds since 1970 as in TensorFlow."""
    second = int(time.time())
    while os.path.exists(os.path.join(base, str(second))):
        second += 1
    return os.path.join(base, str(second))
