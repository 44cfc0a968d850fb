"""Sessions in processes that may crash."""
