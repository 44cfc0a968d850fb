"""The pictures of docs/dynamic_shapes.md, drawn from programs that run."""
