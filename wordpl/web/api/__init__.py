"""The endpoints under /api, a file for each tab; each is a thin caller of the public names of wordpl."""
