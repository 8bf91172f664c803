"""Named random streams. Every draw belongs to a stream named by a seed and labels, so that adding
a draw somewhere never moves another one, and the same labels give the same numbers anywhere.
"""

import hashlib

import numpy as np

from firebreak.checks import fail


def generator(seed: int, *labels: str | int) -> np.random.Generator:
    """A PCG64 generator for the stream (seed, *labels).

    Labels are hashed with BLAKE2b, so streams of different labels are independent for all
    practical purposes and do not depend on the process's hash seed.

    Raises:
        InputError: the seed is below 0.
    """
    if seed < 0:
        raise fail(expected="a seed of 0 or more", given=f"{seed}", where="seed",
                   remedy="choose another one")
    text = "\x1f".join(f"{type(label).__name__}:{label}" for label in labels)
    digest = hashlib.blake2b(text.encode(), digest_size=16).digest()
    words = np.frombuffer(digest, dtype="<u4").tolist()
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence([seed, *words])))


def integer_seed(seed: int, *labels: str | int) -> int:
    """A 63-bit seed for the stream (seed, *labels), for libraries that want an int."""
    return int(generator(seed, *labels).integers(0, 2**63 - 1))
