"""Rows of `tf.nn` about losses of batches, of counts and of sequences without places."""

from __future__ import annotations

from tf2jax_port.table.families import shim
from tf2jax_port.table.inputs import INF, NAN, draw, empty, f32, i32
from tf2jax_port.table.row import Row, case

_SEQUENCES = {
    "labels": i32([[1, 2, 2], [3, 1, 0]]),
    "label_length": i32([3, 2]),
    "logit_length": i32([6, 4]),
}

ROWS: tuple[Row, ...] = (
    shim(
        "nn.log_poisson_loss",
        "targets, log_input, compute_full_loss=False, name=None",
        "loss_averages",
        tensors=("targets", "log_input"),
        inputs=(
            case("plain", targets=draw(2, 3, low=0, high=5), log_input=draw(2, 3)),
            case("full", targets=f32([1, 2, 3.5]), log_input=draw(3), compute_full_loss=True),
            case(
                "edges",
                gradient=("log_input",),
                targets=f32([0, 0.5, -1, NAN, INF]),
                log_input=f32([0, -INF, 1, 1, INF]),
                compute_full_loss=True,
            ),
            case("empty", targets=empty(0), log_input=empty(0)),
            case("shapes", raises="ValueError", targets=draw(2), log_input=draw(1)),
            case("int32", raises="InvalidArgumentError", targets=i32([1]), log_input=i32([1])),
        ),
    ),
    shim(
        "nn.compute_average_loss",
        "per_example_loss, sample_weight=None, global_batch_size=None",
        "loss_averages",
        inputs=(
            case("plain", per_example_loss=draw(4)),
            case("weights", per_example_loss=draw(4), sample_weight=draw(4)),
            case("column", per_example_loss=draw(3), sample_weight=draw(3, 1)),
            case("rows", per_example_loss=draw(3, 2), sample_weight=draw(3), global_batch_size=5),
            case("one-weight", per_example_loss=draw(3), sample_weight=f32(0.5)),
            case("nan", per_example_loss=f32([NAN, 1])),
            case("nothing", per_example_loss=draw(2), global_batch_size=0),
            case("int32", per_example_loss=i32([1, 2])),
            case("scalar", raises="ValueError", per_example_loss=f32(3)),
            case("a-float", raises="TypeError", per_example_loss=draw(2), global_batch_size=2.0),
            case(
                "negative",
                raises="InvalidArgumentError",
                per_example_loss=draw(2),
                global_batch_size=-1,
            ),
            case("vector", raises="ValueError", per_example_loss=draw(2), global_batch_size=[2]),
            case(
                "shapes",
                raises="InvalidArgumentError",
                per_example_loss=draw(2),
                sample_weight=draw(3),
            ),
        ),
    ),
    shim(
        "nn.scale_regularization_loss",
        "regularization_loss",
        "loss_averages",
        inputs=(
            case("vector", regularization_loss=draw(4)),
            case("scalar", regularization_loss=f32(2)),
            case("int32", regularization_loss=i32([1, 2])),
        ),
    ),
    shim(
        "nn.ctc_loss",
        "labels, logits, label_length, logit_length, logits_time_major=True, unique=None, "
        "blank_index=None, name=None",
        "ctc.loss",
        tolerance=1e-5,
        inputs=(
            case("plain", pad=(("logits", 0),), logits=draw(6, 2, 4), **_SEQUENCES),
            case("last-blank", logits=draw(6, 2, 5), blank_index=-1, **_SEQUENCES),
            case(
                "batch-major",
                logits=draw(2, 6, 5),
                logits_time_major=False,
                blank_index=1,
                labels=i32([[2, 2, 0], [3, 4, 0]]),
                label_length=i32([3, 2]),
                logit_length=i32([5, 6]),
            ),
            case(
                "no-labels",
                logits=draw(3, 1, 3),
                labels=i32([[0, 0]]),
                label_length=i32([0]),
                logit_length=i32([3]),
            ),
            case(
                "impossible",
                logits=draw(2, 1, 3),
                labels=i32([[1, 1, 2]]),
                label_length=i32([3]),
                logit_length=i32([2]),
            ),
        ),
    ),
)
