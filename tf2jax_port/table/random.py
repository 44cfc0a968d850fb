"""Define the table rows of `tf.random`, dropout and the initializers.

Stateful operators have test cases only if the result does not depend on the state. Separate tests cover the sequences
of numbers after `set_seed`, and the bits for many shapes.
"""

from __future__ import annotations

from typing import Any

from tf2jax_port.table.families import shim
from tf2jax_port.table.inputs import draw, f32, i32
from tf2jax_port.table.row import Case, Row, case

OTHER = "differs: unless the call names an algorithm, XLA uses a different random algorithm"
FROZEN = "unsupported: XLA has no kernel for this operator"
_SEED = (3, -4)


def _stateless(
    name: str,
    params: str,
    *cases: Case,
    module: str = "stateless",
    float_seed: str = "InvalidArgumentError",
    **options: Any,
) -> Row:
    """Build the table row of a stateless random operator, with test cases for invalid seeds."""
    options.setdefault("xla", OTHER)
    return shim(
        f"random.{name}",
        params,
        f"random.{module}",
        inputs=(
            *cases,
            case(
                "seed-of-three",
                **_without_seed(cases),
                seed=(1, 2, 3),
                raises="InvalidArgumentError",
            ),
            case("float-seed", **_without_seed(cases), seed=(1.0, 2.0), raises=float_seed),
        ),
        **options,
    )


def _without_seed(cases: tuple[Case, ...]) -> dict[str, Any]:
    """Return the arguments of the first test case except the seed."""
    return {name: value for name, value in cases[0].arguments if name != "seed"}


def _shape_cases(**arguments: Any) -> tuple[Case, ...]:
    """Build the test cases with various shapes, seeds and dtypes."""
    return (
        case("vector", shape=(5,), seed=_SEED, **arguments),
        case("matrix", shape=(3, 7), seed=_SEED, **arguments),
        case("scalar", shape=(), seed=_SEED, **arguments),
        case("empty", shape=(0, 3), seed=_SEED, **arguments),
        case("zero-seed", shape=(4,), seed=(0, 0), **arguments),
        case("seed-array", shape=(4,), seed=i32((7, -1)), pad=(), **arguments),
        case("large", shape=(70001,), seed=_SEED, **arguments),
        case("negative-size", shape=(-2,), seed=_SEED, raises="InvalidArgumentError", **arguments),
        case("half", shape=(9,), seed=_SEED, dtype="float16", **arguments),
        case("bfloat16", shape=(9,), seed=_SEED, dtype="bfloat16", **arguments),
    )


_NORMAL = (
    *_shape_cases(),
    case("mean-stddev", shape=(2, 3), seed=_SEED, mean=draw(3), stddev=draw(2, 1), pad=()),
    case("philox", shape=(5,), seed=_SEED, alg="philox"),
    case("integers", shape=(5,), seed=_SEED, dtype="int32", raises="TypeError|ValueError"),
)

_UNIFORM = (
    *_shape_cases(),
    case("bounds", shape=(2, 3), seed=_SEED, minval=-1.7, maxval=2.6),
    case("bound-arrays", shape=(2, 3), seed=_SEED, minval=draw(3), maxval=draw(2, 1), pad=()),
    case("int32", shape=(9,), seed=_SEED, minval=-7, maxval=100, dtype="int32"),
    case("int32-widest", shape=(9,), seed=_SEED, minval=-(2**31), maxval=2**31 - 1, dtype="int32"),
    case("int64", shape=(9,), seed=_SEED, minval=-7, maxval=100, dtype="int64"),
    case("all-int32", shape=(9,), seed=_SEED, minval=None, dtype="int32"),
    case("all-uint32", shape=(9,), seed=_SEED, minval=None, dtype="uint32"),
    case("philox", shape=(5,), seed=_SEED, alg="philox"),
    case("one-bound", shape=(9,), seed=_SEED, dtype="int32", raises="ValueError"),
    case(
        "nothing-between",
        shape=(9,),
        seed=_SEED,
        minval=5,
        maxval=5,
        dtype="int32",
        raises="InvalidArgumentError",
    ),
    case("nothing-between-empty", shape=(0,), seed=_SEED, minval=5, maxval=5, dtype="int32"),
    case("unsigned-bound", shape=(9,), seed=_SEED, maxval=5, dtype="uint32", raises="ValueError"),
    case("int16", shape=(9,), seed=_SEED, maxval=5, dtype="int16", raises="ValueError"),
    case("unknown-algorithm", shape=(9,), seed=_SEED, alg="mersenne", raises="ValueError"),
)

