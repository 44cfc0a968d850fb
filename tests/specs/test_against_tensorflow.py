"""`TensorShape` and `TensorSpec` print, compare and refuse what TensorFlow's do."""

import pytest
import tensorflow as tf

from shims._src.types.tensor_shape import TensorShape
from shims._src.types.tensor_spec import TensorSpec

# Evaluated once with TensorFlow's classes as T and S, once with ours.
SHAPES = """
T([2, None]); T(None); T(5); T([]); T(T([1])); T(range(3)); T((2, 3)); T([2, 3]).num_elements()
str(T([2, None])); str(T([2])); str(T([])); str(T(None)); repr(T([1, None, 3])); bool(T([2]))
T([2, None])[1]; T([2, None])[0:1]; T([1, 2, 3])[-1]; T([1, 2, 3])[-2:]; T([1, 2, 3])[::2]
T(None)[0]; T(None)[1:]; T(None)[1:3]; T([1, 2])[5]; T([4, 2])[0] + 1; T(None)[3:1]; T(None)[-1:]
T([2, None]).as_list(); T(None).as_list(); T(None).rank; T([1, 2]).ndims; T(None).dims
T([1, 2]).num_elements(); T([None, 2]).num_elements(); T([]).num_elements(); T(None).num_elements()
T([2, None]) == T([2, None]); T([2, None]) == [2, None]; T([2, 3]) == (2, 3); T(None) == T(None)
T(None) == None; T([2]) == None; T([2]) == "-"; T([2]) != T([3]); T([2]) != T(None); T([2]) == 2
hash(T([2, 3])) == hash(T([2, 3])); {T([2]): 1}[T([2])]; bool(T(None)); bool(T([])); 2 in T([2, 3])
len(T([1, 2])); len(T(None)); list(T([1, None])); list(T(None)); tuple(T([1, 2]))
T([2, None]).concatenate([3]); T(None).concatenate([3]); T([2]).concatenate(T(None))
T([2, None]) + [3]; [3] + T([2]); T([2]) + T(None); (3,) + T([2])
T([2, None]).merge_with([None, 3]); T([2]).merge_with([3]); T(None).merge_with([3])
T([2]).merge_with([2, 3]); T([2]).merge_with(None)
T([2, None]).is_compatible_with([2, 3]); T([2]).is_compatible_with([3]); T(None).is_compatible_with([3])
T([2]).is_compatible_with([2, 3]); T([2]).is_compatible_with(None)
T([2, None]).is_fully_defined(); T([2]).is_fully_defined(); T(None).is_fully_defined()
T([2, 3]).assert_is_fully_defined(); T([None]).assert_is_fully_defined()
T([2]).assert_has_rank(3); T([2]).assert_has_rank(1); T(None).assert_has_rank(1)
T([2]).with_rank(1); T(None).with_rank(2); T([2, 3]).with_rank(1); T([1]).with_rank_at_least(1)
T([2, 3]).with_rank_at_least(3); T([2, 3]).with_rank_at_most(1); T(None).with_rank_at_most(1)
T([2]).assert_is_compatible_with(T([3])); T([2]).assert_is_compatible_with([None])
T([2]).assert_same_rank([1, 2]); T([2]).assert_same_rank([1]); T([-1]); T([2]) < T([3])
T([2]).most_specific_compatible_shape([3]); T([2, 3]).most_specific_compatible_shape([2, 4])
T([2]).most_specific_compatible_shape([2, 4]); T([2]).most_specific_common_supertype([T([3])])
T([2]).is_subtype_of(T([None])); T([None]).is_subtype_of(T([2])); T([2]).is_subtype_of(T(None))
T(None).is_subtype_of(T([2])); T([2]).is_subtype_of(T([2, 3]))
"""

SPECS = """
S([None, 3]); S([None, 3], "int32", "x"); S(None); S([2], "float64"); S(()); S(3); S(shape=[1])
S([2], float); S([2], bool); S([2], "half"); S([2], "bfloat16"); S([2], "string"); S([2], "int4")
S([2], int); S([2], "int"); S([2], complex); S([2], "complex"); S([2], "no"); S([2], "complex64")
S([2]).shape; S([2]).name; str(S([2])); S([2]).dtype == "float32"
S([2]) == S([2]); S([2], name="a") == S([2], name="b"); hash(S([2])) == hash(S([2])); S([2]) == 3
S([2]) != S([3]); S([2]) == S([2], "int32"); S([2]) == S([None])
S([None, 3]).is_compatible_with(S([2, 3])); S([None, 3]).is_compatible_with(S([2, 4]))
S([None, 3]).is_compatible_with(S([2, 3], "int32")); S([2, 3]).is_compatible_with(S([None, 3]))
S([2]).is_compatible_with(3); S([3]).is_compatible_with([1.0, 2.0, 3.0])
S.from_spec(S([2], name="b")); S.from_spec(S([2]), "c"); S.from_spec(S([2], name="b"), "c")
S([2]).is_subtype_of(S([None])); S([None]).is_subtype_of(S([2])); S([2]).is_subtype_of(3)
S([2]).is_subtype_of(S([2], name="a")); S([2], name="a").is_subtype_of(S([2]))
S([2]).most_specific_common_supertype([S([3])]); S([2]).most_specific_common_supertype([3])
S([2]).most_specific_common_supertype([S([2], "int32")])
S([2], name="a").most_specific_common_supertype([S([2])])
S([2]).most_specific_common_supertype([S([2], name="a")])
S([2]).most_specific_compatible_type(S([3])); S([2]).most_specific_compatible_type(S([3], "int32"))
"""


def expressions(text):
    return [e.strip() for line in text.strip().splitlines() for e in line.split(";")]


def outcome(expression, names):
    """What an expression evaluates to, as text; for an error its class, and its text for shapes."""
    try:
        return repr(eval(expression, dict(names)))
    except Exception as error:  # noqa: BLE001, whatever is raised is what is compared
        text = "" if isinstance(error, TypeError) else str(error)
        return f"{type(error).__name__}: {text}"


@pytest.mark.parametrize("expression", expressions(SHAPES))
def test_shape(expression):
    assert outcome(expression, {"T": TensorShape}) == outcome(expression, {"T": tf.TensorShape})


@pytest.mark.parametrize("expression", expressions(SPECS))
def test_spec(expression):
    assert outcome(expression, {"S": TensorSpec}) == outcome(expression, {"S": tf.TensorSpec})


def test_spec_of_an_array():
    x = tf.zeros([2, 3], tf.int32)
    assert repr(TensorSpec.from_tensor(x.numpy())) == repr(tf.TensorSpec.from_tensor(x))
    for spec in ([None, 3], [2, 4], None):
        ours, theirs = TensorSpec(spec, "int32"), tf.TensorSpec(spec, tf.int32)
        assert ours.is_compatible_with(x.numpy()) == theirs.is_compatible_with(x)
