"""Call every public function of JAX with sizes that depend on data, and write what happened."""
