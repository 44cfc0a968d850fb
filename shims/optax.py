"""Provide TensorFlow's optimizers and schedules for Optax, and optimizers over variables.

The functions return Optax transformations that compute the updates of TensorFlow's optimizers.
`Optimizer` keeps its state in variables and has `apply_gradients` and `minimize`. The module
requires `optax` (`pip install optax`).
"""

from shims._src.facade import bindings as _bindings  # noqa: F401 - binds
from shims._src.optimizers.descent import lion as lion
from shims._src.optimizers.descent import sgd as sgd
from shims._src.optimizers.moments import adam as adam
from shims._src.optimizers.moments import adamax as adamax
from shims._src.optimizers.moments import adamw as adamw
from shims._src.optimizers.moments import lamb as lamb
from shims._src.optimizers.moments import nadam as nadam
from shims._src.optimizers.optimizer import Optimizer as Optimizer
from shims._src.optimizers.optimizers_v1 import adadelta_v1 as adadelta_v1
from shims._src.optimizers.optimizers_v1 import adagrad_v1 as adagrad_v1
from shims._src.optimizers.optimizers_v1 import adam_v1 as adam_v1
from shims._src.optimizers.optimizers_v1 import ftrl_v1 as ftrl_v1
from shims._src.optimizers.optimizers_v1 import gradient_descent_v1 as gradient_descent_v1
from shims._src.optimizers.optimizers_v1 import momentum_v1 as momentum_v1
from shims._src.optimizers.optimizers_v1 import rmsprop_v1 as rmsprop_v1
from shims._src.optimizers.schedules import cosine_decay as cosine_decay
from shims._src.optimizers.schedules import cosine_decay_restarts as cosine_decay_restarts
from shims._src.optimizers.schedules import exponential_decay as exponential_decay
from shims._src.optimizers.schedules import inverse_time_decay as inverse_time_decay
from shims._src.optimizers.schedules import piecewise_constant_decay as piecewise_constant_decay
from shims._src.optimizers.schedules import polynomial_decay as polynomial_decay
from shims._src.optimizers.squares import adadelta as adadelta
from shims._src.optimizers.squares import adagrad as adagrad
from shims._src.optimizers.squares import ftrl as ftrl
from shims._src.optimizers.squares import rmsprop as rmsprop
