"""Enumerations that say how TensorFlow distributes variables and adds gradients."""

from __future__ import annotations

import enum


class VariableSynchronization(enum.Enum):
    """When the copies of a distributed variable meet; here there is one copy.

    https://www.tensorflow.org/api_docs/python/tf/VariableSynchronization
    """

    AUTO = 0
    NONE = 1
    ON_WRITE = 2
    ON_READ = 3


class VariableAggregation(enum.Enum):
    """How the copies of a distributed variable are put together; here there is one copy.

    https://www.tensorflow.org/api_docs/python/tf/VariableAggregation
    """

    NONE = 0
    SUM = 1
    MEAN = 2
    ONLY_FIRST_REPLICA = 3


class AggregationMethod:
    """How `gradients` adds what meets; all of them give the sum.

    https://www.tensorflow.org/api_docs/python/tf/AggregationMethod
    """

    ADD_N = 0
    DEFAULT = ADD_N
    EXPERIMENTAL_TREE = 1
    EXPERIMENTAL_ACCUMULATE_N = 2


for _class in (VariableSynchronization, VariableAggregation, AggregationMethod):
    _class.__module__ = "shims"
