"""Define the table rows of `tf.strings` and `tf.lookup`, which are not rewritten."""

from __future__ import annotations

from tf2jax_port.table.row import Keep, Row

_HOST = "it works with strings, which stay on the host: JAX does not have them"
_NAMES: tuple[tuple[str, str], ...] = (
    ("bytes_split", "input, name=None"),
    ("format", "template, inputs, placeholder='{}', summarize=3, name=None"),
    ("join", "inputs, separator='', name=None"),
    ("length", "input, unit='BYTE', name=None"),
    ("lower", "input, encoding='', name=None"),
    ("ngrams", "data, ngram_width, separator=' '"),
    ("reduce_join", "inputs, axis=None, keepdims=False, separator='', name=None"),
    ("regex_full_match", "input, pattern, name=None"),
    ("regex_replace", "input, pattern, rewrite, replace_global=True, name=None"),
    ("split", "input, sep=None, maxsplit=-1, name=None"),
    ("strip", "input, name=None"),
    ("substr", "input, pos, len, unit='BYTE', name=None"),
    ("to_hash_bucket", "input, num_buckets, name=None"),
    ("to_hash_bucket_fast", "input, num_buckets, name=None"),
    ("to_hash_bucket_strong", "input, num_buckets, key, name=None"),
    ("to_number", "input, out_type=tf.float32, name=None"),
    ("unicode_decode", "input, input_encoding"),
    ("unicode_decode_with_offsets", "input, input_encoding"),
    ("unicode_encode", "input, output_encoding"),
    ("unicode_script", "input, name=None"),
    ("unicode_split", "input, input_encoding"),
    ("unicode_split_with_offsets", "input, input_encoding"),
    ("unicode_transcode", "input, input_encoding, output_encoding"),
    ("unsorted_segment_join", "inputs, segment_ids, num_segments, separator='', name=None"),
    ("upper", "input, encoding='', name=None"),
)

ROWS: tuple[Row, ...] = (
    *(
        Row(f"strings.{name}", params, Keep(_HOST), own=f"strings.text:{name}")
        for name, params in _NAMES
    ),
    Row(
        "strings.as_string",
        "input, precision=-1, scientific=False, shortest=False, width=-1, fill='', name=None",
        Keep(_HOST),
        own="strings.text:as_string",
        aliases=("as_string",),
    ),
    *(
        Row(f"lookup.{name}", params, Keep(_HOST), own=f"strings.text:{name}")
        for name, params in (
            ("KeyValueTensorInitializer", "keys, values"),
            ("StaticHashTable", "initializer, default_value"),
            ("StaticVocabularyTable", "initializer, num_oov_buckets"),
            ("TextFileInitializer", "filename, key_dtype, key_index, value_dtype, value_index"),
        )
    ),
)