_CERTAIN = (
    case("no-deviation", shape=(2, 3), mean=1.5, stddev=0.0),
    case("means", shape=(2, 3), mean=draw(3), stddev=0.0, pad=()),
    case("empty", shape=(0, 3)),
    case("negative-size", shape=(-2,), raises="InvalidArgumentError"),
    case("integers", shape=(2,), dtype="int32", raises="TypeError|ValueError"),
)

_DROPOUT = (
    case("rate-0", x=draw(3, 4), rate=0),
    case("empty", x=draw(0, 4), rate=0.5, pad=()),
    case("rate-1", x=draw(3, 4), rate=1.0, raises="ValueError"),
    case("negative-rate", x=draw(3, 4), rate=-0.1, raises="ValueError"),
    case("int32", x=i32((1, 2)), rate=0.5, raises="ValueError"),
)

# Without 64-bit types a wide seed is `uint32[2, 2]`, which TensorFlow does not accept.
_SEED_DTYPES = "seed: index uint32 uint64"

ROWS: tuple[Row, ...] = (
    _stateless(
        "stateless_uniform",
        "shape, seed, minval=0, maxval=None, dtype=tf.float32, name=None, alg='auto_select'",
        *_UNIFORM,
        takes=_SEED_DTYPES,
    ),
    _stateless(
        "stateless_normal",
        "shape, seed, mean=0.0, stddev=1.0, dtype=tf.float32, name=None, alg='auto_select'",
        *_NORMAL,
        takes=_SEED_DTYPES,
    ),
    _stateless(
        "stateless_truncated_normal",
        "shape, seed, mean=0.0, stddev=1.0, dtype=tf.float32, name=None, alg='auto_select'",
        *_NORMAL,
        takes=_SEED_DTYPES,
    ),
    _stateless(
        "split",
        "seed, num=2, alg='auto_select'",
        case("two", seed=(1, 2)),
        case("five", seed=(1, -2), num=5),
        case("none", seed=(1, 2), num=0),
        case("array", seed=i32((3, 4)), pad=()),
        aliases=("random.experimental.stateless_split",),
        float_seed="ValueError",
    ),
    _stateless(
        "fold_in",
        "seed, data, alg='auto_select'",
        case("number", seed=(1, 2), data=3),
        case("negative", seed=(1, 2), data=-3),
        case("arrays", seed=i32((1, 2)), data=i32(5), pad=()),
        aliases=("random.experimental.stateless_fold_in",),
        xla="same",
    ),
    _stateless(
        "experimental.stateless_shuffle",
        "value, seed, alg='auto_select', name=None",
        case("vector", value=i32((1, 2, 3, 4, 5)), seed=_SEED),
        case("matrix", value=draw(7, 2), seed=_SEED),
        case("two", value=i32((1, 2)), seed=_SEED),
        case("one", value=draw(1, 3), seed=_SEED),
        case("empty", value=draw(0, 3), seed=_SEED),
        case("philox", value=draw(5), seed=_SEED, alg="philox"),
        module="shuffle",
        xla=FROZEN,
        no_gradient="the operator has no gradient",
    ),
    *(
        shim(
            f"random.{name}_candidate_sampler",
            "true_classes, num_true, num_sampled, unique, range_max, seed=None, name=None",
            "random.candidates",
            tests="tests/random",
        )
        for name in ("uniform", "log_uniform")
    ),
    _stateless(
        "experimental.index_shuffle",
        "index, seed, max_index",
        case("all", index=i32(tuple(range(10))), seed=_SEED, max_index=9),
        case("bytes", index=i32((0, 255, 7)), seed=_SEED, max_index=255, pad=()),
        case("wide", index=i32((0, 2**31 - 1)), seed=_SEED, max_index=i32(2**31 - 1), pad=()),
        case("one", index=i32(0), seed=_SEED, max_index=0),
        case("lasts", index=i32((3, 3)), seed=_SEED, max_index=i32((3, 70000))),
        case("beyond", raises="InvalidArgumentError", index=i32((4,)), seed=_SEED, max_index=3),
        case("negative", raises="InvalidArgumentError", index=i32((-1,)), seed=_SEED, max_index=3),
        module="index_shuffle",
        no_gradient="the operator has no gradient",
        xla="unsupported: no kernel",
        takes="index max_index: index uint32 uint64",
    ),
    shim(
        "random_index_shuffle",
        "index, seed, max_index, rounds=4, name=None",
        "random.index_shuffle",
        inputs=(
            case("one", index=i32(0), seed=i32((1, 2, 3)), max_index=0),
            case("key", index=i32((0, 1, 2, 3)), seed=i32((1, -2, 3)), max_index=3),
            case(
                "keys", index=i32((5, 5)), seed=i32(((1, 2, 3), (4, 5, 6))), max_index=300, rounds=8
            ),
        ),
        no_gradient="the operator has no gradient",
        xla="unsupported: no kernel",
        takes="index max_index: index uint32 uint64",
    ),
    _stateless(
        "stateless_categorical",
        "logits, num_samples, seed, dtype=tf.int64, name=None",
        case("rows", logits=draw(3, 5), num_samples=4, seed=_SEED, pad=()),
        case("one-row", logits=draw(1, 50), num_samples=7, seed=_SEED, pad=()),
        case("one-class", logits=draw(3, 1), num_samples=3, seed=_SEED, pad=()),
        case("ties", logits=f32(((0, 0, 0), (1, 1, 1))), num_samples=9, seed=_SEED, pad=()),
        case(
            "infinite",
            logits=f32(((0, float("-inf"), 0), (float("inf"), 1, 1))),
            num_samples=9,
            seed=_SEED,
            pad=(),
        ),
        case("none", logits=draw(3, 5), num_samples=0, seed=_SEED, pad=()),
        case("int32", logits=draw(3, 5), num_samples=2, seed=_SEED, dtype="int32", pad=()),
        case("vector", logits=draw(3), num_samples=2, seed=_SEED, raises="InvalidArgumentError"),
        case(
            "float-classes",
            logits=draw(2, 3),
            num_samples=2,
            seed=_SEED,
            dtype="float32",
            raises="ValueError",
        ),
        module="categorical",
        takes="logits: floating",
    ),
    _stateless(
        "stateless_poisson",
        "shape, seed, lam, dtype=tf.int32, name=None",
        case("small", shape=(40,), seed=_SEED, lam=3.5),
        case("large", shape=(40,), seed=_SEED, lam=250.0),
        case("both", shape=(20, 3), seed=_SEED, lam=f32((0.5, 9.9, 10.0)), pad=()),
        case("zero", shape=(4, 2), seed=_SEED, lam=f32((0.0, -1.0)), pad=()),
        case("floats", shape=(9,), seed=_SEED, lam=2.0, dtype="float32"),
        case("empty", shape=(0,), seed=_SEED, lam=2.0),
        case("other-end", shape=(4, 3), seed=_SEED, lam=f32((1, 2)), raises="InvalidArgumentError"),
        module="poisson",
        xla=FROZEN,
        takes="lam: index floating -bfloat16",
    ),
    _stateless(
        "stateless_gamma",
        "shape, seed, alpha, beta=None, dtype=tf.float32, name=None",
        case("small", shape=(40,), seed=_SEED, alpha=0.3),
        case("one", shape=(40,), seed=_SEED, alpha=1.0),
        case("several", shape=(20, 3), seed=_SEED, alpha=f32((0.5, 1.0, 10.0)), pad=()),
        case("rates", shape=(4, 2), seed=_SEED, alpha=2.0, beta=f32((0.3, 7.0)), pad=()),
        case("empty", shape=(0,), seed=_SEED, alpha=2.0),
        case(
            "other-end", shape=(4, 3), seed=_SEED, alpha=f32((1, 2)), raises="InvalidArgumentError"
        ),
        module="gamma",
        tolerance=2e-6,
        xla=FROZEN,
    ),
    _stateless(
        "stateless_binomial",
        "shape, seed, counts, probs, output_dtype=tf.int32, name=None",
        case("few", shape=(40,), seed=_SEED, counts=10.0, probs=0.3),
        case("many", shape=(40,), seed=_SEED, counts=1000.0, probs=0.7),
        case(
            "several",
            shape=(20, 3),
            seed=_SEED,
            counts=f32((5.0, 100.0, 1000.0)),
            probs=f32((0.9, 0.5, 0.01)),
            pad=(),
        ),
        case(
            "certain",
            shape=(5, 4),
            seed=_SEED,
            counts=f32((5.0, 5.0, 0.0, -1.0)),
            probs=f32((0.0, 1.0, 0.5, 0.5)),
            pad=(),
        ),
        case("empty", shape=(0,), seed=_SEED, counts=2.0, probs=0.5),
        case(
            "other-end",
            shape=(4, 3),
            seed=_SEED,
            counts=f32((1, 2)),
            probs=0.5,
            raises="InvalidArgumentError",
        ),
        module="binomial",
        xla=FROZEN,
        takes="counts probs: floating -bfloat16",
    ),
    shim(
        "random.uniform",
        "shape, minval=0, maxval=None, dtype=tf.float32, seed=None, name=None",
        "random.stateful",
        inputs=(
            case("equal-bounds", shape=(2, 3), minval=1.5, maxval=1.5),
            case("one-integer", shape=(5,), minval=3, maxval=4, dtype="int32"),
            case("upper-bound-0", shape=(5,), maxval=0.0),
            case(
                "bound-arrays",
                shape=(2, 3),
                minval=f32((1, 2, 3)),
                maxval=f32((1, 2, 3)),
                gradient=(),
                pad=(),
            ),
            case("empty", shape=(0, 3)),
            case("no-upper-bound", shape=(3,), dtype="int32", raises="ValueError"),
            case(
                "nothing-between",
                shape=(3,),
                minval=5,
                maxval=5,
                dtype="int32",
                raises="InvalidArgumentError",
            ),
            case("uint32", shape=(3,), maxval=5, dtype="uint32", raises="ValueError"),
            case("negative-size", shape=(-2,), raises="InvalidArgumentError"),
        ),
    ),
    shim(
        "random.normal",
        "shape, mean=0.0, stddev=1.0, dtype=tf.float32, seed=None, name=None",
        "random.stateful",
        inputs=_CERTAIN,
    ),
    shim(
        "random.truncated_normal",
        "shape, mean=0.0, stddev=1.0, dtype=tf.float32, seed=None, name=None",
        "random.stateful",
        inputs=_CERTAIN,
    ),
    shim(
        "random.shuffle",
        "value, seed=None, name=None",
        "random.shuffle",
        inputs=(
            case("one", pad=(), value=draw(1, 3)),
            case("equal", pad=(), value=f32((2, 2, 2, 2))),
            case("empty", pad=(), value=draw(0, 3)),
            case("scalar", pad=(), value=f32(3)),
        ),
        xla="unsupported: XLA sorts by random keys, but rejects the order in which these keys are compared",
    ),
    shim(
        "random.categorical",
        "logits, num_samples, dtype=None, seed=None, name=None",
        "random.categorical",
        inputs=(
            case("one-class", logits=draw(3, 1), num_samples=4, pad=()),
            case("certain", logits=f32(((0, -1e9), (-1e9, 0))), num_samples=5, pad=()),
            case("int32", logits=draw(2, 1), num_samples=3, dtype="int32", pad=()),
            case("vector", logits=draw(3), num_samples=4, raises="InvalidArgumentError"),
        ),
        takes="floating",
    ),
    shim(
        "random.poisson",
        "shape, lam, dtype=tf.float32, seed=None, name=None",
        "random.poisson",
        inputs=(
            case("zero", shape=(2,), lam=f32((0.0, 0.0)), pad=()),
            case("scalar", shape=(3,), lam=0.0, dtype="int32"),
            case("empty", shape=(0,), lam=f32((1.0, 20.0)), pad=()),
        ),
        no_gradient="the operator has no gradient",
        xla=FROZEN,
        takes="lam: index floating -bfloat16",
    ),
    shim(
        "random.gamma",
        "shape, alpha, beta=None, dtype=tf.float32, seed=None, name=None",
        "random.gamma",
        inputs=(
            case("tiny", shape=(2,), alpha=f32((1e-6, 1e-6)), beta=1e30, gradient=(), pad=()),
            case("empty", shape=(0,), alpha=f32((1.0, 20.0)), pad=()),
            case("empty-rates", shape=(0,), alpha=2.0, beta=f32((1.0, 20.0)), pad=()),
        ),
        xla=FROZEN,
    ),
    shim("random.set_seed", "seed", "random.global_seed", gives="nothing"),
    shim(
        "random.get_global_generator",
        "",
        "random.generator",
        gives="a generator",
        aliases=("random.experimental.get_global_generator",),
    ),
    shim(
        "random.set_global_generator",
        "generator",
        "random.generator",
        gives="nothing",
        aliases=("random.experimental.set_global_generator",),
    ),
    shim(
        "random.create_rng_state",
        "seed, alg",
        "random.generator",
        gives="the state of a generator",
        aliases=("random.experimental.create_rng_state",),
    ),
    shim(
        "random.Generator",
        "copy_from=None, state=None, alg=None",
        "random.generator",
        aliases=("random.experimental.Generator",),
    ),
    shim(
        "random.Algorithm",
        None,
        "random.seeds",
        aliases=("random.experimental.Algorithm",),
    ),
    shim(
        "nn.dropout",
        "x, rate, noise_shape=None, seed=None, name=None",
        "random.dropout",
        inputs=_DROPOUT,
        takes="floating",
    ),
    shim(
        "nn.experimental.stateless_dropout",
        "x, rate, seed, rng_alg=None, noise_shape=None, name=None",
        "random.dropout",
        inputs=(
            case("half", x=draw(3, 4), rate=0.5, seed=_SEED, rng_alg="philox"),
            case("rate-0", x=draw(3, 4), rate=0.0, seed=_SEED),
            case("rate-array", x=draw(3, 4), rate=f32(0.3), seed=_SEED, gradient=("x",), pad=()),
            case("noise-shape", x=draw(3, 4), rate=0.3, seed=_SEED, noise_shape=(3, 1), pad=()),
            case("noise-none", x=draw(3, 4), rate=0.3, seed=_SEED, noise_shape=(1, None)),
            case("auto", x=draw(3, 4), rate=0.3, seed=_SEED, rng_alg="auto_select"),
            case("rate-1", x=draw(3, 4), rate=1, seed=_SEED, raises="ValueError"),
            case("int32", x=i32((1, 2)), rate=0.5, seed=_SEED, raises="ValueError"),
        ),
        xla=OTHER,
        takes="floating",
    ),
    shim(
        "nn.experimental.general_dropout",
        "x, rate, uniform_sampler, noise_shape=None, name=None",
        "random.dropout",
        inputs=(
            case("rate-0", x=draw(3, 4), rate=0, uniform_sampler=None),
            case("rate-1", x=draw(3, 4), rate=1.0, uniform_sampler=None, raises="ValueError"),
            case("int32", x=i32((1, 2)), rate=0.5, uniform_sampler=None, raises="ValueError"),
        ),
        takes="floating",
    ),
    *(
        shim(f"{name}_initializer", params, "random.initializers", gives="a function of shapes")
        for name, params in (
            ("zeros", ""),
            ("ones", ""),
            ("constant", "value=0, support_partition=False"),
            ("random_uniform", "minval=-0.05, maxval=0.05, seed=None"),
            ("random_normal", "mean=0.0, stddev=0.05, seed=None"),
        )
    ),
)
