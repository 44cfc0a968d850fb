"""Rewrite the examples in docstrings, `>>> tf.square(x)`, for the option `--doctests`.

The examples of one docstring are joined into one program, with a numbered comment before each. The program is
rewritten like any other and split into examples again.
"""

from __future__ import annotations

import ast
import dataclasses
import re
from collections.abc import Callable, Iterator

from tf2jax_port.rewrite.findings.findings import Finding, Outcome, State
from tf2jax_port.rewrite.options import Options
from tf2jax_port.rewrite.reading.source import UnreadableError, decode, from_text, parse, with_data
from tf2jax_port.rewrite.sites.references import READ_AS_VERSION_1
from tf2jax_port.rewrite.writing.markers import marker_lines, without_lines

Rewriter = Callable[[bytes], Outcome]

WITH_OUTPUT = "the output below the example was written for TensorFlow"
_PROMPT = re.compile(r"([ \t]*)>>>( |$)")
_OWN_IMPORT = re.compile(r"(import|from) tensorflow\b")
_SENTINEL = "# >>> "
_SEEN_FROM_DOCSTRINGS = ("tensorflow", "jax", "shims", "numpy", "keras")


@dataclasses.dataclass(frozen=True, slots=True)
class Example:
    """One example of a docstring.

    Attributes:
      line: the line number in the file at which the example begins, from 1.
      indent: the text before the prompt.
      code: the lines of the example without prompts.
      has_output: whether output follows.
    """

    line: int
    indent: str
    code: tuple[str, ...]
    has_output: bool


def rewrite_doctests(outcome: Outcome, raw: bytes, options: Options, rewriter: Rewriter) -> Outcome:
    """Rewrite the examples in the docstrings of a file that is rewritten already.

    Args:
      outcome: the result of rewriting the file's code, without its docstrings.
      raw: the original bytes of the file.
      options: the options of the run.
      rewriter: a function that rewrites one program.

    Returns:
      The result with the edits and findings of the examples added.
    """
    source = decode(outcome.data)
    old_tree, new_tree = parse(decode(raw)), parse(source)
    old, new = _docstrings(old_tree), _docstrings(new_tree)
    text = source.data.decode()
    lines = text.splitlines(keepends=True)
    if len(lines) != len(source.data.splitlines()) or len(old) != len(new):
        return outcome  # other line separators (form feeds): lines cannot be counted
    prelude = list(dict.fromkeys([*_imports(old_tree), *_imports(new_tree)]))
    findings: list[Finding] = []
    for before, after in reversed(list(zip(old, new, strict=True))):
        docstring = _Docstring(list(_examples(lines, after)), prelude)
        found = docstring.rewrite(lines, options, rewriter, source.newline)
        moved = before.lineno - after.lineno
        findings += [f._replace(line=f.line + moved) for f in found]
    data = with_data(source, "".join(lines).encode())
    parse(data)
    every = sorted((*outcome.findings, *findings), key=lambda f: (f.line, f.column))
    return dataclasses.replace(
        outcome,
        data=source.encode(data.data),
        findings=tuple(every),
        references=outcome.references + len(findings),
    )


