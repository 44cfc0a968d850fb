"""Define sparse tensors: values and their coordinates."""
