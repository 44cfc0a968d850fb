"""List the passes that decide the references of a file, in their order."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from tf2jax_port.rewrite.keras.moved_imports import keep_names, move_imports
from tf2jax_port.rewrite.keras.training import refuse_steps
from tf2jax_port.rewrite.keras.weights import read_weights
from tf2jax_port.rewrite.optimizers.sites import write_optimizers
from tf2jax_port.rewrite.random.keys import draw_by_keys
from tf2jax_port.rewrite.sites.choosing import leave_alone
from tf2jax_port.rewrite.sites.decision import Draft, File
from tf2jax_port.rewrite.sites.evidence import say_evidence
from tf2jax_port.rewrite.sites.keras import say_backend
from tf2jax_port.rewrite.sites.large_operands import write_floats
from tf2jax_port.rewrite.sites.references import decide_each
from tf2jax_port.rewrite.tapes.blocks import differentiate


class Pass(NamedTuple):
    """One pass over the draft of a file, and the reason for its position in the order."""

    run: Callable[[Draft], Draft]
    reason: str


PASSES = (
    Pass(
        decide_each, "first: it decides name by name, and all later passes change these decisions"
    ),
    Pass(
        differentiate,
        "before `write_optimizers` and `draw_by_keys`: whether the block of a `GradientTape` can become a function "
        "depends on the diagnostics of the calls in the block, which the later passes change",
    ),
    Pass(
        write_optimizers,
        "before `refuse_steps`: a use that is not possible with a Keras optimizer may be possible with Optax",
    ),
    Pass(
        refuse_steps,
        "after `write_optimizers`: the pass reports only uses of optimizers that stay Keras optimizers",
    ),
    Pass(
        draw_by_keys,
        "after the tapes: a block that has become a function splits its own keys",
    ),
    Pass(
        write_floats,
        "before `leave_alone`: the number belongs to the call beside it, and stays with it",
    ),
    Pass(
        leave_alone,
        "after all passes that decide: comments and selections name the final diagnostic of a reference",
    ),
    Pass(
        say_evidence,
        "after `leave_alone`: a reference that stays TensorFlow needs no evidence",
    ),
    Pass(
        move_imports,
        "after `leave_alone`: an import moves only if every name that it imports is rewritten",
    ),
    Pass(keep_names, "after the imports: only then is it known which names stay unchanged"),
    Pass(read_weights, "after `leave_alone`: only rewritten operators accept JAX arrays"),
    Pass(say_backend, "last: it looks for the first reference that is really rewritten to Keras"),
)


def run_passes(file: File, passes: tuple[Pass, ...] = PASSES) -> Draft:
    """Run all passes over a file; together they decide every TensorFlow reference.

    If a pass changes the file's names for modules, the earlier passes run again on the new file.
    """
    draft = Draft(file, {})
    for index, each in enumerate(passes):
        after = each.run(draft)
        if after.file is not draft.file:
            again = run_passes(after.file, passes[:index])
            after = after.with_decisions(again.decisions)
        draft = after
    return draft
