"""The values of a dictionary by their ids: kinds, payloads and texts, in buffers that Python owns and grows.

Ids become values here, whole Arrow columns at a time; how values become ids is in `dictionary`.
"""

from __future__ import annotations

import weakref
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tidelog.core.arrays import Bytes, Int32s, Int64s, resized
from tidelog.core.value_encoding import TEXT_KINDS, value_of_payload, value_of_text
from tidelog.errors import fail
from tidelog.local.kernel import terms
from tidelog.local.storage.budget import DROPPED, MemoryBudget
from tidelog.syntax.printer import Printer
from tidelog.text_limits import LONGEST_TEXT
from tidelog.values import Kind, Value, iris_of, text_of

if TYPE_CHECKING:
    import pyarrow as pa

KIND_CODES = {kind: code for code, kind in enumerate(Kind)}
KINDS = tuple(Kind)
MOST_TERMS = 2**31 - 2
_VERY_FEW = 6
_BYTES_A_TERM = 17
"""Its kind, payload, length and hash."""
_MOST_A_TERM = _BYTES_A_TERM + 16
"""With its slots, of which at most four are made for one."""


class TermBuffers:
    """The values by their ids: the base of `Dictionary`."""

    longest = LONGEST_TEXT
    """The most bytes of a text."""

    def __init__(self, budget: MemoryBudget | None = None) -> None:
        """`budget` is asked before the dictionary grows."""
        self.budget = budget or own_budget(self)
        self.header: Int64s = np.zeros(terms.WIDTH, np.int64)
        """Addresses and sizes of the buffers, for the kernel."""
        self._kinds: Bytes = np.empty(0, np.uint8)
        self._payloads: Int64s = np.empty(0, np.int64)
        self._lengths: Int32s = np.empty(0, np.int32)
        self._hashes: Int32s = np.empty(0, np.int32)
        self._slots: Int32s = np.empty(0, np.int32)
        self._arena: Bytes = np.empty(0, np.uint8)
        self._direct: Int32s = np.zeros(0, np.int32)
        self._growing: tuple[Int64s, tuple[Bytes, Int64s, Int32s, Int32s, Int32s, Bytes, Int32s]] | None = None
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
        buffers = self._kinds, self._payloads, self._lengths, self._hashes, self._slots, self._arena, self._direct
        return sum(buffer.nbytes for buffer in buffers)

    def grow(self, expected: int = 0) -> None:
        """Double the capacity, after the kernel stopped for room, or make room for more values that are expected.

        Expected are at most eight times as many as there are: the first values of a file may all be new, and none of the rest.
        """
        known = int(self.header[terms.CAPACITY])
        wanted = min(known + expected, 8 * known)
        self._reserve(max(1024, 2 * known, wanted if self.budget.has_room(_MOST_A_TERM * wanted) else 0), 0)

    def _reserve(self, capacity: int, more_text: int, direct_count: int = 0) -> None:
        capacity = min(max(capacity, int(self.header[terms.CAPACITY])), MOST_TERMS)
        if capacity <= len(self) == MOST_TERMS:
            fix = "divide the data; nothing has been changed"
            raise fail("TL070", f"there are more than {MOST_TERMS:,} different values", fix=fix)
        self.finish_growing()
        shared = self._shares_buffers
        count = 1 << (2 * capacity - 1).bit_length()
        needed = int(self.header[terms.ARENA_USED]) + more_text
        size = max(needed, 2 * len(self._arena)) if needed > len(self._arena) else len(self._arena)
        direct_count = max(direct_count, len(self._direct))
        more = _BYTES_A_TERM * (capacity - int(self.header[terms.CAPACITY]))
        more += 4 * (max(0, count - len(self._slots)) + direct_count - len(self._direct))
        self.budget.ask(more + size - len(self._arena))
        kinds, payloads, lengths, hashes = self._kinds, self._payloads, self._lengths, self._hashes
        if capacity > self.header[terms.CAPACITY] or shared:
            kinds, payloads = resized(kinds, capacity), resized(payloads, capacity)
            lengths, hashes = resized(lengths, capacity), resized(hashes, capacity)
        rehash = count > len(self._slots) or shared
        slots = np.zeros(count, np.int32) if rehash else self._slots
        arena = resized(self._arena, size) if size > len(self._arena) or shared else self._arena
        redirect = direct_count > len(self._direct) or shared
        direct = np.zeros(direct_count, np.int32) if redirect else self._direct
        DROPPED.note(self.nbytes)
        header = self.header.copy()
        header[terms.CAPACITY] = capacity
        header[terms.KINDS], header[terms.PAYLOADS] = kinds.ctypes.data, payloads.ctypes.data
        header[terms.LENGTHS], header[terms.HASHES] = lengths.ctypes.data, hashes.ctypes.data
        header[terms.SLOTS], header[terms.SLOT_COUNT] = slots.ctypes.data, len(slots)
        header[terms.ARENA], header[terms.ARENA_SIZE] = arena.ctypes.data, len(arena)
        header[terms.DIRECT], header[terms.DIRECT_COUNT] = direct.ctypes.data, len(direct)
        if redirect:
            terms.fill_direct(header)
        if rehash:
            terms.rehash_terms(header)
        self._growing = header, (kinds, payloads, lengths, hashes, slots, arena, direct)
        self.finish_growing()

    def finish_growing(self) -> None:
        """Take over larger buffers, if an exception has come in between; before that, old and new ones hold the same."""
        if self._growing is not None:
            header, buffers = self._growing
            self.header[:] = header
            self._kinds, self._payloads, self._lengths, self._hashes, self._slots, self._arena, self._direct = buffers
            self._shares_buffers = False
            self._buffers = header, *buffers
            self._growing = None

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

        offsets, data = self._gathered(ids)
        return pa.Array.from_buffers(pa.large_string(), len(ids), [None, pa.py_buffer(offsets), pa.py_buffer(data)])

    def _gathered(self, ids: Int32s) -> tuple[Int64s, Bytes]:
        """The texts of ids as bytes, one behind the other, and where each begins."""
        offsets = np.zeros(len(ids) + 1, np.int64)
        np.cumsum(self._lengths[ids], out=offsets[1:])
        data = np.empty(int(offsets[-1]), np.uint8)
        buffers = self._buffers  # keeps them alive, where another thread lets the dictionary grow
        terms.gather_texts(buffers[0], np.ascontiguousarray(ids), offsets, data)
        return offsets, data

    def values_of(self, ids: Int32s) -> list[Value]:
        """The values of some ids, each as a new object; ids should be distinct."""
        return [self._value(int(i)) for i in ids]

    def objects_of(self, ids: Int32s) -> NDArray[np.object_]:
        """The Python objects of ids; equal ids share one object, but for very few."""
        objects = np.empty(len(ids), object)
        if len(ids) <= _VERY_FEW:
            objects[:] = [self._value(at).content for at in ids.tolist()]
            return objects
        distinct, places = self._distinct(ids)
        return self._contents(distinct)[places]

    def _contents(self, ids: Int32s) -> NDArray[np.object_]:
        """The Python objects of different ids, those of one kind together."""
        objects, kinds = np.empty(len(ids), object), self._kinds[ids]
        for code in np.flatnonzero(np.bincount(kinds)).tolist():
            kind, mine = KINDS[code], kinds == code
            some = ids if mine.all() else ids[mine]
            content = np.empty(len(some), object)
            match kind:
                case Kind.STRING:
                    content[:] = self._strings(some)
                case Kind.IRI:
                    content[:] = iris_of(self._strings(some))
                case Kind.INT:
                    content[:] = self._payloads[some].tolist()
                case _:
                    content[:] = [self._value(at).content for at in some.tolist()]
            objects[mine] = content
        return objects

    def _strings(self, ids: Int32s) -> list[str]:
        """The texts of ids."""
        offsets, data = self._gathered(ids)
        raw, bounds = data.tobytes(), offsets.tolist()
        if raw.isascii():
            whole = raw.decode("ascii")
            return [whole[begin:end] for begin, end in pairwise(bounds)]
        return [raw[begin:end].decode() for begin, end in pairwise(bounds)]

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

    def content_of(self, kind: Kind, ids: Int32s) -> pa.Array:
        """What tells the values of one kind apart, as an Arrow array: texts, or 64-bit payloads."""
        import pyarrow as pa

        return self._texts(ids) if kind in TEXT_KINDS else pa.array(self._payloads[ids])


def own_budget(terms: TermBuffers) -> MemoryBudget:
    """The budget of a dictionary alone, without a cycle of references, in which its buffers would outlive it."""
    owner = weakref.proxy(terms)
    return MemoryBudget(lambda: owner.nbytes)


def _shown(value: Value) -> str:
    """The text of a value in a column of several kinds: as `string` gives it; RDF literals as a program writes them."""
    return Printer().value(value) if value.kind is Kind.LITERAL else text_of(value)
