"""Define the table rows of `tf.linalg`, and of its functions that `tf` also exports."""

from __future__ import annotations

from tf2jax_port.table import standard
from tf2jax_port.table.families import native, shim
from tf2jax_port.table.inputs import INF, NAN, Values, draw, empty, f32, i32
from tf2jax_port.table.row import Row, case

_SPARSE = "a_is_sparse=False, b_is_sparse=False"
_INT8 = Values(((1,),), "int8")

ROWS: tuple[Row, ...] = (
    native(
        "matmul",
        "a, b, transpose_a=False, transpose_b=False, adjoint_a=False, adjoint_b=False, "
        f"{_SPARSE}, output_type=None, grad_a=False, grad_b=False, name=None",
        "jnp.matmul({a}, {b})",
        own="linalg.linalg_ops",
        tensors=("a", "b"),
        aliases=("linalg.matmul",),
        inputs=(
            case("rank2", a=draw(2, 3), b=draw(3, 4)),
            case("transpose-a", a=draw(3, 2), b=draw(3, 4), transpose_a=True),
            case("transpose-b", a=draw(2, 3), b=draw(4, 3), transpose_b=True),
            case("adjoint", a=draw(3, 2), b=draw(4, 3), adjoint_a=True, adjoint_b=True),
            case("batch", a=draw(2, 2, 3), b=draw(2, 3, 1)),
            case("batch-broadcast", a=draw(2, 1, 2, 3), b=draw(4, 3, 2)),
            case("int32", a=i32([[1, 2]]), b=i32([[3], [4]])),
            case("nan-inf", a=f32([[NAN, 1], [INF, 0]]), b=f32([[1], [0]])),
            case("nothing", a=empty(2, 0), b=empty(0, 3)),
            case("empty", a=empty(0, 2), b=draw(2, 3)),
            case("sizes", raises="InvalidArgumentError", a=draw(1, 2), b=draw(1, 2)),
            case("dtypes", raises=standard.MIXED, a=draw(1, 2), b=i32([[1], [2]])),
            case(
                "bytes",
                a=Values(((-128, 127),), "int8"),
                b=Values(((255,), (1,)), "uint8"),
                output_type="int32",
            ),
            case("int8", raises="InvalidArgumentError", a=_INT8, b=_INT8),
        ),
        takes="index inexact int8 uint8",
    ),
    shim(
        "linalg.matvec",
        f"a, b, transpose_a=False, adjoint_a=False, {_SPARSE}, name=None",
        "linalg.linalg_ops",
        tensors=("a", "b"),
        inputs=(
            case("rank2", a=draw(2, 3), b=draw(3)),
            case("transpose", a=draw(3, 2), b=draw(3), transpose_a=True),
            case("batch", a=draw(2, 2, 3), b=draw(2, 3)),
            case("empty", a=empty(0, 2), b=draw(2)),
        ),
        takes="index inexact",
    ),
    native(
        "tensordot",
        "a, b, axes, name=None",
        "jnp.tensordot({a}, {b}, {axes})",
        own="linalg.linalg_ops",
        tensors=("a", "b"),
        aliases=("linalg.tensordot",),
        inputs=(
            case("one", a=draw(2, 3), b=draw(3, 4), axes=1),
            case("two", a=draw(2, 3, 4), b=draw(3, 4, 2), axes=2),
            case("none", a=draw(2), b=draw(3), axes=0),
            case("named", a=draw(2, 3), b=draw(4, 2), axes=[[0], [1]]),
            case("numbers", a=draw(2, 3), b=draw(4, 3), axes=(1, 1)),
            case("empty", a=empty(0, 3), b=draw(3, 2), axes=1),
        ),
        takes="index inexact",
    ),
    shim(
        "einsum",
        "equation, *inputs, **kwargs",
        "linalg.linalg_ops",
        aliases=("linalg.einsum",),
        inputs=(
            case("matmul", equation="ij,jk->ik", inputs=(draw(2, 3), draw(3, 4))),
            case("batch", equation="bij,bkj->bik", inputs=(draw(2, 2, 3), draw(2, 4, 3))),
            case("ellipsis", equation="...i,...i->...", inputs=(draw(2, 3), draw(2, 3))),
            case("diagonal", equation="ii->i", inputs=(draw(3, 3),)),
            case("spaces", equation="i, j -> ij", inputs=(draw(2), draw(3))),
            case("implicit", equation="ij,jk", inputs=(draw(2, 3), draw(3, 2))),
            case("three", equation="i,ij,j->", inputs=(draw(2), draw(2, 3), draw(3))),
            case("empty", equation="ij,j->i", inputs=(empty(0, 3), draw(3))),
        ),
        takes="inputs: index inexact",
    ),
    shim(
        "linalg.trace",
        "x, name=None",
        "linalg.linalg_ops",
        tensors=("x",),
        inputs=(
            case("square", x=draw(3, 3)),
            case("wide", x=draw(2, 4)),
            case("batch", x=draw(2, 3, 3)),
            case("nan", x=f32([[1, NAN], [2, 3]])),
            case("empty", x=empty(0, 0)),
        ),
        takes="number",
    ),
    shim(
        "linalg.global_norm",
        "t_list, name=None",
        "linalg.linalg_ops",
        inputs=(
            case("two", t_list=(draw(3), draw(2, 2))),
            case("zero", t_list=(f32([0, 0]),)),
            case("inf", t_list=(f32([INF]), f32([1]))),
        ),
        takes="floating",
    ),
    native(
        "norm",
        "tensor, ord='euclidean', axis=None, keepdims=None, name=None",
        "jnp.linalg.norm({tensor}, axis={axis}, keepdims={keepdims})",
        own="linalg.linalg_ops",
        optional=("axis", "keepdims"),
        tensors=("tensor",),
        aliases=("linalg.norm",),
        differs="where the norm and the incoming gradient are 0, TensorFlow's gradient is 0 and JAX's gradient is NaN",
        inputs=(
            case("all", tensor=draw(3, 4)),
            case("axis1", tensor=draw(3, 4), axis=1),
            case("keepdims", tensor=draw(3, 4), axis=0, keepdims=True),
            case("ord1", tensor=f32([0, -1, 2]), ord=1),
            case("ord2", tensor=draw(3), ord=2),
            case("ord3", tensor=draw(3), ord=3),
            case("inf-norm", tensor=draw(2, 3), ord=INF, axis=1),
            case("matrix", tensor=draw(2, 3, 4), axis=[1, 2]),
            case("matrix-ord1", tensor=draw(2, 3), ord=1, axis=[0, 1]),
            case("matrix-inf", tensor=draw(2, 3), ord=INF, axis=[0, 1]),
            case("zero", tensor=f32([0, 0])),
            case("zero-row", tensor=f32([[3, 4], [0, 0]]), axis=1),
            case("nan", tensor=f32([NAN, 1])),
            case("empty", tensor=empty(0, 2), axis=1),
            case("no-such-norm", raises="ValueError", tensor=draw(2), ord="nuc"),
        ),
        xla="differs: the gradient of a norm of 0 is NaN even where the incoming gradient is 0",
        takes="inexact",
    ),
)
