"""Write a random call as a call of `jax.random` with a key.

The new text, a `Form`, has gaps where the key is filled in later. If JAX lacks the distribution, or an argument
cannot be converted, a reason is returned instead.
"""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Callable, Mapping

from tf2jax_port.rewrite.calls.arguments import holds_ordered
from tf2jax_port.rewrite.knowledge import version_1
from tf2jax_port.rewrite.knowledge.bind import Bound, Refusal, bind_arguments, bind_version_1
from tf2jax_port.rewrite.knowledge.known import Known
from tf2jax_port.rewrite.random.arguments import (
    DrawSite,
    NoFormError,
    check_sizes,
    is_none,
    is_simple,
    number,
    shape_of,
)
from tf2jax_port.rewrite.reading.layout import CallLayout, call_layout
from tf2jax_port.rewrite.reading.quoted import enclosing_string
from tf2jax_port.rewrite.sites.decision import File
from tf2jax_port.rewrite.values.values import Kind
from tf2jax_port.rewrite.writing.edits import Edit, Piece

FLOATS = ("bfloat16", "double", "float16", "float32", "float64", "half")
INTEGERS = ("int32", "int64")
_LOOSE = (ast.Expr, ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Return)


@dataclasses.dataclass(frozen=True, slots=True)
class Form:
    """The new text of a random call, with `None` where the key is filled in.

    Attributes:
      pieces: new text, spans of old text, and gaps for the key.
      shapes: calls of `tf.shape` in the arguments that become `jnp.shape`.
      seedless: whether the `seed` argument of the call is dropped.
    """

    pieces: tuple[Piece | None, ...]
    shapes: tuple[ast.Call, ...] = ()
    seedless: bool = False

    def edit(self, file: File, call: ast.Call, key: tuple[Piece, ...]) -> Edit:
        """Return the edit that replaces a call by this text, with the key filled in."""
        whole = [p for piece in self.pieces for p in ((piece,) if piece is not None else key)]
        written = tuple(file.spelling.text(p) if isinstance(p, str) else p for p in whole)
        return Edit(*file.source.span(call), written)


def find_form(
    file: File, known: Known, call: ast.Call, codes: Mapping[ast.expr, str], name: str
) -> Form | str:
    """Return the `jax.random` call that replaces a random call, or the reason why there is none.

    Args:
      file: the file.
      known: the table row of the operator.
      call: the call of the operator.
      codes: the diagnostic of every reference.
      name: the name of the operator in `_FORMS`, the converters of arguments.
    """
    if name not in _FORMS:
        return f"`jax.random` has no `{known.row.name}`"
    if enclosing_string(file.names, known.reference.node) is not None:
        return "the draw is inside a string"
    layout = call_layout(file.source, call)
    bound = _bind_call(known, layout)
    if isinstance(bound, Refusal) or bound.surplus:
        return "the arguments of the draw are unknown"
    if layout.comments or any(holds_ordered(argument.node) for _, argument in bound.dropped):
        return "there is a comment between the arguments"
    site = DrawSite(file, name, bound.arguments, codes, [])
    try:
        seedless = _check_dropped(site)
        pieces = _FORMS[name](site)
    except NoFormError as error:
        return str(error)
    if pieces[0] == "(" and isinstance(file.names.parents[call], _LOOSE):
        pieces = pieces[1:-1]
    return Form(tuple(pieces), tuple(site.shapes), seedless)


def _bind_call(known: Known, layout: CallLayout) -> Bound | Refusal:
    """Bind the arguments of a call to the parameters that TensorFlow 2 has."""
    params = known.row.params or ""
    if not known.version_1_params:
        return bind_arguments(layout.arguments, params, known.renames)
    unused = version_1.without_meaning(known.row.name)
    old = known.version_1_params
    return bind_version_1(layout.arguments, old, params, known.renames, unused)


def _check_dropped(site: DrawSite) -> bool:
    """Check that the arguments that JAX lacks can be dropped; return whether a seed is one of them.

    Raises:
      NoFormError: an argument cannot be dropped, or the others would be evaluated in a different order.
    """
    if "alg" in site.arguments:
        raise NoFormError("the draw names an algorithm")
    seedless = False
    if "seed" in site.arguments and not site.name.startswith("random.stateless_"):
        if number(site.node("seed")) is None and not is_none(site.node("seed")):
            raise NoFormError("the draw's own seed is not written as a number")
        seedless = site.has("seed")
    name = site.arguments.get("name")
    if name is not None and not is_simple(name.node):
        raise NoFormError("the name of the function is computed")
    ordered = [n for n, a in site.arguments.items() if n != "name" and holds_ordered(a.node)]
    if len(ordered) > 1:
        raise NoFormError("several arguments contain calls")
    return seedless


