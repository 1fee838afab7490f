"""Speed and memory, printed as a table by `make bench`: each figure beside its target, and where a plain
way of doing the same exists, as a ratio to it in the same run."""
