"""How long a connection may owe its request: whoever sends half of one is not waited for, and keeps nobody out.

uvicorn waits for the headers of a request, and for its body, as long as it takes; and it refuses everybody while there
are too many connections. Here a request has to be there within some seconds, and of the connections that owe one only
so many are kept: the oldest gives way.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

OWING = (h11.IDLE, h11.SEND_BODY)  # states in which the other side has not sent all of its request


def patient(seconds: float, most: int) -> type[H11Protocol]:
    """A protocol for one server: `seconds` for a whole request, at most `most` connections that owe theirs."""
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
            """The time runs from the first moment that something is owed, however slowly it comes in."""
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
