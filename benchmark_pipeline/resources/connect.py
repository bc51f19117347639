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
        request.url = request.url.copy_with(scheme=self._server.scheme, host=self._server.host, port=self._server.port)
        return await self._inner.handle_async_request(request)

    async def aclose(self) -> None:
        """Closes the transport below."""
        await self._inner.aclose()
