"""The operators that version 1 defines otherwise than version 2: `{name: "module:function"}`.

The functions have version 1's parameters. The first spelling of a function names its operations.
"""

from __future__ import annotations

_HERE = "shims._src.version_one."
_SPELLINGS = {
    "multinomial:multinomial": "multinomial random.multinomial",
    "quotients:floor_div": "floor_div",
    "glimpses:extract_glimpse": "image.extract_glimpse",
    "fused_batch_norm:fused_batch_norm": "nn.fused_batch_norm",
    "layout:batch_to_space": "batch_to_space",
    "layout:extract_image_patches": "extract_image_patches image.extract_image_patches",
    "layout:space_to_batch": "space_to_batch nn.space_to_batch",
    "layout:sparse_to_dense": "sparse_to_dense",
    "lookup:embedding_lookup": "nn.embedding_lookup",
    "lookup:embedding_lookup_sparse": "nn.embedding_lookup_sparse",
    "lookup:nce_loss": "nn.nce_loss",
    "lookup:safe_embedding_lookup_sparse": "nn.safe_embedding_lookup_sparse",
    "lookup:sampled_softmax_loss": "nn.sampled_softmax_loss",
    "resizing:crop_and_resize": "image.crop_and_resize",
    "resizing:resize_area": "image.resize_area",
    "resizing:resize_bicubic": "image.resize_bicubic",
    "resizing:resize_bilinear": "image.resize_bilinear",
    "resizing:resize_images": "image.resize_images image.resize",
    "resizing:resize_nearest_neighbor": "image.resize_nearest_neighbor",
}
VARIANTS: dict[str, tuple[str, str]] = {
    spelling: (f"{_HERE}{place}", spellings.split()[0])
    for place, spellings in _SPELLINGS.items()
    for spelling in spellings.split()
}
VARIANTS.update(
    batch_gather=("shims._src.gather:batch_gather", "batch_gather"),
    div=("shims._src.truncating:div", "div"),
    setdiff1d=("shims._src.unique:setdiff1d", "setdiff1d"),
)
