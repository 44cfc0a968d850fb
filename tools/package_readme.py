"""Write the text that a package index shows, from README.md: `python -m tools.package_readme`.

An index has none of the repository's files, so that a link between files would lead nowhere. It becomes an absolute
one below the address `Source` of pyproject.toml. While there is no address, its text and the path of the file remain,
and of a picture what it shows.
"""

from __future__ import annotations

import re
import tomllib

from tools.data_files import ROOT

PATH = "PACKAGE.md"
# Outside of code: an image on a line of its own, and a link.
_IMAGE = re.compile(r"^!\[([^\]]*)\]\(([^)\s:]+)\)$", re.MULTILINE)
_LINK = re.compile(r"(?<!!)\[([^\]]*)\]\(([^)\s]+)\)")
_FENCE = re.compile(r"(^```.*?^```)", re.MULTILINE | re.DOTALL)


def generate(readme: str, source: str) -> str:
    """Return the text of README.md with links that do not depend on where it stands.

    Args:
      readme: the text.
      source: the address of the repository; empty if there is none.
    """
    parts = _FENCE.split(readme)
    parts[::2] = (_absolute(part, source.rstrip("/")) for part in parts[::2])
    return "".join(parts)


def _absolute(text: str, source: str) -> str:
    def image(match: re.Match[str]) -> str:
        return f"![{match[1]}]({source}/raw/main/{match[2]})" if source else f"({match[1]}.)"

    def link(match: re.Match[str]) -> str:
        if re.match(r"#|[a-z]+:", match[2]):
            return match[0]
        return f"[{match[1]}]({source}/blob/main/{match[2]})" if source else _named(*match.groups())

    return _LINK.sub(link, _IMAGE.sub(image, text))


def _named(text: str, path: str) -> str:
    """Return a link's text, and the path behind it unless the text says it."""
    return text if path in text else f"{text} (`{path}`)"


def address() -> str:
    """Return the address of the repository in pyproject.toml, empty if there is none."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    return project.get("urls", {}).get("Source", "")


if __name__ == "__main__":
    text = generate((ROOT / "README.md").read_text(), address())
    (ROOT / PATH).write_text(text)
