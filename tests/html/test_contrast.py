"""Each pair of colors that the pages use together has the contrast that WCAG AA asks for."""

import pytest

from tf2jax_port.html.style import DARK, LIGHT

TEXT, SHAPE = 4.5, 3.0
ON_ANY = ("page", "card", "mute-bg")
PAIRS = {
    **{(ink, ground): TEXT for ink in ("ink", "soft", "accent") for ground in ON_ANY},
    **{(name, ground): TEXT for name in ("good", "warn", "bad") for ground in ON_ANY},
    **{(name, f"{name}-bg"): TEXT for name in ("good", "warn", "bad")},
    # Source text, marked and not, and messages.
    **{
        (ink, ground): TEXT
        for ink in ("ink", "soft", "keyword", "string", "number", "defined")
        for ground in ("card", "mute-bg", "good-bg", "warn-bg", "bad-bg")
    },
    # Names on the map; edges of boxes that can be operated, and arrows.
    **{("ink", f"{name}-map"): TEXT for name in ("warn", "bad")},
    **{("edge", ground): SHAPE for ground in ON_ANY},
    **{("accent", f"{name}-map"): SHAPE for name in ("warn", "bad")},
}


def luminance(color):
    parts = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one, other):
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("colors", [LIGHT, DARK], ids=["light", "dark"])
def test_contrast(colors):
    low = {
        pair: round(contrast(colors[pair[0]], colors[pair[1]]), 2)
        for pair, least in PAIRS.items()
        if contrast(colors[pair[0]], colors[pair[1]]) < least
    }
    assert low == {}


def test_both_schemes_have_the_same_names():
    assert LIGHT.keys() == DARK.keys()


def test_the_measure_can_fail():
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)
