"""Connections with bounds: uvicorn's own wait without end for a request that never comes, or comes letter by letter."""

from __future__ import annotations

import asyncio
from contextlib import suppress

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from wordpl.web.guard import HEADERS
from wordpl.web.problems import problem
from wordpl.web.settings import MAX_CONNECTIONS, MAX_OF_ADDRESS

SECONDS = {h11.IDLE: 20.0, h11.SEND_BODY: 10.0}
"""For the head of a request, and then for its body, which gets a second more for each `LEAST_SPEED` bytes of it."""
LEAST_SPEED = 16 << 10
SECONDS_STALLED = 60.0
"""For a client that does not read what it is sent."""


class Connection(H11Protocol):
    """A connection that ends if its client takes too long, or if others need its place."""

    _part: object = None
    _late: asyncio.TimerHandle | None = None
    _stalled: asyncio.TimerHandle | None = None
    _waiting_since = 0.0
    _received = 0
    """Bytes of the part of a request that is coming."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._watch()
        others = [other for other in self.connections if isinstance(other, Connection) and other is not self]
        neighbours = [other for other in others if (other.client or ())[:1] == (self.client or ())[:1]]
        if len(neighbours) >= MAX_OF_ADDRESS:
            self._make_room(neighbours)
        elif len(others) >= MAX_CONNECTIONS:
            self._make_room(others)

    def data_received(self, data: bytes) -> None:
        self._received += len(data)
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
        with suppress(h11.LocalProtocolError):  # if the request was answered before all of it had come
            for event in (
                h11.Response(status_code=400, headers=answer.raw_headers, reason=b"Bad Request"),
                h11.Data(data=bytes(answer.body)),
                h11.EndOfMessage(),
            ):
                self.transport.write(self.conn.send(event) or b"")
        self.transport.close()

    def _watch(self) -> None:
        """Give each part of a request its time."""
        part = self.conn.their_state
        if part is self._part:
            return
        self._part, self._waiting_since, self._received = part, self.loop.time(), 0
        if self._late is not None:
            self._late.cancel()
        self._late = self.loop.call_later(SECONDS[part], self._end_if_late) if part in SECONDS else None

    def _end_if_late(self) -> None:
        part = self.conn.their_state
        seconds = SECONDS[part]
        late = self._waiting_since + seconds
        if part is h11.SEND_BODY:
            late += self._received / LEAST_SPEED
            if self.flow.read_paused:  # it is the server that does not read on
                late = self.loop.time() + seconds
        if self.loop.time() < late:
            self._late = self.loop.call_at(late, self._end_if_late)
        else:
            self.transport.abort()

    def _make_room(self, others: list[Connection]) -> None:
        """End the one that has kept the server waiting longest, of those without a request if there are any."""
        waiting = [other for other in others if other.conn.their_state in SECONDS]
        longest = min(
            waiting, key=lambda other: (other.conn.their_state is h11.SEND_BODY, other._waiting_since), default=self
        )
        # The loop tells it later that it is closed; until then it would count.
        self.connections.discard(longest)
        longest.transport.abort()
