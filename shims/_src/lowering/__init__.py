"""The padded lowering: a symbolic jaxpr becomes an ordinary, static, padded program."""
