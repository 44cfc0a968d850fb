"""Runs a program that draws, and notes which keys it uses for what."""

import jax
import numpy as np
import pytest

# What uses a key up.
_USERS = (
    *("bernoulli", "categorical", "gamma", "normal", "permutation", "poisson", "randint"),
    *("split", "truncated_normal", "uniform"),
)


def drawn(code, folder):
    """The arrays in `out`, and the keys that were used; one that is folded counts with its number.

    Keys inside of compiled functions are not seen. There the numbers must tell.
    """
    uses = []
    with pytest.MonkeyPatch.context() as patch:
        for name in _USERS:
            patch.setattr(jax.random, name, _noting(getattr(jax.random, name), uses, folds=False))
        patch.setattr(jax.random, "fold_in", _noting(jax.random.fold_in, uses, folds=True))
        namespace = {"__name__": "__main__"}
        file = folder / "program.py"
        file.write_text(code)  # what converts functions reads their source
        exec(compile(code, str(file), "exec"), namespace)
        for case in [v for v in namespace.values() if isinstance(v, type)]:
            for test in [n for n in vars(case) if n.startswith("test_")]:
                case(test).debug()
    return [np.asarray(leaf) for leaf in jax.tree.leaves(namespace["out"])], uses


def _noting(function, uses, *, folds):
    def noted(key, *args, **kwargs):
        if not isinstance(key, jax.core.Tracer):
            words = tuple(np.ravel(jax.random.key_data(key)).tolist())
            uses.append((words, int(args[0])) if folds else words)
        return function(key, *args, **kwargs)

    return noted
