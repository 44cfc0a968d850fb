"""Judge differences: findings, agreement of lanes, the verdict."""
