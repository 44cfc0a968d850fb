"""Define the table rows of `tf.strings` and `tf.lookup`, which are not rewritten."""

from __future__ import annotations

from tf2jax_port.table.row import Keep, Row

_HOST = "JAX has no strings, so strings stay on the host; with `--data shims`, this code becomes code of `shims`"
_NAMES: tuple[tuple[str, str, str], ...] = (
    ("splitting", "bytes_split", "input, name=None"),
    ("joining", "format", "template, inputs, placeholder='{}', summarize=3, name=None"),
    ("joining", "join", "inputs, separator='', name=None"),
    ("text", "length", "input, unit='BYTE', name=None"),
    ("elements", "lower", "input, encoding='', name=None"),
    (
        "splitting",
        "ngrams",
        "data, ngram_width, separator=' ', pad_values=None, padding_width=None, preserve_short_sequences=False, name=None",
    ),
    ("joining", "reduce_join", "inputs, axis=None, keepdims=False, separator='', name=None"),
    ("patterns", "regex_full_match", "input, pattern, name=None"),
    ("patterns", "regex_replace", "input, pattern, rewrite, replace_global=True, name=None"),
    ("splitting", "split", "input=None, sep=None, maxsplit=-1, name=None"),
    ("elements", "strip", "input, name=None"),
    ("elements", "substr", "input, pos, len, unit='BYTE', name=None"),
    ("text", "to_hash_bucket", "input, num_buckets, name=None"),
    ("text", "to_hash_bucket_fast", "input, num_buckets, name=None"),
    ("text", "to_hash_bucket_strong", "input, num_buckets, key, name=None"),
    ("numbers", "to_number", "input, out_type=tf.float32, name=None"),
    (
        "unicode",
        "unicode_decode",
        "input, input_encoding, errors='replace', replacement_char=65533, replace_control_characters=False, name=None",
    ),
    (
        "unicode",
        "unicode_decode_with_offsets",
        "input, input_encoding, errors='replace', replacement_char=65533, replace_control_characters=False, name=None",
    ),
    (
        "unicode",
        "unicode_encode",
        "input, output_encoding, errors='replace', replacement_char=65533, name=None",
    ),
    ("unicode", "unicode_script", "input, name=None"),
    (
        "unicode",
        "unicode_split",
        "input, input_encoding, errors='replace', replacement_char=65533, name=None",
    ),
    (
        "unicode",
        "unicode_split_with_offsets",
        "input, input_encoding, errors='replace', replacement_char=65533, name=None",
    ),
    (
        "unicode",
        "unicode_transcode",
        "input, input_encoding, output_encoding, errors='replace', replacement_char=65533, replace_control_characters=False, name=None",
    ),
    (
        "joining",
        "unsorted_segment_join",
        "inputs, segment_ids, num_segments, separator='', name=None",
    ),
    ("elements", "upper", "input, encoding='', name=None"),
)

ROWS: tuple[Row, ...] = (
    *(
        Row(f"strings.{name}", params, Keep(_HOST), own=f"strings.{home}:{name}")
        for home, name, params in _NAMES
    ),
    Row(
        "strings.as_string",
        "input, precision=-1, scientific=False, shortest=False, width=-1, fill='', name=None",
        Keep(_HOST),
        own="strings.numbers:as_string",
        aliases=("as_string",),
    ),
    *(
        Row(f"lookup.{name}", params, Keep(_HOST), own=f"strings.tables:{name}")
        for name, params in (
            ("KeyValueTensorInitializer", "keys, values"),
            ("StaticHashTable", "initializer, default_value"),
            ("StaticVocabularyTable", "initializer, num_oov_buckets"),
            ("TextFileInitializer", "filename, key_dtype, key_index, value_dtype, value_index"),
        )
    ),
)
