"""Map TensorFlow's optimizers and schedules to functions of `shims.optax`."""

from __future__ import annotations

from tf2jax_port.table.row import Manual, Row

BY_HAND = "docs/optimizers.md shows an Optax optimizer that takes the same steps"
_LAST = "use_locking=False, name='_'"
# The optimizers of version 1: their parameters, and the function that replaces each.
_VERSION_1 = {
    "Adadelta": ("adadelta_v1", "learning_rate=0.001, rho=0.95, epsilon=1e-08, {}"),
    "Adagrad": ("adagrad_v1", "learning_rate, initial_accumulator_value=0.1, {}"),
    "Adam": ("adam_v1", "learning_rate=0.001, beta1=0.9, beta2=0.999, epsilon=1e-08, {}"),
    "Ftrl": (
        "ftrl_v1",
        "learning_rate, learning_rate_power=-0.5, initial_accumulator_value=0.1, "
        "l1_regularization_strength=0.0, l2_regularization_strength=0.0, {}, accum_name=None, "
        "linear_name=None, l2_shrinkage_regularization_strength=0.0, beta=None",
    ),
    "GradientDescent": ("gradient_descent_v1", "learning_rate, {}"),
    "Momentum": ("momentum_v1", "learning_rate, momentum, {}, use_nesterov=False"),
    "RMSProp": (
        "rmsprop_v1",
        "learning_rate, decay=0.9, momentum=0.0, epsilon=1e-10, use_locking=False, "
        "centered=False, name='_'",
    ),
}
ROWS = tuple(
    Row(f"v1.train.{name}Optimizer", params.format(_LAST), Manual("TJ309", BY_HAND))
    for name, (_, params) in _VERSION_1.items()
)
_KERAS = (
    *("Adadelta", "Adagrad", "Adam", "AdamW", "Adamax", "Ftrl", "Lamb", "Lion", "Nadam"),
    *("RMSprop", "SGD"),
)
# By the name of the row.
OPTIMIZERS = {
    **{f"v1.train.{name}Optimizer": function for name, (function, _) in _VERSION_1.items()},
    **{f"keras.optimizers.{name}": name.lower() for name in _KERAS},
}
SCHEDULES = {
    f"keras.optimizers.schedules.{name}": function
    for name, function in (
        ("CosineDecay", "cosine_decay"),
        ("CosineDecayRestarts", "cosine_decay_restarts"),
        ("ExponentialDecay", "exponential_decay"),
        ("InverseTimeDecay", "inverse_time_decay"),
        ("PiecewiseConstantDecay", "piecewise_constant_decay"),
        ("PolynomialDecay", "polynomial_decay"),
    )
}
_RATE = "{learning_rate}, {decay_steps}"
_PIECES = "piecewise_constant_decay({boundaries}, {values})({x})"
# Schedules of version 1, whose functions read the global step at each evaluation.
DECAYS = {
    "train.exponential_decay": (
        f"exponential_decay({_RATE}, {{decay_rate}}, staircase={{staircase}})({{global_step}})"
    ),
    "train.inverse_time_decay": (
        f"inverse_time_decay({_RATE}, {{decay_rate}}, staircase={{staircase}})({{global_step}})"
    ),
    "train.polynomial_decay": (
        f"polynomial_decay({_RATE}, {{end_learning_rate}}, power={{power}}, cycle={{cycle}})"
        "({global_step})"
    ),
    "train.cosine_decay": f"cosine_decay({_RATE}, alpha={{alpha}})({{global_step}})",
    "train.piecewise_constant": _PIECES,
    "train.piecewise_constant_decay": _PIECES,
}
# Keyword-only arguments of every Keras optimizer that Optax can express.
COMMON = ("weight_decay", "clipnorm", "clipvalue", "global_clipnorm")
# Arguments that do not change the steps.
NAMES = ("name", "use_locking", "accum_name", "linear_name")
# Arguments that change the steps and that Optax cannot express.
WITHOUT_PLACE = (
    *("use_ema", "ema_momentum", "ema_overwrite_frequency", "loss_scale_factor"),
    "gradient_accumulation_steps",
)
