"""A limit on incomplete requests and unread answers, so that slow senders and readers do not block others.

uvicorn waits without limit for the headers and the body of a request, and for a client that does not read its answer.
It refuses every connection while there are too many. Here a request must be complete within some seconds, and an answer
that does not fit into the buffers must be read on. Only so many connections may owe one of both. The oldest connection
of them is closed for a new one: one that has just come may not have been able to send yet.
"""

from __future__ import annotations

import asyncio
from itertools import count
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

OWING = (h11.IDLE, h11.SEND_BODY)  # the request is not complete in these states


def patient(seconds: float, most: int) -> type[H11Protocol]:
    """A protocol for one server: `seconds` for a whole request and for a pause in reading; at most `most` that owe."""
    owing: dict[Any, asyncio.TimerHandle] = {}
    arrivals = count()

    class Patient(H11Protocol):
        unread = False  # the buffers are full of an answer

        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            self.arrival = next(arrivals)
            self._look()

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            self._look()

        def on_response_complete(self) -> None:
            super().on_response_complete()
            self._look()

        def pause_writing(self) -> None:
            super().pause_writing()
            self.unread = True
            self._look()

        def resume_writing(self) -> None:
            super().resume_writing()
            self.unread = False
            self._look()

        def connection_lost(self, exc: Exception | None) -> None:
            self._settled()
            super().connection_lost(exc)

        def _look(self) -> None:
            """Start the clock when something is owed. Bytes that arrive slowly do not restart it."""
            owes = self.unread or self.conn.their_state in OWING
            if not owes or self.transport.is_closing():
                self._settled()
            elif self not in owing:
                owing[self] = self.loop.call_later(seconds, self.transport.abort)
                if len(owing) > most:
                    oldest = min(owing, key=lambda one: one.arrival)
                    oldest._settled()
                    oldest.transport.abort()

        def _settled(self) -> None:
            alarm = owing.pop(self, None)
            if alarm is not None:
                alarm.cancel()

    return Patient
