"""List the operators that differ between TensorFlow 1 and 2: `{name: "module:function"}`.

The functions have TensorFlow 1's parameters. If a function has several names, the first
one determines the names of its operations.
"""

from __future__ import annotations

_HERE = "shims._src."
_SPELLINGS = {
    "v1.ops.multinomial:multinomial": "multinomial random.multinomial",
    "v1.ops.files_and_records:decode_and_crop_jpeg": "image.decode_and_crop_jpeg io.decode_and_crop_jpeg",
    "v1.ops.files_and_records:decode_bmp": "image.decode_bmp io.decode_bmp",
    "v1.ops.files_and_records:decode_csv": "decode_csv io.decode_csv",
    "v1.ops.files_and_records:decode_gif": "image.decode_gif io.decode_gif",
    "v1.ops.files_and_records:decode_image": "image.decode_image io.decode_image",
    "v1.ops.files_and_records:decode_jpeg": "image.decode_jpeg io.decode_jpeg",
    "v1.ops.files_and_records:decode_png": "image.decode_png io.decode_png",
    "v1.ops.files_and_records:decode_raw": "decode_raw io.decode_raw",
    "v1.ops.files_and_records:encode_jpeg": "image.encode_jpeg io.encode_jpeg",
    "v1.ops.files_and_records:encode_png": "image.encode_png io.encode_png",
    "v1.ops.files_and_records:extract_jpeg_shape": "image.extract_jpeg_shape io.extract_jpeg_shape",
    "v1.ops.files_and_records:is_jpeg": "image.is_jpeg io.is_jpeg",
    "v1.ops.files_and_records:matching_files": "matching_files io.matching_files",
    "v1.ops.files_and_records:parse_example": "parse_example io.parse_example",
    "v1.ops.files_and_records:parse_single_example": "parse_single_example io.parse_single_example",
    "v1.ops.files_and_records:parse_tensor": "parse_tensor io.parse_tensor",
    "v1.ops.files_and_records:read_file": "read_file io.read_file",
    "v1.ops.files_and_records:serialize_tensor": "serialize_tensor io.serialize_tensor",
    "v1.ops.files_and_records:write_file": "write_file io.write_file",
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
    "v1.ops.text:split": "strings.split",
    "v1.ops.text:string_split": "string_split",
    "v1.ops.text:string_to_number": "string_to_number strings.to_number",
    "v1.ops.text:substr": "substr strings.substr",
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
