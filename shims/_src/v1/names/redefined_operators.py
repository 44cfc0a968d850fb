"""List the operators that differ between TensorFlow 1 and 2: `{name: "module:function"}`.

The functions have TensorFlow 1's parameters. If a function has several names, the first
one determines the names of its operations.
"""

from __future__ import annotations

_HERE = "shims._src."
_SPELLINGS = {
    "v1.ops.multinomial:multinomial": "multinomial random.multinomial",
    "v1.ops.floor_div:floor_div": "floor_div",
    "v1.ops.glimpses:extract_glimpse": "image.extract_glimpse",
    "v1.ops.fused_batch_norm:fused_batch_norm": "nn.fused_batch_norm",
    "v1.ops.space_to_batch:batch_to_space": "batch_to_space",
    "v1.ops.space_to_batch:extract_image_patches": "extract_image_patches image.extract_image_patches",
    "v1.ops.space_to_batch:space_to_batch": "space_to_batch nn.space_to_batch",
    "v1.ops.space_to_batch:sparse_to_dense": "sparse_to_dense",
    "v1.ops.embedding:embedding_lookup": "nn.embedding_lookup",
    "v1.ops.embedding:embedding_lookup_sparse": "nn.embedding_lookup_sparse",
    "v1.ops.embedding:nce_loss": "nn.nce_loss",
    "v1.ops.embedding:safe_embedding_lookup_sparse": "nn.safe_embedding_lookup_sparse",
    "v1.ops.embedding:sampled_softmax_loss": "nn.sampled_softmax_loss",
    "v1.ops.resizing:crop_and_resize": "image.crop_and_resize",
    "v1.ops.resizing:resize_area": "image.resize_area",
    "v1.ops.resizing:resize_bicubic": "image.resize_bicubic",
    "v1.ops.resizing:resize_bilinear": "image.resize_bilinear",
    "v1.ops.resizing:resize_images": "image.resize_images image.resize",
    "v1.ops.resizing:resize_nearest_neighbor": "image.resize_nearest_neighbor",
}
VARIANTS: dict[str, tuple[str, str]] = {
    spelling: (f"{_HERE}{place}", spellings.split()[0])
    for place, spellings in _SPELLINGS.items()
    for spelling in spellings.split()
}
VARIANTS.update(
    batch_gather=("shims._src.array.gather:batch_gather", "batch_gather"),
    div=("shims._src.elementwise.truncating:div", "div"),
    setdiff1d=("shims._src.array.unique:setdiff1d", "setdiff1d"),
)
