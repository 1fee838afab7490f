"""Connections with bounds: uvicorn's own wait without end for a request that never comes, or comes letter by letter."""

from __future__ import annotations

import asyncio

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from wordpl.web.guard import HEADERS
from wordpl.web.problems import problem
from wordpl.web.settings import MAX_CONNECTIONS

SECONDS = {h11.IDLE: 20.0, h11.SEND_BODY: 120.0}
"""For the head of a request, and then for its body."""
SECONDS_STALLED = 60.0
"""For a client that does not read what it is sent."""


class Connection(H11Protocol):
    """A connection that ends if its client takes too long, or if others need its place."""

    _part: object = None
    _late: asyncio.TimerHandle | None = None
    _stalled: asyncio.TimerHandle | None = None
    _waiting_since = 0.0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._watch()
        if len(self.connections) > MAX_CONNECTIONS:
            self._make_room()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._watch()

    def on_response_complete(self) -> None:
        self._waiting_since = self.loop.time()
        super().on_response_complete()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._stalled = self.loop.call_later(SECONDS_STALLED, self.transport.abort)

    def resume_writing(self) -> None:
        super().resume_writing()
        if self._stalled is not None:
            self._stalled.cancel()

    def connection_lost(self, exc: Exception | None) -> None:
        for timer in (self._late, self._stalled):
            if timer is not None:
                timer.cancel()
        super().connection_lost(exc)

    def send_400_response(self, msg: str) -> None:
        answer = problem(
            400, "This is not a request that the server can read.", headers=HEADERS | {"Connection": "close"}
        )
        try:
            for event in (
                h11.Response(status_code=400, headers=answer.raw_headers, reason=b"Bad Request"),
                h11.Data(data=bytes(answer.body)),
                h11.EndOfMessage(),
            ):
                self.transport.write(self.conn.send(event) or b"")
        except h11.LocalProtocolError:
            pass  # the request was answered before all of it had come
        self.transport.close()

    def _watch(self) -> None:
        """Give each part of a request its time."""
        part = self.conn.their_state
        if part is self._part:
            return
        self._part, self._waiting_since = part, self.loop.time()
        if self._late is not None:
            self._late.cancel()
        self._late = self.loop.call_later(SECONDS[part], self.transport.abort) if part in SECONDS else None

    def _make_room(self) -> None:
        waiting = [one for one in self.connections if isinstance(one, Connection) and one.conn.their_state in SECONDS]
        longest = min(waiting, key=lambda one: one._waiting_since)
        # The loop tells it later that it is closed; until then it would count.
        self.connections.discard(longest)
        longest.transport.abort()
