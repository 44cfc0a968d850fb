"""Define sparse tensors, which store values and their coordinates."""
