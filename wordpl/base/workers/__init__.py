"""Worker processes: of this machine or of a cluster, how they are stopped, and how they come to grief."""
