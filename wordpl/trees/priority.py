"""How likely a word is to be chosen as an answer, by how common it is in English."""

from __future__ import annotations

from collections.abc import Mapping

from wordpl.errors import MissingExtraError
from wordpl.model.words import WordList


def word_priority(words: WordList) -> Mapping[str, float]:
    """Return the Zipf frequency of each guess in English: 0 for an unknown word, up to about 7 (base-10 log per 10**9).

    It comes from the package `wordfreq` (extra `priority`). Raises `MissingExtraError` if that is not installed.
    """
    try:
        from wordfreq import zipf_frequency
    except ImportError:
        raise MissingExtraError("word priorities need the extra 'priority': pip install 'wordpl[priority]'") from None
    return {word: zipf_frequency(word, "en") for word in words.guesses}
