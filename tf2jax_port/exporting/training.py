"""Write the optimizer of a training step, and the step itself."""

from __future__ import annotations

from typing import Any

import numpy as np

from tf2jax_port.exporting import layout, optimizers
from tf2jax_port.exporting.body import Body
from tf2jax_port.exporting.calls import is_tensor
from tf2jax_port.exporting.definitions import DEFINITIONS
from tf2jax_port.exporting.expressions import Expression
from tf2jax_port.exporting.inputs import Input, input_name
from tf2jax_port.exporting.module import RESERVED
from tf2jax_port.exporting.original import statement_of
from tf2jax_port.exporting.step import Step, Version
from tf2jax_port.importing.rule import UnsupportedError
from tf2jax_port.importing.scope import Names


class Training:
    """Writes the optimizer and the training step.

    Attributes:
      optimizer: what was recognized.
      left_out: names of operations of the step that are not written.
    """

    def __init__(self, writer: Any, step: Step, inputs: list[Any]):
        self.writer, self.step, self.inputs = writer, step, inputs
        self.arguments: list[Any] = []
        self.functions: list[str] = []
        self.optimizer = optimizers.recognized(step)
        try:
            self.call = self._call(self.optimizer)
        except UnsupportedError as error:
            self.optimizer = optimizers._unknown(str(error))
            self.arguments, self.functions = [], []
            self.call = self._call(self.optimizer)
        if self.optimizer.name in optimizers.OWN:
            writer.module.helper(optimizers.OWN[self.optimizer.name])
        self.left_out = self._left_out()

    def _left_out(self) -> list[str]:
        """Return the assignments behind the gradients that are not part of an optimizer."""
        if self.optimizer.why_not:
            return []
        found = []
        slots = {v for op in self.step.after if "optimizer" in op.attributes for v in op.writes}
        for op in self.step.after:
            if not op.writes or "optimizer" in op.attributes or op.writes[0] in slots:
                continue
            name = op.writes[0].op.name.rpartition("/")[2]
            if name in ("beta1_power", "beta2_power") or op.type.startswith("AssignAdd"):
                continue
            found.append(op.name)
        return found

    # ---- hyperparameters -------------------------------------------------------------------------

    def _call(self, optimizer: optimizers.Optimizer) -> str:
        """Return the source that makes the Optax transformation."""
        given = []
        for name, value in optimizer.numbers.items():
            text = self._number(name, value)
            if name == "learning_rate":
                given.append(text)
            elif text != str(optimizers.DEFAULTS.get(optimizer.name, {}).get(name)):
                given.append(f"{name}={text}")
        given += [f"{name}={value!r}" for name, value in optimizer.options.items()]
        if optimizer.name == "AdagradOptimizer":
            given.append("eps=0.0")
        made = f"{optimizers.OPTAX[optimizer.name]}({', '.join(given)})"
        return f"optax.chain({optimizer.clipping}, {made})" if optimizer.clipping else made

    def _number(self, name: str, value: Any) -> str:
        """Return the source of a hyperparameter: a number, an argument, or a schedule."""
        if not is_tensor(value) and hasattr(value, "graph_value"):
            value = value.graph_value
        if not is_tensor(value):
            return _shown(value)
        key = self.step.key(value, self._reader(value))
        if not isinstance(key, Version) and value.op.type == "Const":
            return _shown(value.op.attributes["value"])
        named = {i.tensor: i for i in self.inputs}
        if key in self.step.plan.fed:
            return self._argument(key, named)
        return self._schedule(name, key)

    def _reader(self, value: Any) -> Any:
        users = [op for op in self.step.after if value in op.inputs]
        return users[0] if users else value.op

    def _argument(self, key: Any, named: dict[Any, Any]) -> str:
        found = named.get(key)
        if found is None:
            value = np.asarray(self.step.feeds[key])
            found = Input(key, self.writer.module.names.new(input_name(key)), value, False, True)
            self.inputs.append(found)
        if found not in self.arguments:
            self.arguments.append(found)
        return found.name

    def _schedule(self, name: str, key: Any) -> str:
        """Write a hyperparameter that depends on the number of steps as a function."""
        operations = self.step.needed([key])
        body = Body(self.writer.module, self.step, Names((*RESERVED, *DEFINITIONS)))
        keys = {k for op in operations for k in self.step.inputs_of(op)} | {key}
        counters = {k.variable for k in keys if isinstance(k, Version)}
        if len(counters) != 1 or name != "learning_rate":
            raise UnsupportedError(
                f"the {name.replace('_', ' ')} is computed from more than the step"
            )
        counter = counters.pop()
        start = int(np.asarray(self.step.session.values[counter]))
        text = "step" if not start else f"(step + {start})"
        body.values[Version(counter)] = Expression(text, dtype="int32", shape=())
        real = [
            op
            for op in operations
            if not (op.outputs and op.outputs[0].read_of is not None and not op.writes)
        ]
        body.count_uses(real, body.keys_used_by, [key])
        for op in real:
            body.operation(op)
        body.write(f"return {body.find(key).text}")
        lines = [
            "def learning_rate(step):",
            '    """Return the learning rate of a step."""',
            *body.lines,
        ]
        self.functions.append("\n".join(lines) + "\n")
        return "learning_rate"

    # ---- text ------------------------------------------------------------------------------------

    def texts(self, signature: Any, module: Any) -> list[str]:
        """Return the sources of the schedule, the optimizer and the training step."""
        return [*self.functions, self._optimizer_text(), self._step_text(signature, module)]

    def _optimizer_text(self) -> str:
        parameters = ", ".join(f"{i.name}={_shown(i.value)}" for i in self.arguments)
        first = next((op for op in self.step.after if op.writes), None)
        where = f" ({statement_of(first)})" if first is not None and statement_of(first) else ""
        said = f"Return the optimizer of the program{where}."
        if self.optimizer.why_not:
            said = f"Return plain gradient descent, in place of the program's own optimizer{where}."
        lines = [f"def optimizer({parameters}):", f'    """{said}"""']
        if self.optimizer.why_not:
            lines += layout.wrapped(f"# {self.optimizer.why_not}", 1)
        return "\n".join([*lines, *layout.wrapped(f"return {self.call}", 1)]) + "\n"

    def _step_text(self, signature: Any, module: Any) -> str:
        more = [i for i in self.arguments if i.name not in signature.options()]
        first = ["params", *(["state"] if signature.has_state else []), "opt_state"]
        parameters = [
            *first,
            *signature.rest(defaults=True),
            *(f"{i.name}={_shown(i.value)}" for i in more),
        ]
        compiler = "shims.function" if module.dynamic else "jax.jit"
        static = signature.static()
        head = f"@{compiler}"
        if static:
            names = ", ".join(f'"{n}"' for n in static) + ("," if len(static) == 1 else "")
            head = f"@functools.partial({compiler}, static_argnames=({names}))"
        updates = bool(self.step.updates)
        value = "value, state" if updates else "value"
        options = [f"{n}={n}" for n in signature.options() if n in signature.static()]
        given = ["params", *(["state"] if signature.has_state else []), *signature.arrays()]
        given += ["key"] if signature.draws else []
        given += [f"{n}={n}" for n in signature.options()]
        del options
        aux = ", has_aux=True" if updates else ""
        target = f"({value}), gradients" if updates else "value, gradients"
        made = ", ".join(f"{i.name}" for i in self.arguments)
        results = ["params", *(["state"] if updates else []), "opt_state", "value"]
        lines = [
            head,
            *layout.wrapped(f"def train_step({', '.join(parameters)}):", 0),
            f'    """Return {_listed(["`params`", *(["`state`"] if updates else []), "`opt_state`"])} after a step, and the loss."""',
            *layout.wrapped(f"{target} = jax.value_and_grad(loss_fn{aux})({', '.join(given)})", 1),
            f"    updates, opt_state = optimizer({made}).update(gradients, opt_state, params)",
            "    params = optax.apply_updates(params, updates)",
            f"    return {', '.join(results)}",
        ]
        return "\n".join(lines) + "\n"


def _listed(words: list[str]) -> str:
    return ", ".join(words[:-1]) + (" and " if len(words) > 1 else "") + words[-1]


def _shown(value: Any) -> str:
    value = np.asarray(value)
    if value.dtype.kind == "f":
        return repr(float(str(np.float32(value))))
    return repr(value.item())
