"""Start and watch a process that nobody trusts."""
