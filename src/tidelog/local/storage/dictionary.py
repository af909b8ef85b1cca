"""Dictionary encoding: each value of a fact has one 32-bit id, for the lifetime of the dictionary.

The kernel encodes and decodes whole Arrow columns; single values take the same path.  While it evaluates expressions, the kernel
adds values itself.
"""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tidelog.core.arrays import Bytes, Int32s, Int64s, resized
from tidelog.core.value_encoding import TEXT_KINDS, key_text, payload_of, value_of_payload, value_of_text
from tidelog.errors import fail
from tidelog.local.kernel import terms
from tidelog.local.storage.budget import MemoryBudget
from tidelog.syntax.printer import Printer
from tidelog.text_limits import LONGEST_TEXT, too_long
from tidelog.values import Kind, Value, text_of

if TYPE_CHECKING:
    import pyarrow as pa

KIND_CODES = {kind: code for code, kind in enumerate(Kind)}
KINDS = tuple(Kind)
MOST_TERMS = 2**31 - 2
_BYTES_A_TERM = 17
"""Its kind, payload, length and hash."""


class Dictionary:
    """Maps values to ids and back."""

    longest = LONGEST_TEXT
    """The most bytes of a text."""

    def __init__(self, budget: MemoryBudget | None = None) -> None:
        """`budget` is asked before the dictionary grows."""
        self.budget = budget or _own_budget(self)
        self.header: Int64s = np.zeros(terms.WIDTH, np.int64)
        """Addresses and sizes of the buffers, for the kernel."""
        self._kinds: Bytes = np.empty(0, np.uint8)
        self._payloads: Int64s = np.empty(0, np.int64)
        self._lengths: Int32s = np.empty(0, np.int32)
        self._hashes: Int32s = np.empty(0, np.int32)
        self._slots: Int32s = np.empty(0, np.int32)
        self._arena: Bytes = np.empty(0, np.uint8)
        self._growing: tuple[Int64s, tuple[Bytes, Int64s, Int32s, Int32s, Int32s, Bytes]] | None = None
        """Larger buffers with the same content, and the header that goes with them."""
        self._known: dict[Value, int] = {}
        self.id_caches: dict[Kind, dict[Any, int]] = {Kind.INT: {}, Kind.STRING: {}}
        """Caches of ids by Python integer and by Python string."""
        self._shares_buffers = False
        """Whether the buffers belong to another dictionary as well: then all of them are copied before anything is added."""
        self._reserve(1024, 1 << 16)

    def __len__(self) -> int:
        return self.header.item(terms.COUNT)

    def reserve(self, count: int, text: int) -> None:
        """Make room for so many values in all, and for so many more bytes of text."""
        self._reserve(count, text)

    @property
    def nbytes(self) -> int:
        """The memory of its buffers."""
        buffers = self._kinds, self._payloads, self._lengths, self._hashes, self._slots, self._arena
        return sum(buffer.nbytes for buffer in buffers)

    def grow(self) -> None:
        """Double the capacity, after the kernel stopped for room."""
        self._reserve(max(1024, 2 * int(self.header[terms.CAPACITY])), 0)

    def _reserve(self, capacity: int, more_text: int) -> None:
        capacity = min(max(capacity, int(self.header[terms.CAPACITY])), MOST_TERMS)
        if capacity <= len(self) == MOST_TERMS:
            fix = "divide the data; nothing has been changed"
            raise fail("TL070", f"there are more than {MOST_TERMS:,} different values", fix=fix)
        self.finish_growing()
        shared = self._shares_buffers
        count = 1 << (2 * capacity - 1).bit_length()
        needed = int(self.header[terms.ARENA_USED]) + more_text
        size = max(needed, 2 * len(self._arena)) if needed > len(self._arena) else len(self._arena)
        more = _BYTES_A_TERM * (capacity - int(self.header[terms.CAPACITY]))
        self.budget.ask(more + 4 * max(0, count - len(self._slots)) + size - len(self._arena))
        kinds, payloads, lengths, hashes = self._kinds, self._payloads, self._lengths, self._hashes
        if capacity > self.header[terms.CAPACITY] or shared:
            kinds, payloads = resized(kinds, capacity), resized(payloads, capacity)
            lengths, hashes = resized(lengths, capacity), resized(hashes, capacity)
        rehash = count > len(self._slots) or shared
        slots = np.zeros(count, np.int32) if rehash else self._slots
        arena = resized(self._arena, size) if size > len(self._arena) or shared else self._arena
        header = self.header.copy()
        header[terms.CAPACITY] = capacity
        header[terms.KINDS], header[terms.PAYLOADS] = kinds.ctypes.data, payloads.ctypes.data
        header[terms.LENGTHS], header[terms.HASHES] = lengths.ctypes.data, hashes.ctypes.data
        header[terms.SLOTS], header[terms.SLOT_COUNT] = slots.ctypes.data, len(slots)
        header[terms.ARENA], header[terms.ARENA_SIZE] = arena.ctypes.data, len(arena)
        if rehash:
            terms.rehash_terms(header)
        self._growing = header, (kinds, payloads, lengths, hashes, slots, arena)
        self.finish_growing()

    def finish_growing(self) -> None:
        """Take over larger buffers, if an exception has come in between; before that, old and new ones hold the same."""
        if self._growing is not None:
            header, buffers = self._growing
            self.header[:] = header
            self._kinds, self._payloads, self._lengths, self._hashes, self._slots, self._arena = buffers
            self._shares_buffers = False
            self._buffers = header, *buffers
            self._growing = None

    # --- for readers in other threads ------------------------------------------------------------------------------------

    def clone(self, count: int | None = None) -> Dictionary:
        """A dictionary with the first `count` values, all by default.  It shares the buffers until a value is added to it.

        Values are appended and never change, so another thread may add values to this dictionary at the same time.
        """
        known = len(self) if count is None else count
        result = Dictionary.__new__(Dictionary)
        result.budget, result.longest = _own_budget(result), self.longest
        result._buffers = header, kinds, payloads, lengths, hashes, slots, arena = self._buffers
        result.header = header.copy()
        result.header[terms.COUNT] = result.header[terms.CAPACITY] = known
        result.header[terms.ARENA_USED] = self.header[terms.ARENA_USED]  # at least what the first values take
        result._kinds, result._payloads = kinds[:known], payloads[:known]
        result._lengths, result._hashes = lengths[:known], hashes[:known]
        result._slots, result._arena = slots, arena
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
        self.finish_growing()
        ids, done = np.empty(len(payloads), np.int32), 0
        while (done := terms.intern_numbers(self.header, KIND_CODES[kind], payloads, ids, done)) < len(ids):
            self.grow()
        return ids

    def encode_texts(self, kind: Kind, offsets: Int64s, data: Bytes) -> Int32s:
        """The ids of texts, concatenated as UTF-8 bytes."""
        self.finish_growing()
        if len(data) > self.longest and len(offsets) > 1 and np.diff(offsets).max() > self.longest:
            raise too_long("a value", self.longest)
        ids, done = np.empty(len(offsets) - 1, np.int32), 0
        code, address = KIND_CODES[kind], data.ctypes.data
        while (done := terms.intern_texts(self.header, code, offsets, address, len(data), ids, done)) < len(ids):
            is_full = 2 * (len(self) + 1) > self.header[terms.SLOT_COUNT] or len(self) >= self.header[terms.CAPACITY]
            if is_full:
                self.grow()
            self._reserve(0 if is_full else len(self) + 1, int(offsets[done + 1] - offsets[done]))
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
        if len(values) <= _A_FEW and len(self.id_caches[kind]) + len(values) <= _MOST_KNOWN:
            self.id_caches[kind].update(zip(values, ids.tolist(), strict=True))
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
        if len(self._known) < _MOST_KNOWN:
            self._known[value] = found
            if value.kind in self.id_caches:
                self.id_caches[value.kind][value.content] = found
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
        cache = self.id_caches[Kind.INT]
        if len(cache) < _MOST_KNOWN:
            cache[value] = found
        return found

    # --- decoding --------------------------------------------------------------------------------------------------------

    def have_kind(self, kind: Kind, ids: Int32s) -> NDArray[np.bool_]:
        """For each id whether its value is of a kind."""
        result: NDArray[np.bool_] = self._kinds[ids] == KIND_CODES[kind]
        return result

    def payloads_of(self, ids: Int32s) -> Int64s:
        """The 64-bit payloads of some ids."""
        return self._payloads[ids]

    def kinds_of(self, ids: Int32s) -> list[Kind]:
        """The kinds among the values."""
        return [KINDS[code] for code in np.flatnonzero(np.bincount(self._kinds[ids]))] if len(ids) else []

    def decode_column(self, ids: Int32s) -> pa.Array:
        """The values as an Arrow array: of the kind's own type if they are all of one kind, else as texts."""
        import pyarrow as pa

        kinds = self.kinds_of(ids)
        if not kinds:
            return pa.array([], pa.large_string())
        if len(kinds) > 1 or kinds[0] is Kind.LITERAL:
            distinct, places = self._distinct(ids)
            texts = pa.array([_shown(value) for value in self.values_of(distinct)], pa.large_string())
            return texts.take(pa.array(places))
        match kinds[0]:
            case Kind.STRING | Kind.IRI:
                return self._texts(ids)
            case Kind.FLOAT:
                return pa.array(self._payloads[ids].view(np.float64))
            case Kind.BOOL:
                return pa.array(self._payloads[ids].astype(np.bool_))
            case Kind.DATE:
                return pa.array(self._payloads[ids].astype(np.int32)).cast(pa.date32())
            case Kind.TIMESTAMP:
                return pa.array(self._payloads[ids]).cast(pa.timestamp("us", "UTC"))
        return pa.array(self._payloads[ids])

    def decode_compactly(self, ids: Int32s) -> pa.Array:
        """Like `decode_column`, but texts as an Arrow dictionary array, from which files are written faster."""
        import pyarrow as pa

        if self.kinds_of(ids) not in ([Kind.STRING], [Kind.IRI]):
            return self.decode_column(ids)
        distinct, places = self._distinct(ids)
        return pa.DictionaryArray.from_arrays(pa.array(places), self._texts(distinct))

    def _texts(self, ids: Int32s) -> pa.Array:
        import pyarrow as pa

        offsets = np.zeros(len(ids) + 1, np.int64)
        np.cumsum(self._lengths[ids], out=offsets[1:])
        data = np.empty(int(offsets[-1]), np.uint8)
        buffers = self._buffers  # keeps them alive, where another thread lets the dictionary grow
        terms.gather_texts(buffers[0], np.ascontiguousarray(ids), offsets, data)
        return pa.Array.from_buffers(pa.large_string(), len(ids), [None, pa.py_buffer(offsets), pa.py_buffer(data)])

    def values_of(self, ids: Int32s) -> list[Value]:
        """The values of some ids, each as a new object; ids should be distinct."""
        return [self._value(int(i)) for i in ids]

    def objects_of(self, ids: Int32s) -> NDArray[np.object_]:
        """The Python objects of ids; equal ids share one object."""
        distinct, places = self._distinct(ids)
        objects = np.empty(len(distinct), object)
        objects[:] = [self._value(int(i)).content for i in distinct]
        return objects[places]

    def _distinct(self, ids: Int32s) -> tuple[Int32s, Int32s]:
        """The distinct ids, and for each id its position among them."""
        if len(self) > 8 * len(ids):
            distinct, places = np.unique(ids, return_inverse=True)
            return distinct, places.astype(np.int32)
        place_of = np.zeros(len(self), np.int32)
        place_of[ids] = 1
        distinct = np.flatnonzero(place_of).astype(np.int32)
        place_of[distinct] = np.arange(len(distinct), dtype=np.int32)
        return distinct, place_of[ids]

    def _value(self, at: int) -> Value:
        kind, payload = KINDS[self._kinds[at]], int(self._payloads[at])
        if kind in TEXT_KINDS:
            return value_of_text(kind, self._arena[payload : payload + int(self._lengths[at])].tobytes().decode())
        return value_of_payload(kind, payload)

    # --- content and keys ------------------------------------------------------------------------------------------------

    def content_of(self, kind: Kind, ids: Int32s) -> pa.Array:
        """What tells the values of one kind apart, as an Arrow array: texts, or 64-bit payloads."""
        import pyarrow as pa

        return self._texts(ids) if kind in TEXT_KINDS else pa.array(self._payloads[ids])

    def encode_content(self, kind: Kind, content: pa.Array) -> Int32s:
        """The ids of the values of one kind with that content."""
        import pyarrow as pa

        if kind not in TEXT_KINDS:
            return self.encode_numbers(kind, content.cast(pa.int64()).to_numpy(zero_copy_only=False))
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


_NO_TEXT = np.zeros(1, np.int64)
_MOST_KNOWN = 100_000
_BEYOND = 1 << 63
_A_FEW = 1_000
"""Larger batches are not cached: few of their values will be looked up singly."""


def _own_budget(terms: Dictionary) -> MemoryBudget:
    """The budget of a dictionary alone, without a cycle of references, in which its buffers would outlive it."""
    owner = weakref.proxy(terms)
    return MemoryBudget(lambda: owner.nbytes)


def _shown(value: Value) -> str:
    """The text of a value in a column of several kinds: as `string` gives it; RDF literals as a program writes them."""
    return Printer().value(value) if value.kind is Kind.LITERAL else text_of(value)
