"""What a scan shows."""
