"""Places of terms: given once, found again, and refused where there is no room."""

from __future__ import annotations

import numpy as np

from tidelog.local.kernel.rows import term_places as kernel
from tidelog.local.kernel.tiers.plain_numpy import View
from tidelog.local.storage.pairs.places import Places


def test_ids_get_the_next_places() -> None:
    places = Places(10, 4)
    assert kernel.place_terms(places.words, np.array([(7, 3), (-8, 9)], np.int32))
    assert places.ids.tolist() == [7, 3, 9], "a removed row is that of 7"
    words = places.words.view(View)
    assert [kernel.place_in(words, at) for at in (7, 3, 9, 0, 10, 1 << 30)] == [0, 1, 2, -1, -1, -1]


def test_without_room_there_are_no_places() -> None:
    places = Places(10, 2)
    words = places.words.view(View)
    assert [kernel.settle_in(words, at) for at in (1, 10, 2, 3, 1)] == [0, -1, 1, -1, 0]
    assert not kernel.place_terms(places.words, np.array([(1, 2), (2, 5)], np.int32))
    places.make_room(20)
    assert kernel.settle_in(words, 15) == 2
