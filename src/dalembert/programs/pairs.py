"""Pairs that several sums (or products) share are made once: the most common first, until no pair occurs twice.

a + b + c,  a + b + d    →    p = a + b,  p + c,  p + d
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from heapq import heapify, heappop, heappush
from itertools import chain, combinations

LONGEST = 48  # a longer set is left unchanged: its pairs grow with the square of its length


def shared_pairs(
    sets: Mapping[int, Sequence[int]], first: int
) -> tuple[dict[int, list[int]], dict[int, tuple[int, int]]]:
    """The sets with pairs in place of their members, and the pairs, which are numbered from `first` on.

    A member that only one set has is in no shared pair. It is left out of the search. A list in which a member is
    repeated is no set, and is left unchanged.
    """
    short = {key: set(parts) for key, parts in sets.items() if 1 < len(parts) == len(set(parts)) <= LONGEST}
    times = Counter(chain.from_iterable(short.values()))
    shared = {key: {part for part in parts if times[part] > 1} for key, parts in short.items()}
    members = {key: parts for key, parts in shared.items() if len(parts) > 1}
    where: dict[tuple[int, int], set[int]] = {}
    for key, parts in members.items():
        for pair in combinations(sorted(parts), 2):
            where.setdefault(pair, set()).add(key)
    heap = [(-len(keys), pair) for pair, keys in where.items() if len(keys) > 1]
    heapify(heap)
    pairs: dict[int, tuple[int, int]] = {}
    while heap:
        count, pair = heappop(heap)
        keys = where[pair]
        if len(keys) < 2:
            continue
        if len(keys) != -count:
            heappush(heap, (-len(keys), pair))
            continue
        name = first + len(pairs)
        pairs[name] = pair
        a, b = pair
        grown: dict[tuple[int, int], int] = {}
        for key in keys:
            parts = members[key]
            parts.discard(a)
            parts.discard(b)
            for other in parts:
                for gone in pair:
                    where[(gone, other) if gone < other else (other, gone)].discard(key)
                made = (other, name)
                where.setdefault(made, set()).add(key)
                grown[made] = grown.get(made, 0) + 1
            parts.add(name)
        where[pair] = set()
        for made, found in grown.items():
            if found > 1:
                heappush(heap, (-found, made))
    alone = {key: {part for part in short[key] if times[part] == 1} for key in members}
    left = {key: members[key] | alone[key] if key in members else short.get(key, parts) for key, parts in sets.items()}
    return {key: sorted(parts) for key, parts in left.items()}, pairs
