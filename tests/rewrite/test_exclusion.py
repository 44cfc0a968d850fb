"""Which files are read: patterns as git has them, `.gitignore`, and what is passed over anyway."""

import os
import random
import subprocess

import pytest

from tf2jax_port.paths.exclusion import DEFAULT, Exclusion
from tf2jax_port.paths.patterns import is_matched, parse_patterns

NAMES = ("a", "b", "ab", "a.py", ".x", "build", "a b", "a[1]")
PATTERNS = (
    *("a", "/a", "a/", "*", "*.py", "!a", "!a.py", "a/b", "/a/*", "a/**", "**/a", "**/a/b"),
    *("a/**/b", "**", "?", "[ab]", "[!a]", "[a-b]b", r"a\*", r"\!a", "#a", r"\#a", "a ", r"a\ b"),
    *("a*b", "b/*.py", "/**/a", "a//", "a[", "!", "/", "***", "a**", "**a", "[]a]", "[^a]*"),
    *("a[[]1]", "a\\", ".*", "./a", "a/./b", "[a-", "*/", "!*/", "**/", "!build/"),
)


@pytest.fixture(scope="module")
def repository(tmp_path_factory):
    """A repository of files three levels deep, and all paths in it."""
    folder = tmp_path_factory.mktemp("repository")
    subprocess.run(["git", "init", "-q", str(folder)], check=True)
    paths = []
    for first in NAMES:
        paths.append(first)
        for second in NAMES:
            paths.append(f"{first}/{second}")
            (folder / first / second).mkdir(parents=True)
            for third in NAMES[:4]:
                paths.append(f"{first}/{second}/{third}")
                (folder / first / second / third).touch()
    return folder, paths


def ignored_by_git(folder, paths, lines):
    (folder / ".gitignore").write_text("\n".join(lines) + "\n")
    done = subprocess.run(
        ["git", "-C", folder, "check-ignore", "--no-index", "-z", "--stdin"],
        input="\0".join(paths).encode(),
        capture_output=True,
        check=False,
    )
    assert done.returncode in (0, 1), done.stderr
    return set(done.stdout.decode().split("\0")) - {""}


def ignored_by_us(paths, lines):
    patterns = parse_patterns(lines)

    def is_ignored(path):
        parts = path.split("/")
        above = ["/".join(parts[:n]) for n in range(1, len(parts) + 1)]
        return any(is_matched(patterns, p, is_folder=p.count("/") < 2) for p in above)

    return {path for path in paths if is_ignored(path)}


CHOICES = [(pattern,) for pattern in PATTERNS] + [
    tuple(random.Random(seed).choices(PATTERNS, k=2 + seed % 4)) for seed in range(40)
]


@pytest.mark.parametrize("lines", CHOICES, ids=" ".join)
def test_patterns_mean_what_git_means(repository, lines):
    folder, paths = repository
    assert ignored_by_us(paths, lines) == ignored_by_git(folder, paths, lines)


def test_the_comparison_can_fail(repository):
    folder, paths = repository
    assert ignored_by_us(paths, ["a"]) != ignored_by_git(folder, paths, ["/a"])
    assert ignored_by_git(folder, paths, ["a"])


@pytest.fixture
def project(tmp_path):
    (tmp_path / ".git").mkdir()
    (tmp_path / "src" / "deep" / "made").mkdir(parents=True)
    return tmp_path


def passed_over(exclusion, root, path):
    """Asks on the way down, as a walk does."""
    below = exclusion.below(root)
    parts = path.relative_to(root).parts
    for n in range(1, len(parts) + 1):
        below.enter(root.joinpath(*parts[: n - 1]))
        one = root.joinpath(*parts[:n])
        if below.passes_over(one, is_folder=one.is_dir()):
            return True
    return False


def test_the_innermost_gitignore_has_the_last_word(project):
    (project / ".gitignore").write_text("made/\n*_old.py\n")
    (project / "src" / ".gitignore").write_text("!keep_old.py\n")
    every = Exclusion()
    assert passed_over(every, project, project / "src/deep/made/a.py")
    assert passed_over(every, project, project / "b_old.py")
    assert not passed_over(every, project, project / "src/keep_old.py")
    # The same when the walk begins inside of the repository.
    assert passed_over(every, project / "src", project / "src/deep/made/a.py")
    assert not passed_over(every, project / "src", project / "src/deep/keep_old.py")
    assert not passed_over(Exclusion(gitignore=False), project, project / "b_old.py")


def test_an_ignored_folder_that_is_named_is_meant(project):
    (project / ".gitignore").write_text("/src/\n")
    assert passed_over(Exclusion(), project, project / "src/a.py")
    assert not passed_over(Exclusion(), project / "src", project / "src/a.py")
    assert not passed_over(Exclusion(), project / "src/deep", project / "src/deep/a.py")


def test_rules_above_the_repository_do_not_count(project):
    (project.parent / ".gitignore").write_text("*.py\n")
    assert not passed_over(Exclusion(), project, project / "a.py")
    os.unlink(project.parent / ".gitignore")


def test_patterns_belong_to_a_folder(project):
    exclusion = Exclusion.of([(project / "src", ["/deep/"]), (project, DEFAULT)])
    assert passed_over(exclusion, project, project / "src/deep/a.py")
    (project / "deep").mkdir()
    assert not passed_over(exclusion, project, project / "deep/a.py")
    (project / "build").mkdir()
    assert passed_over(exclusion, project, project / "build/a.py")
    (project / "build.py").touch()
    assert not passed_over(exclusion, project, project / "build.py")


def test_named_files_are_passed_over_by_force_only(project):
    lists = [(project, ["deep/"])]
    file = project / "src/deep/a.py"
    assert not Exclusion.of(lists).has_named(file)
    assert Exclusion.of(lists, force=True).has_named(file)
    assert not Exclusion.of(lists, force=True).has_named(project / "src/a.py")
    (project / ".gitignore").write_text("*_old.py\n")
    assert Exclusion.of(lists, force=True).has_named(project / "src/b_old.py")
