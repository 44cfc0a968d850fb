"""Run a page of the documentation from its first block to its last, as a reader would."""

import os
import re
import shlex
import subprocess
import sys

from tests.meta import tree

BLOCK = re.compile(r"^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
FILE = re.compile(r"# ([\w./]+\.(?:py|toml))\n")


def blocks(text):
    """The pairs of language and text of the code blocks of a page."""
    return BLOCK.findall(text)


def python_blocks(name):
    """The blocks of Python of a page of `docs/`."""
    text = (tree.ROOT / "docs" / name).read_text()
    return [block for language, block in blocks(text) if language == "python"]


def run_python(texts, folder):
    """Run blocks one after the other, and return the names that they define.

    They stand in files, where autograph finds their source.
    """
    names = {}
    for i, text in enumerate(texts):
        file = folder / f"block{i}.py"
        file.write_text(text)
        exec(compile(text, str(file), "exec"), names)
    return names


def environment(folder):
    """Where `python` and `tf2jax-port` are this interpreter's."""
    scripts = folder / "bin"
    scripts.mkdir()
    run = f"exec {shlex.quote(sys.executable)}"
    programs = {
        "python": f'{run} "$@"',
        "tf2jax-port": f'{run} -c "from tf2jax_port.cli import main; main()" "$@"',
    }
    for name, line in programs.items():
        (scripts / name).write_text(f"#!/bin/sh\n{line}\n")
        (scripts / name).chmod(0o755)
    path = f"{scripts}{os.pathsep}{os.environ['PATH']}"
    return dict(os.environ, PATH=path, PYTHONPATH=str(tree.ROOT), TF_CPP_MIN_LOG_LEVEL="3")


class Reader:
    """Follow a page in a folder: write its files, make its edits, run its commands, compare outputs.

    `skips` says which commands are left out; the outputs that stand below them are not compared.
    """

    most = 1  # the largest exit code of a command that succeeds

    def __init__(self, folder, known, skips=lambda line: False):
        self.folder, self.skips = folder, skips
        self.known = dict(known, COLUMNS="80", PYTHONUNBUFFERED="1")
        self.printed: str | None = None
        self.ran: dict[str, str] = {}

    def follow(self, text):
        for language, block in blocks(text):
            getattr(self, f"do_{language}")(block)

    def do_python(self, block):
        """Write the file that the first line names."""
        path = self.folder / FILE.match(block)[1]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(block)

    do_toml = do_python

    def do_sh(self, block):
        """Run the commands; 1 means that something was found, 3 that a proof is limited."""
        self.printed = None
        for line in block.splitlines():
            if self.skips(line):
                continue
            done = subprocess.run(
                line,
                shell=True,
                cwd=self.folder,
                env=self.known,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                check=False,
            )
            assert done.returncode <= self.most, (line, done.stdout)
            self.printed = (self.printed or "") + done.stdout
            self.ran[line] = done.stdout

    def do_text(self, block):
        """Compare with what the commands printed."""
        if self.printed is not None:
            assert matches(block, self.printed), self.printed

    def do_diff(self, block):
        """Make an edit: the lines with `-` become those with `+`."""
        old, new = (
            "".join(
                line[1:] for line in block.splitlines(keepends=True)[2:] if line[0] in (" ", sign)
            )
            for sign in "-+"
        )
        path = self.folder / re.search(r"^\+\+\+ (\S+)", block, re.MULTILINE)[1]
        text = path.read_text()
        assert text.count(old) == 1, old
        path.write_text(text.replace(old, new))


def matches(shown, printed):
    """Whether an output is the one shown, where a line `...` stands for any lines."""
    wanted, lines = ([line.rstrip() for line in t.splitlines()] for t in (shown, printed))
    pattern = "".join(r"(?:.*\n)*?" if w == "..." else f"{re.escape(w)}\n" for w in wanted)
    return re.fullmatch(pattern, "".join(f"{line}\n" for line in lines)) is not None
