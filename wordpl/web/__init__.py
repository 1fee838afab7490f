"""The page: what is behind it (an HTTP API and its limits), and the files for a browser. Needs the extra `web`."""
