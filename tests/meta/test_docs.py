"""Links lead somewhere, and what the README tells a person to type exists."""

import itertools
import re
import runpy

import click
import pytest

from tests.meta import tree
from tf2jax_port.cli import main

PAGES = [path for path in tree.tracked_files() if path.suffix == ".md"]
LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)")
FENCE = re.compile(r"^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def anchors(text):
    """The names that headings get: lower case, words joined by hyphens."""
    titles = re.findall(r"^#+ +(.+?)\s*$", FENCE.sub("", text), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def dead_links(page, text):
    dead = []
    for target in LINK.findall(FENCE.sub("", text)):
        if re.match(r"[a-z]+:", target):
            continue  # another site; whether it answers is not ours to test
        path, _, anchor = target.partition("#")
        file = (page.parent / path).resolve() if path else page
        if not file.exists():
            dead.append(f"{page.name}: {target}: no such file")
        elif anchor and file.suffix == ".md" and anchor not in anchors(file.read_text()):
            dead.append(f"{page.name}: {target}: no such heading")
    return dead


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_links_resolve(page):
    assert dead_links(tree.ROOT / page, (tree.ROOT / page).read_text()) == []


def test_a_dead_link_is_found(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("# One title\n[a](#one-title) [b](#two) [c](gone.md) [d](page.md#one-title)")
    assert dead_links(page, page.read_text()) == [
        "page.md: #two: no such heading",
        "page.md: gone.md: no such file",
    ]


def shell_lines(text):
    """Commands of the shell blocks of a page, comments cut off."""
    for language, block in FENCE.findall(text):
        if language in ("sh", "console", "bash"):
            for line in block.splitlines():
                line = line.removeprefix("$ ").split("  #")[0].strip()
                if line and not line.startswith("#"):
                    yield line


def unknown_parts(line):
    """What in a command line does not exist: a make target, a sub-command, an option."""
    words = line.partition(" -- ")[0].split()  # behind it stands a command of the user
    words = list(itertools.dropwhile(lambda word: re.match(r"[A-Z_]+=", word), words))
    if words[0] == "make":
        targets = re.findall(r"^([\w-]+):", (tree.ROOT / "Makefile").read_text(), re.MULTILINE)
        return [w for w in words[1:] if w not in (*targets, "-n") and "=" not in w]
    if words[0] == "tf2jax-port":
        command = main.commands.get(words[1])
        if command is None:
            return [words[1]]
        known = {o for p in command.params if isinstance(p, click.Option) for o in p.opts}
        own = itertools.takewhile(lambda word: word != "--", words[2:])  # another command follows
        return [word for word in own if word.startswith("--") and word not in known]
    known = ("git", "grep", "mkdir", "cd", "cp", "export", "open", "pip", "python", ".")
    return [] if words[0] in known else [words[0]]


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_commands_exist(page):
    text = (tree.ROOT / page).read_text()
    assert {line: unknown_parts(line) for line in shell_lines(text) if unknown_parts(line)} == {}


def test_an_unknown_command_is_found():
    assert unknown_parts("make coffee") == ["coffee"]
    assert unknown_parts("tf2jax-port brew x.py") == ["brew"]
    assert unknown_parts("tf2jax-port rewrite x.py --strong") == ["--strong"]
    assert unknown_parts("curl x") == ["curl"]


def test_the_readme_names_the_two_commands():
    lines = list(shell_lines((tree.ROOT / "README.md").read_text()))
    assert {"make demo", "make test"} <= set(lines)


def test_the_taste_of_the_readme_runs(tmp_path):
    text = (tree.ROOT / "README.md").read_text()
    blocks = [block for language, block in FENCE.findall(text) if language == "python"]
    assert blocks
    for number, block in enumerate(blocks):
        script = tmp_path / f"taste_{number}.py"  # a file, because control flow is read from there
        script.write_text(block)
        runpy.run_path(str(script))