def _docstrings(tree: ast.Module) -> list[ast.Constant]:
    """Return the docstrings that contain an example, in text order."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            first = node.body[0] if node.body else None
            text = ast.get_docstring(node, clean=False)
            if text and ">>>" in text and isinstance(first, ast.Expr):
                assert isinstance(first.value, ast.Constant)
                found.append(first.value)
    return sorted(found, key=lambda node: node.lineno)


def _imports(tree: ast.Module) -> Iterator[str]:
    """Yield the import statements of the module, which its examples may rely on."""
    for node in tree.body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            module = node.names[0].name if isinstance(node, ast.Import) else node.module or ""
            if module.partition(".")[0] in _SEEN_FROM_DOCSTRINGS:
                yield ast.unparse(node)


def _examples(lines: list[str], docstring: ast.Constant) -> Iterator[Example]:
    """Yield the examples of a docstring; none if it contains a backslash."""
    last = docstring.end_lineno or docstring.lineno
    if any("\\" in line for line in lines[docstring.lineno - 1 : last]):
        return
    number = docstring.lineno  # the line with the opening quotes cannot begin with a prompt
    while number + 1 < last:
        number += 1
        found = _PROMPT.match(lines[number - 1])
        if found is None:
            continue
        start, indent = number, found[1]
        code = [_without_prompt(lines[number - 1], indent)]
        while number + 1 < last and lines[number].startswith(f"{indent}..."):
            code.append(_without_prompt(lines[number], indent))
            number += 1
        output = lines[number] if number < last - 1 else ""
        has_output = bool(output.strip()) and not _PROMPT.match(output)
        yield Example(start, indent, tuple(code), has_output)


def _without_prompt(line: str, indent: str) -> str:
    return line.rstrip("\r\n")[len(indent) + 4 :]


class _Docstring:
    """The examples of one docstring, joined into a program."""

    def __init__(self, examples: list[Example], prelude: list[str]) -> None:
        self.examples = examples
        own = any(_OWN_IMPORT.match(example.code[0]) for example in examples)
        self.prelude = [] if own else prelude
        self.lines = [*self.prelude]
        self.places: dict[int, tuple[Example, int]] = {}
        for number, example in enumerate(examples):
            self.lines.append(f"{_SENTINEL}{number}")
            for offset, line in enumerate(example.code):
                self.lines.append(line)
                self.places[len(self.lines)] = (example, offset)

    def rewrite(
        self, lines: list[str], options: Options, rewriter: Rewriter, newline: str
    ) -> list[Finding]:
        """Rewrite the examples, replacing their lines in `lines`.

        Returns:
          The findings of the examples, with line numbers of the file.
        """
        try:
            outcome = rewriter("\n".join([*self.lines, ""]).encode())
            chunks = self._split_examples(outcome.data)
        except (UnreadableError, SyntaxError):
            return []  # no program: pseudo code, or output that looks like input
        findings = [f for f in outcome.findings if f.line in self.places]
        code = self._reason_to_leave(findings, options)
        if code is None and any('"""' in c or "'''" in c or "\\" in c for c in chunks):
            code = "TJ308"
        if code is not None:
            return [self._move_to_file(f, options, left=code) for f in findings]
        for example, text in reversed(list(zip(self.examples, chunks, strict=True))):
            if text.splitlines() != list(example.code):
                first = example.line - 1
                new = [f"{example.indent}{line}{newline}" for line in _add_prompts(text)]
                lines[first : first + len(example.code)] = new
        return [self._move_to_file(f, options) for f in findings]

    def _split_examples(self, data: bytes) -> list[str]:
        """Split the rewritten program into examples; the first one includes new imports."""
        source = from_text(data.decode())
        tree = parse(source)
        text = without_lines(source, marker_lines(source, tree)).decode()
        head, *chunks = re.split(rf"^{re.escape(_SENTINEL)}\d+\n", text, flags=re.MULTILINE)
        for chunk in chunks:
            ast.parse(chunk)
        if chunks:
            new = [line for line in head.splitlines() if line not in self.prelude]
            chunks[0] = "".join(f"{line}\n" for line in new) + chunks[0]
        return chunks

    def _reason_to_leave(self, findings: list[Finding], options: Options) -> str | None:
        """Return the diagnostic because of which the examples stay unchanged, `None` if they change.

        The examples of a docstring are changed together or not at all.
        """
        if any(finding.message.endswith(READ_AS_VERSION_1) for finding in findings):
            return "TJ308"
        printed = any(f.after and self.places[f.line][0].has_output for f in findings)
        if printed and not options.selects("TJ204"):
            return "TJ503"
        return "TJ313" if printed and options.safe_only else None

    def _move_to_file(self, finding: Finding, options: Options, left: str | None = None) -> Finding:
        """Convert line numbers of a finding from the joined program to the file.

        left: the diagnostic because of which the examples stay unchanged, if any.
        """
        example, offset = self.places[finding.line]
        finding = finding._replace(
            line=example.line + offset,
            column=finding.column + len(example.indent) + 4,
            marker=0,
        )
        if left is not None:
            state = State.KEPT if left == "TJ503" else State.MANUAL
            message = f"{finding.code}, in an example of a docstring"
            return finding._replace(state=state, code=left, message=message, after="")
        if finding.after and example.has_output:
            return finding._replace(state=State.REVIEW, code="TJ204", message=WITH_OUTPUT)
        return finding


def _add_prompts(text: str) -> Iterator[str]:
    """Yield the lines of an example with prompts: `>>>` before a statement, `...` before the rest."""
    starts = set()
    for node in ast.parse(text).body:
        decorators = getattr(node, "decorator_list", [])
        starts.add(min([node.lineno, *(d.lineno for d in decorators)]))
    inside = False
    for number, line in enumerate(text.splitlines(), 1):
        begins = number in starts or (not inside and line.startswith("#"))
        inside = inside or number in starts
        yield f"{'>>>' if begins else '...'} {line}".rstrip()
