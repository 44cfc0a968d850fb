"""Metrics and three batches for each: the same code for TensorFlow and for ours."""

from __future__ import annotations

import numpy as np

# Name, function, arguments by name; `weights` are added in turn.
CASES = {
    "mean": ("mean", {"values": "x"}),
    "mean_tensor": ("mean_tensor", {"values": "x"}),
    "accuracy": ("accuracy", {"labels": "classes", "predictions": "guesses"}),
    "squared": ("mean_squared_error", {"labels": "x", "predictions": "y"}),
    "root": ("root_mean_squared_error", {"labels": "x", "predictions": "column"}),
    "absolute": ("mean_absolute_error", {"labels": "x", "predictions": "y"}),
    "relative": ("mean_relative_error", {"labels": "x", "predictions": "y", "normalizer": "z"}),
    "below": ("percentage_below", {"values": "x", "threshold": 0.25}),
    "precision": ("precision", {"labels": "truth", "predictions": "guess"}),
    "recall": ("recall", {"labels": "truth", "predictions": "guess"}),
    "tp": ("true_positives", {"labels": "truth", "predictions": "guess"}),
    "fn": ("false_negatives", {"labels": "truth", "predictions": "guess"}),
    "auc": ("auc", {"labels": "truth", "predictions": "score"}),
    "pr": (
        "auc",
        {
            "labels": "truth",
            "predictions": "score",
            "curve": "PR",
            "num_thresholds": 20,
            "summation_method": "careful_interpolation",
        },
    ),
    "minoring": (
        "auc",
        {
            "labels": "truth",
            "predictions": "score",
            "curve": "PR",
            "num_thresholds": 20,
            "summation_method": "minoring",
        },
    ),
    "sensitivity": (
        "sensitivity_at_specificity",
        {"labels": "truth", "predictions": "score", "specificity": 0.5, "num_thresholds": 9},
    ),
    "specificity": (
        "specificity_at_sensitivity",
        {"labels": "truth", "predictions": "score", "sensitivity": 0.5, "num_thresholds": 9},
    ),
    "precisions": (
        "precision_at_thresholds",
        {"labels": "truth", "predictions": "score", "thresholds": [0.2, 0.6]},
    ),
    "recalls": (
        "recall_at_thresholds",
        {"labels": "truth", "predictions": "score", "thresholds": [0.2, 0.6]},
    ),
    "fp_at": (
        "false_positives_at_thresholds",
        {"labels": "truth", "predictions": "score", "thresholds": [0.2, 0.6]},
    ),
    "tn_at": (
        "true_negatives_at_thresholds",
        {"labels": "truth", "predictions": "score", "thresholds": [0.2, 0.6]},
    ),
    "iou": ("mean_iou", {"labels": "classes", "predictions": "guesses", "num_classes": 4}),
    "per_class": (
        "mean_per_class_accuracy",
        {"labels": "classes", "predictions": "guesses", "num_classes": 4},
    ),
    "recall_at": ("recall_at_k", {"labels": "sets", "predictions": "scores", "k": 2}),
    "precision_at": ("precision_at_k", {"labels": "classes", "predictions": "scores", "k": 2}),
    "recall_of": (
        "recall_at_k",
        {"labels": "sets", "predictions": "scores", "k": 3, "class_id": 1},
    ),
    "precision_of": (
        "sparse_precision_at_k",
        {"labels": "sparse", "predictions": "scores", "k": 3, "class_id": 1},
    ),
    "recall_top": ("recall_at_top_k", {"labels": "sparse", "predictions_idx": "top"}),
    "nowhere": ("recall_at_top_k", {"labels": "sets", "predictions_idx": "top", "class_id": 77}),
    "precision_top": ("precision_at_top_k", {"labels": "sets", "predictions_idx": "top", "k": 3}),
    "average": ("average_precision_at_k", {"labels": "sets", "predictions": "scores", "k": 3}),
    "average_sparse": (
        "sparse_average_precision_at_k",
        {"labels": "sparse", "predictions": "scores", "k": 3},
    ),
}


def batch(numbers) -> dict[str, np.ndarray]:
    """What is fed: twelve of everything."""
    return {
        "x": numbers.randn(12).astype(np.float32),
        "y": numbers.randn(12).astype(np.float32),
        "column": numbers.randn(12, 1).astype(np.float32),
        "z": numbers.randint(0, 3, 12).astype(np.float32),
        "classes": numbers.randint(0, 3, 12),
        "guesses": numbers.randint(0, 3, 12),
        "truth": numbers.rand(12) > 0.5,
        "guess": numbers.rand(12) > 0.4,
        "score": numbers.rand(12).astype(np.float32),
        "weights": numbers.rand(12).astype(np.float32),
        "sets": np.c_[numbers.randint(0, 7, 12), numbers.randint(-1, 7, (12, 2))],
        "scores": numbers.randint(0, 9, (12, 6)).astype(np.float32),
        "top": numbers.randint(-1, 7, (12, 3)),
        "in_rows": numbers.randint(0, 9, 24),
    }


def sparse_labels(tf, classes):
    """Two classes in each row; some are equal, some are out of range."""
    indices = [[row, place] for row in range(12) for place in (0, 2)]
    return tf.SparseTensor(indices, classes, [12, 4])


def three_batches(tf) -> dict:
    """Values, updates, variables and names after each batch."""
    numbers = np.random.RandomState(3)
    batches = [batch(numbers) for _ in range(3)]
    found: dict = {}
    with tf.Graph().as_default(), tf.Session() as session:
        fed = {name: tf.placeholder(v.dtype, v.shape) for name, v in batches[0].items()}
        fed_as = {**fed, "sparse": sparse_labels(tf, fed["in_rows"])}
        made = {}
        for i, (name, (function, arguments)) in enumerate(CASES.items()):
            given = {
                k: fed_as[v] if isinstance(v, str) and v in fed_as else v
                for k, v in arguments.items()
            }
            metric = getattr(tf.metrics, function)
            made[name] = metric(**given, updates_collections="updates")
            if i % 3 != 2:
                made[f"{name} weighted"] = metric(
                    **given, weights=fed["weights"], metrics_collections=["metrics"], name=name
                )
        found["collections"] = [len(tf.get_collection(k)) for k in ("updates", "metrics")]
        found["variables"] = [v.name for v in tf.local_variables()]
        found["metric variables"] = len(tf.get_collection(tf.GraphKeys.METRIC_VARIABLES))
        found["others"] = tf.global_variables() + tf.trainable_variables()
        session.run(tf.local_variables_initializer())
        for i, values in enumerate(batches):
            fed_now = {fed[k]: v for k, v in values.items()}
            updates = session.run({n: u for n, (_, u) in made.items()}, fed_now)
            found.update((f"update of {n} {i}", v) for n, v in updates.items())
            results = session.run({n: v for n, (v, _) in made.items()})
            found.update((f"{n} {i}", v) for n, v in results.items())
    return found
