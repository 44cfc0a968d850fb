"""Settings keep their types. TensorFlow 2 has no `contrib`, so nothing can be compared."""

import pytest

import shims.compat.v1 as tf


def test_settings_keep_their_types():
    settings = tf.contrib.training.HParams(rate=0.1, layers=[64, 64], name="a", flag=False, n=3)
    assert settings.parse("rate=1,layers=[8, 16,32],name=b,flag=True,layers[0]=4,n=5") is settings
    assert settings.values() == {
        "rate": 1.0,
        "layers": [4, 16, 32],
        "name": "b",
        "flag": True,
        "n": 5,
    }
    assert isinstance(settings.rate, float)
    assert ("rate" in settings, settings.get("none", 7), settings.n) == (True, 7, 5)
    assert settings.override_from_dict({"rate": 2}).rate == 2.0
    assert settings.parse_json('{"n": 6}').n == 6
    settings.add_hparam("more", None)
    settings.set_hparam("more", 5)
    settings.del_hparam("n")
    assert settings.to_json(sort_keys=True) == (
        '{"flag": true, "layers": [4, 16, 32], "more": 5, "name": "b", "rate": 2.0}'
    )


@pytest.mark.parametrize(
    "refused",
    [
        lambda s: s.parse("unknown=1"),
        lambda s: s.parse("n=1.5"),
        lambda s: s.parse("flag=maybe"),
        lambda s: s.parse("n"),
        lambda s: s.set_hparam("n", 1.5),
        lambda s: s.set_hparam("n", [1]),
        lambda s: s.set_hparam("layers", 1),
        lambda s: s.add_hparam("n", 1),
        lambda s: s.add_hparam("empty", []),
    ],
)
def test_what_does_not_fit_is_refused(refused):
    settings = tf.contrib.training.HParams(n=3, layers=[1], flag=True)
    with pytest.raises(ValueError, match=r".+"):
        refused(settings)
    assert settings.values() == {"n": 3, "layers": [1], "flag": True}
