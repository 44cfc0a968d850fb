"""Describe the traced programs of a function: their guards, sizes, layouts and source lines."""

from __future__ import annotations

import dataclasses
from typing import Any

import jax

from shims._src.errors import errors
from shims._src.function.entry import Entry
from shims._src.types.composite_specs import expanded, is_spec
from shims._src.types.tensor_spec import TensorSpec


def explain(function) -> str:
    """Describe the guards, data-dependent sizes and layouts of every traced program of a function."""
    lines = [f"{getattr(function, '__name__', 'function')}: {len(function.entries)} program(s)"]
    for entry in function.entries:
        lines.append(f"program over {', '.join(map(str, entry.shapes)) or 'no operands'}")
        for i, form in enumerate(entry.forms):
            if form.kind == "constant":
                lines.append(f"  input size {i} is the constant {form.number}")
            elif form.kind == "multiple":
                lines.append(f"  input size {i} is a multiple of {form.number}")
        lines += [f"  guard: {g.text}  ({g.line})" for g in entry.program.state.decisions.guards]
        lines += [f"  size {note}" for note in dict.fromkeys(entry.notes)]
        for site, capacity in sorted(entry.buckets.items(), key=lambda item: item[0].name):
            lines.append(f"  size `{site}` grew to a capacity of {capacity}")
    return "\n".join(lines)


_OF_GRAPHS = frozenset(
    ("graph", "inference_fn", "function_type", "function_def", "captured_inputs", "variables")
)


@dataclasses.dataclass(frozen=True, eq=False)
class Origin:
    """The function of a `ConcreteFunction`, and the arguments for which it was asked.

    Attributes:
      function: the `Function`.
      args: the positional arguments: specs or examples, and Python values; the receiver of a method first.
      kwargs: the keyword arguments.
    """

    function: Any
    args: tuple
    kwargs: dict[str, Any]


class ConcreteFunction:
    """One traced program of a function, with its signature.

    Attributes:
      structured_input_signature: `(args, kwargs)` of specs.
      origin: the function and the arguments for which it was asked.
    """

    def __init__(self, function, signature, origin):
        self._function = function
        self.origin = origin
        self.structured_input_signature = (tuple(signature), {})
        trees = expanded(tuple(signature))
        self._specs = jax.tree.leaves(trees, is_leaf=is_spec)
        # 2 stands for any size; 0 and 1 would be traced as constants.
        self._examples = None
        if all(s.shape.rank is not None and not s.dtype.hasobject for s in self._specs):
            examples = [
                jax.ShapeDtypeStruct([d if isinstance(d, int) else 2 for d in s.shape], s.dtype)
                for s in self._specs
            ]
            self._examples = jax.tree.structure(trees, is_leaf=is_spec).unflatten(examples)
            self._program()  # an error of the program is raised here

    def _program(self) -> Entry:
        """Return the traced program.

        Raises:
          ValueError: an argument has an unknown rank, or is a string, so each rank or string has its
            own program.
        """
        if self._examples is None:
            raise ValueError(
                errors.message(
                    "get_concrete_function",
                    "the signature matches several programs, because each rank of an argument and each string has "
                    "its own program.",
                    received=str(self.structured_input_signature[0]),
                    do="write the rank into the spec, `TensorSpec([None, None])`, and pass strings as Python values",
                )
            )
        return self._function.compiled(self._examples, {})

    @property
    def name(self) -> str:
        """The name of the Python function."""
        return self._function.__name__

    @property
    def inputs(self) -> list[TensorSpec]:
        """The `TensorSpec`s of the input tensors."""
        return list(self._specs)

    @property
    def outputs(self) -> list[TensorSpec]:
        """The specs of the output tensors."""
        return jax.tree.leaves(self.structured_outputs, is_leaf=is_spec)

    @property
    def output_shapes(self):
        """The shapes of the results, in their structure."""
        return self._map_outputs(lambda s: s.shape)

    @property
    def output_dtypes(self):
        """The dtypes of the results, in their structure."""
        return self._map_outputs(lambda s: s.dtype)

    def _map_outputs(self, f):
        return jax.tree.map(f, self.structured_outputs, is_leaf=is_spec)

    @property
    def jaxpr(self):
        """The traced program, a jaxpr over symbolic sizes."""
        return self._program().program.jaxpr

    @property
    def structured_outputs(self):
        """The specs of the results, in their structure; a size known only at run time is `None`."""
        avals = self._program().program.jaxpr.out_avals
        specs = [
            TensorSpec([d if isinstance(d, int) else None for d in a.shape], a.dtype) for a in avals
        ]
        out = jax.tree.unflatten(self._program().program.out_tree, specs)
        return out if self._program().found is None else out[0]

    def __call__(self, *args, **kwargs):
        """Call the function."""
        return self._function(*args, **kwargs)

    def __getattr__(self, name: str):
        text = f"'ConcreteFunction' object has no attribute {name!r}"
        if name in _OF_GRAPHS:
            text += ": the function has no TensorFlow graph. The attribute `jaxpr` is the traced program."
        raise AttributeError(text, name=name, obj=self)
