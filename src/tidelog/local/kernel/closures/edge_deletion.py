"""Deletion of edges from a closure: rows of bits lose bits, and components fall apart.  `W` and `scratch`: see `next_version`."""

from __future__ import annotations

import numpy as np

from tidelog.core.arrays import Bytes, Int32s, Int64s, UInt64s
from tidelog.local.kernel.build import kernel, part
from tidelog.local.kernel.closures import next_version as version
from tidelog.local.kernel.closures import virtual_access as virtual
from tidelog.local.kernel.closures.graphs import strong_components
from tidelog.local.kernel.closures.virtual_access import bits_of_rows, component_of, components_of, lists_at, node_of
from tidelog.local.kernel.memory import ZERO, ones_in

Heap = tuple[Int64s, Int32s, Bytes, Bytes]
"""Components whose rows are to be computed again: keys and components; for every component whether it is queued, whether it is
a part of a component that was split."""


@kernel
def delete_edges(W: Int64s, scratch: Int64s, source: Int32s, target: Int32s, H: Heap, size: int) -> bool:
    """Edges between nodes were deleted: compute the rows of bits again that depend on them, until rows stay what they were.

    The heap holds already what `split_components` has pushed.  A component reached more, itself included, than any component
    that it reaches; so the number of bits in its old row is an order in which each row follows those that it depends on.
    """
    _, heap, _, is_part = H
    for i in range(len(source)):
        u, v = component_of(W, np.int64(source[i])), component_of(W, np.int64(target[i]))
        if u != v:
            size = _push(W, scratch, H, size, u)
    rows, words, bits = version.rows_of(W, scratch), W[virtual.WORDS], bits_of_rows(W)
    found = np.empty(words, np.uint64)
    while size > 0:
        c = np.int64(heap[0])
        size = _pop(H, size)
        _find_row(W, scratch, c, found)
        at, is_same, is_empty = np.int64(rows[c]) * words, True, True
        for w in range(words):
            is_same &= bits[at + w] == found[w]
            is_empty &= found[w] == ZERO
        if is_same and is_part[c] == 0:
            continue
        if not is_same:
            new = np.int64(0) if is_empty else version.new_row(W, scratch)
            if new < 0 or scratch[version.WORK] < 0:
                return False
            if not is_empty:
                for w in range(words):
                    bits[new * words + w] = found[w]
            rows[c] = new
        size = _push_before(W, scratch, H, size, c)
    return True


@part
def _find_row(W: Int64s, scratch: Int64s, own: int, found: UInt64s) -> None:
    """Compute what a component reaches, from the rows of those that its edges lead to."""
    rows, words, bits = version.rows_of(W, scratch), W[virtual.WORDS], bits_of_rows(W)
    begin, stop, members = version.members_of(W, scratch)
    start, end, to = lists_at(W, virtual.STEP_START, W[virtual.NODE_COUNT])
    for w in range(words):
        found[w] = ZERO
    for m in range(begin[own], stop[own]):
        node = node_of(W, np.int64(members[m]))
        scratch[version.WORK] -= end[node] - start[node]
        for e in range(start[node], end[node]):
            v = component_of(W, np.int64(to[e]))
            if version.is_set(found, 0, v):
                continue
            if v != own:
                at = np.int64(rows[v]) * words
                for w in range(words):
                    found[w] |= bits[at + w]
                scratch[version.WORK] -= words
            version.set_bit(found, 0, v)


@kernel
def stay_together(W: Int64s, source: Int32s, target: Int32s) -> bool:
    """Whether the ends of all deleted edges inside components are still connected, so that no component falls apart."""
    marks, queue = np.zeros(W[virtual.NODE_COUNT], np.uint8), np.empty(2 * W[virtual.NODE_COUNT], np.int32)
    begin, stop, _ = lists_at(W, virtual.MEMBER_START, W[virtual.COMPONENT_COUNT])
    for i in range(len(source)):
        c = component_of(W, np.int64(source[i]))
        if c != component_of(W, np.int64(target[i])):
            continue
        if source[i] == target[i]:
            if stop[c] - begin[c] == 1:
                return False
        elif not _has_way(W, np.int64(source[i]), np.int64(target[i]), marks, queue):
            return False
    return True


