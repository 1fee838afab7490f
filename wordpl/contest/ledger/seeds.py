"""What binds both sides of a contest: seeds that nobody can choose.

The organiser draws one secret when the contest begins and publishes its hash. The secret of an entry is an HMAC
(RFC 2104) of the entry's number under it, and the seed of a run hashes that secret together with a nonce of the
participant and everything that determines the run. So neither side can try several seeds without leaving a trace.
"""

import hashlib
import hmac
import re
from collections.abc import Mapping
from datetime import UTC, datetime

from wordpl.base.errors import WordplError
from wordpl.base.sanitizing import visible
from wordpl.contest.ledger.cells import canonical

LONGEST_NONCE = 200
SECRET = re.compile("[0-9a-f]{64}")
"""The form of a secret."""


def now() -> str:
    """The time, as the ledger has it: UTC, ISO 8601."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def digest(purpose: str, text: str) -> str:
    """SHA-256 of a text, as 64 hexadecimal digits. Hashes for different purposes never agree."""
    return hashlib.sha256(f"wordpl contest {purpose}\n{text}".encode()).hexdigest()


def commitment(secret: str) -> str:
    """Return the hash that is published before the secret is used."""
    return digest("commitment", secret)


def entry_secret(secret: str, number: int) -> str:
    """The secret of the entry with this number: HMAC-SHA256 under the contest's secret, as 64 hexadecimal digits."""
    return hmac.new(bytes.fromhex(secret), f"wordpl contest entry {number}".encode(), hashlib.sha256).hexdigest()


def scoring_seed(secret: str, terms: Mapping[str, object]) -> int:
    """The root seed of a run, 256 bits, from the entry's secret and everything else that determines the run."""
    return int(digest("seed", canonical({"secret": secret, "terms": dict(terms)})), 16)


def check_nonce(nonce: str) -> str:
    """`nonce` if it is 1 to 200 visible characters on one line; raises `WordplError` if not."""
    if not 0 < len(nonce) <= LONGEST_NONCE or visible(nonce, LONGEST_NONCE) != nonce:
        raise WordplError(f"nonce {visible(nonce, 40)!r} is not allowed; 1 to {LONGEST_NONCE} visible characters are")
    return nonce
