"""What an accelerator computes in another way than a CPU, against NumPy.

    python -m tests.platform.accelerator_checks            # on this machine's accelerator
    python -m tests.platform.accelerator_checks --pretend  # the same code on a CPU

It needs JAX and NumPy. Each check fails by an assertion. Those that compare exactly rest on quotients
and products that are rounded one by one (`exact_quotient.py`, `separate_rounding.py`), and on copies.
"""

import sys

import jax
import jax.monitoring
import jax.numpy as jnp
import numpy as np

import shims
from shims._src.platform import accelerators, device_arrays
from tests.platform.transfers import arrays_read


def _numbers(kind):
    draw = np.random.default_rng(5)
    return draw.integers(1, 4000, 50_000).astype(kind), draw.integers(1, 400, 50_000).astype(kind)


def quotients_are_rounded():
    from shims._src.numeric.exact_quotient import quotient

    x, y = _numbers(np.float32)
    special = np.float32([0, -0.0, 1, np.inf, -np.inf, np.nan, 3e38, 5, 0])
    x, y = np.append(x, special), np.append(y, np.float32([-1, 5, 0, 2, np.inf, 1, 0.5, np.inf, 0]))
    with np.errstate(all="ignore"):
        want = x / y
    for run in (quotient, jax.jit(quotient)):
        np.testing.assert_array_equal(run(jnp.asarray(x), jnp.asarray(y)), want)
    by_number = jax.jit(lambda x: quotient(x, jnp.float32(41)))
    np.testing.assert_array_equal(by_number(x), x / np.float32(41))


def whole_quotients():
    x, y = _numbers(np.float32)
    for run in (shims.math.floordiv, shims.function(shims.math.floordiv)):
        np.testing.assert_array_equal(run(x, y), np.floor(x / y))
    np.testing.assert_array_equal(shims.math.floormod(x, y), np.fmod(x, y))


def ranges_have_as_many_numbers():
    for step in np.float32([0.1, 0.3, 7, 1 / 3]):
        run = shims.function(
            lambda limit, step=step: shims.range(np.float32(0), limit, step),
            input_signature=[shims.TensorSpec([])],
        )
        for limit in np.arange(1, 40, dtype=np.float32) * step:
            assert run(limit).shape[0] == int(np.ceil(limit / step)), (step, limit)


def levels_are_found_by_quotients():
    x = np.linspace(-10, 10, 2001, dtype=np.float32)
    low, high = np.float32(-4), np.float32(6)
    step = (high - low) / np.float32(255)
    zero = np.floor(-low / step + np.float32(0.5))
    start = (0 - zero) * step
    end = (255 - zero) * step
    slope = shims.quantization.fake_quant_with_min_max_vars_gradient(np.ones_like(x), x, low, high)
    np.testing.assert_array_equal(slope[0], (x >= start) & (x <= end))


def _last_ones(places, updates, size):
    want = np.zeros((size, *updates.shape[1:]), updates.dtype)
    for place, update in zip(places.tolist(), updates, strict=True):
        want[place] = update
    return want


def of_equal_places_the_last_counts():
    draw = np.random.default_rng(6)
    places = draw.integers(0, 200, 5000).astype(np.int32)
    for updates in (
        draw.normal(size=(5000, 3)).astype(np.float32),
        draw.integers(0, 99, 5000).astype(np.int32),
    ):
        want = _last_ones(places, updates, 200)
        empty = shims.zeros(want.shape, want.dtype)
        spec = [
            shims.TensorSpec([None], "int32"),
            shims.TensorSpec([None, *updates.shape[1:]], want.dtype),
        ]

        def scattered(i, u, empty=empty):
            return shims.tensor_scatter_nd_update(empty, i[:, None], u)

        def stitched(i, u):
            return shims.dynamic_stitch([i[:700], i[700:]], [u[:700], u[700:]])

        for f in (scattered, stitched):
            for run in (f, shims.function(f, input_signature=spec)):
                np.testing.assert_array_equal(
                    run(places, updates), want[: places.max() + 1 if f is stitched else None]
                )


def of_equal_coordinates_the_last_counts():
    draw = np.random.default_rng(7)
    places = draw.integers(0, 5, (400, 2))
    updates = draw.normal(size=400).astype(np.float32)
    want = np.zeros((6, 5), np.float32)
    for (i, j), update in zip(places.tolist(), updates, strict=True):
        want[i, j] = update
    empty = shims.zeros([6, 5])
    found = shims.tensor_scatter_nd_update(
        empty, places.reshape(20, 20, 2), updates.reshape(20, 20)
    )
    np.testing.assert_array_equal(found, want)
    sparse = shims.SparseTensor(places, updates, [6, 5])
    np.testing.assert_array_equal(shims.sparse.to_dense(sparse, validate_indices=False), want)
    array = shims.TensorArray("float32", size=3, element_shape=[])
    run = shims.function(lambda i, u: array.scatter(i, u).stack())
    np.testing.assert_array_equal(
        run(np.int32([1, 0, 1, 2, 1]), np.float32([1, 2, 3, 4, 5])), [2, 5, 4]
    )


