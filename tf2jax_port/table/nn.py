"""Define the table rows of `tf.nn`."""

from __future__ import annotations

from tf2jax_port.table import standard
from tf2jax_port.table.families import native, shim, unary
from tf2jax_port.table.inputs import INF, NAN, draw, empty, f32, i32
from tf2jax_port.table.row import Case, Row, case, case_of


def _softmax_cases(*more: Case) -> tuple[Case, ...]:
    """Build the test cases of softmax and log-softmax."""
    return (
        case("rank1", logits=draw(5)),
        case("rank2", logits=draw(3, 4)),
        case("axis0", logits=draw(3, 4), axis=0),
        case("large", logits=f32([[1000.0, 0.0], [-1e9, -1e9]])),
        case("minus-inf", logits=f32([[-INF, 0.0], [1.0, -INF]])),
        case("all-minus-inf", logits=f32([-INF, -INF])),
        case("ties", logits=f32([0, 0, 0])),
        case("size1", logits=f32([[3.0]])),
        case("empty", logits=empty(0, 3)),
        *more,
    )


def _loss_cases(a: str, b: str, *more: Case) -> tuple[Case, ...]:
    """Build the test cases of losses that compare labels and logits."""
    return (
        case_of("normal", {a: draw(3, 4, low=0, high=1), b: draw(3, 4)}),
        case_of("at-zero", {a: f32([1, 0, 0.5]), b: f32([0, 0, -0.0])}),
        case_of("large", {a: f32([1, 0, 1, 0]), b: f32([100, 100, -100, -100])}),
        case_of("nan-inf", {a: f32([1, 0, 1]), b: f32([NAN, INF, -INF])}),
        case_of("empty", {a: empty(0), b: empty(0)}),
        case_of("float32-int32", {a: i32([1, 0]), b: draw(2)}, raises=standard.MIXED),
        *more,
    )


