"""Lower a jaxpr with symbolic sizes to a padded program with static shapes."""
