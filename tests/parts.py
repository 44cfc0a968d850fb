"""Which tests run in part at every change, and whole in `make test-long`.

The suite has to end within 25 minutes on two cores. Most of its time is compilation, so what is cut
is the number of programs: tests whose parameters differ little from each other run one in so many of
them. Which ones their names decide, so that it is always the same ones and each worker agrees.
"""

import zlib

ONE_IN = {
    "tests/autograph/test_programs.py::test_forwards": 3,
    "tests/autograph/test_programs.py::test_with_unknown_sizes": 2,
    "tests/control_flow/test_compositions.py::test_gradient": 20,
    "tests/control_flow/test_compositions.py::test_gradient_around_a_function": 36,
    "tests/control_flow/test_growing_gradients.py::test_by_a_tape": 6,
    "tests/control_flow/test_growing_gradients.py::test_by_jax": 6,
    "tests/ctc/test_sparse_labels.py::test_version_1": 2,
    "tests/data/test_pipelines.py::test_pipeline": 3,
    "tests/data/test_pipelines.py::test_position": 4,
    "tests/diff/test_faults.py::test_is_found": 5,
    "tests/diff/test_ports.py::test_is_equal": 5,
    "tests/gradients/test_inside_functions.py::test_as_tensorflow_at_every_size": 2,
    "tests/importing/test_operators.py::test_numbers": 12,
    "tests/lanes/test_lanes.py::test_function": 5,
    "tests/lanes/test_lanes.py::test_gradient": 5,
    "tests/lanes/test_lanes.py::test_jit_compile": 5,
    "tests/lanes/test_lanes.py::test_poison": 5,
    "tests/lanes/test_lanes.py::test_vmap": 5,
    "tests/linalg/test_decompositions.py::test_batches_of_unknown_size": 2,
    "tests/linalg/test_decompositions.py::test_gradients": 2,
    "tests/linalg/test_decompositions.py::test_matrices_of_unknown_size": 2,
    "tests/linalg/test_decompositions.py::test_svd_of_matrices_that_are_not_square": 2,
    "tests/linear_operator/test_against_tensorflow.py::test_calls_with_an_array": 2,
    "tests/linear_operator/test_against_tensorflow.py::test_gradients": 2,
    "tests/linear_operator/test_against_tensorflow.py::test_operators_of_it": 2,
    "tests/parity/test_measured_rows.py::test_value_and_gradient_are_tensorflows": 3,
    "tests/ragged/test_programs.py::test_eagerly": 3,
    "tests/ragged/test_programs.py::test_inside_a_function": 4,
    "tests/random/test_bits.py::test_floats": 6,
    "tests/random/test_candidates.py::test_samples": 3,
    "tests/random_programs/test_found.py::test_around_a_function": 6,
    "tests/random_programs/test_found.py::test_eagerly": 2,
    "tests/random_programs/test_found.py::test_in_a_function": 4,
    "tests/rewrite/test_execution.py::test_equal": 2,
    "tests/rewrite/test_keras_programs.py::test_equal": 3,
    "tests/rewrite/test_random_keys.py::test_no_key_is_used_twice": 2,
    "tests/function/test_exact_programs.py::test_an_exact_program_gives_what_the_padded_one_gave": 3,
    "tests/tracing/test_jax_functions.py::test_under_jit": 3,
    "tests/tracing/test_finite_padding.py::test_gradients_around_a_function": 6,
    "tests/tracing/test_poison.py::test_padding_of_an_input_is_not_seen": 12,
    "tests/tracing/test_poison.py::test_rows_that_are_not_selected_are_not_seen": 12,
    "tests/tracing/test_poison.py::test_rows_that_are_not_selected_are_not_seen_in_second_order": 12,
    "tests/tracing/test_programs.py::test_at_the_top_level": 4,
    "tests/tracing/test_programs.py::test_under_a_foreign_jit": 3,
    "tests/tracing/test_programs.py::test_unknown_sizes_equal_plain_jit": 2,
    "tests/sizes/test_shortened_selections.py::test_in_a_function": 3,
    "tests/tracing/test_sketches.py::test_under_a_foreign_jit": 3,
    "tests/tracing/test_sketches.py::test_with_unknown_sizes": 4,
    "tests/sparse/test_sets.py::test_sparse_operands": 3,
    "tests/table/test_changed_sizes.py::test_refused_or_equal": 24,
    "tests/table/test_dtype_values.py::test_values": 24,
    "tests/table/test_dtypes.py::test_dtypes": 8,
    "tests/table/test_function.py::test_errors": 8,
    "tests/table/test_function.py::test_function": 8,
    "tests/table/test_gradients.py::test_gradient": 6,
    "tests/table/test_jit.py::test_jit_is_eager": 8,
    "tests/table/test_native.py::test_native": 8,
    "tests/table/test_second_derivatives.py::test_second_derivatives": 24,
    "tests/table/test_symbolic.py::test_symbolic_sizes": 4,
    "tests/table/test_tape.py::test_gradient": 8,
    "tests/table/test_tape.py::test_gradient_around_a_function": 8,
    "tests/table/test_tape.py::test_gradient_in_a_function": 8,
    "tests/table/test_values.py::test_value_and_dtype": 6,
    "tests/table/test_vmap.py::test_vmap_is_a_loop": 8,
    "tests/table/test_x64.py::test_exact_dtypes": 8,
}


def is_left_out(nodeid: str) -> bool:
    """Whether a test is one of those that run in `make test-long` only."""
    test, _, parameters = nodeid.partition("[")
    return bool(parameters) and zlib.crc32(parameters.encode()) % ONE_IN.get(test, 1) != 0
