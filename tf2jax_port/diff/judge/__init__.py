"""What the differences mean: findings, agreement of lanes, the verdict."""