ROWS: tuple[Row, ...] = (
    native(
        "nn.softmax",
        "logits, axis=None, name=None",
        "jax.nn.softmax({logits}, axis={axis})",
        own="nn.activations",
        optional=("axis",),
        defaults=(("axis", "-1"),),
        tensors=("logits",),
        aliases=("math.softmax",),
        renames=(("dim", "axis"),),
        inputs=_softmax_cases(
            case(
                "nan",
                logits=f32([[NAN, 0.0], [1.0, 2.0]]),
                differs="value: TensorFlow returns some zeros in a row where JAX returns only NaN",
            ),
            case(
                "inf",
                logits=f32([INF, 0]),
                differs="value: TensorFlow returns some zeros in a row where JAX returns only NaN",
            ),
        ),
        note="for a row that contains inf, JAX returns only NaN, while TensorFlow returns some zeros",
        xla="differs: if a row contains NaN or inf, all elements of the row become NaN",
        takes="floating",
    ),
    native(
        "nn.log_softmax",
        "logits, axis=None, name=None",
        "jax.nn.log_softmax({logits}, axis={axis})",
        own="nn.activations",
        optional=("axis",),
        defaults=(("axis", "-1"),),
        tensors=("logits",),
        aliases=("math.log_softmax",),
        renames=(("dim", "axis"),),
        inputs=_softmax_cases(case("nan", logits=f32([[NAN, 0.0], [1.0, 2.0]]))),
        takes="floating",
    ),
    unary(
        "nn.relu",
        "jax.nn.relu({features})",
        param="features",
        own="nn.activations:relu",
        takes="real",
    ),
    unary(
        "nn.relu6",
        "jax.nn.relu6({features})",
        param="features",
        own="nn.activations:relu6",
        more=(
            case("six", features=f32([6, 7])),
            case("int32", features=i32([-1, 0, 3, 9])),
        ),
        differs="for integers, TensorFlow returns integers, and JAX returns floating-point numbers",
        takes="real",
    ),
    unary(
        "nn.elu",
        "jax.nn.elu({features})",
        param="features",
        own="nn.activations:elu",
        note="at NaN, TensorFlow's gradient is 1 and JAX's gradient is NaN",
        takes="floating",
    ),
    unary(
        "nn.selu",
        "jax.nn.selu({features})",
        param="features",
        own="nn.activations:selu",
        differs="at 0, TensorFlow's gradient is the scale, and JAX's gradient is the limit from below",
        takes="floating",
    ),
    native(
        "nn.leaky_relu",
        "features, alpha=0.2, name=None",
        "jax.nn.leaky_relu({features}, {alpha})",
        own="nn.activations",
        tensors=("features",),
        inputs=(
            case("normal", features=draw(3, 4)),
            case("alpha", features=draw(3, 4), alpha=0.01),
            case("edges", features=f32([0.0, -0.0, NAN, INF, -INF, 1, -1])),
            case("int32", features=i32([-5, 0, 5])),
            case("empty", features=empty(0, 3)),
        ),
        differs="at 0, TensorFlow's gradient is the slope below 0, and JAX's gradient is 1",
        takes="real",
    ),
    native(
        "nn.gelu",
        "features, approximate=False, name=None",
        "jax.nn.gelu({features}, approximate={approximate})",
        tensors=("features",),
        inputs=(
            case("exact", features=draw(3, 4)),
            case("approximate", features=draw(3, 4), approximate=True),
            case("edges", features=f32([0.0, -0.0, NAN, INF, 1, -1, 8, -8])),
            case("empty", features=empty(0, 3)),
        ),
        takes="floating",
    ),
    native(
        "nn.silu",
        "features, beta=1.0",
        "jax.nn.silu({features})",
        own="nn.activations",
        tensors=("features",),
        aliases=("nn.swish",),
        inputs=(
            case("normal", features=draw(3, 4)),
            case("beta", features=draw(3), beta=1.7),
            case("edges", features=f32([0.0, -0.0, NAN, INF, 1, -1, 30, -30])),
            case("empty", features=empty(0, 3)),
        ),
        takes="inexact",
    ),
    unary(
        "nn.softsign",
        "jax.nn.soft_sign({features})",
        param="features",
        own="nn.activations:softsign",
        aliases=("math.softsign",),
        note="at infinity, TensorFlow's gradient is 0 and JAX's gradient is NaN",
        takes="floating",
    ),
    shim(
        "nn.crelu",
        "features, axis=-1, name=None",
        "nn.activations",
        tensors=("features",),
        inputs=(
            case("normal", features=draw(2, 3)),
            case("axis0", features=draw(2, 3), axis=0),
            case("edges", features=f32([0.0, -0.0, NAN, INF, -INF])),
            case("empty", features=empty(0, 3)),
        ),
        takes="real -unsigned",
    ),
    shim(
        "nn.sigmoid_cross_entropy_with_logits",
        "labels=None, logits=None, name=None",
        "nn.losses",
        tensors=("logits", "labels"),
        inputs=_loss_cases("labels", "logits"),
        takes="labels logits: floating",
    ),
    shim(
        "nn.weighted_cross_entropy_with_logits",
        "labels, logits, pos_weight, name=None",
        "nn.losses",
        tensors=("logits", "labels", "pos_weight"),
        inputs=(
            case("normal", labels=draw(3, 4, low=0, high=1), logits=draw(3, 4), pos_weight=2.5),
            case("at-zero", labels=f32([1, 0]), logits=f32([0, 0]), pos_weight=3.0),
            case(
                "large",
                labels=f32([1, 0, 1, 0]),
                logits=f32([100, 100, -100, -100]),
                pos_weight=2.0,
            ),
            case("weights", labels=f32([1, 0]), logits=draw(2), pos_weight=f32([2, 3])),
            case("empty", labels=empty(0), logits=empty(0), pos_weight=2.0),
        ),
        takes="labels logits: floating",
    ),
    shim(
        "nn.softmax_cross_entropy_with_logits",
        "labels, logits, axis=-1, name=None",
        "nn.losses",
        tensors=("labels", "logits"),
        inputs=(
            case("normal", labels=draw(3, 4, low=0, high=1), logits=draw(3, 4)),
            case("one-hot", labels=f32([[0, 1], [1, 0]]), logits=draw(2, 2)),
            case("axis0", labels=draw(3, 2, low=0, high=1), logits=draw(3, 2), axis=0),
            case("sum-not-one", labels=f32([[2, 1]]), logits=f32([[0, 0]])),
            case("masked-row", labels=f32([[0, 0], [1, 0]]), logits=f32([[3, 1], [2, 2]])),
            case("large", labels=f32([[1, 0]]), logits=f32([[-1000, 1000]])),
            case("nan-inf", labels=f32([[1, 0], [0, 1]]), logits=f32([[NAN, 1], [INF, 1]])),
            case("rank3", labels=draw(2, 2, 3, low=0, high=1), logits=draw(2, 2, 3)),
            case("empty", labels=empty(0, 3), logits=empty(0, 3)),
        ),
        takes="logits: floating",
    ),
    shim(
        "nn.sparse_softmax_cross_entropy_with_logits",
        "labels, logits, name=None",
        "nn.losses",
        inputs=(
            case("normal", labels=i32([0, 3, 1]), logits=draw(3, 4)),
            case("rank3", labels=i32([[0, 2], [1, 1]]), logits=draw(2, 2, 3)),
            case("scalar", labels=i32(1), logits=draw(3)),
            case("large", labels=i32([0, 1]), logits=f32([[-1000, 1000], [-1000, 1000]])),
            case("nan", labels=i32([0]), logits=f32([[NAN, 1]])),
            case("empty", labels=empty(0, dtype="int32"), logits=empty(0, 3)),
            case(
                "negative-label", raises="InvalidArgumentError", labels=i32([-1]), logits=draw(1, 3)
            ),
            case(
                "label-too-large", raises="InvalidArgumentError", labels=i32([5]), logits=draw(1, 2)
            ),
        ),
        takes="labels: index; logits: floating",
    ),
    shim(
        "nn.l2_normalize",
        "x, axis=None, epsilon=1e-12, name=None, dim=None",
        "linalg.linalg_ops",
        tensors=("x",),
        aliases=("linalg.l2_normalize", "math.l2_normalize"),
        inputs=(
            case("all", x=draw(3, 4)),
            case("axis1", x=draw(3, 4), axis=1),
            case("axes", x=draw(2, 3, 2), axis=[1, 2]),
            case("zero", x=f32([0, 0])),
            case("small", x=f32([1e-7, 0])),
            case("epsilon", x=f32([0.1, 0.2]), epsilon=1.0),
            case("nan-inf", x=f32([[NAN, 1], [INF, 1]]), axis=1),
            case("empty", x=empty(0, 3), axis=1),
        ),
        takes="inexact",
    ),
    native(
        "nn.l2_loss",
        "t, name=None",
        "jnp.divide(jnp.sum(jnp.square({t})), 2)",
        own="linalg.clip",
        tensors=("t",),
        inputs=(
            case("normal", t=draw(3, 4)),
            case("nan", t=f32([NAN, 1])),
            case("inf", t=f32([INF, 1])),
            case("empty", t=empty(0, 3)),
            case("scalar", t=f32(3.0)),
        ),
        takes="floating",
    ),
    shim(
        "nn.moments",
        "x, axes, shift=None, keepdims=False, name=None",
        "nn.losses",
        tensors=("x",),
        renames=(("keep_dims", "keepdims"),),
        inputs=(
            case("axis0", x=draw(4, 3), axes=[0]),
            case("axes-keepdims", x=draw(2, 3, 2), axes=[0, 2], keepdims=True),
            case("nan", x=f32([[NAN, 1], [2, 4]]), axes=[1]),
            case("size1", x=f32([[3.0]]), axes=[0]),
            case("nothing", x=empty(0, 2), axes=[0]),
        ),
        takes="index inexact",
    ),
    shim(
        "nn.bias_add",
        "value, bias, data_format=None, name=None",
        "nn.losses",
        tensors=("value", "bias"),
        inputs=(
            case("rank2", value=draw(2, 3), bias=draw(3)),
            case("rank4", value=draw(2, 2, 2, 3), bias=draw(3)),
            case("channels-first", value=draw(2, 3, 2, 2), bias=draw(3), data_format="NCHW"),
            case("nan", value=f32([[NAN, 1]]), bias=f32([1, INF])),
            case("empty", value=empty(0, 3), bias=draw(3)),
            case("int32", value=i32([[1, 2]]), bias=i32([3, 4])),
            case("vector", raises="InvalidArgumentError", value=draw(3), bias=draw(3)),
        ),
        takes="number",
    ),
)
