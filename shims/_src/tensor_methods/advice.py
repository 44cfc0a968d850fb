"""Name the remedy if a program asks an array for an attribute that only TensorFlow's tensors have."""

from __future__ import annotations

from shims._src.platform import jax_private as jp

_ENABLE = "call `shims.enable_tensor_methods()` once, or write {}."
_IN_JAX = {
    "numpy": "`np.asarray(x)`",
    "get_shape": "`x.shape`",
    "set_shape": "`shims.ensure_shape(x, shape)`",
    "ref": "`id(x)`",
    "experimental_ref": "`id(x)`",
    "cpu": "`jax.device_put(x, jax.devices('cpu')[0])`",
    "gpu": "`jax.device_put(x, jax.devices('gpu')[0])`",
}
_WHILE_TRACING = (
    "an array has no value while a function is traced: return the array and convert it outside of the function, or "
    "print the array with `shims.print`."
)


def missing_attribute(x, name: str) -> AttributeError:
    """Return the error of an array that lacks an attribute, with a remedy if TensorFlow's tensors have it."""
    kind = type(x).__name__
    text = f"'{kind}' object has no attribute {name!r}"
    if name in _IN_JAX:
        traced = name == "numpy" and jp.is_tracer(x)
        text += f": {_WHILE_TRACING if traced else _ENABLE.format(_IN_JAX[name])}"
    return AttributeError(text, name=name, obj=x)


def bind() -> None:
    """Let arrays and tracers name the remedy in the `AttributeError` of a method of tensors."""
    inherited = jp.Tracer.__getattr__

    def of_array(self, name):
        raise missing_attribute(self, name)

    def of_tracer(self, name):
        if name in _IN_JAX:
            raise missing_attribute(self, name)
        return inherited(self, name)

    setattr(jp.ArrayImpl, "__getattr__", of_array)  # noqa: B010 - the class has no such annotation
    setattr(jp.Tracer, "__getattr__", of_tracer)  # noqa: B010
