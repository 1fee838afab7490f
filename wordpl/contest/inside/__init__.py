"""What runs in the sandbox. It imports nothing of the referee."""
