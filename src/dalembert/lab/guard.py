"""Access control: every request is checked before its body is read, and every answer states what a page may do.

A page of another site in the same browser can also send requests to loopback. Three checks keep it out:
the Host header must name loopback, because an attacker's name may have been rebound to 127.0.0.1; Origin and
Sec-Fetch-Site are set by the browser and not by the page; and the token is new at every start. No answer has a CORS
header, so no other origin can read an answer.

Other accounts of the same machine can send requests, too. So only a request with the token gets the page. The address
that the command prints contains the token, which then becomes a cookie that no script can read.
"""

from __future__ import annotations

import hmac
import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from dalembert.lab.limits import Limits
from dalembert.lab.refusal import Refusal
from dalembert.language import chosen, known, speaking, tr

Scope = Mapping[str, Any]
Message = dict[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

TOKEN = "x-lab-token"
ADDRESS = "token"  # its name in the address


def policy(nonce: str = "") -> str:
    """The Content-Security-Policy. The page allows the style elements that have its nonce: those of CodeMirror."""
    styles = f"'self' 'nonce-{nonce}'" if nonce else "'self'"
    return (
        f"default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src {styles}; img-src 'self' blob: data:; "
        "connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )


HEADERS = {
    "content-security-policy": policy(),
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
    "cache-control": "no-store",
}


@dataclass(frozen=True, slots=True)
class Door:
    """The host names of this server, and the token of this start."""

    hosts: frozenset[str]  # name:port
    token: str
    port: int = 0

    @property
    def cookie(self) -> str:
        """The name of the cookie. Cookies ignore ports, so each running lab needs its own name."""
        return f"dalembert-lab-{self.port}"

    def admits(self, secret: str | None) -> bool:
        return secret is not None and hmac.compare_digest(secret.encode(), self.token.encode())

    def check(self, scope: Scope, limits: Limits) -> None:
        """Refuse a request that fails a check."""
        headers = _single(scope["headers"])
        if headers.get("host", "").lower() not in self.hosts:
            raise Refusal(
                421, tr("the Host header does not name this server on loopback; open the address it printed.")
            )
        computing = scope["path"].startswith("/api/")
        site, dest = headers.get("sec-fetch-site"), headers.get("sec-fetch-dest")
        own = {None, "same-origin"} if computing else {None, "same-origin", "none"}
        if site not in own and (computing or dest != "document"):
            raise Refusal(
                403, tr("the request comes from a page of another site; only the lab's own page may use this server.")
            )
        origin = headers.get("origin")
        if origin is not None and origin.lower() not in {f"http://{host}" for host in self.hosts}:
            raise Refusal(
                403, tr("the Origin of the request is another site; only the lab's own page may use this server.")
            )
        if computing and not self.admits(headers.get(TOKEN, "")):
            raise Refusal(403, tr("the token is missing or from an earlier start of the lab; load the page again."))
        _check_length(headers, limits)


def _check_length(headers: Mapping[str, str], limits: Limits) -> None:
    length = headers.get("content-length", "0")
    if not (length.isascii() and length.isdigit() and len(length) < 16):
        raise Refusal(400, tr("the Content-Length is not a number."))
    if int(length) > limits.body:
        raise Refusal(
            413, tr("the request has {length} bytes; at most {body} are taken.", length=int(length), body=limits.body)
        )


def _single(pairs: Any) -> dict[str, str]:
    """The headers by name. A header that is checked must not appear twice."""
    found: dict[str, str] = {}
    for name, value in pairs:
        key = name.decode("latin-1").lower()
        if key in found and key in {"host", "origin", "content-length", TOKEN, "sec-fetch-site"}:
            raise Refusal(400, tr("the header {key} was sent twice.", key=key))
        found[key] = value.decode("latin-1")
    return found


class Guard:
    """The outermost layer of the application."""

    def __init__(self, app: Any, door: Door, limits: Limits) -> None:
        self.app, self.door, self.limits = app, door, limits

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":  # there are no websockets
            await send({"type": "websocket.close", "code": 1008})
            return

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                given = {name.lower() for name, _ in message["headers"]}
                ours = [(n.encode(), v.encode()) for n, v in HEADERS.items() if n.encode() not in given]
                message = {**message, "headers": [*message["headers"], *ours]}
            await send(message)

        with speaking(chosen() or _accepted(scope)):
            try:
                self.door.check(scope, self.limits)
            except Refusal as refusal:
                await _refuse(refusal, guarded)
                return
            await self.app(scope, receive, guarded)


def _accepted(scope: Scope) -> str:
    """The first language that the browser accepts and the lab knows, or ""."""
    header = next(
        (value.decode("latin-1") for name, value in scope["headers"] if name.lower() == b"accept-language"), ""
    )
    return next(filter(None, (known(one.partition(";")[0].strip()) for one in header.split(","))), "")


async def _refuse(refusal: Refusal, send: Send) -> None:
    body = json.dumps(refusal.answer, ensure_ascii=False).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode()),
               (b"connection", b"close")]  # fmt: skip
    await send({"type": "http.response.start", "status": refusal.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
