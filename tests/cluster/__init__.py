"""Many machines: runs on clusters of real worker processes."""