# The forms.


def _number_dtype(site: DrawSite, kinds: tuple[str, ...], *, open_ended: bool) -> list[Piece]:
    """Return the argument `, dtype=...` as text, empty if the call passes no dtype.

    Raises:
      NoFormError: the dtype is not one of `kinds`; with `open_ended`, a computed dtype is accepted.
    """
    if not site.has("dtype"):
        return []
    path = site.path("dtype")
    if path not in kinds and (path or not open_ended):
        raise NoFormError(
            "the dtype is not supported"
            if path
            else "the dtype is not written out, for instance as `tf.float32`"
        )
    return [", dtype=", *site.text("dtype")]


def _uniform(site: DrawSite) -> list[Piece | None]:
    if site.has("dtype") and site.path("dtype") in INTEGERS:
        return _integers(site)
    pieces: list[Piece | None] = ["jax.random.uniform(", None, ", ", *shape_of(site)]
    # Without an upper bound TensorFlow draws no integers, nor between numbers with a point.
    bounds = [number(site.node(name)) for name in ("minval", "maxval") if site.has(name)]
    broken = any(isinstance(bound, float) for bound in bounds)
    pieces += _number_dtype(site, FLOATS, open_ended=broken or not site.has("maxval"))
    for name in ("minval", "maxval"):
        if site.has(name):
            pieces += [f", {name}=", *site.text(name)]
    return [*pieces, ")"]


def _integers(site: DrawSite) -> list[Piece | None]:
    if not site.has("maxval"):
        raise NoFormError("the draw covers the full integer range")
    low = site.text("minval") if site.has("minval") else ["0"]
    shape: list[Piece | None] = ["jax.random.randint(", None, ", ", *shape_of(site), ", "]
    return [*shape, *low, ", ", *site.text("maxval"), ", dtype=", *site.text("dtype"), ")"]


def _normal(site: DrawSite) -> list[Piece | None]:
    bounds = ", -2.0, 2.0" if site.name.endswith("truncated_normal") else ""
    kind = "truncated_normal" if bounds else "normal"
    pieces: list[Piece | None] = [f"jax.random.{kind}(", None, f"{bounds}, ", *shape_of(site)]
    pieces += [*_number_dtype(site, FLOATS, open_ended=True), ")"]
    plain = pieces
    if site.has("stddev") and number(site.node("stddev")) != 1:
        pieces = [*site.text("stddev", operand=True), " * ", *pieces]
    if site.has("mean") and number(site.node("mean")) != 0:
        pieces = [*site.text("mean", operand=True), " + ", *pieces]
    return pieces if pieces is plain else ["(", *pieces, ")"]


def _array(site: DrawSite, name: str) -> list[Piece]:
    """Return the text of an argument, wrapped in `jnp.asarray` unless it is an array or number."""
    text = site.text(name)
    kind = site.file.values.kind(site.node(name))
    plain = kind is not Kind.UNKNOWN or number(site.node(name)) is not None
    return text if plain else ["jnp.asarray(", *text, ")"]


def _shuffle(site: DrawSite) -> list[Piece | None]:
    return ["jax.random.permutation(", None, ", ", *_array(site, "value"), ")"]


def _categorical(site: DrawSite) -> list[Piece | None]:
    pieces: list[Piece | None] = ["jax.random.categorical(", None, ", ", *_array(site, "logits")]
    if number(site.node("num_samples")) == 1:
        pieces.append(")[:, None]")
    else:
        site.repeatable("logits")
        rows: list[Piece] = ["jnp.shape(", *site.text("logits"), ")[0]"]
        pieces += [", shape=(", *site.text("num_samples"), ", ", *rows, ")).T"]
    if not site.has("dtype") or site.path("dtype") == "int64":
        return pieces
    if site.path("dtype") != "int32":
        raise NoFormError("the dtype is not written out, for instance as `tf.float32`")
    return [*pieces, ".astype(", *site.text("dtype"), ")"]


def _shape_with_parameter(site: DrawSite, name: str) -> list[Piece]:
    """Return the text of the result's shape.

    It is `shape`, followed by the shape of the parameter `name` if that may be an array.
    """
    if number(site.node(name)) is not None:
        return shape_of(site)
    site.repeatable(name)
    return ["(*", *shape_of(site), ", *jnp.shape(", *site.text(name), "))"]


