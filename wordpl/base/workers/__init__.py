"""Worker processes of this machine or of a cluster: how they run calls, how they are stopped, and how they fail."""
