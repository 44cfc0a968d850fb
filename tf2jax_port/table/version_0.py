"""Define the names and the orders of arguments that TensorFlow had before version 1.0."""

from __future__ import annotations

from typing import NamedTuple


class Early(NamedTuple):
    """A function of TensorFlow 0.x, and how to call it from version 1.0 on.

    Attributes:
      new: its name from version 1.0 on.
      params: its parameters in 0.x, in order; empty if the arguments are the same.
      renamed: their names in 1.x; empty for a parameter that 1.x lacks.
      order: the first parameters of 1.x, as far as they may be given by position.
    """

    new: str
    params: tuple[str, ...] = ()
    renamed: tuple[str, ...] = ()
    order: tuple[str, ...] = ()


def _moved(new: str, params: str, renamed: str, order: str = "") -> Early:
    """Return a function whose arguments differ; `-` stands for a parameter that 1.x lacks."""
    names = tuple("" if name == "-" else name for name in renamed.split())
    return Early(new, tuple(params.split()), names, tuple(order.split()))


# Names that no release from 1.0 on has, or has only as old names.
NAMES: dict[str, Early] = {
    "all_variables": Early("global_variables"),
    "audio_summary": _moved(
        "summary.audio",
        "tag tensor sample_rate max_outputs collections name",
        "name tensor sample_rate max_outputs collections -",
        "name tensor sample_rate max_outputs collections",
    ),
    "batch_cholesky": Early("cholesky"),
    "batch_cholesky_solve": Early("cholesky_solve"),
    "batch_fft": Early("fft"),
    "batch_fft2d": Early("fft2d"),
    "batch_fft3d": Early("fft3d"),
    "batch_ifft": Early("ifft"),
    "batch_ifft2d": Early("ifft2d"),
    "batch_ifft3d": Early("ifft3d"),
    "batch_matmul": _moved("matmul", "x y adj_x adj_y name", "a b adjoint_a adjoint_b name", "a b"),
    "batch_matrix_band_part": Early("matrix_band_part"),
    "batch_matrix_determinant": Early("matrix_determinant"),
    "batch_matrix_diag": Early("matrix_diag"),
    "batch_matrix_diag_part": Early("matrix_diag_part"),
    "batch_matrix_inverse": Early("matrix_inverse"),
    "batch_matrix_set_diag": Early("matrix_set_diag"),
    "batch_matrix_solve": Early("matrix_solve"),
    "batch_matrix_solve_ls": Early("matrix_solve_ls"),
    "batch_matrix_transpose": Early("matrix_transpose"),
    "batch_matrix_triangular_solve": Early("matrix_triangular_solve"),
    "batch_self_adjoint_eig": Early("self_adjoint_eig"),
    "batch_self_adjoint_eigvals": Early("self_adjoint_eigvals"),
    "batch_svd": _moved(
        "svd",
        "matrix compute_uv full_matrices name",
        "tensor compute_uv full_matrices name",
        "tensor",
    ),
    "complex_abs": Early("abs"),
    "concat_v2": _moved("concat", "values axis name", "values axis name"),
    "histogram_summary": _moved(
        "summary.histogram",
        "tag values collections name",
        "name values collections -",
        "name values collections",
    ),
    "image.per_image_whitening": Early("image.per_image_standardization"),
    "image_summary": _moved(
        "summary.image",
        "tag tensor max_images collections name",
        "name tensor max_outputs collections -",
        "name tensor max_outputs collections",
    ),
    "initialize_all_variables": Early("global_variables_initializer"),
    "initialize_local_variables": Early("local_variables_initializer"),
    "initialize_variables": Early("variables_initializer"),
    "inv": Early("reciprocal"),
    "list_diff": Early("setdiff1d"),
    "listdiff": Early("setdiff1d"),
    "merge_all_summaries": Early("summary.merge_all"),
    "merge_summary": Early("summary.merge"),
    "mul": Early("multiply"),
    "neg": Early("negative"),
    "nn.bidirectional_rnn": Early("nn.static_bidirectional_rnn"),
    "nn.rnn": Early("nn.static_rnn"),
    "op_scope": _moved("name_scope", "values name default_name", "values name default_name"),
    "pack": Early("stack"),
    "scalar_summary": _moved(
        "summary.scalar",
        "tags values collections name",
        "name tensor collections -",
        "name tensor collections",
    ),
    "select": _moved("where", "condition t e name", "condition x y name", "condition x y name"),
    "sub": Early("subtract"),
    "train.SummaryWriter": Early("summary.FileWriter"),
    "unpack": Early("unstack"),
    "variable_op_scope": _moved(
        "variable_scope",
        "values name_or_scope default_name initializer regularizer caching_device partitioner "
        "custom_getter reuse",
        "values name_or_scope default_name initializer regularizer caching_device partitioner "
        "custom_getter reuse",
    ),
}
# Some of these are left in 1.x, so they do not tell which version a file is written for.
IN_BOTH = frozenset(
    (
        *("all_variables", "initialize_all_variables", "initialize_local_variables", "op_scope"),
        *("initialize_variables", "variable_op_scope"),
    )
)

# Functions of which 1.0 changed the order or the meaning of the arguments, and that keep their names.
REORDERED: dict[str, Early] = {
    "concat": _moved("concat", "concat_dim values name", "axis values name"),
    "image.resize_images": _moved(
        "image.resize_images",
        "images new_height new_width method align_corners",
        "images size size method align_corners",
        "images size size method align_corners",
    ),
    "nn.sigmoid_cross_entropy_with_logits": _moved(
        "nn.sigmoid_cross_entropy_with_logits", "logits targets name", "logits labels name"
    ),
    "nn.softmax_cross_entropy_with_logits": _moved(
        "nn.softmax_cross_entropy_with_logits", "logits labels dim name", "logits labels dim name"
    ),
    "nn.sparse_softmax_cross_entropy_with_logits": _moved(
        "nn.sparse_softmax_cross_entropy_with_logits", "logits labels name", "logits labels name"
    ),
    "nn.weighted_cross_entropy_with_logits": _moved(
        "nn.weighted_cross_entropy_with_logits",
        "logits targets pos_weight name",
        "logits targets pos_weight name",
    ),
    "reverse": _moved("reverse", "tensor dims name", "tensor axis name", "tensor axis name"),
    "split": _moved(
        "split", "split_dim num_split value name", "axis num_or_size_splits value name"
    ),
    "svd": _moved(
        "svd", "tensor compute_uv full_matrices name", "tensor compute_uv full_matrices name"
    ),
}
# The parameters that they have from version 1.0 on.
LATER: dict[str, tuple[str, ...]] = {
    "concat": ("values", "axis", "name"),
    "image.resize_images": ("images", "size", "method", "align_corners", "preserve_aspect_ratio"),
    "nn.sigmoid_cross_entropy_with_logits": (),
    "nn.softmax_cross_entropy_with_logits": (),
    "nn.sparse_softmax_cross_entropy_with_logits": (),
    "nn.weighted_cross_entropy_with_logits": ("targets", "logits", "pos_weight", "name"),
    "reverse": ("tensor", "axis", "name"),
    "split": ("value", "num_or_size_splits", "axis", "num", "name"),
    "svd": ("tensor", "full_matrices", "compute_uv", "name"),
}
# Namespaces that got another name.
NAMESPACES = (("nn.seq2seq.", "contrib.legacy_seq2seq."),)
