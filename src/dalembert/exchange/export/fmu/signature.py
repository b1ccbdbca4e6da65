"""The signature of a library for macOS, made new after its bytes have changed.

On arm64, macOS loads only signed code. The linker signs without an identity: the last part of the file has a directory
with one hash for every page of the file before it. Apple's loader.h and cs_blobs.h describe the format.

    load commands    32 bytes after the beginning of the file, (command, size, …) in the processor's order
    signature        blobs, all numbers in network order: (magic, length, count), (type, offset) …
    code directory   (magic, length, version, flags, hash offset, identifier offset, special slots, slots, code limit,
                      hash size, hash type, platform, log2 of the page size)
"""

from __future__ import annotations

from hashlib import sha256
from struct import unpack_from

SIGNATURE, DIRECTORY, SHA256 = 0x1D, 0xFADE0C02, 2


def signed(library: bytes) -> bytes:
    """The library with the hashes of its pages as they are now; unchanged if it has no signature."""
    at = _directory(library)
    if at is None:
        return library
    *_, hashes, _, _, slots, limit, size, kind, _, page = unpack_from(">9I4B", library, at)
    if (kind, size) != (SHA256, sha256().digest_size):
        raise ValueError(f"hashes of type {kind} in the signature of a library")
    pages = [library[i << page : min(i + 1 << page, limit)] for i in range(slots)]
    made = b"".join(sha256(part).digest() for part in pages)
    begin = at + hashes
    return library[:begin] + made + library[begin + len(made) :]


def _directory(library: bytes) -> int | None:
    """Where the code directory begins."""
    (count,) = unpack_from("<I", library, 16)
    at = 32
    for _ in range(count):
        command, size = unpack_from("<II", library, at)
        if command == SIGNATURE:
            (begin,) = unpack_from("<I", library, at + 8)
            (blobs,) = unpack_from(">I", library, begin + 8)
            for i in range(blobs):
                (offset,) = unpack_from(">I", library, begin + 16 + 8 * i)
                if unpack_from(">I", library, begin + offset)[0] == DIRECTORY:
                    return begin + offset
        at += size
    return None