def every_update_of_a_place_has_the_gradient():
    updates = shims.constant([1.0, 2.0, 3.0])
    with shims.GradientTape() as tape:
        tape.watch(updates)
        out = shims.tensor_scatter_nd_update(shims.zeros([3]), [[1], [0], [1]], updates)
        out = shims.reduce_sum(out * shims.constant([5.0, 7.0, 11.0]))
    np.testing.assert_array_equal(tape.gradient(out, updates), [7, 5, 7])


def nan_in_a_matrix_is_not_lost():
    for matrix in (
        [[1, np.nan], [1, 1]],
        [[1, 2], [3, np.nan]],
        [[1, 1, 1], [1, np.nan, 3], [2, 2, 5]],
    ):
        matrix = np.float32(matrix)
        unknown = [shims.TensorSpec([None, None])]
        for f in (
            shims.linalg.det,
            shims.linalg.inv,
            lambda m: shims.linalg.solve(m, shims.ones_like(m)),
        ):
            for run in (f, shims.function(f, input_signature=unknown)):
                assert np.isnan(run(matrix)).any(axis=None), matrix
        assert np.isnan(shims.linalg.slogdet(matrix).log_abs_determinant)
        lu, order = shims.linalg.lu(matrix)
        assert np.isnan(lu).any()
        assert sorted(np.asarray(order)) == list(range(len(matrix)))
    clean = np.float32([[4, 1], [2, 3]])
    np.testing.assert_allclose(shims.linalg.inv(clean) @ clean, np.eye(2), atol=1e-5)


def equations_with_three_diagonals():
    """This one has an answer, which cuSPARSE does not find."""
    compact = np.float32([[2, 1, 4, 0], [1, 3, 2, 2], [0, 1, -1, 1]])
    compact = np.stack([compact, -compact])
    matrix = np.stack(
        [np.diag(c[1]) + np.diag(c[0, :-1], 1) + np.diag(c[2, 1:], -1) for c in compact]
    )
    rhs = np.float32([[1, 2, 3, 4], [2, 4, 6, 8]])[..., None]
    unknown = [shims.TensorSpec([None] * 3)] * 2
    solve = shims.linalg.tridiagonal_solve
    for run in (solve, shims.function(solve, input_signature=unknown)):
        np.testing.assert_allclose(matrix @ run(compact, rhs), rhs, atol=1e-4)
    assert solve(np.zeros((3, 0), np.float32), np.zeros((0, 1), np.float32)).shape == (0, 1)
    with shims.GradientTape() as tape:
        given = shims.constant(rhs)
        tape.watch(given)
        out = shims.reduce_sum(solve(compact, given))
    slope = np.linalg.solve(matrix.swapaxes(1, 2), np.ones_like(rhs))
    np.testing.assert_allclose(tape.gradient(out, given), slope, rtol=1e-3)


def roots_of_matrices():
    matrix = np.float32([[[4, 1], [2, 3]], [[2, 0], [0, 9]]])
    for run in (shims.linalg.sqrtm, shims.function(shims.linalg.sqrtm)):
        root = np.asarray(run(matrix))
        np.testing.assert_allclose(root @ root, matrix, atol=1e-4)
    assert np.isnan(shims.linalg.sqrtm(np.float32([[-1, 0], [0, 1]]))).any()
    assert np.isnan(shims.linalg.sqrtm(np.float32([[np.nan, 0], [0, 1]]))).any()


def the_exponential_integral_at_zero():
    np.testing.assert_array_equal(
        shims.math.special.expint(np.float32([0, -0.0, -1])), [-np.inf, -np.inf, np.nan]
    )


def integers_are_not_convolved():
    image, kernel = np.ones((1, 4, 4, 1), np.int32), np.ones((2, 2, 1, 1), np.int32)
    try:
        shims.nn.conv2d(image, kernel, 1, "VALID")
    except shims.errors.UnimplementedError as error:
        assert "no kernel for integers on this" in str(error)  # noqa: PT017 - runs without pytest
    else:
        raise AssertionError("integers are convolved")


