"""Dictionary encoding: each value of a fact has one 32-bit id, for the lifetime of the dictionary.

The kernel encodes and decodes whole Arrow columns; single values take the same path.  While it evaluates expressions, the kernel
adds values itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from tidelog.core.arrays import Bytes, Int32s, Int64s
from tidelog.core.value_encoding import TEXT_KINDS, key_text, payload_of
from tidelog.local.kernel import terms
from tidelog.local.storage.term_buffers import KIND_CODES, KINDS, TermBuffers, own_budget
from tidelog.text_limits import too_long
from tidelog.values import Kind, Value

if TYPE_CHECKING:
    import pyarrow as pa


class Dictionary(TermBuffers):
    """Maps values to ids and back."""

    # --- for readers in other threads ------------------------------------------------------------------------------------

    def clone(self, count: int | None = None) -> Dictionary:
        """A dictionary with the first `count` values, all by default.  It shares the buffers until a value is added to it.

        Values are appended and never change, so another thread may add values to this dictionary at the same time.
        """
        known = len(self) if count is None else count
        result = Dictionary.__new__(Dictionary)
        result.budget, result.longest = own_budget(result), self.longest
        result._buffers = header, kinds, payloads, lengths, hashes, slots, arena, direct = self._buffers
        result.header = header.copy()
        result.header[terms.COUNT] = result.header[terms.CAPACITY] = known
        result.header[terms.ARENA_USED] = self.header[terms.ARENA_USED]  # at least what the first values take
        result._kinds, result._payloads = kinds[:known], payloads[:known]
        result._lengths, result._hashes = lengths[:known], hashes[:known]
        result._slots, result._arena, result._direct = slots, arena, direct
        result._known, result.id_caches = {}, {Kind.INT: {}, Kind.STRING: {}}
        result._growing, result._shares_buffers = None, True
        return result

    def find(self, values: Sequence[Value]) -> Int32s | None:
        """The ids of some values, or None if one of them has none; adds nothing, and any thread may call it."""
        clone, ids = self.clone(), np.empty(len(values), np.int32)
        for at, value in enumerate(values):
            code, found = KIND_CODES[value.kind], np.empty(1, np.int32)
            if value.kind in TEXT_KINDS:
                data = np.frombuffer(key_text(value).encode(), np.uint8)
                bounds = np.array([0, len(data)], np.int64)
                done = terms.intern_texts(clone.header, code, bounds, data.ctypes.data, len(data), found, 0)
            else:
                done = terms.intern_numbers(clone.header, code, np.array([payload_of(value)], np.int64), found, 0)
            if not done:
                return None
            ids[at] = found[0]
        return ids

    def only(self, used: Int32s) -> Dictionary:
        """A dictionary of some of the values: that of the id `used[n]` gets the id n."""
        result, count = Dictionary(), len(used)
        result.longest = self.longest
        offsets = np.zeros(count + 1, np.int64)
        np.cumsum(self._lengths[used], out=offsets[1:])  # the length of a number is 0
        size = int(offsets[-1])
        result._reserve(count, size)
        terms.gather_texts(self.header, used, offsets, result._arena[:size])
        is_text = np.isin(self._kinds[used], [KIND_CODES[kind] for kind in TEXT_KINDS])
        result._payloads[:count] = np.where(is_text, offsets[:-1], self._payloads[used])
        result._kinds[:count], result._lengths[:count] = self._kinds[used], self._lengths[used]
        result._hashes[:count] = self._hashes[used]
        result.header[terms.COUNT], result.header[terms.ARENA_USED] = count, size
        terms.rehash_terms(result.header)
        return result

    # --- encoding --------------------------------------------------------------------------------------------------------

    def encode_numbers(self, kind: Kind, payloads: Int64s) -> Int32s:
        """The ids of values that are not texts, by their payloads."""
        if len(payloads) < _MANY:
            return self._encode_each(kind, payloads)
        low, high = int(payloads.min()), int(payloads.max())
        if kind is Kind.INT and low >= 0 and high < _SPREAD * len(payloads) and not self._shares_buffers:
            if high >= len(self._direct) and self.budget.has_room(4 * high):
                self._reserve(0, 0, high + 1)
        elif high - low < _SPREAD * len(payloads):
            return self._encode_range(kind, payloads - low, low, high - low + 1)
        return self._encode_each(kind, payloads)

    def _encode_range(self, kind: Kind, places: Int64s, low: int, size: int) -> Int32s:
        """The ids of many values from a range that is not much larger: each value is looked up once, however often it occurs."""
        ids: Int32s = np.full(size, -1, np.int32)
        ids[places] = 0
        found = np.flatnonzero(ids == 0)
        ids[found] = self._encode_each(kind, found + low)
        return ids[places]

    def _encode_each(self, kind: Kind, payloads: Int64s) -> Int32s:
        self.finish_growing()
        ids, done, before = np.empty(len(payloads), np.int32), 0, len(self)
        while (done := terms.intern_numbers(self.header, KIND_CODES[kind], payloads, ids, done)) < len(ids):
            self.grow(_expected(len(self) - before, done, len(ids)))
        return ids

    def encode_texts(self, kind: Kind, offsets: Int64s, data: Bytes) -> Int32s:
        """The ids of texts, concatenated as UTF-8 bytes."""
        self.finish_growing()
        if len(data) > self.longest and len(offsets) > 1 and np.diff(offsets).max() > self.longest:
            raise too_long("a value", self.longest)
        ids, done, before, used = np.empty(len(offsets) - 1, np.int32), 0, len(self), int(self.header[terms.ARENA_USED])
        code, address = KIND_CODES[kind], data.ctypes.data
        while (done := terms.intern_texts(self.header, code, offsets, address, len(data), ids, done)) < len(ids):
            if 2 * (len(self) + 1) > self.header[terms.SLOT_COUNT] or len(self) >= self.header[terms.CAPACITY]:
                self.grow(_expected(len(self) - before, done, len(ids)))
            else:
                more = _expected(int(self.header[terms.ARENA_USED]) - used, done, len(ids))
                self._reserve(0, max(int(offsets[done + 1] - offsets[done]), min(more, 7 * len(self._arena))))
        return ids

    def _encode_strings(self, kind: Kind, texts: pa.Array) -> Int32s:
        """The ids of texts, as an Arrow array of large strings."""
        _, offsets, data = texts.buffers()
        bounds = np.frombuffer(offsets, np.int64)[texts.offset : texts.offset + len(texts) + 1] if len(texts) else _NO_TEXT
        return self.encode_texts(kind, bounds, np.frombuffer(data, np.uint8) if data else np.empty(0, np.uint8))

    def encode_column(self, kind: Kind, values: pa.Array) -> Int32s:
        """The ids of an Arrow array in the canonical type of its kind, without nulls."""
        import pyarrow as pa

        if kind in (Kind.STRING, Kind.IRI):
            return self._encode_strings(kind, values.cast(pa.large_string()))
        if kind is Kind.FLOAT:
            floats = values.to_numpy(zero_copy_only=False) + 0.0  # turns -0.0 into 0.0
            floats[np.isnan(floats)] = np.nan
            return self.encode_numbers(kind, floats.view(np.int64))
        if kind is Kind.BOOL:
            return self.encode_numbers(kind, values.to_numpy(zero_copy_only=False).astype(np.int64))
        if kind is Kind.DATE:
            values = values.cast(pa.int32())
        return self.encode_numbers(kind, values.cast(pa.int64()).to_numpy(zero_copy_only=False))

    def encode_uniform(self, values: Sequence[Any]) -> Int32s:
        """The ids of Python values that are all integers, or all strings; an error if one is not a value of the language."""
        if type(values[0]) is int:
            kind, ids = Kind.INT, self.encode_numbers(Kind.INT, np.array(values, np.int64))
        else:
            import pyarrow as pa

            kind, ids = Kind.STRING, self.encode_column(Kind.STRING, pa.array(values, pa.large_string()))
        if len(values) <= _A_FEW:
            _with_room(self.id_caches[kind]).update(zip(values, ids.tolist(), strict=True))
        return ids

    def encode(self, values: Sequence[Value]) -> Int32s:
        """The ids of some values."""
        known = self._known
        return np.array([known[v] if v in known else self.encode_one(v) for v in values], np.int32)

    def encode_one(self, value: Value) -> int:
        """The id of a value."""
        if value.kind in TEXT_KINDS:
            data = np.frombuffer(key_text(value).encode(), np.uint8)
            found = int(self.encode_texts(value.kind, np.array([0, len(data)], np.int64), data)[0])
        else:
            found = int(self.encode_numbers(value.kind, np.array([payload_of(value)], np.int64))[0])
        _with_room(self._known)[value] = found
        if value.kind in self.id_caches:
            _with_room(self.id_caches[value.kind])[value.content] = found
        return found

    def encode_int(self, value: int) -> int | None:
        """The id of an integer, by one kernel call; None outside 64 bits."""
        if not -_BEYOND <= value < _BEYOND:
            return None
        self.finish_growing()
        found: int = terms.intern_one(self.header, KIND_CODES[Kind.INT], value)
        while found == terms.FULL:
            self.grow()
            found = terms.intern_one(self.header, KIND_CODES[Kind.INT], value)
        _with_room(self.id_caches[Kind.INT])[value] = found
        return found

    # --- keys -----------------------------------------------------------------------------------------------------------

    def encode_content(self, kind: Kind, content: pa.Array) -> Int32s:
        """The ids of the values of one kind with that content; new ones are in the order of the values, as snapshots want it."""
        import pyarrow as pa

        if kind not in TEXT_KINDS:
            return self._encode_each(kind, content.cast(pa.int64()).to_numpy(zero_copy_only=False))
        return self._encode_strings(kind, content.cast(pa.large_string()))

    def encode_keys(self, keys: pa.Array) -> Int32s:
        """The ids of the values that keys (`core.keys`) stand for."""
        import pyarrow as pa
        import pyarrow.compute as pc

        from tidelog.core.keys import KIND_OF

        ids = np.empty(len(keys), np.int32)
        letters = pc.utf8_slice_codeunits(keys, 0, 1).dictionary_encode()
        codes = letters.indices.to_numpy(zero_copy_only=False)
        for code, letter in enumerate(letters.dictionary.to_pylist()):
            kind, places = KIND_OF[letter], np.flatnonzero(codes == code)
            ids[places] = self.encode_content(kind, pc.utf8_slice_codeunits(keys.take(pa.array(places)), 1))
        return ids

    def decode_keys(self, ids: Int32s) -> pa.Array:
        """The keys of ids, which should be distinct."""
        import pyarrow as pa
        import pyarrow.compute as pc

        from tidelog.core.keys import LETTERS

        keys, codes = np.empty(len(ids), object), self._kinds[ids]
        for code in np.flatnonzero(np.bincount(codes)) if len(ids) else ():
            kind, places = KINDS[code], np.flatnonzero(codes == code)
            content = self.content_of(kind, ids[places])
            joined = pc.binary_join_element_wise(LETTERS[kind], content.cast(pa.string()), "")
            keys[places] = joined.to_numpy(zero_copy_only=False)
        return pa.array(keys, pa.string())


_K = TypeVar("_K")
_NO_TEXT = np.zeros(1, np.int64)
_MOST_KNOWN = 100_000
"""Values in a cache; a full one begins anew, so that it has those of late."""
_BEYOND = 1 << 63
_MANY, _SPREAD = 1_000, 4
"""So many numbers are looked up by their place in a range, if that is at most so many times as long."""
_A_FEW = 1_000
"""Larger batches are not cached: few of their values will be looked up singly."""


def _expected(new: int, done: int, count: int) -> int:
    """How much more is to come, if the rest of so many values is like those that are done."""
    return (new * (count - done) // done) * 33 // 32 if done else 0


def _with_room(cache: dict[_K, int]) -> dict[_K, int]:
    """A cache with room for another value."""
    if len(cache) >= _MOST_KNOWN:
        cache.clear()
    return cache
