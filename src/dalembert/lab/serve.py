"""`dalembert lab`: the socket, the server, and its end."""

from __future__ import annotations

import errno
import ipaddress
import os
import secrets
import signal
import socket
import sys
import webbrowser
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from dalembert.errors import ModelError
from dalembert.lab.folder import chosen
from dalembert.lab.guard import ADDRESS, Door
from dalembert.lab.limits import Limits
from dalembert.lab.pool import Pool
from dalembert.language import tr

PORT = 8642
TRIED = 20  # ports that are tried if none was given
HOST = "127.0.0.1"
MOST_CONNECTIONS = 300
EVERYWHERE = ("", "*", "0.0.0.0", "::")  # these are no host names, and the Host header must name the server


@dataclass(frozen=True, slots=True)
class Options:
    """The options of the command line."""

    port: int | None = None  # None: the usual port, or the next free one
    host: str = HOST
    folder: Path | None = None
    browser: bool = True
    workers: int = 2
    limits: Limits = field(default_factory=Limits)


def listening(host: str, port: int | None) -> socket.socket:
    """A socket at the given port, or at the first free one from the usual port on."""
    ports = range(PORT, PORT + TRIED) if port is None else (port,)
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    for number in ports:
        door = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)  # so that asyncio sends answers at once
        if os.name != "nt":  # on Windows it would let two servers share a port
            door.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            door.bind((host, number))
            door.listen(128)  # from here on a browser waits until it is served
            return door
        except OSError as error:
            door.close()
            if error.errno not in {errno.EADDRINUSE, errno.EACCES}:
                raise ModelError(
                    "the lab cannot listen at {host}: {strerror}.", host=host, strerror=error.strerror or error
                ) from None
            reason = tr("is in use") if error.errno == errno.EADDRINUSE else tr("may not be used")
    which = (
        tr("port {port} {reason}", port=port, reason=reason)
        if port is not None
        else tr("the ports from {port} to {port2} are in use", port=PORT, port2=PORT + TRIED - 1)
    )
    raise ModelError("{which}; give another with --port.", which=which)


def serve(options: Options) -> int:
    """Serve until Ctrl-C."""
    for kind in ("TRACES", "METRICS", "LOGS"):  # no telemetry, whatever the environment says
        os.environ[f"OTEL_{kind}_EXPORTER"] = "none"
    if options.host in EVERYWHERE:
        raise ModelError("{host} means every address; give the one address of the lab.", host=options.host)
    if options.folder is not None and not options.folder.is_dir():
        raise ModelError("{folder}: there is no such folder; make it first.", folder=options.folder)
    with listening(options.host, options.port) as door:
        port = door.getsockname()[1]
        names = {"127.0.0.1", "localhost", "[::1]", _bracketed(options.host)}
        folder = chosen(options.folder)
        pool = Pool(options.limits, options.workers, folder.path)
        pool.hire()  # a worker loads what it needs while the server does
        import uvicorn

        from dalembert.lab.patience import patient
        from dalembert.lab.routes import LabServer, application

        lab = LabServer(
            options.limits,
            Door(frozenset(f"{name}:{port}" for name in names), secrets.token_urlsafe(32), port),
            pool,
            folder,
        )
        config = uvicorn.Config(
            application(lab),
            log_level="warning",
            access_log=False,
            server_header=False,
            http=patient(options.limits.patience, options.limits.owing),
            limit_concurrency=MOST_CONNECTIONS,
            timeout_graceful_shutdown=1,
            ws="none",
        )
        server = _server(uvicorn.Server, pool)(config)
        with _greeted(options, port, lab.door.token):
            server.run(sockets=[door])
    print(tr("the lab is closed."), file=sys.stderr)
    return 0


@contextmanager
def _greeted(options: Options, port: int, token: str) -> Iterator[None]:
    """Print the address of the lab and open it. The temporary file for this is removed with the lab."""
    address = f"http://{_bracketed(options.host)}:{port}/?{ADDRESS}={token}"
    if options.port is None and port != PORT:
        print(tr("port {port} is in use; the lab uses {port2}.", port=PORT, port2=port), file=sys.stderr)
    if not _is_loopback(options.host):
        print(
            tr(
                "warning: {host} can be reached from other machines; anyone with the address can compute here.",
                host=options.host,
            ),
            file=sys.stderr,
        )
    print(tr("the lab is at {address} (Ctrl-C ends it)", address=address), flush=True)
    with TemporaryDirectory(prefix="dalembert-lab-") as private:
        if options.browser:
            webbrowser.open(_way_in(Path(private), address).as_uri())
        yield


def _way_in(private: Path, address: str) -> Path:
    """A file that redirects to the address, because every account of the machine can read a browser's command line."""
    way = private / "open.html"
    way.touch(0o600)
    way.write_text(f"<!doctype html><meta charset='utf-8'><meta http-equiv='refresh' content='0; url={address}'>")
    return way


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _server(base: type, pool: Pool) -> type:
    """A server that ends its computations at the first signal, and then exits normally."""

    class Server(base):  # type: ignore[misc, valid-type]
        @contextmanager
        def capture_signals(self) -> Iterator[None]:
            def end(number: int, frame: object) -> None:
                if not self.should_exit:  # it ends within two seconds, so a second signal is ignored
                    self.handle_exit(number, frame)

            before = {number: signal.signal(number, end) for number in (signal.SIGINT, signal.SIGTERM)}
            try:
                yield
            finally:
                for number, handler in before.items():
                    signal.signal(number, handler)

        async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
            pool.close()
            for connection in list(self.server_state.connections):
                if connection.unread:  # nobody waits for who does not read
                    connection.transport.abort()
            await super().shutdown(sockets=sockets)

    return Server
