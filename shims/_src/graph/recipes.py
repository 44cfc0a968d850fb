"""Default names and types of operations by TensorFlow 1 name."""

RECIPES: dict[str, tuple[str, str]] = {
    "matmul": ("MatMul", "MatMul"),
    "shape": ("Shape", "Shape"),
}
