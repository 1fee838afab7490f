"""The page: what is behind it (an HTTP API and its limits), and the files for a browser. Needs the extra `web`."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