@part
def _has_way(W: Int64s, source: int, target: int, marks: Bytes, queue: Int32s) -> bool:
    """Whether a path leads from a node to another one of its component: from both ends, first where fewer edges were followed."""
    ahead, behind = lists_at(W, virtual.STEP_START, W[virtual.NODE_COUNT]), lists_at(W, virtual.BACK_START, W[virtual.NODE_COUNT])
    component, last, is_found = components_of(W), len(queue) - 1, False
    queue[0], queue[last], marks[source], marks[target] = source, target, 1, 2
    at, found, work, back_at, back_found, back_work = 0, 1, np.int64(0), 0, 1, np.int64(0)
    while at < found and back_at < back_found and not is_found:
        is_forward = work <= back_work
        node = np.int64(queue[at] if is_forward else queue[last - back_at])
        start, end, to = ahead if is_forward else behind
        own, other = (1, 2) if is_forward else (2, 1)
        for e in range(start[node], end[node]):
            reached = to[e]
            if component[reached] != component[source] or marks[reached] == own:
                continue
            if marks[reached] == other:
                is_found = True
                break
            marks[reached] = own
            if is_forward:
                queue[found] = reached
                found += 1
            else:
                queue[last - back_found] = reached
                back_found += 1
        if is_forward:
            at, work = at + 1, work + 1 + end[node] - start[node]
        else:
            back_at, back_work = back_at + 1, back_work + 1 + end[node] - start[node]
    for i in range(found):
        marks[queue[i]] = 0
    for i in range(back_found):
        marks[queue[last - i]] = 0
    return is_found


@kernel
def split_components(W: Int64s, scratch: Int64s, source: Int32s, target: Int32s, H: Heap) -> int:
    """Search components again that lost an edge inside, and push their parts; the size of the heap, -1 to give up."""
    is_part = H[3]
    begin, stop, members = version.members_of(W, scratch)
    touched, count, total = np.empty(len(source), np.int32), 0, np.int64(0)
    for i in range(len(source)):
        c = component_of(W, np.int64(source[i]))
        if c == component_of(W, np.int64(target[i])) and is_part[c] == 0:
            is_part[c] = 1
            touched[count] = c
            count += 1
            total += stop[c] - begin[c]
    if count == 0:
        return np.int64(0)
    nodes, at = np.empty(total, np.int32), 0
    start, end, to = lists_at(W, virtual.STEP_START, W[virtual.NODE_COUNT])
    for i in range(count):
        is_part[touched[i]] = 0
        for m in range(begin[touched[i]], stop[touched[i]]):
            nodes[at] = node_of(W, np.int64(members[m]))
            scratch[version.WORK] -= 1 + end[nodes[at]] - start[nodes[at]]
            at += 1
    if scratch[version.WORK] < 0:
        return np.int64(-1)
    component, parts = components_of(W), np.empty(W[virtual.NODE_COUNT], np.int32)
    found = strong_components(start, end, to, nodes, component, parts)
    sizes, size, at = np.zeros(found, np.int64), np.int64(0), 0
    for i in range(total):
        sizes[parts[nodes[i]]] += 1
    for i in range(count):
        c = np.int64(touched[i])
        length = stop[c] - begin[c]
        if length > 1 and sizes[parts[nodes[at]]] == length:
            at += length
            continue  # still a component
        if length == 1:
            size = _push(W, scratch, H, size, c)
        else:
            size = _split_component(W, scratch, H, size, c, nodes[at : at + length], parts, sizes)
            if size < 0:
                return size
        at += length
    return size


