"""Connecting to another server than an address names, as `curl --connect-to` does.

Tables keep the address that a document has in its source; the bytes may come from a mirror or a replay server.
"""

from __future__ import annotations

import httpx


class ConnectTo(httpx.AsyncBaseTransport):
    """Sends every request to one server, path and headers unchanged."""

    def __init__(self, server: str, inner: httpx.AsyncBaseTransport) -> None:
        self._server = httpx.URL(server)
        self._inner = inner

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Rewrites scheme, host and port only."""
        request.url = _at(self._server, request.url)
        return await self._inner.handle_async_request(request)

    async def aclose(self) -> None:
        """Closes the transport below."""
        await self._inner.aclose()


class ConnectToSync(httpx.BaseTransport):
    """The same for a client without an event loop."""

    def __init__(self, server: str, inner: httpx.BaseTransport) -> None:
        self._server = httpx.URL(server)
        self._inner = inner

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Rewrites scheme, host and port only."""
        request.url = _at(self._server, request.url)
        return self._inner.handle_request(request)

    def close(self) -> None:
        """Closes the transport below."""
        self._inner.close()


def _at(server: httpx.URL, url: httpx.URL) -> httpx.URL:
    return url.copy_with(scheme=server.scheme, host=server.host, port=server.port)
