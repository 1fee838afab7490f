"""Loads the compiled kernels into the server of `tests.forked`, which so has them for all its commands.

That takes more than half a second, and starts no thread.
"""

from wordpl.cli.warmup import compile_kernels

compile_kernels()
