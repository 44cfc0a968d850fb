"""Define the table rows of `tf.nn` for the average loss, and Poisson, CTC and sampled losses."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tf2jax_port.table.families import shim
from tf2jax_port.table.inputs import INF, NAN, Values, draw, empty, f32, i32
from tf2jax_port.table.row import Case, Row, Shim, case

_SEQUENCES: dict[str, Any] = {
    "labels": i32([[1, 2, 2], [3, 1, 0]]),
    "label_length": i32([3, 2]),
    "logit_length": i32([6, 4]),
}

_CLASSES = "weights, biases, labels, inputs, num_sampled, num_classes"


def _i64(values: object) -> Values:
    """Describe an int64 array by its elements."""
    return replace(i32(values), dtype="int64")


def _of_samples() -> tuple[Case, ...]:
    """Build the test cases of losses over sampled classes."""
    shared: dict[str, Any] = {
        "weights": draw(6, 3),
        "biases": draw(6),
        "labels": i32([[1, 4], [0, 2]]),
        "inputs": draw(2, 3),
        "num_sampled": 3,
        "num_classes": 6,
        "num_true": 2,
        "sampled_values": (i32([2, 5, 4]), draw(2, 2, low=0.1, high=1), draw(3, low=0.1, high=1)),
        "pad": (("inputs", 0),),
    }
    return (
        case("hits", gradient=("inputs",), remove_accidental_hits=True, **shared),
        case("all", remove_accidental_hits=False, **shared),
        case("default", **shared),
    )


ROWS: tuple[Row, ...] = (
    shim(
        "nn.log_poisson_loss",
        "targets, log_input, compute_full_loss=False, name=None",
        "nn.loss_averages",
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
        takes="inexact",
    ),
    shim(
        "nn.compute_average_loss",
        "per_example_loss, sample_weight=None, global_batch_size=None",
        "nn.loss_averages",
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
        takes="number",
    ),
    shim(
        "nn.scale_regularization_loss",
        "regularization_loss",
        "nn.loss_averages",
        inputs=(
            case("vector", regularization_loss=draw(4)),
            case("scalar", regularization_loss=f32(2)),
            case("int32", regularization_loss=i32([1, 2])),
        ),
        takes="number",
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
            case(
                "never",
                logits=f32([[[0.3, 0.2, -INF]], [[0.1, 0.4, -INF]]]),
                labels=i32([[1]]),
                label_length=i32([1]),
                logit_length=i32([2]),
                differs="value: TensorFlow multiplies the logarithm of 0 by 0",
            ),
            case(
                "nan-behind",
                logits=f32([[[0.3, 0.2, 0.5]], [[NAN, 0.4, 0.1]]]),
                labels=i32([[1]]),
                label_length=i32([1]),
                logit_length=i32([1]),
                differs="value: TensorFlow multiplies the frames after `logit_length` by 0",
            ),
        ),
    ),
    Row(
        "v1.nn.ctc_loss",
        "labels, inputs=None, sequence_length=None, preprocess_collapse_repeated=False, "
        "ctc_merge_repeated=True, ignore_longer_outputs_than_inputs=False, time_major=True, "
        "logits=None",
        Shim("shims.v1.nn.ctc_loss"),
        own="ctc.loss:ctc_loss_v1",
        tests="tests/ctc",
    ),
    shim(
        "nn.ctc_greedy_decoder",
        "inputs, sequence_length, merge_repeated=True, blank_index=None",
        "ctc.decoding",
        fresh=True,
        tests="tests/ctc",
    ),
    shim(
        "nn.ctc_beam_search_decoder",
        "inputs, sequence_length, beam_width=100, top_paths=1",
        "ctc.beams",
        note="eager calls only",
        tests="tests/ctc",
    ),
    shim(
        "nn.collapse_repeated",
        "labels, seq_length, name=None",
        "ctc.decoding",
        fresh=True,
        inputs=(
            case("plain", labels=i32([[1, 1, 2, 2, 1], [3, 3, 3, 0, 0]]), seq_length=i32([5, 2])),
            case("nothing", labels=i32([[1, 1]]), seq_length=i32([0])),
            case("longest", labels=i32([[1, 2, 3], [4, 4, 4]]), seq_length=i32([3, 3])),
        ),
    ),
    shim(
        "nn.ctc_unique_labels",
        "labels, name=None",
        "ctc.decoding",
        xla="unsupported: sizes that depend on data",
        inputs=(
            case("plain", labels=i32([[3, 4, 4, 3], [1, 2, 3, 1]])),
            case("equal", labels=i32([[5, 5], [0, 0], [1, 0]])),
            case("one", labels=i32([[7]])),
            case("rank1", raises="InvalidArgumentError|ValueError", labels=i32([7])),
        ),
        takes="real bool",
    ),
    shim(
        "nn.sampled_softmax_loss",
        f"{_CLASSES}, num_true=1, sampled_values=None, remove_accidental_hits=True, seed=None, "
        "name='sampled_softmax_loss'",
        "nn.sampled_losses",
        tolerance=3e-6,
        xla="unsupported: no kernel for accidental hits",
        inputs=_of_samples(),
    ),
    shim(
        "nn.nce_loss",
        f"{_CLASSES}, num_true=1, sampled_values=None, remove_accidental_hits=False, "
        "name='nce_loss'",
        "nn.sampled_losses",
        tolerance=3e-6,
        xla="unsupported: no kernel for accidental hits",
        inputs=_of_samples(),
    ),
    shim(
        "nn.compute_accidental_hits",
        "true_classes, sampled_candidates, num_true, seed=None, name=None",
        "nn.sampled_losses",
        fresh=True,
        xla="unsupported: no kernel for accidental hits",
        inputs=(
            case(
                "some",
                true_classes=_i64([[1, 2], [3, 4], [2, 9]]),
                sampled_candidates=_i64([2, 4, 1]),
                num_true=2,
            ),
            case("none", true_classes=_i64([[1], [2]]), sampled_candidates=_i64([3]), num_true=1),
            case(
                "twice", true_classes=_i64([[1, 1]]), sampled_candidates=_i64([1, 0, 1]), num_true=2
            ),
            case(
                "shapes",
                raises="InvalidArgumentError",
                true_classes=_i64([[1]]),
                sampled_candidates=_i64([3]),
                num_true=2,
            ),
        ),
    ),
    shim(
        "nn.approx_max_k",
        "operand, k, reduction_dimension=-1, recall_target=0.95, "
        "reduction_input_size_override=-1, aggregate_to_topk=True, name=None",
        "nn.approximate",
        aliases=("math.approx_max_k",),
        inputs=(
            case("plain", operand=draw(3, 6), k=2),
            case("ties", operand=f32([[3, 5, 5, 1, 5]]), k=2),
            case("nan-first", operand=f32([[NAN, 1, INF, 2, -INF]]), k=3),
            case(
                "nan-between",
                operand=f32([[0.5, NAN, -0.7]]),
                k=1,
                differs="value: NaN counts as the largest number; in TensorFlow, NaN makes the sort order wrong",
            ),
            case("too-many", raises="InvalidArgumentError", operand=draw(1, 3), k=4),
            case("int32", raises="InvalidArgumentError", operand=i32([[1, 2]]), k=1),
        ),
    ),
)
