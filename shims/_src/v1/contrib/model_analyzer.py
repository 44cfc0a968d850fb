"""Provide `slim.model_analyzer`: sizes of the variables and operations of a graph."""

from __future__ import annotations

import sys


def tensor_description(var) -> str:
    """Return the dtype and the sizes of a tensor or variable, such as `(float32 1x8x8)`."""
    sizes = "x".join("?" if n is None else str(n) for n in var.get_shape().as_list())
    return f"({var.dtype.name} {sizes})"


def analyze_vars(variables, print_info=False) -> tuple[int, int]:
    """Return the numbers of elements and of bytes of variables, and print them if asked to.

    Args:
      variables: the variables.
      print_info: whether to print a line for each.
    """
    rows, count, size = [], 0, 0
    for variable in variables:
        elements = variable.get_shape().num_elements() or 0
        taken = elements * variable.dtype.size
        count, size = count + elements, size + taken
        described = f"{variable.name} {tensor_description(variable)}"
        rows.append(f"{described} [{elements}, bytes: {taken}]")
    if print_info:
        _print("Variables: name (type shape) [size]", rows)
        _write(f"Total size of variables: {count}\nTotal bytes of variables: {size}\n")
    return count, size


def analyze_ops(graph, print_info=False) -> int:
    """Return the number of elements of all results of a graph, and print them if asked to.

    Args:
      graph: the graph.
      print_info: whether to print a line for each operation.
    """
    rows, total = [], 0
    for op in graph.get_operations():
        shapes = [t for t in op.outputs if t.get_shape().rank]
        elements = sum(t.get_shape().num_elements() or 0 for t in op.outputs)
        described = ", ".join(map(tensor_description, shapes))
        rows.append(f"{op.name} \t-> {described} [{elements}]")
        total += elements
    if print_info:
        _print("Operations: name -> (type shapes) [size]", rows)
    return total


def _print(title: str, rows: list[str]) -> None:
    line = "---------"
    _write("".join(f"{text}\n" for text in (line, title, line, *rows)))


def _write(text: str) -> None:
    sys.stdout.write(text)
