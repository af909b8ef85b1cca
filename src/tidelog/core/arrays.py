"""The array types that both engines share."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Int32s = NDArray[np.int32]
Int64s = NDArray[np.int64]
UInt64s = NDArray[np.uint64]
Bytes = NDArray[np.uint8]
Rows = NDArray[np.int32]
"""Facts of one relation: a row of dictionary ids for each."""