def _selections():
    draw = np.random.default_rng(8)
    x, groups = draw.normal(size=5000).astype(np.float32), draw.integers(0, 3, 5000)
    x, groups, mask = jnp.asarray(x), jnp.asarray(groups.astype(np.int32)), jnp.asarray(x > 0)
    keep, part, host = np.asarray(mask), np.asarray(groups), np.asarray(x)
    rows = jnp.stack([x, -x], 1)
    yield shims.boolean_mask, (x, mask), host[keep]
    yield shims.boolean_mask, (rows, mask), np.asarray(rows)[keep]
    yield shims.where, (mask,), np.flatnonzero(keep)[:, None]
    yield (lambda x, i: shims.dynamic_partition(x, i, 3)[1]), (x, groups), host[part == 1]
    yield (
        (lambda x: shims.unique(x).y),
        (groups,),
        np.unique(part, return_index=True)[0][np.argsort(np.unique(part, return_index=True)[1])],
    )
    yield shims.sort, (x,), np.sort(host)
    yield (lambda x: shims.transpose(x)), (rows,), np.asarray(rows).T


def selections_stay_on_the_device():
    """Small arrays, too, once their sizes have come often: here from the first time."""
    small, device_arrays.SMALL = device_arrays.SMALL, 0
    try:
        _selections_stay()
    finally:
        device_arrays.SMALL = small


def _selections_stay():
    for f, args, want in _selections():
        spec = [shims.TensorSpec([None] * a.ndim, a.dtype) for a in args]
        for run in (f, shims.function(f, input_signature=spec)):
            np.testing.assert_array_equal(run(*args), want)
            with arrays_read() as read:
                found = run(*args)
            assert not read, read
            assert found.devices() == args[0].devices()
            np.testing.assert_array_equal(found, want)


def a_view_is_the_front_of_its_buffer():
    x = jnp.arange(5000, dtype=jnp.float32)
    signature = [shims.TensorSpec([None])]
    select = shims.function(lambda x: shims.boolean_mask(x, x > 99), input_signature=signature)
    double = shims.function(lambda x: x * 2, input_signature=signature)
    found = select(x)
    want = np.arange(100, 5000, dtype=np.float32)
    buffer = device_arrays.buffer_of(found)
    assert buffer is not None
    assert buffer.unsafe_buffer_pointer() == found.unsafe_buffer_pointer()
    np.testing.assert_array_equal(double(found), want * 2)
    np.testing.assert_array_equal(found, want)
    padded = shims.function(
        lambda x: shims.boolean_mask(x, x > 99), input_signature=signature, unpad=False
    )(x)
    given = jax.jit(lambda x: x + 1, donate_argnums=0)(padded.unpad())
    np.testing.assert_array_equal(given, want + 1)
    np.testing.assert_array_equal(padded.unpad(), want)


def random_lengths_compile_few_programs():
    """A thousand lengths, from arrays of the device and of NumPy."""
    compiled = []

    def listen(event, duration, **kwargs):
        if event == "/jax/core/compile/backend_compile_duration":
            compiled.append(duration)

    draw = np.random.default_rng(0)
    arrays = [draw.normal(size=n).astype(np.float32) for n in draw.integers(1, 1001, 1000)]
    given = jax.block_until_ready([jnp.asarray(x) for x in arrays])
    jax.monitoring.register_event_duration_secs_listener(listen)
    for xs in (given, arrays):
        run = shims.function(
            lambda x: (jnp.mean(kept := shims.boolean_mask(x, x > 0)), kept),
            input_signature=[shims.TensorSpec([None])],
        )
        before = len(compiled)
        for x, known in zip(xs, arrays, strict=True):
            np.testing.assert_array_equal(run(x)[1], known[known > 0])
        assert len(compiled) - before <= 11, len(compiled) - before


CHECKS = (
    quotients_are_rounded,
    whole_quotients,
    ranges_have_as_many_numbers,
    levels_are_found_by_quotients,
    of_equal_places_the_last_counts,
    of_equal_coordinates_the_last_counts,
    every_update_of_a_place_has_the_gradient,
    nan_in_a_matrix_is_not_lost,
    equations_with_three_diagonals,
    roots_of_matrices,
    the_exponential_integral_at_zero,
    integers_are_not_convolved,
    selections_stay_on_the_device,
    a_view_is_the_front_of_its_buffer,
    random_lengths_compile_few_programs,
)


def main() -> None:
    """Run all checks and say of each that it held; the first that does not ends it."""
    if "--pretend" in sys.argv:
        accelerators.pretended = True
    taken = "cpu" if accelerators.default_is_cpu() else "accelerator"
    sys.stdout.write(f"{jax.devices()[0].device_kind}, taken for {taken}\n")
    for check in CHECKS:
        check()
        sys.stdout.write(f"{check.__name__}: held\n")


if __name__ == "__main__":
    main()
