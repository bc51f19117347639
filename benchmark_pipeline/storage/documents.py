"""The raw document store: bodies as received, addressed by their SHA-256, compressed, never changed.

A body that is stored once is never downloaded again, and parsing again reads from here.
"""

from __future__ import annotations

import hashlib

import zstandard

from benchmark_pipeline.errors import CorruptFileError

from .files import filesystem, write_bytes


class DocumentStore:
    """Content-addressed bodies below `<root>/documents/sha256/ab/<sha256>.zst`."""

    def __init__(self, root: str) -> None:
        self._root = root
        self._fs, base = filesystem(root)
        self._base = f"{base}/documents/sha256"

    def __reduce__(self) -> tuple[type[DocumentStore], tuple[str]]:
        """A store is sent to another process as its root: connections are not."""
        return DocumentStore, (self._root,)

    def path(self, sha256: str) -> str:
        """Where the body with this hash is kept."""
        return f"{self._base}/{sha256[:2]}/{sha256}.zst"

    def __contains__(self, sha256: str) -> bool:
        return bool(self._fs.exists(self.path(sha256)))

    def put(self, body: bytes) -> str:
        """Stores a body and returns its SHA-256; a body already there is left alone."""
        sha256 = hashlib.sha256(body).hexdigest()
        if sha256 not in self:
            write_bytes(self._fs, self.path(sha256), zstandard.ZstdCompressor(level=9).compress(body))
        return sha256

    def get(self, sha256: str) -> bytes:
        """The body with this hash.

        Raises:
            CorruptFileError: the file is missing, cannot be decompressed, or is another body.
        """
        path = self.path(sha256)
        remedy = f"delete {path} if it exists, then materialize raw_filings again: it fetches only what is missing"
        try:
            body = zstandard.ZstdDecompressor().decompress(self._fs.cat_file(path))
        except FileNotFoundError as error:
            raise CorruptFileError(f"document {sha256} is not in the store ({path})", remedy=remedy) from error
        except zstandard.ZstdError as error:
            raise CorruptFileError(f"stored document {path} cannot be decompressed: {error}", remedy=remedy) from error
        if hashlib.sha256(body).hexdigest() != sha256:
            raise CorruptFileError(f"stored document {path} does not match its name", remedy=remedy)
        return body