@part
def _split_component(W: Int64s, scratch: Int64s, H: Heap, size: int, c: int, nodes: Int32s, parts: Int32s, sizes: Int64s) -> int:
    """Make the parts of a component components: the largest keeps its number, and all are pushed; the size of the heap, or -1."""
    is_part = H[3]
    rows, component = version.rows_of(W, scratch), components_of(W)
    begin, stop, members = version.members_of(W, scratch)
    lowest, highest = np.int64(parts[nodes[0]]), np.int64(parts[nodes[0]])
    for i in range(len(nodes)):
        lowest, highest = min(lowest, np.int64(parts[nodes[i]])), max(highest, np.int64(parts[nodes[i]]))
    largest = lowest
    for p in range(lowest, highest + 1):
        if sizes[p] > sizes[largest]:
            largest = np.int64(p)
    new_count = W[virtual.COMPONENT_COUNT] + highest - lowest
    if scratch[version.USED_MEMBERS] + len(nodes) > len(members) or new_count > scratch[version.COLUMNS]:
        return np.int64(-1)
    old_begin, key = begin[c], _key(W, scratch, c)
    numbers, place = np.empty(highest - lowest + 1, np.int64), np.empty(highest - lowest + 1, np.int64)
    for p in range(lowest, highest + 1):
        number = c if p == largest else W[virtual.COMPONENT_COUNT]
        W[virtual.COMPONENT_COUNT] += number != c
        numbers[p - lowest], place[p - lowest] = number, scratch[version.USED_MEMBERS]
        rows[number] = rows[c]
        begin[number] = scratch[version.USED_MEMBERS]
        scratch[version.USED_MEMBERS] += sizes[p]
        stop[number] = scratch[version.USED_MEMBERS]
        is_part[number] = 1
        size = _enter(H, size, number, key + p - lowest)  # a part reaches none that Tarjan numbers later
    for i in range(len(nodes)):
        p = parts[nodes[i]] - lowest
        members[place[p]] = members[old_begin + i]
        place[p] += 1
        component[nodes[i]] = numbers[p]
    W[virtual.IS_SIMPLE] = 0
    return size


# --- the heap ------------------------------------------------------------------------------------------------------------


@part
def _key(W: Int64s, scratch: Int64s, component: int) -> int:
    """How many components one reaches, itself included; the low bits are free for the order of parts."""
    scratch[version.WORK] -= W[virtual.WORDS]
    bits, at, count = bits_of_rows(W), np.int64(version.rows_of(W, scratch)[component]) * W[virtual.WORDS], np.int64(0)
    for w in range(W[virtual.WORDS]):
        count += ones_in(bits[at + w])
    if not version.is_set(bits, at, component):
        count += 1
    return count << 32


@part
def _push(W: Int64s, scratch: Int64s, H: Heap, size: int, component: int) -> int:
    """Push a component unless it is in the heap; the size of the heap."""
    if H[2][component] != 0:
        return size
    return _enter(H, size, component, _key(W, scratch, component))


@part
def _push_before(W: Int64s, scratch: Int64s, H: Heap, size: int, component: int) -> int:
    """Push all components that an edge leads from to this one; the size of the heap."""
    begin, stop, members = version.members_of(W, scratch)
    start, end, to = lists_at(W, virtual.BACK_START, W[virtual.NODE_COUNT])
    for m in range(begin[component], stop[component]):
        node = node_of(W, np.int64(members[m]))
        scratch[version.WORK] -= end[node] - start[node]
        for e in range(start[node], end[node]):
            size = _push(W, scratch, H, size, component_of(W, np.int64(to[e])))
    return size


@part
def _enter(H: Heap, size: int, component: int, key: int) -> int:
    """Insert a component with its key; the size of the heap."""
    keys, heap, is_queued, _ = H
    is_queued[component] = 1
    at = np.int64(size)
    while at > 0 and keys[(at - 1) >> 1] > key:
        keys[at], heap[at] = keys[(at - 1) >> 1], heap[(at - 1) >> 1]
        at = (at - 1) >> 1
    keys[at], heap[at] = key, component
    return size + 1


@part
def _pop(H: Heap, size: int) -> int:
    """Remove the component with the smallest key; the size of the heap."""
    keys, heap, _, _ = H
    size -= 1
    key, component, at = keys[size], heap[size], np.int64(0)
    while 2 * at + 1 < size:
        child = 2 * at + 1
        if child + 1 < size and keys[child + 1] < keys[child]:
            child += 1
        if keys[child] >= key:
            break
        keys[at], heap[at] = keys[child], heap[child]
        at = child
    keys[at], heap[at] = key, component
    return size