def _gamma(site: DrawSite) -> list[Piece | None]:
    pieces: list[Piece | None] = ["jax.random.gamma(", None, ", ", *_array(site, "alpha"), ", "]
    pieces += [
        *_shape_with_parameter(site, "alpha"),
        *_number_dtype(site, FLOATS, open_ended=False),
        ")",
    ]
    if not site.has("beta"):
        return pieces
    if number(site.node("beta")) is None:
        raise NoFormError("`beta` may be an array")
    return ["(", *pieces, " / ", *site.text("beta"), ")"]


def _poisson(site: DrawSite) -> list[Piece | None]:
    dtype: list[Piece] = ["jnp.float32"]
    if site.has("dtype"):
        if site.path("dtype") not in (*FLOATS, *INTEGERS):
            raise NoFormError("the dtype is not written out, for instance as `tf.float32`")
        dtype = site.text("dtype")
    draw: list[Piece | None] = ["jax.random.poisson(", None, ", ", *_array(site, "lam"), ", "]
    return [*draw, *_shape_with_parameter(site, "lam"), ").astype(", *dtype, ")"]


def _dropout(site: DrawSite) -> list[Piece | None]:
    kept = site.has("keep_prob")
    name = "keep_prob" if kept else "rate"
    if not site.has(name):
        raise NoFormError("the rate is not given")
    rate = number(site.node(name))
    if rate is not None and not (0 < rate <= 1 if kept else 0 <= rate < 1):
        raise NoFormError("the rate is out of range")
    if not all(map(site.is_repeatable, ("x", name))) or not _has_plain_noise(site):
        return _seeded_dropout(site, name)
    if rate is None and site.file.values.kind(site.node(name)) is Kind.TENSOR:
        return _seeded_dropout(site, name)
    of = site.text(name, operand=True)
    keep: list[Piece] = of if kept else ["1 - ", *of]
    scale: list[Piece] = keep if kept else ["(", *keep, ")"]
    shape: list[Piece] = ["jnp.shape(", *site.text("x"), ")"]
    if site.has("noise_shape"):
        shape = site.text("noise_shape")
    drawn: list[Piece | None] = ["jnp.where(jax.random.bernoulli(", None, ", ", *keep, ", ", *shape]
    return [*drawn, "), ", *site.text("x", operand=True), " / ", *scale, ", 0)"]


def _has_plain_noise(site: DrawSite) -> bool:
    """Return whether a dropout call has no `noise_shape`, or one that is a list without `None`."""
    if not site.has("noise_shape"):
        return True
    node = site.node("noise_shape")
    if not isinstance(node, ast.List | ast.Tuple) or any(map(is_none, node.elts)):
        return False
    check_sizes(site, node)
    return True


# Operators that JAX lacks draw with a seed, which is drawn with the key.

_SEED = ("seed=jax.random.randint(", None, ", [2], 0, 2**31 - 1))")


def _seeded_dropout(site: DrawSite, name: str) -> list[Piece | None]:
    rest = name == "keep_prob"
    rate = [", rate=1 - " if rest else ", rate=", *site.text(name, operand=rest)]
    noise = [", noise_shape=", *site.text("noise_shape")] if site.has("noise_shape") else []
    return [
        "shims.nn.experimental.stateless_dropout(",
        *site.text("x"),
        *rate,
        *noise,
        ", ",
        *_SEED,
    ]


def _image(site: DrawSite) -> list[Piece | None]:
    kind = site.name.rpartition(".")[2]
    pieces: list[Piece | None] = [f"shims.image.stateless_{kind}("]
    for name in site.arguments:
        if name not in ("seed", "name"):
            first = len(pieces) == 1 and name in ("image", "value")
            pieces += [*([] if first else [f"{name}="]), *site.text(name), ", "]
    return [*pieces, *_SEED]


_IMAGES = ("brightness", "contrast", "crop", "flip_left_right", "flip_up_down", "hue", "saturation")
_FORMS: dict[str, Callable[[DrawSite], list[Piece | None]]] = {
    "random.uniform": _uniform,
    "random.normal": _normal,
    "random.truncated_normal": _normal,
    "random.shuffle": _shuffle,
    "random.categorical": _categorical,
    "random.gamma": _gamma,
    "random.poisson": _poisson,
    "nn.dropout": _dropout,
    "v1.nn.dropout": _dropout,
    **{f"image.random_{kind}": _image for kind in _IMAGES},
    "random.stateless_uniform": _uniform,
    "random.stateless_normal": _normal,
    "random.stateless_truncated_normal": _normal,
}
