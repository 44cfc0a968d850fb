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
from tf2jax_port.rewrite.sites.references import decide_each
from tf2jax_port.rewrite.tapes.blocks import differentiate


class Pass(NamedTuple):
    """One pass over the draft of a file, and the reason for its position in the order."""

    run: Callable[[Draft], Draft]
    reason: str


PASSES = (
    Pass(decide_each, "first: it decides name by name, and all others change its decisions"),
    Pass(
        differentiate,
        "before the optimizers and the keys: a block is judged by the diagnostics that the table "
        "gave to the calls in it",
    ),
    Pass(
        write_optimizers,
        "before the refusals: an optimizer of Optax may do what one of Keras may not",
    ),
    Pass(refuse_steps, "after the optimizers: it refuses those that are still Keras' own"),
    Pass(
        draw_by_keys,
        "after the tapes: a block that has become a function splits its keys in itself",
    ),
    Pass(
        leave_alone,
        "after all that decide: comments and selections are about the diagnostic that a place ends "
        "with",
    ),
    Pass(
        say_evidence,
        "after what is left alone: nothing is said of a place that stays, and no value differs",
    ),
    Pass(
        move_imports,
        "after what is left alone: an import moves only if every name that it brings is rewritten",
    ),
    Pass(keep_names, "after the imports: only then is it known which names stay as they are"),
    Pass(read_weights, "after what is left alone: only rewritten operators take arrays of JAX"),
    Pass(say_backend, "last: it looks for the first place that really writes Keras"),
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
