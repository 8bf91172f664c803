"""Smooth random fields: white noise shaped in the frequency domain to a power law with a knee.

Above the knee (the correlation length) the field is white, below it the amplitude falls with the
wave number to the power of the exponent: about 1.5 gives ragged, 3 gives rounded patches.
"""

import numpy as np
import scipy.fft
from numpy.typing import NDArray


def power_law_noise(rng: np.random.Generator, count: int, shape: tuple[int, int], *,
                    correlation_cells: float, exponent: float, stretch: float = 1.0,
                    angle_rad: float = 0.0) -> NDArray[np.float64]:
    """`count` independent fields of mean 0 and variance 1, float64 [count, rows, cols].

    Args:
        rng: the stream to draw from.
        count: number of fields.
        shape: (rows, columns).
        correlation_cells: wavelength of the knee, in cells, > 0.
        exponent: fall of the amplitude below the knee, > 0.
        stretch: length of features along `angle_rad` over their width, >= 1.
        angle_rad: direction of the long axis, from east towards south.
    """
    rows, cols = shape
    # The transform is periodic: a margin keeps opposite edges of the map from matching.
    margin = int(min(2.0 * correlation_cells * stretch, max(shape))) + 1
    padded = (scipy.fft.next_fast_len(rows + margin, real=True),
              scipy.fft.next_fast_len(cols + margin, real=True))
    gain = _gain(padded, correlation_cells, exponent, stretch, angle_rad)
    white = rng.standard_normal((count, *padded))
    field = scipy.fft.irfft2(scipy.fft.rfft2(white) * gain, s=padded)[:, :rows, :cols]
    return standardise(field)


def _gain(shape: tuple[int, int], correlation_cells: float, exponent: float, stretch: float,
          angle_rad: float) -> NDArray[np.float64]:
    south = scipy.fft.fftfreq(shape[0])[:, None]
    east = scipy.fft.rfftfreq(shape[1])[None, :]
    along = np.cos(angle_rad) * east + np.sin(angle_rad) * south
    across = np.cos(angle_rad) * south - np.sin(angle_rad) * east
    knee_waves = correlation_cells**2 * (stretch * along**2 + across**2 / stretch)
    gain = (1.0 + knee_waves) ** (-0.5 * exponent)
    gain[0, 0] = 0.0
    return gain


def standardise(field: NDArray[np.float64]) -> NDArray[np.float64]:
    """Each map of [..., rows, cols] brought to mean 0 and variance 1; a constant map to 0."""
    centred = field - field.mean(axis=(-2, -1), keepdims=True)
    spread = np.sqrt(np.mean(centred**2, axis=(-2, -1), keepdims=True))
    return centred / np.where(spread > 0, spread, 1.0)
