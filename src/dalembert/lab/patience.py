"""A limit on incomplete requests, so that slow senders do not block others.

uvicorn waits without limit for the headers and the body of a request, and refuses every connection while there are too
many. Here a request must be complete within some seconds. Only so many connections may have an incomplete request, and
the oldest is closed for a new one.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

OWING = (h11.IDLE, h11.SEND_BODY)  # the request is not complete in these states


def patient(seconds: float, most: int) -> type[H11Protocol]:
    """A protocol for one server: `seconds` for a whole request, at most `most` incomplete requests."""
    owing: OrderedDict[Any, asyncio.TimerHandle] = OrderedDict()

    class Patient(H11Protocol):
        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            self._look()

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            self._look()

        def on_response_complete(self) -> None:
            super().on_response_complete()
            self._look()

        def connection_lost(self, exc: Exception | None) -> None:
            self._settled()
            super().connection_lost(exc)

        def _look(self) -> None:
            """Start the clock when a request becomes incomplete. Bytes that arrive slowly do not restart it."""
            if self.conn.their_state not in OWING or self.transport.is_closing():
                self._settled()
            elif self not in owing:
                owing[self] = self.loop.call_later(seconds, self.transport.abort)
                if len(owing) > most:
                    oldest, _ = next(iter(owing.items()))
                    oldest._settled()
                    oldest.transport.abort()

        def _settled(self) -> None:
            alarm = owing.pop(self, None)
            if alarm is not None:
                alarm.cancel()

    return Patient
