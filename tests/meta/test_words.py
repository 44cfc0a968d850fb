"""Words that have no place in the repository: addresses of registries, paths of one machine."""

import re

from tests.meta import tree

# Spelled in halves, so that this file does not match itself.
FORBIDDEN = (
    (r"py" r"pi\.org|python" r"hosted\.org|registry\.npm" r"js", "the address of a registry"),
    (r"https?://\S+\.(?:whl|tar\.gz|tgz)\b", "the address of an archive"),
    (r"--?(?:extra-)?index" r"-url|find" r"-links", "where packages come from on one machine"),
    (r"(?<![\w.])/(?:wo" r"rk|ro" r"ot|ho" r"me|o" r"pt|t" r"mp)/\w", "a path of one machine"),
    (r"\b(?:TO" r"DO|FIX" r"ME|XX" r"X|HA" r"CK)\b", "something left open"),
    (r"\b(?:this|previous) ses" r"sion\b", "talk about how the text came to be"),
)


def findings(name, text):
    return [
        f"{name}:{number}: {why}: {line.strip()[:80]}"
        for number, line in enumerate(text.splitlines(), 1)
        for pattern, why in FORBIDDEN
        if re.search(pattern, line, re.IGNORECASE if why.startswith("talk") else 0)
    ]


def test_no_forbidden_words():
    found = []
    for path in tree.tracked_files():
        try:
            text = (tree.ROOT / path).read_text()
        except UnicodeDecodeError:
            continue  # a picture
        found += findings(path, text)
    assert found == []


def test_the_rules_can_fail():
    bad = "\n".join(
        [
            "get it from https://" + "py" + "pi.org/simple",
            "pip install --index" + "-url x",
            "open('/ro" + "ot/data')",
            "# TO" + "DO later",
            "In this ses" + "sion we",
            "https://example.com/a-1.0" + ".whl",
        ]
    )
    assert len(findings("x", bad)) == 6
    assert findings("x", "s/to/do and tests/work/x and ~/.cache, method, hackathon") == []
