"""The random streams of a trial: its answer, its noise and the player's own randomness.

Each is a keyed BLAKE2b hash of its purpose. So trial i is the same for every strategy, number of workers and batch size
(common random numbers), and neither the noise that a player has seen nor its own seed says anything about later noise.
"""

from hashlib import blake2b
from struct import Struct, unpack_from

from wordpl.base.checks import MAX_SEED, whole_number

_TWO = Struct("<QQ")


def check_seed(root: object) -> int:
    """Return `root` as an `int`. Raises `WordplError` unless it is a whole number from 0 to 2**256 - 1."""
    return whole_number("seed", root, minimum=0, maximum=MAX_SEED)


class Seeds:
    """The random streams of all trials under one root seed, a whole number from 0 to 2**256 - 1."""

    def __init__(self, root: int) -> None:
        self._key = blake2b(check_seed(root).to_bytes(32, "little"), person=b"wordpl-root").digest()

    def answer(self, trial: int, n: int) -> int:
        """Return the index of the answer of a trial, uniform in range(n)."""
        return self._whole(b"wordpl-answer", _TWO.pack(trial, 0)) * n >> 64

    def first_guess(self, trial: int, n: int) -> int:
        """Return the index of the first guess that a trial is given, of `n` that can be: uniform in range(n)."""
        return self._whole(b"wordpl-first", _TWO.pack(trial, 0)) * n >> 64

    def noise(self, trial: int, ask: int, length: int) -> list[float]:
        """Return `length` numbers, uniform in [0, 1), for the noise of ask number `ask` of a trial."""
        digest = blake2b(_TWO.pack(trial, ask), key=self._key, person=b"wordpl-noise").digest()  # 64 bytes, 8 for each
        return [(whole >> 11) * 2.0**-53 for whole in unpack_from(f"<{length}Q", digest)]

    def player(self, trial: int, identity: str) -> int:
        """Return the seed of a player's own random stream in a trial: 64 bits."""
        return self._whole(b"wordpl-player", _TWO.pack(trial, 0) + identity.encode())

    def _whole(self, person: bytes, message: bytes) -> int:
        """64 bits."""
        return int.from_bytes(blake2b(message, key=self._key, digest_size=8, person=person).digest(), "little")


def stream(root: int, purpose: str) -> int:
    """Return a seed of 64 bits for one purpose under a root seed; seeds for different purposes are independent."""
    return Seeds(root).player(0, f"stream {purpose}")
