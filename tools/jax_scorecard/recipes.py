"""Propose operands for a parameter by its name; the search tries them on exact arrays."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from tools.jax_scorecard.operands import Chosen, Fixed, Size
from tools.jax_scorecard.surface import Parameter

KEY = jax.random.key(0)
_SELECTED = ("floats", "integers", "rows", "square", "booleans", "columns", "stack", "complexes")
_FIXED = ("scalar", "floats", "integer", "integers", "matrix", "two", "boolean", "tall")
_STATIC: tuple[Any, ...] = (1, 0.5, (0,))

# By the name of a parameter: kinds of selections to try first.
_SELECTED_BY_NAME = {
    "indices": ("integers", "pairs"),
    "idxs": ("integers",),
    "segment_ids": ("integers",),
    "ids": ("integers",),
    "index": ("integers",),
    "multi_index": ("integers",),
    "condition": ("booleans", "rows"),
    "pred": ("booleans",),
    "mask": ("booleans",),
    "which": ("booleans",),
    "where": ("booleans",),
    "xp": ("increasing",),
    "bins": ("increasing",),
    "image": ("image",),
    "lhs": ("rows", "floats", "signal"),
    "key_bits_array": ("unsigned",),
    "query": ("sequence",),
    "key": ("sequence",),
    "value": ("sequence",),
    "alpha": ("positive",),
    "df": ("positive",),
    "p": ("positive", "floats"),
}
_FIXED_BY_NAME = {
    "indices": ("two_integers", "integer", "integers"),
    "idxs": ("two_integers",),
    "segment_ids": ("integers",),
    "index": ("integer",),
    "condition": ("boolean", "booleans"),
    "xp": ("increasing",),
    "fp": ("increasing",),
    "bins": ("increasing",),
    "rhs": ("matrix", "two", "floats", "kernel"),
    "b": ("scalar", "floats", "matrix", "two"),
    "y": ("scalar", "floats", "matrix", "integer"),
}
# Parameters that are never arrays, and what to pass.
_STATIC_BY_NAME: dict[str, tuple[Any, ...]] = {
    "axis": (0, -1),
    "axes": ((0,),),
    "axis1": (0,),
    "axis2": (1, 0),
    "dimension": (0,),
    "dimensions": ((0,), 0),
    "source": (0,),
    "destination": (-1,),
    "permutation": ((0,), (1, 0)),
    "dtype": (np.float32,),
    "new_dtype": (np.int32,),
    "index_dtype": (np.int32,),
    "key": (KEY,),
    "keys": (),
    "k": (1,),
    "kth": (1,),
    "num": (3,),
    "num_classes": (3,),
    "num_segments": (3,),
    "size": (4,),
    "length": (4,),
    "shape": ((2,), (2, 2)),
    "new_sizes": ((-1,),),
    "sizes": ((2,),),
    "reps": ((2,), 2),
    "repeats": (2,),
    "indices_or_sections": ((1,),),
    "pad_width": (1,),
    "shift": (1,),
    "rank": (2,),
    "start_dimension": (0,),
    "start_index": (0,),
    "slice_size": (1,),
    "limit_index": (1,),
    "strides": ((1,),),
    "deg": (1,),
    "order": (1,),
    "window_strides": ((1,),),
    "padding": ("SAME",),
    "method": ("linear",),
    "subscripts": ("i->i", "ij->j", "ij,j->i"),
    "mode": (0.5, "valid"),
    "ord": (1,),
    "exponent_bits": (5,),
    "mantissa_bits": (10,),
    "padding_config": (((1, 1, 0),),),
    "start_indices": ((0,),),
    "limit_indices": ((1,),),
    "func1d": (jnp.sum,),
    "func": (jnp.sum, jnp.sqrt),
    "obj": (1,),
    "d": (2,),
    "file": (),
    "like_arr": (),
}
STATIC = frozenset(_STATIC_BY_NAME)
PLAIN = list(_STATIC)
# Sizes that a parameter can be, beside the plain number.
_SIZE_FORMS = {
    "shape": ((Size(),), (Size(), 2)),
    "new_sizes": ((Size(),), (Size(), 1)),
    "sizes": ((Size(),),),
    "reps": ((Size(),), Size()),
    "pad_width": ((Size(), 1), Size()),
    "indices_or_sections": ((Size(),), Size()),
    "new_shape": ((Size(),), (Size(), 2)),
    "slice_sizes": ((Size(),),),
    "start_indices": ((Size(),),),
    "limit_indices": ((Size(),),),
    "pads": ((Size(),),),
    "axis": (),
    "key": (),
}
# Optional parameters that hold arrays or sizes, and values that go beside a selection.
OPTIONAL: dict[str, tuple[Any, ...]] = {
    "axis": (0, -1),
    "where": (),
    "weights": (),
    "size": (4,),
    "length": (8,),
    "num_segments": (3,),
    "total_repeat_length": (9,),
    "prepend": (Fixed("scalar"),),
    "append": (Fixed("scalar"),),
    "to_end": (Fixed("two"),),
    "initial": (Fixed("scalar"),),
    "shape": (),
    "b": (),
    "bias": (),
    "n": (4,),
    "k": (1,),
    "m": (4,),
    "M": (4,),
    "y": (),
    "x": (),
    "p": (),
    "mean": (),
    "q": (),
    "a_min": (Fixed("scalar"),),
    "min": (Fixed("scalar"),),
    "keepdims": (True,),
    "reverse": (True,),
    "descending": (True,),
    "return_inverse": (True,),
    "return_counts": (True,),
    "full": (True,),
    "fweights": (),
    "aweights": (),
    "sorter": (),
    "mode": ("same", "wrap", "clip"),
    "minlength": (4,),
    "bins": (3,),
    "xs": (),
    "fill_value": (Fixed("scalar"),),
}


def selections(parameter: Parameter, position: int) -> list[Any]:
    """Return selections to try as an argument, alone and in a list."""
    first = _SELECTED_BY_NAME.get(parameter.name, ())
    if parameter.name in _STATIC_BY_NAME and not first:
        return []
    kinds = dict.fromkeys((*first, *_SELECTED))
    alone = [Chosen(kind, position) for kind in kinds]
    if parameter.name in ("arrays", "tup", "operands", "condlist", "choicelist", "choices"):
        return [[Chosen(kind, position), Chosen(kind, position + 1)] for kind in kinds]
    return alone


def others(parameter: Parameter, position: int) -> list[Any]:
    """Return arrays of static shape and plain values to try as an argument."""
    if parameter.name in _STATIC_BY_NAME:
        return list(_STATIC_BY_NAME[parameter.name])
    kinds = dict.fromkeys((*_FIXED_BY_NAME.get(parameter.name, ()), *_FIXED))
    fixed: list[Any] = [Fixed(kind, position) for kind in kinds]
    if parameter.name in ("arrays", "tup", "operands", "condlist", "choicelist", "choices"):
        return [[Fixed(kind, position), Fixed(kind, position + 1)] for kind in kinds]
    return [*fixed, *_STATIC]


def sizes(parameter: Parameter) -> list[Any]:
    """Return the forms in which a size is tried as an argument."""
    return list(_SIZE_FORMS.get(parameter.name, (Size(),)))


def _add(x, y):
    return x + y


_ROW = lax.GatherDimensionNumbers((1,), (0,), (0,))
_SCATTER = lax.ScatterDimensionNumbers((), (0,), (0,))
_X, _ROWS, _FLOAT3 = Chosen("floats"), Chosen("rows"), Fixed("floats")
# Written by hand: functions of functions, and of structures that no name tells.
BY_HAND: dict[str, tuple[tuple[Any, ...], ...]] = {
    "jax.lax.associative_scan": ((_add, _X), (_add, _ROWS)),
    "jax.lax.scan": (
        (lambda c, x: (c + x, c * x), np.float32(0), _X),
        (lambda c, x: (c * 0.5, c.sum()), _X, Fixed("floats")),
        (lambda c, _: (c * 0.5, c), np.float32(1), None, Size()),
    ),
    "jax.lax.map": ((lambda x: x * 2, _X), (jnp.sum, _ROWS)),
    "jax.lax.cond": (
        (True, jnp.sum, jnp.max, _X),
        (Size(), lambda x: x * 2, lambda x: x, _X),
    ),
    "jax.lax.switch": (
        (1, (jnp.sin, jnp.cos), _X),
        (Size(), (lambda x: x + 1, lambda x: x * 2, lambda x: x), Fixed("floats")),
    ),
    "jax.lax.while_loop": (
        (lambda s: s[0] < 3, lambda s: (s[0] + 1, s[1] * 2), (0, _X)),
        (lambda s: s[0] < s[1], lambda s: (s[0] + 1, s[1]), (0, Size())),
    ),
    "jax.lax.fori_loop": (
        (0, 3, lambda i, s: s * 2, _X),
        (0, Size(), lambda i, s: s + i, np.float32(0)),
    ),
    "jax.lax.reduce": ((_X, np.float32(0), lax.add, (0,)), (_ROWS, np.float32(0), lax.add, (0,))),
    "jax.lax.reduce_window": (
        (_X, np.float32(0), lax.add, (2,), (1,), "VALID"),
        (_X, np.float32(0), lax.add, (2,), (1,), "SAME"),
    ),
    "jax.lax.gather": (
        (_ROWS, Fixed("positions"), _ROW, (1, 3)),
        (Fixed("matrix"), Chosen("positions"), _ROW, (1, 3)),
    ),
    **{
        f"jax.lax.{name}": ((_FLOAT3, Chosen("positions"), Chosen("floats", 1), _SCATTER),)
        for name in ("scatter", "scatter_add", "scatter_max", "scatter_min", "scatter_mul")
    },
    "jax.lax.scatter_sub": ((_FLOAT3, Chosen("positions"), Chosen("floats", 1), _SCATTER),),
    "jax.lax.dot_general": (
        (_X, Chosen("floats", 1), (((0,), (0,)), ((), ()))),
        (_ROWS, Fixed("matrix"), (((1,), (0,)), ((), ()))),
    ),
    "jax.lax.conv": ((Chosen("signal"), Fixed("kernel"), (1,), "SAME"),),
    "jax.lax.conv_general_dilated": (
        (Chosen("signal"), Fixed("kernel"), (1,), "SAME"),
        (Chosen("signal"), Fixed("kernel"), (1,), "VALID"),
        (Chosen("signal"), Fixed("kernel"), (2,), ((1, 1),)),
    ),
    "jax.lax.conv_general_dilated_patches": ((Chosen("signal"), (2,), (1,), "SAME"),),
    "jax.lax.conv_with_general_padding": (
        (Chosen("signal"), Fixed("kernel"), (1,), ((1, 1),), None, None),
    ),
    "jax.lax.sort": ((_X,), ((Chosen("integers"), Chosen("floats")),), (_ROWS, 0)),
    "jax.lax.select_n": ((Chosen("booleans"), _X, Chosen("floats", 1)),),
    "jax.lax.split": ((_X, (1, Size(-1))), (Chosen("columns"), (1, 2))),
    "jax.lax.broadcast_in_dim": ((_X, (2, Size()), (1,)), (Fixed("floats"), (Size(), 3), (1,))),
    "jax.lax.slice": ((_ROWS, (0, 0), (Size(), 2)), (Fixed("matrix"), (0, 0), (2, 2))),
    "jax.lax.dynamic_slice": ((_X, (0,), (1,)), (_ROWS, (0, 1), (Size(), 2))),
    "jax.lax.dynamic_update_slice": ((_X, Fixed("scalar_row"), (0,)),),
    "jax.lax.pad": (
        (_X, np.float32(0), ((1, 2, 0),)),
        (_X, np.float32(0), ((0, 0, 1),)),
        (_FLOAT3, np.float32(0), ((0, Size(), 0),)),
    ),
    "jax.lax.custom_root": (),
    "jax.lax.custom_linear_solve": (),
    "jax.numpy.fill_diagonal": (
        (_ROWS, 2.0, {"inplace": False}),
        (Chosen("square"), _X, {"inplace": False}),
    ),
    "jax.numpy.put": ((_X, Fixed("two_integers"), 1.0, {"inplace": False}),),
    "jax.numpy.place": ((_X, Chosen("booleans"), Fixed("two"), {"inplace": False}),),
    "jax.numpy.put_along_axis": ((_X, Fixed("two_integers"), 1.0, 0, {"inplace": False}),),
    "jax.numpy.piecewise": ((_X, [Chosen("booleans")], [1.0, 2.0]),),
    "jax.numpy.select": (([Chosen("booleans")], [_X]), ([Chosen("booleans")], [_X], 2.0)),
    "jax.numpy.apply_along_axis": ((jnp.sum, 0, _X), (jnp.sum, 1, _ROWS), (jnp.cumsum, 0, _ROWS)),
    "jax.numpy.apply_over_axes": ((jnp.sum, _ROWS, (0,)),),
    "jax.numpy.einsum": (
        ("i->", _X),
        ("i,i->", _X, Chosen("floats", 1)),
        ("i,j->ij", _X, Chosen("floats", 1)),
        ("ij,jk->ik", _ROWS, Fixed("matrix")),
        ("ij->j", _ROWS),
    ),
    "jax.numpy.indices": (((Size(), 2),),),
    "jax.numpy.pad": (
        (_X, 1),
        (_X, ((0, 2),)),
        (_X, 1, "edge"),
        (_X, 1, "reflect"),
        (_X, 1, "wrap"),
        (_X, ((0, Size()),)),
    ),
    "jax.numpy.reshape": ((_X, (-1, 1)), (_X, (Size(), 1)), (_ROWS, -1), (_ROWS, (3, -1))),
    "jax.numpy.broadcast_to": ((_X, (2, Size())), (Fixed("scalar"), (Size(), 2))),
    "jax.numpy.choose": ((Chosen("booleans"), [_X, Chosen("floats", 1)]),),
    "jax.numpy.ravel_multi_index": (((Chosen("integers"), Chosen("integers", 1)), (3, 3), "clip"),),
    "jax.numpy.unravel_index": ((Chosen("integers"), (2, 3)), (Fixed("integers"), (Size(), 2))),
    "jax.numpy.lexsort": (((Chosen("integers"), _X),),),
    "jax.numpy.histogramdd": ((Chosen("rows"),),),
    "jax.numpy.block": (([_X, Chosen("floats", 1)],), ([[_ROWS], [Fixed("matrix")]],)),
    "jax.scipy.ndimage.map_coordinates": (
        (Fixed("floats"), [_X], 1),
        (_X, [Fixed("floats")], 1),
        (Fixed("floats"), [_X], 0, "nearest"),
    ),
    "jax.scipy.linalg.cho_solve": (
        ((Fixed("matrix"), True), Fixed("floats")),
        ((Chosen("square"), True), _X),
    ),
    "jax.scipy.linalg.lu_solve": (),
    "jax.scipy.optimize.minimize": (),
    "jax.scipy.sparse.linalg.cg": ((Chosen("square"), _X),),
    "jax.scipy.sparse.linalg.gmres": ((Chosen("square"), _X),),
    "jax.scipy.sparse.linalg.bicgstab": ((Chosen("square"), _X),),
    "jax.random.choice": (
        (KEY, _X),
        (KEY, _X, (2,)),
        (KEY, Size(), (2,)),
        (KEY, 5, (Size(),)),
        (KEY, Fixed("floats"), (Size(),)),
    ),
    "jax.random.permutation": ((KEY, _X), (KEY, _ROWS), (KEY, Size())),
    "jax.random.split": ((KEY, Size()),),
    "jax.random.randint": ((KEY, (Size(),), 0, 9), (KEY, (4,), 0, Size(2))),
    "jax.random.categorical": ((KEY, _X), (KEY, _ROWS), (KEY, Chosen("columns"))),
    "jax.image.resize": (
        (Chosen("image"), (4, 4, 3), "linear"),
        (Fixed("matrix"), (Size(), 3), "linear"),
        (Chosen("image"), (Size(), 2, 3), "nearest"),
    ),
    "jax.nn.dot_product_attention": (
        (Chosen("sequence"), Chosen("sequence", 1), Chosen("sequence", 2)),
        (Fixed("sequence"), Chosen("sequence", 1), Chosen("sequence", 2)),
    ),
}


def _svd(result):
    u, s, vh = result
    count = s.shape[-1]
    return s, (u[..., :, :count] * s[..., None, :]) @ vh[..., :count, :]


def _eigh(result):
    v, w = result if result[0].ndim > result[1].ndim else result[::-1]
    return w, (v * w[..., None, :]) @ jnp.conj(jnp.swapaxes(v, -1, -2))


def _product(result):
    return result[0] @ result[1]


# Factors that are determined up to signs, or rotations, of their columns: what is compared in their place.
COMPARED = {
    "jax.numpy.linalg.svd": _svd,
    "jax.scipy.linalg.svd": _svd,
    "jax.lax.linalg.svd": _svd,
    "jax.numpy.linalg.eigh": _eigh,
    "jax.scipy.linalg.eigh": _eigh,
    "jax.lax.linalg.eigh": _eigh,
    "jax.numpy.linalg.qr": _product,
    "jax.scipy.linalg.qr": _product,
    "jax.lax.linalg.qr": _product,
}
