"""Keep the entries of operators from hiding the guides in the search of the site.

The search finds the sections with all words of a query, and prefers those with words in the title. There are twice as
many entries of operators as other sections, and their names are made of common words. Three rules keep them apart: an
underscore separates no words, so that `load_checkpoint` is one word; the index has only what is asked about an operator;
and of equal results, guides come first, then the shortest name. The words of every question, such as "how do we", are
left out, because few answers contain them. (The separator in `zensical.toml` has both rules about words.)
"""

from __future__ import annotations

import json
import pathlib
import re
from typing import Any

OPERATORS = "docs/operators/"
# What is the same in many entries.
_FACT = re.compile(
    r"<li>(?:Rewriter|TensorFlow 1|In TensorFlow 1|Cookbook|Tests)\b[^:<]*(?:<code>[^<]*</code>)?: .*?</li>",
    re.DOTALL,
)
_TITLES = re.compile(r"<p>(?:Raises|Members|TensorFlow's page)</p>")
# The words of questions about arguments: "does tf.nn.conv2d support NCHW?"
_ARGUMENTS = "<p>Accepts and supports:</p>"


def write(path: pathlib.Path) -> None:
    """Write the index of the search anew."""
    index = json.loads(path.read_text())
    index["items"] = arranged(index["items"])
    path.write_text(json.dumps(index, ensure_ascii=False, separators=(",", ":")))


def arranged(items: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the sections with short entries of operators behind all others."""
    guides = [item for item in items if not item["location"].startswith(OPERATORS)]
    entries = [
        shortened(item)
        for item in items
        if item["location"].startswith(OPERATORS) and item["level"] > 1
    ]
    return [*guides, *sorted(entries, key=lambda item: len(item["title"]))]


def shortened(item: dict[str, Any]) -> dict[str, Any]:
    """Return the entry of an operator: its name, once, and what other entries do not have, too."""
    name = item["title"]
    text = _TITLES.sub("", _FACT.sub("", item["text"])).replace(f"<code>{name}(", "<code>(", 1)
    text = text.replace("<p>Arguments</p>", _ARGUMENTS)
    text = re.sub(r"\s+", " ", f"<p>{name}</p> {text}")
    return {**item, "text": text, "path": item["path"][:-1]}
