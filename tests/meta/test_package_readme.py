"""What a package index shows leads nowhere into files that the index does not have."""

import re
import tomllib

from tests.meta import tree
from tests.meta.test_docs import FENCE, anchors
from tools import package_readme

README = (tree.ROOT / "README.md").read_text()
PROJECT = tomllib.loads((tree.ROOT / "pyproject.toml").read_text())["project"]
SOURCE = "https://code.example/owner/name"


def relative(text):
    """The links and pictures that are neither absolute nor anchors of this text."""
    prose = FENCE.sub("", text)
    targets = re.findall(r"\]\(([^)\s]+)\)", prose)
    kept = [t for t in targets if not t.startswith("https://")]
    return [t for t in kept if t.removeprefix("#") not in anchors(text) or t[0] != "#"]


def test_no_link_is_relative():
    for source in ("", SOURCE, f"{SOURCE}/"):
        assert relative(package_readme.generate(README, source)) == []
    assert len(relative(README)) > 10
    assert relative("# One\n[a](#one) [b](#two) [c](https://x.org) ![d](e.svg)") == [
        "#two",
        "e.svg",
    ]


def test_links_lead_to_files_of_the_repository():
    made = package_readme.generate(README, SOURCE)
    found = re.findall(rf"\]\({SOURCE}/(?:blob|raw)/main/([^)#]+)", made)
    assert found == [path.partition("#")[0] for path in relative(README)]
    assert all((tree.ROOT / path).exists() for path in found)


def test_code_is_left_alone():
    assert package_readme.generate("```python\nx[0](a)\n```\n[a](b)\n", "") == (
        "```python\nx[0](a)\n```\na (`b`)\n"
    )


def test_the_file_is_fresh():
    made = package_readme.generate(README, package_readme.address())
    assert (tree.ROOT / package_readme.PATH).read_text() == made, (
        "run `python -m tools.package_readme`"
    )


def test_the_metadata_of_the_package():
    assert PROJECT["readme"] == package_readme.PATH
    assert all(author["name"] for author in PROJECT["authors"])
    addresses = PROJECT.get("urls", {})
    assert not addresses or {"Source", "Documentation", "Changelog", "Issues"} <= set(addresses)
    assert all(address.startswith("https://") for address in addresses.values())
