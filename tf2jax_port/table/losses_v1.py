"""Define the table rows of `tf.compat.v1.losses`: weighted losses reduced to a scalar."""

from __future__ import annotations

from tf2jax_port.table.families import shim
from tf2jax_port.table.inputs import NAN, draw, empty, f32, i32
from tf2jax_port.table.row import Row, case

_REDUCTION = "reduction='weighted_sum_by_nonzero_weights'"
_COLLECTED = f"scope=None, loss_collection='losses', {_REDUCTION}"
_OF_TWO = f"labels, predictions, weights=1.0, {_COLLECTED}"
_LABELS, _ONES = f32([[1, 0, 2], [-1, 3, 0.5]]), f32([[1, 0, 1], [0, 0, 1]])
_GIVEN = f32([[0.5, 0, 1], [2, 3, NAN]])
_WEIGHTS = f32([[0.5], [0]])
_MODULE = "nn.weighted_losses"


def _row(name: str, params: str, *cases: object) -> Row:
    """Build the table row of a loss."""
    return shim(f"v1.losses.{name}", params, _MODULE, inputs=cases)


ROWS: tuple[Row, ...] = (
    _row(
        "compute_weighted_loss",
        f"losses, weights=1.0, {_COLLECTED}",
        case("plain", losses=draw(2, 3)),
        case("half-weighted", losses=draw(2, 3), weights=_WEIGHTS),
        case("nothing-weighted", losses=draw(2), weights=0.0),
        case("sum", losses=draw(2, 3), weights=2.0, reduction="weighted_sum"),
        case("mean", losses=draw(2, 3), weights=_WEIGHTS, reduction="weighted_mean"),
        case(
            "batch",
            losses=draw(2, 3),
            weights=_WEIGHTS,
            reduction="weighted_sum_over_batch_size",
        ),
        case("none", losses=draw(2, 3), weights=_WEIGHTS, reduction="none"),
        case("integers", losses=i32([1, 2, 4])),
        case("empty", losses=empty(0, 2)),
        case("unknown", raises="ValueError", losses=draw(2), reduction="mean"),
        case("too-many", raises="ValueError", losses=draw(2, 3), weights=f32([1, 2, 3])),
    ),
    _row(
        "absolute_difference",
        _OF_TWO,
        case("plain", labels=_LABELS, predictions=f32([[1, 1, 1], [2, 3, 4]])),
        case("nan", labels=_LABELS, predictions=_GIVEN, weights=_WEIGHTS),
        case("other-shape", raises="ValueError", labels=draw(2), predictions=draw(3)),
    ),
    _row(
        "cosine_distance",
        f"labels, predictions, axis=None, weights=1.0, {_COLLECTED}, dim=None",
        case("rows", labels=draw(2, 3), predictions=draw(2, 3), axis=1),
        case("old-name", labels=draw(2, 3), predictions=draw(2, 3), dim=0, weights=0.5),
        case("no-axis", raises="ValueError", labels=draw(2), predictions=draw(2)),
    ),
    _row(
        "hinge_loss",
        f"labels, logits, weights=1.0, {_COLLECTED}",
        case("plain", labels=_ONES, logits=draw(2, 3)),
        case("weighted", labels=_ONES, logits=draw(2, 3), weights=_WEIGHTS),
        case("other-shape", raises="ValueError", labels=draw(2), logits=draw(3)),
    ),
    _row(
        "huber_loss",
        f"labels, predictions, weights=1.0, delta=1.0, {_COLLECTED}",
        case("plain", labels=_LABELS, predictions=draw(2, 3)),
        case("narrow", labels=_LABELS, predictions=draw(2, 3), delta=0.3, weights=_WEIGHTS),
        case("other-shape", raises="ValueError", labels=draw(2), predictions=draw(3)),
    ),
    _row(
        "log_loss",
        f"labels, predictions, weights=1.0, epsilon=1e-07, {_COLLECTED}",
        case("plain", labels=_ONES, predictions=draw(2, 3, low=0.1, high=0.9)),
        case("certain", labels=_ONES, predictions=_ONES, epsilon=1e-3),
        case("other-shape", raises="ValueError", labels=draw(2), predictions=draw(3)),
    ),
    _row(
        "mean_squared_error",
        _OF_TWO,
        case("plain", labels=_LABELS, predictions=draw(2, 3)),
        case("positional", labels=_LABELS, predictions=draw(2, 3), weights=_WEIGHTS),
        case("none", labels=_LABELS, predictions=_GIVEN, reduction="none"),
        case("other-rank", raises="ValueError", labels=draw(2, 1), predictions=draw(2)),
    ),
    _row(
        "sigmoid_cross_entropy",
        f"multi_class_labels, logits, weights=1.0, label_smoothing=0, {_COLLECTED}",
        case("plain", multi_class_labels=_ONES, logits=draw(2, 3)),
        case("smooth", multi_class_labels=_ONES, logits=draw(2, 3), label_smoothing=0.2),
        case("other-shape", raises="ValueError", multi_class_labels=draw(2), logits=draw(3)),
    ),
    _row(
        "softmax_cross_entropy",
        f"onehot_labels, logits, weights=1.0, label_smoothing=0, {_COLLECTED}",
        case("plain", onehot_labels=f32([[1, 0, 0], [0, 0, 1]]), logits=draw(2, 3)),
        case(
            "smooth",
            onehot_labels=f32([[1, 0, 0], [0, 0, 1]]),
            logits=draw(2, 3),
            label_smoothing=0.1,
            weights=f32([1, 0]),
        ),
        case("other-shape", raises="ValueError", onehot_labels=draw(2, 2), logits=draw(2, 3)),
    ),
    _row(
        "sparse_softmax_cross_entropy",
        f"labels, logits, weights=1.0, {_COLLECTED}",
        case("plain", labels=i32([2, 0]), logits=draw(2, 3)),
        case("column", labels=i32([[1], [2]]), logits=draw(2, 3), weights=f32([[1], [0]])),
        case("none", labels=i32([0, 1]), logits=draw(2, 2), reduction="none"),
    ),
)
