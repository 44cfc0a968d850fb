"""Docstrings begin with a verb or a noun, spelling is American, and the glossary stays short."""

import re

from tests.meta import tree
from tools.sample_docstrings import docstrings

# A sentence that describes around the term: "What `f` gives.", "Where values stand."
OBLIQUE = re.compile(r"(What|How|Where|Which|Who|Whose|That which)\b")
BRITISH = re.compile(
    r"(?i)\b\w*?(colour|neighbour|behaviour|favour(?!ite)|licence|judgement|artefact|façade|"
    r"(normal|initial|optim|factor|regular|quant|general|special|standard|serial|recogn|vector|summar)"
    r"is(e|es|ed|er|ers|ing|ation|ations)\b)"
)
PAGE = tree.ROOT / "docs" / "glossary.md"


# Names of cases stay: goldens and seeds hang on them.
CASE_NAME = re.compile(r'\bcase(_of)?\(\s*"[^"]*"')


def british_words(text):
    return [match.group(0) for match in BRITISH.finditer(CASE_NAME.sub("", text))]


def test_no_docstring_describes_around_its_subject():
    found = [(place, first) for place, first in docstrings(tree.ROOT) if OBLIQUE.match(first)]
    assert found == []


def test_spelling_is_american():
    own = {"tests/meta/test_language.py"}
    found = {}
    for path in tree.tracked_files():
        if path.suffix in (".py", ".md") and str(path) not in own:
            words = british_words((tree.ROOT / path).read_text())
            if words:
                found[str(path)] = sorted(set(words))
    assert found == {}


def test_the_glossary_has_at_most_forty_terms():
    rows = re.findall(r"^\| (?!term|-)", PAGE.read_text(), re.MULTILINE)
    assert 20 <= len(rows) <= 40


def test_the_rules_can_fail():
    assert OBLIQUE.match("What `f` gives.")
    assert not OBLIQUE.match("Whatever: return it.")
    assert british_words("an initialiser of colours, normalised") == [
        "initialiser",
        "colour",
        "normalised",
    ]
    assert british_words('case("own-colours", x=1)') == []
    assert british_words("otherwise, a promise raised elementwise, specialized") == []
